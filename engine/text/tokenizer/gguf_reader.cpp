#include "engine/text/tokenizer/gguf_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/text/tokenizer/bpe.h"
#include "engine/text/tokenizer/characters.h"
#include "engine/text/tokenizer/gguf_pre.h"
#include "engine/text/tokenizer/pipeline.h"
#include "engine/text/tokenizer/sp_parts.h"

namespace lanescope::tokenizer {

namespace {

/// Values of tokenizer.ggml.token_type.
enum class TokenType : std::int64_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
};

std::string key(std::string_view name) {
    return "tokenizer.ggml." + std::string(name);
}

class Reader {
  public:
    Reader(const Metadata& metadata, const std::string& context)
        : m_metadata(metadata), m_context(context) {}

    Result<Parts> read() {
        const auto model = m_metadata.text(key("model"));
        if (!model) return badInput("there is no tokenizer.ggml.model", m_context);
        m_tokens = m_metadata.strings(key("tokens"));
        if (m_tokens == nullptr || m_tokens->empty()) {
            return badInput("there is no tokenizer.ggml.tokens", m_context);
        }
        const auto lengths = checkLengths();
        if (!lengths) return lengths.error();
        const auto done = readModel(*model);
        if (!done) return done.error();
        const auto special = readSpecialTokens();
        if (!special) return special.error();
        return std::move(m_parts);
    }

  private:
    Error wrong(std::string message) const { return badInput(std::move(message), m_context); }

    Result<void> readModel(std::string_view model) {
        if (model == "llama" || model == "t5") return readSentencePiece(model == "t5");
        if (model != "gpt2") {
            return unsupported(
                "tokenizer of kind \"" + std::string(model) + "\" is not supported", m_context,
                "use a model with a byte-level BPE (\"gpt2\") or SentencePiece (\"llama\", \"t5\") "
                "tokenizer");
        }
        const auto steps = readPreTokenizer();
        if (!steps) return steps.error();
        const auto tokens = readTokens();
        if (!tokens) return tokens.error();
        m_parts.decoder = makeByteLevelDecoder();
        return readBpe();
    }

    /// Kind "llama": merging by scores, bytes for what has no piece, and a BOS and a space in front
    /// unless the file says otherwise.
    Result<void> readSentencePiece(bool unigram) {
        const auto* scores = m_metadata.numbers(key("scores"));
        if (scores == nullptr || m_types == nullptr) {
            return wrong(std::string("a \"llama\" vocabulary needs tokenizer.ggml.") +
                         (scores == nullptr ? "scores" : "token_type"));
        }
        // Where a file names no ids, the kind has these.
        m_defaultIds = {{"bos_token_id", 1}, {"eos_token_id", 2}, {"unknown_token_id", 0}};
        if (unigram) m_defaultIds = {{"eos_token_id", 1}, {"unknown_token_id", 2}};
        const auto unk = idOf("unknown_token_id");
        if (!unk) return unk.error();
        SpVocabulary source;
        source.userDefined = SpVocabulary::UserDefined::Raw;
        source.parseUnknown = true;
        source.unkId = *unk;
        source.normalizer.addPrefix = m_metadata.boolean(key("add_space_prefix")).value_or(true);
        source.pieces = *m_tokens;
        source.scores.assign(scores->begin(), scores->end());
        source.types.reserve(m_types->size());
        for (const std::int64_t type : *m_types) {
            const bool known = type >= 1 && type <= 6;
            source.types.push_back(known ? static_cast<SpType>(type) : SpType::Normal);
        }
        m_addBos = !unigram;
        m_addEos = unigram;
        if (unigram) {
            source.kind = SpVocabulary::Kind::Unigram;
            source.sums = UnigramOptions::Sums::Double;
            const auto options = readUnigramOptions(source);
            if (!options) return options.error();
        }
        const auto built = buildSp(std::move(source), m_parts);
        return built ? Result<void>() : badInput(built.error().message, m_context);
    }

    /// Kind "t5": the table of replacements and how white space is treated.
    Result<void> readUnigramOptions(SpVocabulary& source) {
        auto& normalizer = source.normalizer;
        normalizer.removeExtraSpaces =
            m_metadata.boolean(key("remove_extra_whitespaces")).value_or(false);
        source.byteFallback =
            std::find(source.types.begin(), source.types.end(), SpType::Byte) != source.types.end();
        const auto* bytes = m_metadata.integers(key("precompiled_charsmap"));
        if (bytes == nullptr || bytes->empty()) return {};
        std::string blob;
        blob.reserve(bytes->size());
        for (const std::int64_t byte : *bytes) blob.push_back(static_cast<char>(byte & 0xFF));
        auto map = Charsmap::parse(blob);
        if (!map) return wrong("tokenizer.ggml.precompiled_charsmap: " + map.error().message);
        normalizer.charsmap = std::move(*map);
        return {};
    }

    /// Lists that run beside the tokens must be as long as they are.
    Result<void> checkLengths() {
        const std::size_t n = m_tokens->size();
        if (static_cast<std::int64_t>(n) > kMaxVocabSize) {
            return wrong("tokenizer.ggml.tokens has " + std::to_string(n) + " tokens; at most " +
                         std::to_string(kMaxVocabSize) + " are taken");
        }
        m_types = m_metadata.integers(key("token_type"));
        if (m_types != nullptr && m_types->size() != n)
            return mismatch("token_type", m_types->size());
        if (const auto* scores = m_metadata.numbers(key("scores"));
            scores != nullptr && scores->size() != n) {
            return mismatch("scores", scores->size());
        }
        return {};
    }

    Error mismatch(const std::string& name, std::size_t length) const {
        return wrong("tokenizer.ggml." + name + " has " + std::to_string(length) +
                     " entries, but tokenizer.ggml.tokens has " + std::to_string(m_tokens->size()) +
                     ": the lengths must be the same");
    }

    Result<void> readPreTokenizer() {
        // As llama.cpp: an unknown name is refused; old files without one get the default, which
        // may split otherwise than the model was trained with, so the kind says so.
        const auto written = m_metadata.text(key("pre"));
        const std::string name(written.value_or("default"));
        m_pre = findGgufPreTokenizer(name);
        if (m_pre == nullptr) {
            return unsupported("pre-tokenizer (tokenizer.ggml.pre) \"" + name + "\" is not known",
                               m_context, "use the tokenizer.json of the same model");
        }
        std::vector<PreTokenizerPtr> steps;
        for (const std::string_view pattern : m_pre->patterns) {
            auto regex = Regex::compile(pattern);
            if (!regex) return regex.error();
            steps.push_back(makeSplit(*regex, SplitBehaviour::Isolated));
        }
        m_parts.preTokenizer = makeSequence(std::move(steps));
        m_addBos = m_pre->addBos;
        if (m_pre->nfc) m_parts.normalizer = makeNfc();
        m_parts.kind = "byte-level BPE (" + name +
                       (written ? ")" : ", a guess: the file has no tokenizer.ggml.pre)");
        return {};
    }

    [[nodiscard]] TokenType typeOf(std::size_t id) const {
        return m_types == nullptr ? TokenType::Normal : static_cast<TokenType>((*m_types)[id]);
    }

    Result<void> readTokens() {
        std::size_t nBytes = 0;
        for (const std::string_view token : *m_tokens) nBytes += token.size();
        m_parts.vocabulary->reserve(m_tokens->size(), nBytes);
        for (std::size_t id = 0; id < m_tokens->size(); ++id) {
            const auto done = readToken(id, (*m_tokens)[id]);
            if (!done) return done.error();
        }
        m_parts.vocabulary->growTo(static_cast<TokenId>(m_tokens->size()));
        return {};
    }

    Result<void> readToken(std::size_t id, std::string_view text) {
        const TokenType type = typeOf(id);
        const auto number = static_cast<std::int64_t>(id);
        if (type == TokenType::Unused) return {};  // padding: no text, never produced
        if (type == TokenType::Normal || type == TokenType::Byte) {
            return m_parts.vocabulary->add(text, number, Vocabulary::Searchable::Yes);
        }
        AddedToken token;
        token.id = static_cast<TokenId>(id);
        token.content = std::string(text);
        token.special = type != TokenType::UserDefined;
        // Added tokens are spelled out, not written in the byte alphabet, which decoding undoes.
        std::string mapped;
        byte_level::appendMapped(mapped, text);
        const auto stored = m_parts.vocabulary->add(mapped, number, Vocabulary::Searchable::No);
        if (!stored) return stored.error();
        const auto added = m_parts.added.add(std::move(token), text);
        if (!added) return badInput(added.error().message, m_context);
        return {};
    }

    Result<void> readBpe() {
        const auto* list = m_metadata.strings(key("merges"));
        if (list == nullptr) return wrong("there is no tokenizer.ggml.merges");
        std::vector<Bpe::Merge> merges;
        merges.reserve(list->size());
        for (const std::string_view entry : *list) {
            const std::size_t space = entry.find(' ', 1);
            if (space == std::string_view::npos) {
                return wrong("merge " + std::to_string(merges.size()) + " (\"" +
                             std::string(entry.substr(0, 64)) + "\") is not two tokens");
            }
            merges.emplace_back(entry.substr(0, space), entry.substr(space + 1));
        }
        BpeOptions options;
        options.byteAlphabet = true;
        options.ignoreMerges = m_pre->ignoreMerges;
        auto bpe = Bpe::build(*m_parts.vocabulary, merges, options);
        if (!bpe) return badInput(bpe.error().message, m_context);
        m_parts.model = std::move(*bpe);
        return {};
    }

    /// The id under a key, -1 if there is none. Errors: an id that no token has.
    Result<TokenId> idOf(std::string_view name) const {
        const MetaValue* value = m_metadata.find(key(name));
        if (value == nullptr) return defaultIdOf(name);
        const auto id = m_metadata.integer(key(name));
        if (!id) return wrong("tokenizer.ggml." + std::string(name) + " is not an integer");
        // Some converters write -1 or its unsigned twin for "none".
        if (*id == -1 || *id == std::int64_t{0xFFFFFFFF}) return TokenId{-1};
        const auto nTokens = static_cast<std::int64_t>(m_tokens->size());
        if (*id < 0 || *id >= nTokens) {
            return wrong("tokenizer.ggml." + std::string(name) + " is the token id " +
                         std::to_string(*id) + ", which is out of range: there are " +
                         std::to_string(nTokens) + " tokens");
        }
        return static_cast<TokenId>(*id);
    }

    [[nodiscard]] TokenId defaultIdOf(std::string_view name) const {
        for (const auto& [key, id] : m_defaultIds) {
            const auto at = static_cast<std::size_t>(id);
            if (key != name || m_types == nullptr || at >= m_types->size()) continue;
            if (typeOf(at) == TokenType::Control || typeOf(at) == TokenType::Unknown) return id;
        }
        return -1;
    }

    Result<void> readSpecialTokens() {
        const auto bos = named("bos_token_id", "bos_token");
        if (!bos) return bos.error();
        const auto eos = named("eos_token_id", "eos_token");
        if (!eos) return eos.error();
        const auto unk = named("unknown_token_id", "unk_token");
        if (!unk) return unk.error();
        const auto pad = named("padding_token_id", "pad_token");
        if (!pad) return pad.error();
        m_parts.bos = *bos;
        m_parts.addEndOfGeneration(*eos);
        for (const char* name : {"eot_token_id", "eom_token_id"}) {
            const auto id = idOf(name);
            if (!id) return id.error();
            m_parts.addEndOfGeneration(*id);
        }
        m_parts.addKnownEndsOfGeneration();
        if (m_metadata.boolean(key("add_bos_token")).value_or(m_addBos)) {
            if (*bos < 0 && m_metadata.boolean(key("add_bos_token")))
                return wrong("tokenizer.ggml.add_bos_token is set, but there is no BOS id");
            if (*bos >= 0) m_parts.prefix.push_back(*bos);
        }
        if (m_metadata.boolean(key("add_eos_token")).value_or(m_addEos)) {
            if (*eos < 0 && m_metadata.boolean(key("add_eos_token")))
                return wrong("tokenizer.ggml.add_eos_token is set, but there is no EOS id");
            if (*eos >= 0) m_parts.suffix.push_back(*eos);
        }
        return {};
    }

    Result<TokenId> named(const char* idKey, const char* textName) {
        auto id = idOf(idKey);
        if (id && *id >= 0)
            m_parts.specialTexts[textName] =
                std::string((*m_tokens)[static_cast<std::size_t>(*id)]);
        return id;
    }

    const Metadata& m_metadata;
    const std::string& m_context;
    const std::vector<std::string_view>* m_tokens = nullptr;
    const std::vector<std::int64_t>* m_types = nullptr;
    const GgufPreTokenizer* m_pre = nullptr;
    std::vector<std::pair<std::string_view, TokenId>> m_defaultIds;
    bool m_addEos = false;
    bool m_addBos = false;  ///< where tokenizer.ggml.add_bos_token is missing
    Parts m_parts;
};

}  // namespace

Result<std::shared_ptr<const Tokenizer>> readGguf(const Metadata& metadata,
                                                  const std::string& context) {
    auto parts = Reader(metadata, context).read();
    if (!parts) return parts.error();
    return std::shared_ptr<const Tokenizer>(std::make_shared<Pipeline>(std::move(*parts)));
}

}  // namespace lanescope::tokenizer

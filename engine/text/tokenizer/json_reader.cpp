#include "engine/text/tokenizer/json_reader.h"

#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/text/tokenizer/bpe.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/pipeline.h"
#include "engine/text/tokenizer/post_processor.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = 256u << 20;

/// Splits "a b" at its one space. Errors: BadInput naming the entry.
Result<Bpe::Merge> mergeOfText(const std::string& text, std::size_t rank) {
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
        return badInput("merge " + std::to_string(rank) + " (\"" + text.substr(0, 64) +
                            "\") is not two tokens with one space between",
                        {}, "tokens with spaces need the pair form [\"a\", \"b\"]");
    }
    const std::string_view all = text;
    return Bpe::Merge(all.substr(0, space), all.substr(space + 1));
}

Result<std::vector<Bpe::Merge>> readMerges(const json& list) {
    if (!list.is_array()) return badInput("model BPE has no \"merges\"");
    std::vector<Bpe::Merge> merges;
    merges.reserve(list.size());
    for (const json& item : list) {
        if (item.is_string()) {
            const auto& text = item.get_ref<const std::string&>();
            if (merges.empty() && text.starts_with("#version")) continue;
            const auto merge = mergeOfText(text, merges.size());
            if (!merge) return merge.error();
            merges.push_back(*merge);
        } else if (item.is_array() && item.size() == 2 && item[0].is_string() &&
                   item[1].is_string()) {
            merges.emplace_back(item[0].get_ref<const std::string&>(),
                                item[1].get_ref<const std::string&>());
        } else {
            return badInput("merge " + std::to_string(merges.size()) +
                            " is neither a text nor a pair of texts");
        }
    }
    return merges;
}

Result<void> readVocabulary(const json& vocab, Vocabulary& vocabulary) {
    if (!vocab.is_object()) return badInput("model has no \"vocab\" object");
    vocabulary.reserve(vocab.size(), vocab.size() * 8);
    for (const auto& [text, value] : vocab.items()) {
        const auto id = asInteger(value);
        if (!id) return badInput("token \"" + text.substr(0, 64) + "\" has no integer id");
        const auto added = vocabulary.add(text, *id, Vocabulary::Searchable::Yes);
        if (!added) return added.error();
    }
    return {};
}

Result<void> readBpe(const json& model, Parts& parts) {
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!textField(model, name).empty()) {
            return unsupported(std::string("model BPE with ") + name + " \"" +
                               textField(model, name) + "\" is not supported");
        }
    }
    const json& dropout = member(model, "dropout");
    if (dropout.is_number() && dropout.get<double>() != 0.0) {
        return unsupported("model BPE with dropout is not supported: its ids are random");
    }
    const auto vocab = readVocabulary(member(model, "vocab"), *parts.vocabulary);
    if (!vocab) return vocab.error();
    const auto merges = readMerges(member(model, "merges"));
    if (!merges) return merges.error();
    BpeOptions options;
    options.ignoreMerges = boolField(model, "ignore_merges", false);
    options.byteFallback = boolField(model, "byte_fallback", false);
    options.fuseUnk = boolField(model, "fuse_unk", false);
    if (const std::string unk = textField(model, "unk_token"); !unk.empty()) {
        options.unkId = parts.vocabulary->find(unk);
        if (options.unkId < 0) {
            return badInput("unk_token \"" + unk + "\" is not in the vocabulary");
        }
    }
    auto bpe = Bpe::build(*parts.vocabulary, *merges, options);
    if (!bpe) return bpe.error();
    parts.model = std::move(*bpe);
    parts.kind = options.byteFallback ? "BPE with byte fallback" : "BPE";
    return {};
}

Result<void> readModel(const json& model, Parts& parts) {
    if (!model.is_object()) return badInput("has no \"model\" object");
    // Files from before the type was written down: merges mean BPE.
    const std::string type =
        textField(model, "type", member(model, "merges").is_array() ? "BPE" : "");
    if (type == "BPE") return readBpe(model, parts);
    return unsupported("tokenizer model of type \"" + type + "\" is not supported", {},
                       "use a model with a BPE tokenizer");
}

Result<void> readAddedTokens(const json& list, Parts& parts) {
    if (list.is_null()) return {};
    if (!list.is_array()) return badInput("\"added_tokens\" is no list");
    for (const json& item : list) {
        AddedToken token;
        token.content = textField(item, "content");
        token.special = boolField(item, "special", false);
        token.singleWord = boolField(item, "single_word", false);
        token.lstrip = boolField(item, "lstrip", false);
        token.rstrip = boolField(item, "rstrip", false);
        token.normalized = boolField(item, "normalized", !token.special);
        const auto id = asInteger(member(item, "id"));
        if (!id || token.content.empty()) return badInput("an added token has no id or no content");
        // Where the two disagree, the reference library goes by the model's vocabulary.
        const TokenId inModel = parts.vocabulary->find(token.content);
        const std::int64_t wanted = inModel >= 0 ? inModel : *id;
        // A token looked for in normalised text is found, and decodes, as its normalised self.
        std::string spelling = token.content;
        if (token.normalized && parts.normalizer) {
            const auto done = parts.normalizer->apply(spelling);
            if (!done) return done.error();
        }
        const auto added = parts.vocabulary->add(spelling, wanted, Vocabulary::Searchable::No);
        if (!added) return added.error();
        token.id = static_cast<TokenId>(wanted);
        if (token.special) parts.vocabulary->hide(token.id);
        const auto kept = parts.added.add(std::move(token), spelling);
        if (!kept) return kept.error();
    }
    return {};
}

/// Text of a token in tokenizer_config.json: "<s>" or {"content": "<s>", …}.
std::string tokenText(const json& config, const char* name) {
    const json& entry = member(config, name);
    return entry.is_string() ? entry.get<std::string>() : textField(entry, "content");
}

TokenId idOf(const Parts& parts, const std::string& text) {
    if (text.empty()) return -1;
    const AddedToken* token = parts.added.find(text);
    return token != nullptr ? token->id : parts.vocabulary->find(text);
}

void addEosIds(const json& config, Parts& parts) {
    const json& ids = member(config, "eos_token_id");
    if (const auto id = asInteger(ids)) parts.addEndOfGeneration(*id);
    if (!ids.is_array()) return;
    for (const json& item : ids) {
        if (const auto id = asInteger(item)) parts.addEndOfGeneration(*id);
    }
}

/// Classes that build their post-processor from add_bos_token, whatever tokenizer.json says.
bool addsBosByFlag(const json& config) {
    const std::string name = textField(config, "tokenizer_class");
    return name.starts_with("Llama") || name.starts_with("CodeLlama") ||
           name.starts_with("Gemma") || name.starts_with("Cohere");
}

void readSpecialTokens(const SideFiles& side, Parts& parts) {
    for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
        const std::string text = tokenText(side.tokenizerConfig, name);
        if (!text.empty()) parts.specialTexts[name] = text;
    }
    if (side.tokenizerConfig.is_object()) {
        parts.bos = idOf(parts, parts.specialTexts["bos_token"]);
    } else if (!parts.prefix.empty()) {
        parts.bos = parts.prefix.front();
        parts.specialTexts["bos_token"] = std::string(parts.vocabulary->text(parts.bos));
    }
    if (parts.prefix.empty() && parts.bos >= 0 && addsBosByFlag(side.tokenizerConfig) &&
        boolField(side.tokenizerConfig, "add_bos_token", false)) {
        parts.prefix.push_back(parts.bos);
    }
    parts.addEndOfGeneration(idOf(parts, parts.specialTexts["eos_token"]));
    addEosIds(side.generationConfig, parts);
    addEosIds(side.config, parts);
    parts.addKnownEndsOfGeneration();
}

Result<Parts> readParts(const json& file, const SideFiles& side) {
    Parts parts;
    auto normalizer = makeNormalizer(member(file, "normalizer"));
    if (!normalizer) return normalizer.error();
    parts.normalizer = std::move(*normalizer);
    auto preTokenizer = makePreTokenizer(member(file, "pre_tokenizer"));
    if (!preTokenizer) return preTokenizer.error();
    parts.preTokenizer = std::move(*preTokenizer);
    auto decoder = makeDecoder(member(file, "decoder"));
    if (!decoder) return decoder.error();
    parts.decoder = std::move(*decoder);
    auto around = readPostProcessor(member(file, "post_processor"));
    if (!around) return around.error();
    parts.prefix = std::move(around->prefix);
    parts.suffix = std::move(around->suffix);
    const auto model = readModel(member(file, "model"), parts);
    if (!model) return model.error();
    const auto added = readAddedTokens(member(file, "added_tokens"), parts);
    if (!added) return added.error();
    for (const auto* ids : {&parts.prefix, &parts.suffix}) {
        for (const TokenId id : *ids) {
            if (!parts.vocabulary->has(id)) {
                return badInput("post_processor adds token id " + std::to_string(id) +
                                ", which is not in the vocabulary");
            }
        }
    }
    if (typeOf(member(file, "decoder")) == "ByteLevel") parts.kind = "byte-level BPE";
    readSpecialTokens(side, parts);
    return parts;
}

Error inFile(Error error, const std::string& path) {
    if (!error.context.empty() && error.context != path) error.message += ": " + error.context;
    error.context = path;
    return error;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> parseTokenizerJson(std::string_view text,
                                                            const std::string& context,
                                                            const SideFiles& side) {
    const auto file = parseJson(text, context);
    if (!file) return file.error();
    auto parts = readParts(*file, side);
    if (!parts) return inFile(parts.error(), context);
    return std::shared_ptr<const Tokenizer>(std::make_shared<Pipeline>(std::move(*parts)));
}

Result<std::shared_ptr<const Tokenizer>> readTokenizerJson(const std::string& path,
                                                           const SideFiles& side) {
    const auto text = readTextFile(path, kMaxFileBytes);
    if (!text) return text.error();
    return parseTokenizerJson(*text, path, side);
}

}  // namespace lanescope::tokenizer

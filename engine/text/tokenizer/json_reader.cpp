#include "engine/text/tokenizer/json_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/text/tokenizer/bpe.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/pipeline.h"
#include "engine/text/tokenizer/post_processor.h"
#include "engine/text/tokenizer/side_files.h"
#include "engine/text/tokenizer/unigram.h"

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

Result<void> readBpe(const json& model, bool byteAlphabet, Parts& parts) {
    const auto vocab = readVocabulary(member(model, "vocab"), *parts.vocabulary);
    if (!vocab) return vocab.error();
    const auto merges = readMerges(member(model, "merges"));
    if (!merges) return merges.error();
    BpeOptions options;  // "dropout" is for training: a prompt's ids are not left to chance
    options.wordPrefix = textField(model, "continuing_subword_prefix");
    options.wordSuffix = textField(model, "end_of_word_suffix");
    options.byteAlphabet = byteAlphabet;
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

/// "vocab" as a list of [token, score]; the id is the place in the list.
Result<std::vector<double>> readScores(const json& vocab, Vocabulary& vocabulary) {
    if (!vocab.is_array()) return badInput("model Unigram has no \"vocab\" list");
    vocabulary.reserve(vocab.size(), vocab.size() * 8);
    std::vector<double> scores;
    scores.reserve(vocab.size());
    for (const json& item : vocab) {
        if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_number()) {
            return badInput("entry " + std::to_string(scores.size()) +
                            " of the vocabulary is not a token with a score");
        }
        const auto added =
            vocabulary.add(item[0].get_ref<const std::string&>(),
                           static_cast<std::int64_t>(scores.size()), Vocabulary::Searchable::Yes);
        if (!added) return added.error();
        scores.push_back(item[1].get<double>());
    }
    return scores;
}

Result<void> readUnigram(const json& model, Parts& parts) {
    auto scores = readScores(member(model, "vocab"), *parts.vocabulary);
    if (!scores) return scores.error();
    if (scores->empty()) return badInput("model Unigram has an empty vocabulary");
    UnigramOptions options;
    options.unkScore = *std::min_element(scores->begin(), scores->end()) - 10.0;
    options.scores = std::move(*scores);
    if (const json& unk = member(model, "unk_id"); !unk.is_null()) {
        const auto id = asInteger(unk);
        if (!id || *id < 0 || *id >= parts.vocabulary->size()) {
            return badInput("unk_id is no token of the vocabulary, which has " +
                            std::to_string(parts.vocabulary->size()));
        }
        options.unkId = static_cast<TokenId>(*id);
    }
    if (boolField(model, "byte_fallback", false)) {
        options.byteIds.resize(256, -1);
        for (TokenId id = 0; id < parts.vocabulary->size(); ++id) {
            const int byte = byteOfToken(parts.vocabulary->text(id));
            if (byte >= 0) options.byteIds[static_cast<std::size_t>(byte)] = id;
        }
    }
    parts.kind = options.byteIds.empty() ? "Unigram" : "Unigram with byte fallback";
    parts.model = std::make_unique<Unigram>(*parts.vocabulary, std::move(options));
    return {};
}

/// Files from before the type was written down: merges mean BPE.
std::string modelType(const json& model) {
    return textField(model, "type", member(model, "merges").is_array() ? "BPE" : "");
}

Result<void> readModel(const json& model, bool byteAlphabet, Parts& parts) {
    if (!model.is_object()) return badInput("has no \"model\" object");
    const std::string type = modelType(model);
    if (type == "BPE") return readBpe(model, byteAlphabet, parts);
    if (type == "Unigram" || (type.empty() && member(model, "unk_id").is_number())) {
        return readUnigram(model, parts);
    }
    return unsupported("tokenizer model of type \"" + type + "\" is not supported", {},
                       "use a model with a BPE or Unigram tokenizer");
}

Result<void> readAddedTokens(const json& list, Parts& parts) {
    if (list.is_null()) return {};
    if (!list.is_array()) return badInput("\"added_tokens\" is no list");
    for (const json& item : list) {
        AddedToken token = readAddedToken(item);
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

Result<Parts> readParts(const json& file, const SideFiles& side) {
    Parts parts;
    auto normalizer = makeNormalizer(member(file, "normalizer"));
    if (!normalizer) return normalizer.error();
    parts.normalizer = std::move(*normalizer);
    // Byte-level models write the byte alphabet themselves, for new words only.
    bool byteAlphabet = false;
    const bool isBpe = modelType(member(file, "model")) == "BPE";
    auto preTokenizer =
        makePreTokenizer(member(file, "pre_tokenizer"), isBpe ? &byteAlphabet : nullptr);
    if (!preTokenizer) return preTokenizer.error();
    parts.preTokenizer = std::move(*preTokenizer);
    auto decoder = makeDecoder(member(file, "decoder"));
    if (!decoder) return decoder.error();
    parts.decoder = std::move(*decoder);
    auto around = readPostProcessor(member(file, "post_processor"));
    if (!around) return around.error();
    parts.prefix = std::move(around->prefix);
    parts.suffix = std::move(around->suffix);
    const auto model = readModel(member(file, "model"), byteAlphabet, parts);
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

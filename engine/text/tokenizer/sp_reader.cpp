// A SentencePiece .model file with the configs beside it as a pipeline: folders from before
// tokenizer.json, and such a file alone.

#include <charconv>
#include <utility>

#include "engine/base/mapped_file.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/json_reader.h"
#include "engine/text/tokenizer/side_files.h"
#include "engine/text/tokenizer/sp_file.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = 256u << 20;

/// Tokens the config adds behind the pieces, or makes control tokens of pieces.
Result<void> addFromConfig(const json& config, const std::vector<SpType>& types, Parts& parts) {
    const json& list = member(config, "added_tokens_decoder");
    if (!list.is_object()) return {};
    for (const auto& [text, entry] : list.items()) {
        std::int64_t id = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
        if (error != std::errc() || end != text.data() + text.size() || id < 0) {
            return badInput("added_tokens_decoder has the id \"" + text.substr(0, 64) + "\"");
        }
        AddedToken token = readAddedToken(entry);
        if (token.content.empty()) continue;
        const bool isPiece = id < static_cast<std::int64_t>(types.size());
        if (isPiece && types[static_cast<std::size_t>(id)] != SpType::Normal) continue;
        if (isPiece && !token.special) continue;
        const auto added = parts.vocabulary->add(token.content, id, Vocabulary::Searchable::No);
        if (!added) return added.error();
        token.id = static_cast<TokenId>(id);
        token.normalized = false;
        parts.vocabulary->hide(token.id);
        const std::string spelling = token.content;
        const auto kept = parts.added.add(std::move(token), spelling);
        if (!kept) return kept.error();
    }
    return {};
}

void setDefault(Parts& parts, const char* name, TokenId id) {
    if (id >= 0 && parts.specialTexts[name].empty()) {
        parts.specialTexts[name] = std::string(parts.vocabulary->text(id));
    }
}

/// Whether the text starts with BOS and ends with EOS: as the config says, else as its class does,
/// else (no config at all) as language models of this kind do.
void addAround(const json& config, const SpFile& file, Parts& parts) {
    const std::string name = textField(config, "tokenizer_class");
    const bool encoder = name.starts_with("T5") || name.starts_with("MT5");
    const bool bpe = file.vocabulary.kind == SpVocabulary::Kind::Bpe;
    const bool byClass = name.empty()
                             ? bpe
                             : name.starts_with("Llama") || name.starts_with("CodeLlama") ||
                                   name.starts_with("Gemma");
    parts.prefix.clear();
    if (parts.bos >= 0 && boolField(config, "add_bos_token", byClass)) {
        parts.prefix.push_back(parts.bos);
    }
    if (file.eosId >= 0 && boolField(config, "add_eos_token", encoder)) {
        parts.suffix.push_back(file.eosId);
    }
}

Result<Parts> readParts(std::string_view bytes, const SideFiles& side) {
    auto file = parseSpFile(bytes);
    if (!file) return file.error();
    Parts parts;
    const std::vector<SpType> types = file->vocabulary.types;
    const auto built = buildSp(file->vocabulary, parts);
    if (!built) return built.error();
    const auto added = addFromConfig(side.tokenizerConfig, types, parts);
    if (!added) return added.error();
    readSpecialTokens(side, parts);
    if (parts.bos < 0) parts.bos = file->bosId;
    setDefault(parts, "bos_token", file->bosId);
    setDefault(parts, "eos_token", file->eosId);
    setDefault(parts, "pad_token", file->padId);
    if (parts.specialTexts["unk_token"].empty()) {
        parts.specialTexts["unk_token"] =
            std::string(file->vocabulary.pieces[static_cast<std::size_t>(file->vocabulary.unkId)]);
    }
    parts.addEndOfGeneration(file->eosId);
    addAround(side.tokenizerConfig, *file, parts);
    return parts;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> parseSpModel(std::string_view bytes,
                                                      const std::string& context,
                                                      const SideFiles& side) {
    auto parts = readParts(bytes, side);
    if (!parts) return inFile(parts.error(), context);
    return std::shared_ptr<const Tokenizer>(std::make_shared<Pipeline>(std::move(*parts)));
}

Result<std::shared_ptr<const Tokenizer>> readSpModel(const std::string& path,
                                                     const SideFiles& side) {
    const auto bytes = readTextFile(path, kMaxFileBytes);
    if (!bytes) return bytes.error();
    return parseSpModel(*bytes, path, side);
}

}  // namespace lanescope::tokenizer

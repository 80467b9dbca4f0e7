#include "engine/text/tokenizer.h"

#include <filesystem>
#include <utility>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/text/tokenizer/gguf_reader.h"
#include "engine/text/tokenizer/json_reader.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxConfigBytes = 64u << 20;

/// A JSON file beside tokenizer.json; null if it is not there.
Result<nlohmann::json> readSideFile(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return nlohmann::json();
    const auto text = readTextFile(path.string(), kMaxConfigBytes);
    if (!text) return text.error();
    return parseJson(*text, path.string());
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::fromCheckpoint(const Checkpoint& checkpoint) {
    if (checkpoint.format() == CheckpointFormat::Gguf) {
        return tokenizer::readGguf(checkpoint.metadata(), checkpoint.path());
    }
    if (checkpoint.tokenizerJsonPath().empty()) {
        return unsupported("there is no tokenizer.json", checkpoint.path(),
                           "put the model's tokenizer.json beside its weights");
    }
    return tokenizer::readTokenizerJson(
        checkpoint.tokenizerJsonPath(),
        {checkpoint.tokenizerConfig(), checkpoint.generationConfig(), checkpoint.config()});
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::fromFile(const std::string& path) {
    std::filesystem::path file = path;
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) file /= "tokenizer.json";
    if (file.extension() == ".model") {
        return unsupported("SentencePiece models are not supported", path,
                           "use the tokenizer.json of the same model");
    }
    const auto tokenizerConfig = readSideFile(file.parent_path() / "tokenizer_config.json");
    if (!tokenizerConfig) return tokenizerConfig.error();
    const auto generationConfig = readSideFile(file.parent_path() / "generation_config.json");
    if (!generationConfig) return generationConfig.error();
    const nlohmann::json none;
    return tokenizer::readTokenizerJson(file.string(), {*tokenizerConfig, *generationConfig, none});
}

}  // namespace lanescope

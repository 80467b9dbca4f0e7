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

/// tokenizer.model in a folder, or beside a file; empty if there is none.
std::string modelFileIn(const std::string& path) {
    std::error_code ignored;
    std::filesystem::path folder = path;
    if (!std::filesystem::is_directory(folder, ignored)) folder = folder.parent_path();
    for (const char* name : {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"}) {
        const auto file = folder / name;
        if (std::filesystem::is_regular_file(file, ignored)) return file.string();
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::fromCheckpoint(const Checkpoint& checkpoint) {
    if (checkpoint.format() == CheckpointFormat::Gguf) {
        return tokenizer::readGguf(checkpoint.metadata(), checkpoint.path());
    }
    const tokenizer::SideFiles side = {checkpoint.tokenizerConfig(), checkpoint.generationConfig(),
                                       checkpoint.config()};
    if (!checkpoint.tokenizerJsonPath().empty()) {
        return tokenizer::readTokenizerJson(checkpoint.tokenizerJsonPath(), side);
    }
    const std::string model = modelFileIn(checkpoint.path());
    if (!model.empty()) return tokenizer::readSpModel(model, side);
    return unsupported("there is no tokenizer.json and no tokenizer.model", checkpoint.path(),
                       "put the model's tokenizer.json beside its weights");
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::fromFile(const std::string& path) {
    std::filesystem::path file = path;
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        const std::string model = modelFileIn(path);
        file /= "tokenizer.json";
        if (!std::filesystem::exists(file, ignored) && !model.empty()) file = model;
    }
    const auto tokenizerConfig = readSideFile(file.parent_path() / "tokenizer_config.json");
    if (!tokenizerConfig) return tokenizerConfig.error();
    const auto generationConfig = readSideFile(file.parent_path() / "generation_config.json");
    if (!generationConfig) return generationConfig.error();
    const nlohmann::json none;
    const tokenizer::SideFiles side = {*tokenizerConfig, *generationConfig, none};
    if (file.extension() == ".model") return tokenizer::readSpModel(file.string(), side);
    return tokenizer::readTokenizerJson(file.string(), side);
}

}  // namespace lanescope

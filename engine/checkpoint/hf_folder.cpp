#include "engine/checkpoint/hf_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint_builder.h"
#include "engine/checkpoint/foreign_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace fs = std::filesystem;

namespace {

constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr std::size_t kMaxConfigBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxIndexBytes = 100'000'000;

bool isFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// Names of the folder's files with an extension, sorted; "" for all.
std::vector<std::string> filesWith(const fs::path& folder, const std::string& extension) {
    std::vector<std::string> out;
    std::error_code ignored;
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
        if (it->path().extension() == extension && isFile(it->path())) {
            out.push_back(it->path().filename().string());
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// A JSON file that must hold an object.
Result<nlohmann::json> readJsonObject(const fs::path& path, std::size_t maxBytes) {
    auto text = readTextFile(path.string(), maxBytes);
    if (!text) return text.error();
    const auto bytes = std::as_bytes(std::span(text->data(), text->size()));
    if (auto foreign = recogniseForeign(bytes, path.string())) return std::move(*foreign);
    auto json = parseJson(*text, path.string());
    if (!json) return json.error();
    if (!json->is_object()) return badInput("must hold a JSON object", path.string());
    return json;
}

/// The files beside the weights: config.json must be there, the rest may.
Result<void> readConfigs(CheckpointBuilder& builder, const fs::path& folder) {
    auto config = readJsonObject(folder / "config.json", kMaxConfigBytes);
    if (!config) return config.error();
    builder.setConfig(std::move(*config));
    if (isFile(folder / "tokenizer_config.json")) {
        auto json = readJsonObject(folder / "tokenizer_config.json", kMaxConfigBytes);
        if (!json) return json.error();
        builder.setTokenizerConfig(std::move(*json));
    }
    if (isFile(folder / "generation_config.json")) {
        auto json = readJsonObject(folder / "generation_config.json", kMaxConfigBytes);
        if (!json) return json.error();
        builder.setGenerationConfig(std::move(*json));
    }
    if (isFile(folder / "tokenizer.json")) {
        builder.setTokenizerJsonPath((folder / "tokenizer.json").string());
    }
    if (isFile(folder / "chat_template.jinja")) {
        builder.setChatTemplatePath((folder / "chat_template.jinja").string());
    }
    return {};
}

Result<std::shared_ptr<const Checkpoint>> buildSingle(std::shared_ptr<const MappedFile> file,
                                                      SafetensorsFile parsed,
                                                      const std::string& path,
                                                      const fs::path& folder) {
    CheckpointBuilder builder(CheckpointFormat::HuggingFace, path);
    if (auto read = readConfigs(builder, folder); !read) return read.error();
    auto added = builder.addFile(std::move(file), std::move(parsed.tensors));
    if (!added) return added.error();
    builder.addSkipped(std::move(parsed.skipped));
    return builder.build();
}

/// Which tensors each shard must hold, from the index. Shard names are checked to stay in the
/// folder.
Result<std::map<std::string, std::vector<std::string>>> readIndex(const fs::path& path) {
    const auto json = readJsonObject(path, kMaxIndexBytes);
    if (!json) return json.error();
    const auto map = json->find("weight_map");
    if (map == json->end() || !map->is_object() || map->empty()) {
        return badInput("has no weight_map (an object from tensor names to files)", path.string());
    }
    std::map<std::string, std::vector<std::string>> shards;
    for (const auto& [tensor, file] : map->items()) {
        const auto* name = file.get_ptr<const std::string*>();
        if (name == nullptr) {
            return badInput("weight_map gives no file for tensor " + inQuotes(tensor),
                            path.string());
        }
        if (name->empty() || name->find('/') != std::string::npos ||
            name->find('\\') != std::string::npos || name->find('\0') != std::string::npos ||
            *name == "." || *name == "..") {
            return badInput("weight_map names a file outside the folder for tensor " +
                                inQuotes(tensor) + ": " + inQuotes(*name),
                            path.string());
        }
        shards[*name].push_back(tensor);
    }
    return shards;
}

Result<void> addShard(CheckpointBuilder& builder, const fs::path& path,
                      const std::vector<std::string>& expected) {
    auto file = MappedFile::open(path.string());
    if (!file) return file.error();
    auto parsed = parseSafetensors((*file)->bytes(), path.string());
    if (!parsed) return parsed.error();
    std::vector<std::string_view> names;
    for (const auto& tensor : parsed->tensors) names.push_back(tensor.name);
    for (const auto& tensor : parsed->skipped) names.push_back(tensor.name);
    std::sort(names.begin(), names.end());
    for (const auto& name : expected) {
        if (!std::binary_search(names.begin(), names.end(), std::string_view(name))) {
            return badInput("does not hold tensor " + inQuotes(name) + ", which " + kIndexName +
                                " places there",
                            path.string(), "the index and the shards are of different versions");
        }
    }
    auto added = builder.addFile(std::move(*file), std::move(parsed->tensors));
    if (!added) return added;
    builder.addSkipped(std::move(parsed->skipped));
    return {};
}

Result<std::shared_ptr<const Checkpoint>> openSharded(const std::string& path,
                                                      const fs::path& folder) {
    CheckpointBuilder builder(CheckpointFormat::HuggingFace, path);
    if (auto read = readConfigs(builder, folder); !read) return read.error();
    const auto shards = readIndex(folder / kIndexName);
    if (!shards) return shards.error();
    std::string firstMissing;
    std::size_t nMissing = 0;
    for (const auto& [name, tensors] : *shards) {
        if (!isFile(folder / name) && nMissing++ == 0) firstMissing = name;
    }
    if (nMissing > 0) {
        return badInput(std::to_string(nMissing) + " of " + std::to_string(shards->size()) +
                            " weight files named by " + kIndexName + " are missing, the first is " +
                            firstMissing,
                        folder.string(), "download all of them into this folder");
    }
    for (const auto& [name, tensors] : *shards) {
        if (auto added = addShard(builder, folder / name, tensors); !added) return added.error();
    }
    return builder.build();
}

/// Nothing here can be opened: say what was looked for and what is there instead.
Error noWeights(const fs::path& folder, const std::vector<std::string>& safetensors) {
    const std::string looked =
        std::string("model.safetensors and ") + kIndexName + " were looked for";
    if (!safetensors.empty()) {
        return badInput(
            "has " + std::to_string(safetensors.size()) + " .safetensors files, but " + looked,
            folder.string(), "open one of the files, or add the index");
    }
    for (const char* extension : {".bin", ".pt", ".pth"}) {
        const auto found = filesWith(folder, extension);
        if (found.empty()) continue;
        return unsupported("has its weights only as " + found.front() +
                               " (PyTorch); only safetensors is read, " + looked,
                           folder.string(), "convert them to safetensors");
    }
    return badInput("has no weights: " + looked, folder.string(),
                    "download the weights into this folder");
}

Error noConfig(const fs::path& folder) {
    const auto gguf = filesWith(folder, ".gguf");
    const std::string message = "has no config.json, which was looked for";
    if (!gguf.empty()) {
        return badInput(message + "; it holds " + gguf.front(), folder.string(),
                        "open the .gguf file itself");
    }
    return badInput(message, folder.string(),
                    "choose a .gguf file or a folder with config.json and model.safetensors");
}

}  // namespace

Result<std::shared_ptr<const Checkpoint>> openHfFolder(const std::string& folder) {
    const fs::path dir(folder);
    if (!isFile(dir / "config.json")) return noConfig(dir);
    const auto safetensors = filesWith(dir, ".safetensors");
    fs::path weights = dir / "model.safetensors";
    if (!isFile(weights)) {
        if (isFile(dir / kIndexName)) return openSharded(folder, dir);
        if (safetensors.size() != 1) return noWeights(dir, safetensors);
        weights = dir / safetensors.front();
    }
    auto file = MappedFile::open(weights.string());
    if (!file) return file.error();
    auto parsed = parseSafetensors((*file)->bytes(), weights.string());
    if (!parsed) return parsed.error();
    return buildSingle(std::move(*file), std::move(*parsed), folder, dir);
}

Result<std::shared_ptr<const Checkpoint>> openSafetensors(std::shared_ptr<const MappedFile> file,
                                                          const std::string& path) {
    const fs::path folder = fs::absolute(fs::path(path)).parent_path();
    // Damage first: a cut file should not be blamed on the folder.
    auto parsed = parseSafetensors(file->bytes(), path);
    if (!parsed) return parsed.error();
    if (!isFile(folder / "config.json")) {
        return badInput("holds weights only: config.json was looked for beside it", path,
                        "put the model's config.json (and tokenizer.json) into the same folder");
    }
    const bool isShard = path.find("-of-") != std::string::npos;
    if (isShard && isFile(folder / kIndexName)) return openSharded(path, folder);
    return buildSingle(std::move(file), std::move(*parsed), path, folder);
}

}  // namespace lanescope

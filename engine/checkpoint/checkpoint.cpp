#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/checkpoint/checkpoint_builder.h"
#include "engine/checkpoint/foreign_file.h"
#include "engine/checkpoint/gguf_files.h"
#include "engine/checkpoint/hf_folder.h"
#include "engine/checkpoint/synthetic.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace fs = std::filesystem;

Result<void> CheckpointBuilder::addTensors(std::vector<TensorView> tensors,
                                           const std::string& path) {
    Checkpoint& c = *m_checkpoint;
    for (TensorView& tensor : tensors) {
        if (!c.m_index.emplace(tensor.name, c.m_tensors.size()).second) {
            return badInput("tensor " + inQuotes(tensor.name) + " is in two files", path);
        }
        c.m_tensors.push_back(std::move(tensor));
    }
    return {};
}

Result<void> CheckpointBuilder::addFile(std::shared_ptr<const MappedFile> file,
                                        std::vector<TensorView> tensors) {
    if (auto added = addTensors(std::move(tensors), file->path()); !added) return added;
    m_checkpoint->m_fileBytes += file->bytes().size();
    m_checkpoint->m_files.push_back(std::move(file));
    return {};
}

Result<void> CheckpointBuilder::addLazy(std::shared_ptr<LazyWeights> weights,
                                        std::vector<TensorView> tensors) {
    for (const TensorView& tensor : tensors) m_checkpoint->m_fileBytes += tensor.sizeBytes;
    m_checkpoint->m_lazy = std::move(weights);
    return addTensors(std::move(tensors), m_checkpoint->m_path);
}

void CheckpointBuilder::setConfig(nlohmann::json json) {
    m_checkpoint->m_config = std::make_shared<const nlohmann::json>(std::move(json));
}

void CheckpointBuilder::setTokenizerConfig(nlohmann::json json) {
    m_checkpoint->m_tokenizerConfig = std::make_shared<const nlohmann::json>(std::move(json));
}

void CheckpointBuilder::setGenerationConfig(nlohmann::json json) {
    m_checkpoint->m_generationConfig = std::make_shared<const nlohmann::json>(std::move(json));
}

void CheckpointBuilder::addSkipped(std::vector<SkippedTensor> skipped) {
    std::move(skipped.begin(), skipped.end(), std::back_inserter(m_checkpoint->m_skipped));
}

namespace {

std::shared_ptr<const nlohmann::json> noJson() {
    static const auto kNone = std::make_shared<const nlohmann::json>();
    return kNone;
}

}  // namespace

Checkpoint::Checkpoint()
    : m_config(noJson()), m_tokenizerConfig(noJson()), m_generationConfig(noJson()) {}

Result<void> Checkpoint::checkUnchanged() const {
    for (const auto& file : m_files) {
        if (auto same = file->checkUnchanged(); !same) return same;
    }
    return {};
}

void Checkpoint::releasePages(const void* data, std::uint64_t size) const {
    for (const auto& file : m_files) file->release(data, size);
}

Result<void> Checkpoint::materialise() const {
    return m_lazy != nullptr ? m_lazy->fill() : Result<void>();
}

const TensorView* Checkpoint::find(std::string_view name) const {
    const auto it = m_index.find(std::string(name));
    return it != m_index.end() ? &m_tensors[it->second] : nullptr;
}

Result<std::shared_ptr<const Checkpoint>> Checkpoint::open(const std::string& path) {
    std::error_code ignored;
    if (isSynthetic(path) && !fs::exists(path, ignored)) return openSynthetic(path);
    if (fs::is_directory(path, ignored)) return openHfFolder(path);
    auto file = MappedFile::open(path);
    if (!file) return file.error();
    const auto bytes = (*file)->bytes();
    const std::string extension = fs::path(path).extension().string();
    // What the file holds decides; its name only where the start is damaged.
    if (looksLikeGguf(bytes)) return openGguf(std::move(*file), path);
    if (extension == ".safetensors") return openSafetensors(std::move(*file), path);
    if (extension == ".gguf") return openGguf(std::move(*file), path);
    if (looksLikeSafetensors(bytes)) return openSafetensors(std::move(*file), path);
    if (auto foreign = recogniseForeign(bytes, path)) return std::move(*foreign);
    if (extension == ".json") {
        return badInput("is not a checkpoint", path, "open the folder that it lies in");
    }
    return badInput("is neither a GGUF nor a safetensors file", path,
                    "choose a .gguf file, a .safetensors file or a folder with config.json");
}

}  // namespace lanescope

#pragma once
// The one class that may fill a Checkpoint. The readers hand it checked parts; it refuses tensor
// names that come twice.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"

namespace lanescope {

class CheckpointBuilder {
  public:
    CheckpointBuilder(CheckpointFormat format, std::string path) : m_checkpoint(new Checkpoint()) {
        m_checkpoint->m_format = format;
        m_checkpoint->m_path = std::move(path);
    }

    /// Keeps the mapping alive and adds the tensors that point into it.
    Result<void> addFile(std::shared_ptr<const MappedFile> file, std::vector<TensorView> tensors);
    /// Tensors that lie in memory which `weights` owns and fills.
    Result<void> addLazy(std::shared_ptr<LazyWeights> weights, std::vector<TensorView> tensors);
    void addSkipped(std::vector<SkippedTensor> skipped);

    void setMetadata(Metadata metadata) { m_checkpoint->m_metadata = std::move(metadata); }
    [[nodiscard]] const Metadata& metadata() const { return m_checkpoint->m_metadata; }
    void setConfig(nlohmann::json json);
    void setTokenizerConfig(nlohmann::json json);
    void setGenerationConfig(nlohmann::json json);
    void setTokenizerJsonPath(std::string path) {
        m_checkpoint->m_tokenizerJsonPath = std::move(path);
    }
    void setChatTemplatePath(std::string path) {
        m_checkpoint->m_chatTemplatePath = std::move(path);
    }

    /// The builder is empty afterwards.
    std::shared_ptr<const Checkpoint> build() { return std::move(m_checkpoint); }

  private:
    Result<void> addTensors(std::vector<TensorView> tensors, const std::string& path);

    std::unique_ptr<Checkpoint> m_checkpoint;
};

}  // namespace lanescope

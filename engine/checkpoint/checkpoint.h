#pragma once
// A checkpoint as the rest of the engine sees it: a table of checked tensors and the model's
// description, whether it came from GGUF or from a Hugging Face folder. What the names and keys
// mean is model/'s business.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/base/mapped_file.h"
#include "engine/base/result.h"
#include "kernels/types/dtype.h"

namespace lanescope {

enum class CheckpointFormat : std::uint8_t { Gguf, HuggingFace };

/// One tensor inside a mapped file. Already checked: data lies in the file, size = shape x type.
struct TensorView {
    std::string name;
    kernels::DType dtype = kernels::DType::F32;
    std::vector<std::int64_t>
        shape;  ///< outermost first: a matrix is [rows, cols]; rows are contiguous
    const std::byte* data = nullptr;
    std::uint64_t sizeBytes = 0;

    [[nodiscard]] std::int64_t nElements() const;
};

/// A tensor of a type that is legal in the file but that no kernel here reads (U8 masks, F8 …). It
/// was range-checked like the others and left out of the table, so that it only matters if needed.
struct SkippedTensor {
    std::string name;
    std::string typeName;  ///< as the file writes it: "BOOL", "F8_E4M3"
};

struct MetaNested;

/// A GGUF metadata value; integers of every width are widened, arrays keep their element kind
/// (an empty array too). Arrays of arrays are rare and only for display.
using MetaValue = std::variant<std::int64_t, std::uint64_t, double, bool, std::string_view,
                               std::vector<std::int64_t>, std::vector<double>, std::vector<bool>,
                               std::vector<std::string_view>, std::shared_ptr<const MetaNested>>;

/// An array of arrays.
struct MetaNested {
    std::vector<MetaValue> items;
};

/// GGUF keys and values. Strings point into the mapped file.
class Metadata {
  public:
    [[nodiscard]] const MetaValue* find(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> integer(
        std::string_view key) const;  ///< any integer type that fits
    [[nodiscard]] std::optional<double> number(std::string_view key) const;  ///< any number
    [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view key) const;
    [[nodiscard]] const std::vector<std::string_view>* strings(std::string_view key) const;
    [[nodiscard]] const std::vector<std::int64_t>* integers(std::string_view key) const;
    [[nodiscard]] const std::vector<double>* numbers(std::string_view key) const;
    /// In file order, for display.
    [[nodiscard]] const std::vector<std::pair<std::string, MetaValue>>& items() const {
        return m_items;
    }
    /// The value of items()[index] as the file stores it, its type number first: what a copy of the
    /// file must hold, since the values above forget widths. Points into the mapped file.
    [[nodiscard]] std::string_view stored(std::size_t index) const { return m_stored[index]; }
    /// Precondition: the key is not there yet (the reader refuses duplicates).
    void add(std::string key, MetaValue value, std::string_view stored = {});

  private:
    std::vector<std::pair<std::string, MetaValue>> m_items;
    std::vector<std::string_view> m_stored;
    std::unordered_map<std::string, std::size_t> m_index;
};

/// Weights that take their memory only when they are needed (synthetic checkpoints).
class LazyWeights {
  public:
    virtual ~LazyWeights() = default;
    /// Fills what the tensors point at; the first call does the work. Thread-safe.
    virtual Result<void> fill() = 0;
};

/// An opened checkpoint; immutable, shared by all lanes that use it, keeps its files mapped.
class Checkpoint {
  public:
    /// Opens a .gguf file (or any part of a split one), a .safetensors file (config.json beside it)
    /// a folder with config.json, or `synthetic:CONFIG.json` (synthetic.h). Errors: BadInput /
    /// Unsupported with file, key or tensor, and numbers. Nothing is allocated on a file's word.
    static Result<std::shared_ptr<const Checkpoint>> open(const std::string& path);

    /// Ask before each request: an error when a mapped file changed on disk (see MappedFile).
    [[nodiscard]] Result<void> checkUnchanged() const;
    /// Call before tensor data is read: makes the weights of a synthetic checkpoint; others have
    /// theirs. Error: OutOfMemory.
    [[nodiscard]] Result<void> materialise() const;
    /// Bytes of a mapped file that will not be read soon: their memory is given back, and read
    /// again from the file should they be needed. Elsewhere nothing happens.
    void releasePages(const void* data, std::uint64_t size) const;
    [[nodiscard]] bool synthetic() const { return m_lazy != nullptr; }

    [[nodiscard]] CheckpointFormat format() const { return m_format; }
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::uint64_t fileBytes() const { return m_fileBytes; }
    /// The mapped files that hold the tensors, for telling where in a file a tensor lies.
    [[nodiscard]] const std::vector<std::shared_ptr<const MappedFile>>& files() const {
        return m_files;
    }
    [[nodiscard]] const std::vector<TensorView>& tensors() const { return m_tensors; }
    [[nodiscard]] const TensorView* find(std::string_view name) const;

    /// safetensors only: tensors whose type cannot be read. Look here before calling one missing.
    [[nodiscard]] const std::vector<SkippedTensor>& skipped() const { return m_skipped; }

    /// GGUF only; empty otherwise.
    [[nodiscard]] const Metadata& metadata() const { return m_metadata; }
    /// Hugging Face only: config.json, and tokenizer_config.json / generation_config.json where
    /// present (else null).
    [[nodiscard]] const nlohmann::json& config() const { return *m_config; }
    [[nodiscard]] const nlohmann::json& tokenizerConfig() const { return *m_tokenizerConfig; }
    [[nodiscard]] const nlohmann::json& generationConfig() const { return *m_generationConfig; }
    /// Path of tokenizer.json / chat_template.jinja in the folder; empty if there is none.
    [[nodiscard]] const std::string& tokenizerJsonPath() const { return m_tokenizerJsonPath; }
    [[nodiscard]] const std::string& chatTemplatePath() const { return m_chatTemplatePath; }

  private:
    friend class CheckpointBuilder;
    Checkpoint();

    CheckpointFormat m_format = CheckpointFormat::Gguf;
    std::string m_path;
    std::uint64_t m_fileBytes = 0;
    std::vector<std::shared_ptr<const MappedFile>> m_files;
    std::shared_ptr<LazyWeights> m_lazy;  ///< null for files
    std::vector<TensorView> m_tensors;
    std::vector<SkippedTensor> m_skipped;
    std::unordered_map<std::string, std::size_t> m_index;
    Metadata m_metadata;
    // Never null pointers: JSON null where there is no such file.
    std::shared_ptr<const nlohmann::json> m_config;
    std::shared_ptr<const nlohmann::json> m_tokenizerConfig;
    std::shared_ptr<const nlohmann::json> m_generationConfig;
    std::string m_tokenizerJsonPath;
    std::string m_chatTemplatePath;
};

}  // namespace lanescope

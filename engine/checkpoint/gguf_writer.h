#pragma once
// Writes GGUF files (version 3, little-endian): a copy of an opened one, or one from scratch. The
// file appears whole under its name or not at all: it is written beside, synced and renamed, and a
// failed or cancelled write removes what it began. Format: ggml/docs/gguf.md; reading:
// gguf_reader.h.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/cancel.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_types.h"

namespace lanescope {

/// A metadata value in the file's form: a type and its bytes. Every type of the format can be made,
/// also an empty array, which keeps its element type, and arrays of arrays.
class GgufValue {
  public:
    template <class T>
    static GgufValue number(T value);  ///< 8 to 64 bit integers, float, double; bool as Bool
    static GgufValue text(std::string_view value);
    template <class T>
    static GgufValue numbers(std::span<const T> values);
    static GgufValue texts(std::span<const std::string> values);
    /// An array whose elements are values made here. Precondition: all have the element type.
    static GgufValue array(GgufValueType element, std::span<const GgufValue> values);
    /// As a reader found it (Metadata::stored). Precondition: not empty.
    static GgufValue stored(std::string_view typeAndBytes);

    [[nodiscard]] const std::string& bytes() const { return m_bytes; }  ///< type number first

  private:
    explicit GgufValue(std::string bytes) : m_bytes(std::move(bytes)) {}
    std::string m_bytes;
};

/// Takes the next bytes of a tensor; an error must be passed on.
using GgufSink = std::function<Result<void>(std::span<const std::byte>)>;

/// One tensor to write. Either its bytes lie in memory, or `produce` hands them to the sink when
/// their turn comes (so that a whole quantised model never lies in memory).
struct GgufTensor {
    std::string name;
    kernels::DType dtype = kernels::DType::F32;
    std::vector<std::int64_t> shape;                       ///< outermost first
    const std::byte* data = nullptr;                       ///< must outlive write()
    std::function<Result<void>(const GgufSink&)> produce;  ///< used where data is null
};

class GgufWriter {
  public:
    struct Options {
        std::function<void(std::uint64_t done, std::uint64_t total)>
            progress;  ///< bytes; may be empty
        const CancelToken* cancel = nullptr;
    };

    /// Sets a key; one that is there keeps its place in the order.
    void set(const std::string& key, GgufValue value);
    void remove(std::string_view key);
    /// All metadata of an opened GGUF, in its order and types, without what describes a split.
    void copyMetadata(const Metadata& metadata);
    void addTensor(GgufTensor tensor) { m_tensors.push_back(std::move(tensor)); }
    /// All tensors of an opened checkpoint, which must stay open until write() is done.
    void copyTensors(const Checkpoint& checkpoint);

    /// Writes the file. Errors: Io (disk full with both numbers, no permission), Cancelled,
    /// BadInput (names or sizes that the format cannot hold).
    Result<void> write(const std::string& path, const Options& options) const;
    Result<void> write(const std::string& path) const { return write(path, Options{}); }
    /// Bytes that the file will have. Precondition: write() would find nothing wrong.
    [[nodiscard]] std::uint64_t fileBytes() const;

  private:
    [[nodiscard]] Result<void> check() const;
    [[nodiscard]] std::uint64_t alignment() const;
    [[nodiscard]] std::string header() const;  ///< all before the first tensor, padded

    std::vector<std::pair<std::string, GgufValue>> m_metadata;
    std::vector<GgufTensor> m_tensors;
};

}  // namespace lanescope

#include "engine/checkpoint/gguf_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>

#include "engine/base/format.h"
#include "engine/checkpoint/byte_cursor.h"
#include "engine/checkpoint/foreign_file.h"
#include "engine/checkpoint/gguf_metadata.h"
#include "engine/checkpoint/gguf_types.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace {

constexpr std::uint32_t kMaxDims = 4;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 20;
constexpr const char* kDamaged = "download or convert it again";

class GgufReader {
  public:
    GgufReader(std::span<const std::byte> file, const std::string& path)
        : m_file(file), m_path(path), m_cursor(file) {}

    Result<GgufFile> read();

  private:
    Result<void> checkMagic();
    Result<void> checkVersion();
    Result<void> readAlignment();
    Result<void> readTensorTable(std::uint64_t count);
    Result<void> readTensor(std::uint64_t index, std::uint64_t count);
    Result<std::vector<std::int64_t>> readShape(const std::string& what);
    Result<kernels::DType> readType(const std::string& what);
    Result<std::uint64_t> checkSize(const TensorView& tensor, const std::string& what) const;
    Result<void> placeTensors();

    [[nodiscard]] Error damaged(std::string message) const {
        return badInput(std::move(message), m_path, kDamaged);
    }

    std::span<const std::byte> m_file;
    const std::string& m_path;
    ByteCursor m_cursor;
    GgufFile m_out;
    std::vector<std::uint64_t> m_offsets;  ///< of each tensor, from the start of the data
    std::unordered_set<std::string_view> m_names;
};

/// Formats that came before GGUF, and GGUF with its letters in another order.
Result<void> GgufReader::checkMagic() {
    if (auto foreign = recogniseForeign(m_file, m_path)) return std::move(*foreign);
    const auto magic = m_cursor.take(4);
    if (!magic) {
        return damaged("is too small for a GGUF file: " + std::to_string(m_file.size()) +
                       " bytes, the header alone has 24");
    }
    if (*magic == "GGUF") return {};
    const std::string start = "is not a GGUF file: its magic is " + inQuotes(*magic);
    if (*magic == "FUGG") {
        return unsupported(start + ", GGUF in reversed byte order", m_path,
                           "convert it again on a little-endian machine");
    }
    if (*magic == "gguf") return damaged(start + ", the letters must be capitals");
    constexpr std::array<std::string_view, 10> kOldMagics{"ggml", "lmgg", "ggmf", "fmgg", "ggjt",
                                                          "tjgg", "ggla", "algg", "ggsn", "nsgg"};
    if (std::find(kOldMagics.begin(), kOldMagics.end(), *magic) != kOldMagics.end()) {
        return unsupported(start + ", an older format (GGML)", m_path,
                           "convert the model again to GGUF");
    }
    if (looksLikeSafetensors(m_file)) {
        return badInput(start + "; it looks like a safetensors file", m_path,
                        "name it .safetensors and put its config.json beside it");
    }
    return badInput(start, m_path, "choose a .gguf file");
}

Result<void> GgufReader::checkVersion() {
    const auto version = m_cursor.read<std::uint32_t>();
    if (!version) {
        return damaged("is truncated after the magic: " + std::to_string(m_file.size()) +
                       " bytes, the header has 24");
    }
    // Versions are small numbers: one whose low half is empty was written in the other byte order.
    if (*version != 0 && (*version & 0xffff) == 0) {
        return unsupported("is a big-endian GGUF file (version " +
                               std::to_string(__builtin_bswap32(*version)) +
                               " in reversed byte "
                               "order); only little-endian files are read",
                           m_path, "convert it again on a little-endian machine");
    }
    if (*version != 2 && *version != 3) {
        return unsupported(
            "has GGUF version " + std::to_string(*version) + "; versions 2 and 3 are read", m_path,
            "convert the model again");
    }
    m_out.version = *version;
    return {};
}

Result<void> GgufReader::readAlignment() {
    const MetaValue* value = m_out.metadata.find("general.alignment");
    if (value == nullptr) return {};
    const auto alignment = m_out.metadata.integer("general.alignment");
    if (!alignment) return damaged("metadata key 'general.alignment' is not a whole number");
    const auto bytes = static_cast<std::uint64_t>(*alignment);
    if (*alignment <= 0 || bytes > kMaxAlignment || !std::has_single_bit(bytes)) {
        return damaged("metadata key 'general.alignment' is " + std::to_string(*alignment) +
                       ", it must be a power of two up to " + std::to_string(kMaxAlignment));
    }
    m_out.alignment = bytes;
    return {};
}

Result<std::vector<std::int64_t>> GgufReader::readShape(const std::string& what) {
    const auto nDims = m_cursor.read<std::uint32_t>();
    if (!nDims) return ggufEndsEarly(m_cursor, what + ": number of dimensions of", 4, m_path);
    if (*nDims > kMaxDims) {
        return damaged(what + " has " + std::to_string(*nDims) + " dimensions, the format allows " +
                       std::to_string(kMaxDims));
    }
    std::vector<std::int64_t> shape(*nDims);
    for (std::uint32_t i = 0; i < *nDims; ++i) {
        const auto d = m_cursor.read<std::int64_t>();
        if (!d) return ggufEndsEarly(m_cursor, what + ": dimension of", 8, m_path);
        if (*d <= 0) {
            return damaged(what + ": dimension " + std::to_string(i) + " is " + std::to_string(*d) +
                           ", sizes must be at least 1");
        }
        shape[*nDims - 1 - i] = *d;  // the file writes the fastest dimension first
    }
    return shape;
}

Result<kernels::DType> GgufReader::readType(const std::string& what) {
    const auto number = m_cursor.read<std::uint32_t>();
    if (!number) return ggufEndsEarly(m_cursor, what + ": type of", 4, m_path);
    if (const auto type = ggufDType(*number)) return *type;
    const std::string_view name = ggufTypeName(*number);
    const std::string which =
        name.empty() ? "the unknown type number " + std::to_string(*number)
                     : "type " + std::string(name) + " (number " + std::to_string(*number) + ")";
    return unsupported(
        what + " has " + which + "; types that can be read: " + readableGgufTypes(), m_path,
        name.empty() ? kDamaged : "choose a file in one of these types, e.g. Q4_K_M");
}

Result<std::uint64_t> GgufReader::checkSize(const TensorView& tensor,
                                            const std::string& what) const {
    const kernels::DTypeInfo& type = kernels::info(tensor.dtype);
    const std::int64_t rowLength = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (rowLength % type.blockSize != 0) {
        return damaged(what + " of type " + std::string(type.name) + " has rows of " +
                       std::to_string(rowLength) + " elements, not a multiple of the block size " +
                       std::to_string(type.blockSize));
    }
    const auto bytes = tensorBytes(tensor.shape, tensor.dtype);
    if (!bytes) {
        return damaged(what + ": the size of shape " + shapeText(tensor.shape) +
                       " overflows 64 bits");
    }
    return *bytes;
}

Result<void> GgufReader::readTensor(std::uint64_t index, std::uint64_t count) {
    const std::string ordinal =
        "tensor " + std::to_string(index + 1) + " of " + std::to_string(count);
    const auto name = readGgufString(m_cursor, ordinal + ": name length", m_path, kMaxGgufName);
    if (!name) return name.error();
    if (name->empty()) return damaged(ordinal + " has an empty name");
    const std::string what = "tensor " + inQuotes(*name);
    if (!m_names.insert(*name).second) return damaged(what + " is there twice");

    TensorView tensor;
    tensor.name = std::string(*name);
    auto shape = readShape(what);
    if (!shape) return shape.error();
    tensor.shape = std::move(*shape);
    const auto type = readType(what);
    if (!type) return type.error();
    tensor.dtype = *type;
    const auto bytes = checkSize(tensor, what);
    if (!bytes) return bytes.error();
    tensor.sizeBytes = *bytes;
    const auto offset = m_cursor.read<std::uint64_t>();
    if (!offset) return ggufEndsEarly(m_cursor, what + ": offset of", 8, m_path);
    if (*offset % m_out.alignment != 0) {
        return damaged(what + ": offset " + std::to_string(*offset) +
                       " is not a multiple of the alignment " + std::to_string(m_out.alignment));
    }
    m_offsets.push_back(*offset);
    m_out.tensors.push_back(std::move(tensor));
    return {};
}

Result<void> GgufReader::readTensorTable(std::uint64_t count) {
    // A tensor takes at least: name length, one letter, number of dimensions, type, offset.
    constexpr std::uint64_t kFewestBytes = 8 + 1 + 4 + 4 + 8;
    if (count > m_cursor.left() / kFewestBytes) {
        return damaged("the header claims " + std::to_string(count) + " tensors, the " +
                       std::to_string(m_cursor.left()) + " bytes left in the file cannot list " +
                       "more than " + std::to_string(m_cursor.left() / kFewestBytes) +
                       " (truncated or damaged)");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        if (auto read = readTensor(i, count); !read) return read;
    }
    return {};
}

/// Compares every tensor's range with the file and with the others, then sets the pointers.
Result<void> GgufReader::placeTensors() {
    const std::uint64_t alignment = m_out.alignment;
    const std::uint64_t start = (m_cursor.position() + alignment - 1) / alignment * alignment;
    std::vector<TensorRange> ranges;
    ranges.reserve(m_out.tensors.size());
    TensorRange last;
    for (std::size_t i = 0; i < m_out.tensors.size(); ++i) {
        const TensorView& tensor = m_out.tensors[i];
        TensorRange range{0, 0, tensor.name};
        if (__builtin_add_overflow(start, m_offsets[i], &range.begin) ||
            __builtin_add_overflow(range.begin, tensor.sizeBytes, &range.end)) {
            return damaged("tensor " + inQuotes(tensor.name) + ": offset " +
                           std::to_string(m_offsets[i]) + " lies beyond any file");
        }
        if (range.end > last.end) last = range;
        ranges.push_back(range);
    }
    if (last.end > m_file.size()) {
        const std::uint64_t missing = last.end - m_file.size();
        return damaged("is truncated: tensor " + inQuotes(last.name) + " ends at byte " +
                       std::to_string(last.end) + ", the file has " +
                       std::to_string(m_file.size()) + "; " + std::to_string(missing) +
                       " bytes are missing" +
                       (missing >= 1024 ? " (" + formatBytes(missing) + ")" : ""));
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        m_out.tensors[i].data = m_file.data() + ranges[i].begin;
    }
    if (const auto second = sortAndFindOverlap(ranges)) {
        return damaged("tensors " + inQuotes(ranges[*second - 1].name) + " and " +
                       inQuotes(ranges[*second].name) + " overlap at byte " +
                       std::to_string(ranges[*second].begin));
    }
    return {};
}

Result<GgufFile> GgufReader::read() {
    if (auto magic = checkMagic(); !magic) return magic.error();
    if (auto version = checkVersion(); !version) return version.error();
    const auto nTensors = m_cursor.read<std::uint64_t>();
    const auto nKeys = nTensors ? m_cursor.read<std::uint64_t>() : std::nullopt;
    if (!nKeys) {
        return damaged("is truncated in the header: " + std::to_string(m_file.size()) +
                       " bytes, the header has 24");
    }
    auto metadata = readGgufMetadata(m_cursor, *nKeys, m_path);
    if (!metadata) return metadata.error();
    m_out.metadata = std::move(*metadata);
    if (auto alignment = readAlignment(); !alignment) return alignment.error();
    if (auto table = readTensorTable(*nTensors); !table) return table.error();
    if (auto placed = placeTensors(); !placed) return placed.error();
    return std::move(m_out);
}

}  // namespace

Result<GgufFile> parseGguf(std::span<const std::byte> file, const std::string& path) {
    return GgufReader(file, path).read();
}

}  // namespace lanescope

#include "engine/checkpoint/gguf_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "engine/base/file_writer.h"
#include "engine/checkpoint/gguf_metadata.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace {

constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::size_t kMaxDims = 4;

template <class T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void putText(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint64_t>(text.size()));
    out += text;
}

void putType(std::string& out, GgufValueType type) {
    put(out, static_cast<std::uint32_t>(type));
}

template <class T>
constexpr GgufValueType valueType() {
    if constexpr (std::is_same_v<T, bool>) return GgufValueType::Bool;
    if constexpr (std::is_same_v<T, float>) return GgufValueType::F32;
    if constexpr (std::is_same_v<T, double>) return GgufValueType::F64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return GgufValueType::U8;
    if constexpr (std::is_same_v<T, std::int8_t>) return GgufValueType::I8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return GgufValueType::U16;
    if constexpr (std::is_same_v<T, std::int16_t>) return GgufValueType::I16;
    if constexpr (std::is_same_v<T, std::uint32_t>) return GgufValueType::U32;
    if constexpr (std::is_same_v<T, std::int32_t>) return GgufValueType::I32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return GgufValueType::U64;
    return GgufValueType::I64;
}

std::uint64_t alignUp(std::uint64_t n, std::uint64_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}

std::uint64_t sizeOf(const GgufTensor& tensor) {
    return tensorBytes(tensor.shape, tensor.dtype).value_or(0);
}

/// The keys that say how a model is split.
bool describesSplit(std::string_view key) {
    return key == "split.no" || key == "split.count" || key == "split.tensors.count";
}

}  // namespace

template <class T>
GgufValue GgufValue::number(T value) {
    std::string out;
    putType(out, valueType<T>());
    put(out, value);
    return GgufValue(std::move(out));
}

template <class T>
GgufValue GgufValue::numbers(std::span<const T> values) {
    std::string out;
    putType(out, GgufValueType::Array);
    putType(out, valueType<T>());
    put(out, static_cast<std::uint64_t>(values.size()));
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return GgufValue(std::move(out));
}

template GgufValue GgufValue::number(bool);
template GgufValue GgufValue::number(float);
template GgufValue GgufValue::number(double);
template GgufValue GgufValue::number(std::uint8_t);
template GgufValue GgufValue::number(std::int8_t);
template GgufValue GgufValue::number(std::uint16_t);
template GgufValue GgufValue::number(std::int16_t);
template GgufValue GgufValue::number(std::uint32_t);
template GgufValue GgufValue::number(std::int32_t);
template GgufValue GgufValue::number(std::uint64_t);
template GgufValue GgufValue::number(std::int64_t);
template GgufValue GgufValue::numbers(std::span<const bool>);
template GgufValue GgufValue::numbers(std::span<const float>);
template GgufValue GgufValue::numbers(std::span<const double>);
template GgufValue GgufValue::numbers(std::span<const std::uint8_t>);
template GgufValue GgufValue::numbers(std::span<const std::int32_t>);
template GgufValue GgufValue::numbers(std::span<const std::uint32_t>);
template GgufValue GgufValue::numbers(std::span<const std::int64_t>);

GgufValue GgufValue::text(std::string_view value) {
    std::string out;
    putType(out, GgufValueType::String);
    putText(out, value);
    return GgufValue(std::move(out));
}

GgufValue GgufValue::texts(std::span<const std::string> values) {
    std::string out;
    putType(out, GgufValueType::Array);
    putType(out, GgufValueType::String);
    put(out, static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) putText(out, value);
    return GgufValue(std::move(out));
}

GgufValue GgufValue::array(GgufValueType element, std::span<const GgufValue> values) {
    std::string out;
    putType(out, GgufValueType::Array);
    putType(out, element);
    put(out, static_cast<std::uint64_t>(values.size()));
    for (const GgufValue& value : values) out += std::string_view(value.m_bytes).substr(4);
    return GgufValue(std::move(out));
}

GgufValue GgufValue::stored(std::string_view typeAndBytes) {
    return GgufValue(std::string(typeAndBytes));
}

void GgufWriter::set(const std::string& key, GgufValue value) {
    for (auto& [name, old] : m_metadata) {
        if (name == key) {
            old = std::move(value);
            return;
        }
    }
    m_metadata.emplace_back(key, std::move(value));
}

void GgufWriter::remove(std::string_view key) {
    std::erase_if(m_metadata, [&](const auto& item) { return item.first == key; });
}

void GgufWriter::copyMetadata(const Metadata& metadata) {
    for (std::size_t i = 0; i < metadata.items().size(); ++i) {
        const std::string& key = metadata.items()[i].first;
        if (!describesSplit(key)) set(key, GgufValue::stored(metadata.stored(i)));
    }
}

void GgufWriter::copyTensors(const Checkpoint& checkpoint) {
    for (const TensorView& tensor : checkpoint.tensors())
        addTensor({tensor.name, tensor.dtype, tensor.shape, tensor.data, {}});
}

/// Where tensors begin: general.alignment if it is set to something usable (check() sees to that).
std::uint64_t GgufWriter::alignment() const {
    for (const auto& [key, value] : m_metadata) {
        if (key != "general.alignment" || value.bytes().size() < 5) continue;
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, value.bytes().data() + 4,
                    std::min<std::size_t>(value.bytes().size() - 4, sizeof bytes));
        return bytes;
    }
    return kDefaultAlignment;
}

Result<void> GgufWriter::check() const {
    for (const auto& [key, value] : m_metadata) {
        if (key.empty() || key.size() > kMaxGgufName || value.bytes().empty())
            return badInput("metadata key " + inQuotes(key) + " cannot be written: its name has " +
                            std::to_string(key.size()) + " bytes and its value " +
                            std::to_string(value.bytes().size()));
    }
    if (!std::has_single_bit(alignment()))
        return badInput("general.alignment is " + std::to_string(alignment()) +
                        ", it must be a power of two");
    std::unordered_set<std::string_view> names;
    for (const GgufTensor& tensor : m_tensors) {
        const std::string what = "tensor " + inQuotes(tensor.name);
        if (tensor.name.empty() || tensor.name.size() > kMaxGgufName)
            return badInput(what + " has a name of " + std::to_string(tensor.name.size()) +
                            " bytes, 1 to " + std::to_string(kMaxGgufName) + " are possible");
        if (!names.insert(tensor.name).second) return badInput(what + " is there twice");
        if (tensor.shape.size() > kMaxDims)
            return badInput(what + " has " + std::to_string(tensor.shape.size()) +
                            " dimensions, GGUF holds up to 4");
        if (!tensorBytes(tensor.shape, tensor.dtype))
            return badInput(what + " of shape " + shapeText(tensor.shape) +
                            " does not fit the blocks of " +
                            std::string(kernels::info(tensor.dtype).name));
        if (tensor.data == nullptr && !tensor.produce && sizeOf(tensor) > 0)
            return internalError(what + " has neither bytes nor a source");
    }
    return {};
}

std::string GgufWriter::header() const {
    std::string out = "GGUF";
    put(out, std::uint32_t{3});
    put(out, static_cast<std::uint64_t>(m_tensors.size()));
    put(out, static_cast<std::uint64_t>(m_metadata.size()));
    for (const auto& [key, value] : m_metadata) {
        putText(out, key);
        out += value.bytes();
    }
    const std::uint64_t unit = alignment();
    std::uint64_t offset = 0;
    for (const GgufTensor& tensor : m_tensors) {
        putText(out, tensor.name);
        put(out, static_cast<std::uint32_t>(tensor.shape.size()));
        for (auto d = tensor.shape.rbegin(); d != tensor.shape.rend(); ++d) put(out, *d);
        put(out, ggufTypeNumber(tensor.dtype));
        put(out, offset);
        offset += alignUp(sizeOf(tensor), unit);
    }
    out.resize(alignUp(out.size(), unit));
    return out;
}

std::uint64_t GgufWriter::fileBytes() const {
    std::uint64_t total = header().size();
    for (const GgufTensor& tensor : m_tensors) total += alignUp(sizeOf(tensor), alignment());
    return total;
}

Result<void> GgufWriter::write(const std::string& path, const Options& options) const {
    if (auto fine = check(); !fine) {
        Error error = fine.error();
        error.context = path;
        return error;
    }
    const std::uint64_t total = fileBytes();
    auto file = FileWriter::create(path, total);
    if (!file) return file.error();
    std::uint64_t done = 0;
    const GgufSink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
        // In pieces, so that a cancel is honoured and progress moves within a large tensor.
        constexpr std::size_t kPiece = std::size_t{4} << 20;
        while (!bytes.empty()) {
            if (options.cancel != nullptr && options.cancel->requested()) return cancelled();
            const auto piece = bytes.first(std::min(bytes.size(), kPiece));
            if (auto ok = file->write(piece); !ok) return ok;
            done += piece.size();
            bytes = bytes.subspan(piece.size());
            if (options.progress) options.progress(done, total);
        }
        return {};
    };
    const std::string head = header();
    if (auto ok = sink(std::as_bytes(std::span(head))); !ok) return ok;
    const std::uint64_t unit = alignment();
    const std::vector<std::byte> zeros(unit);
    for (const GgufTensor& tensor : m_tensors) {
        const std::uint64_t size = sizeOf(tensor);
        const std::uint64_t before = done;
        auto ok = tensor.data != nullptr ? sink({tensor.data, size})
                  : tensor.produce       ? tensor.produce(sink)
                                         : Result<void>();
        if (!ok) return ok;
        if (done - before != size)
            return internalError("tensor " + inQuotes(tensor.name) + " has " +
                                     std::to_string(size) + " bytes, " +
                                     std::to_string(done - before) + " were produced",
                                 path);
        if (auto padded = sink(std::span(zeros).first(alignUp(size, unit) - size)); !padded)
            return padded;
    }
    return file->finish();
}

}  // namespace lanescope

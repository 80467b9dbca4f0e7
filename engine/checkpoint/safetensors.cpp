#include "engine/checkpoint/safetensors.h"

#include <array>

#include "engine/base/format.h"
#include "engine/checkpoint/byte_cursor.h"
#include "engine/checkpoint/foreign_file.h"
#include "engine/checkpoint/safetensors_header.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace {

using kernels::DType;

constexpr const char* kDamaged = "download or convert it again";

/// Types of the format; those without a DType are checked and skipped.
struct TypeRow {
    std::string_view name;
    std::int64_t elementBytes;
    std::optional<DType> dtype;
};

constexpr std::array kTypes{
    TypeRow{"F64", 8, DType::F64},   TypeRow{"F32", 4, DType::F32}, TypeRow{"F16", 2, DType::F16},
    TypeRow{"BF16", 2, DType::BF16}, TypeRow{"I64", 8, DType::I64}, TypeRow{"I32", 4, DType::I32},
    TypeRow{"I16", 2, DType::I16},   TypeRow{"I8", 1, DType::I8},   TypeRow{"U64", 8, {}},
    TypeRow{"U32", 4, {}},           TypeRow{"U16", 2, {}},         TypeRow{"U8", 1, {}},
    TypeRow{"BOOL", 1, {}},          TypeRow{"F8_E4M3", 1, {}},     TypeRow{"F8_E5M2", 1, {}},
    TypeRow{"F8_E8M0", 1, {}},       TypeRow{"F8_E4M3FNUZ", 1, {}}, TypeRow{"F8_E5M2FNUZ", 1, {}},
    TypeRow{"C64", 8, {}},
};

const TypeRow* findType(std::string_view name) {
    for (const TypeRow& row : kTypes) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

std::string readableTypes() {
    std::string out;
    for (const TypeRow& row : kTypes) {
        if (row.dtype) out += (out.empty() ? "" : ", ") + std::string(row.name);
    }
    return out;
}

/// Elements x bytes without overflow.
std::optional<std::uint64_t> plainBytes(const SafetensorsEntry& entry, std::int64_t elementBytes) {
    std::int64_t bytes = elementBytes;
    for (const std::int64_t d : entry.shape) {
        if (__builtin_mul_overflow(bytes, d, &bytes)) return std::nullopt;
    }
    return static_cast<std::uint64_t>(bytes);
}

std::string rangeText(const SafetensorsEntry& entry) {
    return "data_offsets [" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
}

/// Length, then JSON; leaves the cursor at the start of the data.
Result<std::string_view> readHeader(ByteCursor& cursor, const std::string& path) {
    const std::uint64_t fileBytes = cursor.left();
    const auto length = cursor.read<std::uint64_t>();
    if (!length) {
        return badInput("is too small for a safetensors file: " + std::to_string(fileBytes) +
                            " bytes, the header length alone has 8",
                        path, kDamaged);
    }
    const std::string says = "header length " + std::to_string(*length);
    if (*length > kMaxSafetensorsHeader) {
        return badInput(says + " is too large, the limit is " +
                            std::to_string(kMaxSafetensorsHeader) +
                            " bytes: not a safetensors file, or damaged",
                        path, kDamaged);
    }
    const auto header = cursor.take(*length);
    if (!header) {
        return badInput(says + " exceeds the " + std::to_string(cursor.left()) +
                            " bytes left in the file, " + std::to_string(*length - cursor.left()) +
                            " are missing (truncated or damaged)",
                        path, kDamaged);
    }
    if (!header->starts_with('{')) {
        return badInput(says +
                            ": the header is invalid, it must be a JSON object and start with "
                            "a brace",
                        path, kDamaged);
    }
    return *header;
}

/// One entry against the data that is there.
Result<void> checkEntry(const SafetensorsEntry& entry, const TypeRow* type, std::uint64_t dataBytes,
                        const std::string& path) {
    const std::string what = "tensor " + inQuotes(entry.name);
    if (entry.begin > entry.end) {
        return badInput(what + ": " + rangeText(entry) + " run backwards", path, kDamaged);
    }
    if (entry.end > dataBytes) {
        return badInput(what + ": " + rangeText(entry) + " reach " +
                            std::to_string(entry.end - dataBytes) +
                            " bytes beyond the end of the file (truncated or damaged)",
                        path, kDamaged);
    }
    if (type == nullptr) {
        return unsupported(what + " has the unknown dtype " + inQuotes(entry.dtype) +
                               "; types that can be read: " + readableTypes(),
                           path);
    }
    const auto bytes = plainBytes(entry, type->elementBytes);
    if (!bytes) {
        return badInput(
            what + ": the size of shape " + shapeText(entry.shape) + " overflows 64 bits", path,
            kDamaged);
    }
    if (*bytes != entry.end - entry.begin) {
        return badInput(what + ": shape " + shapeText(entry.shape) + " of " + entry.dtype +
                            " has a size of " + std::to_string(*bytes) + " bytes, " +
                            rangeText(entry) + " give " + std::to_string(entry.end - entry.begin),
                        path, kDamaged);
    }
    return {};
}

/// The format wants every byte of the data to belong to exactly one tensor.
Result<void> checkCoverage(const std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes,
                           const std::string& path) {
    std::vector<TensorRange> ranges;
    ranges.reserve(entries.size());
    for (const auto& entry : entries) ranges.push_back({entry.begin, entry.end, entry.name});
    if (const auto second = sortAndFindOverlap(ranges)) {
        return badInput("tensors " + inQuotes(ranges[*second - 1].name) + " and " +
                            inQuotes(ranges[*second].name) + " overlap at offset " +
                            std::to_string(ranges[*second].begin),
                        path, kDamaged);
    }
    std::uint64_t covered = 0;
    for (const auto& range : ranges) {
        if (range.begin != covered) {
            return badInput("there is a hole of " + std::to_string(range.begin - covered) +
                                " unused bytes before tensor " + inQuotes(range.name),
                            path, kDamaged);
        }
        covered = range.end;
    }
    if (covered != dataBytes) {
        return badInput(std::to_string(dataBytes - covered) +
                            " unused bytes follow the last tensor; the format allows none",
                        path, kDamaged);
    }
    return {};
}

}  // namespace

Result<SafetensorsFile> parseSafetensors(std::span<const std::byte> file, const std::string& path) {
    if (auto foreign = recogniseForeign(file, path)) return std::move(*foreign);
    if (looksLikeGguf(file)) {
        return badInput("is a GGUF file, not safetensors", path, "name it .gguf");
    }
    ByteCursor cursor(file);
    const auto header = readHeader(cursor, path);
    if (!header) return header.error();
    auto entries = parseSafetensorsHeader(*header, path);
    if (!entries) return entries.error();
    const auto data = file.subspan(cursor.position());

    SafetensorsFile out;
    std::vector<const TypeRow*> types;
    types.reserve(entries->size());
    for (const auto& entry : *entries) {
        types.push_back(findType(entry.dtype));
        auto checked = checkEntry(entry, types.back(), data.size(), path);
        if (!checked) return checked.error();
    }
    if (auto covered = checkCoverage(*entries, data.size(), path); !covered) {
        return covered.error();
    }
    for (std::size_t i = 0; i < entries->size(); ++i) {
        SafetensorsEntry& entry = (*entries)[i];
        if (!types[i]->dtype) {
            out.skipped.push_back({std::move(entry.name), std::move(entry.dtype)});
            continue;
        }
        const std::uint64_t bytes = entry.end - entry.begin;
        out.tensors.push_back({std::move(entry.name), *types[i]->dtype, std::move(entry.shape),
                               data.data() + entry.begin, bytes});
    }
    return out;
}

}  // namespace lanescope

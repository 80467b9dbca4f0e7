#include "engine/checkpoint/gguf_metadata.h"

#include <algorithm>

#include "engine/checkpoint/gguf_types.h"
#include "engine/checkpoint/tensor_size.h"

namespace lanescope {

namespace {

constexpr const char* kDamaged = "download or convert it again";

class MetadataReader {
  public:
    MetadataReader(ByteCursor& cursor, const std::string& path) : m_cursor(cursor), m_path(path) {}

    Result<Metadata> read(std::uint64_t count);

  private:
    Result<MetaValue> readValue(std::uint32_t type, const std::string& what, int depth);
    Result<MetaValue> readArray(const std::string& what, int depth);
    Result<MetaValue> readNested(std::uint64_t count, const std::string& what, int depth);
    Result<MetaValue> readStrings(std::uint64_t count, const std::string& what);
    Result<MetaValue> readBools(std::uint64_t count, const std::string& what);
    Result<bool> readBool(const std::string& what);
    /// Scalars of one stored type T, widened to W. The caller has checked that they fit the file.
    template <class W, class T>
    Result<MetaValue> readNumbers(std::uint64_t count, const std::string& what);
    template <class W, class T>
    Result<MetaValue> readNumber(const std::string& what);

    [[nodiscard]] Error unknownType(std::uint32_t type, const std::string& what) const {
        return badInput(what + " has the invalid value type " + std::to_string(type) +
                            ", known are 0 to " + std::to_string(kGgufValueTypes - 1),
                        m_path, kDamaged);
    }

    ByteCursor& m_cursor;
    const std::string& m_path;
    std::uint64_t m_elements = 0;  ///< array elements so far, all keys together
};

template <class W, class T>
Result<MetaValue> MetadataReader::readNumber(const std::string& what) {
    const auto value = m_cursor.read<T>();
    if (!value) return ggufEndsEarly(m_cursor, what, sizeof(T), m_path);
    return MetaValue(static_cast<W>(*value));
}

template <class W, class T>
Result<MetaValue> MetadataReader::readNumbers(std::uint64_t count, const std::string& what) {
    std::vector<W> out;
    out.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const T value = *m_cursor.read<T>();
        if constexpr (std::is_same_v<T, std::uint64_t>) {
            if (value > static_cast<std::uint64_t>(INT64_MAX)) {
                return unsupported(what + "[" + std::to_string(i) + "] is " +
                                       std::to_string(value) + ", lists are read up to 2^63 - 1",
                                   m_path);
            }
        }
        out.push_back(static_cast<W>(value));
    }
    return MetaValue(std::move(out));
}

Result<bool> MetadataReader::readBool(const std::string& what) {
    const auto value = m_cursor.read<std::uint8_t>();
    if (!value) return ggufEndsEarly(m_cursor, what, 1, m_path);
    if (*value > 1) {
        return badInput(what + " is a boolean with the invalid value " + std::to_string(*value),
                        m_path, kDamaged);
    }
    return *value == 1;
}

Result<MetaValue> MetadataReader::readBools(std::uint64_t count, const std::string& what) {
    std::vector<bool> out;
    out.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto value = readBool(what);
        if (!value) return value.error();
        out.push_back(*value);
    }
    return MetaValue(std::move(out));
}

Result<MetaValue> MetadataReader::readStrings(std::uint64_t count, const std::string& what) {
    std::vector<std::string_view> out;
    out.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        // The common path builds no text: a vocabulary has 150,000 of these.
        const auto length = m_cursor.read<std::uint64_t>();
        const auto text = length ? m_cursor.take(*length) : std::nullopt;
        if (!text) {
            const std::string which = what + "[" + std::to_string(i) + "]";
            if (!length) return ggufEndsEarly(m_cursor, which + " (string length)", 8, m_path);
            return ggufEndsEarly(m_cursor, which + ": string length", *length, m_path);
        }
        out.push_back(*text);
    }
    return MetaValue(std::move(out));
}

Result<MetaValue> MetadataReader::readNested(std::uint64_t count, const std::string& what,
                                             int depth) {
    auto nested = std::make_shared<MetaNested>();
    for (std::uint64_t i = 0; i < count; ++i) {
        auto value = readArray(what + "[" + std::to_string(i) + "]", depth + 1);
        if (!value) return value.error();
        nested->items.push_back(std::move(*value));
    }
    return MetaValue(std::shared_ptr<const MetaNested>(std::move(nested)));
}

Result<MetaValue> MetadataReader::readArray(const std::string& what, int depth) {
    if (depth > kMaxArrayDepth) {
        return unsupported(
            what + " is an array nested more than " + std::to_string(kMaxArrayDepth) + " deep",
            m_path);
    }
    const auto type = m_cursor.read<std::uint32_t>();
    const auto count = type ? m_cursor.read<std::uint64_t>() : std::nullopt;
    if (!count) return ggufEndsEarly(m_cursor, what + " (array type and count)", 12, m_path);
    if (*type >= kGgufValueTypes) return unknownType(*type, what);
    const auto kind = static_cast<GgufValueType>(*type);
    if (*count > m_cursor.left() / minimumBytes(kind)) {
        return badInput(what + ": array count " + std::to_string(*count) + " exceeds the " +
                            std::to_string(m_cursor.left()) +
                            " bytes left in the file (truncated or damaged)",
                        m_path, kDamaged);
    }
    m_elements += *count;
    if (m_elements > kMaxMetadataElements) {
        return unsupported(what + ": array count " + std::to_string(*count) +
                               " is too large, all metadata together may hold " +
                               std::to_string(kMaxMetadataElements) + " elements",
                           m_path);
    }
    switch (kind) {
        case GgufValueType::U8:
            return readNumbers<std::int64_t, std::uint8_t>(*count, what);
        case GgufValueType::I8:
            return readNumbers<std::int64_t, std::int8_t>(*count, what);
        case GgufValueType::U16:
            return readNumbers<std::int64_t, std::uint16_t>(*count, what);
        case GgufValueType::I16:
            return readNumbers<std::int64_t, std::int16_t>(*count, what);
        case GgufValueType::U32:
            return readNumbers<std::int64_t, std::uint32_t>(*count, what);
        case GgufValueType::I32:
            return readNumbers<std::int64_t, std::int32_t>(*count, what);
        case GgufValueType::U64:
            return readNumbers<std::int64_t, std::uint64_t>(*count, what);
        case GgufValueType::I64:
            return readNumbers<std::int64_t, std::int64_t>(*count, what);
        case GgufValueType::F32:
            return readNumbers<double, float>(*count, what);
        case GgufValueType::F64:
            return readNumbers<double, double>(*count, what);
        case GgufValueType::Bool:
            return readBools(*count, what);
        case GgufValueType::String:
            return readStrings(*count, what);
        case GgufValueType::Array:
            return readNested(*count, what, depth);
    }
    return unknownType(*type, what);
}

Result<MetaValue> MetadataReader::readValue(std::uint32_t type, const std::string& what,
                                            int depth) {
    if (type >= kGgufValueTypes) return unknownType(type, what);
    switch (static_cast<GgufValueType>(type)) {
        case GgufValueType::U8:
            return readNumber<std::int64_t, std::uint8_t>(what);
        case GgufValueType::I8:
            return readNumber<std::int64_t, std::int8_t>(what);
        case GgufValueType::U16:
            return readNumber<std::int64_t, std::uint16_t>(what);
        case GgufValueType::I16:
            return readNumber<std::int64_t, std::int16_t>(what);
        case GgufValueType::U32:
            return readNumber<std::int64_t, std::uint32_t>(what);
        case GgufValueType::I32:
            return readNumber<std::int64_t, std::int32_t>(what);
        case GgufValueType::U64:
            return readNumber<std::uint64_t, std::uint64_t>(what);
        case GgufValueType::I64:
            return readNumber<std::int64_t, std::int64_t>(what);
        case GgufValueType::F32:
            return readNumber<double, float>(what);
        case GgufValueType::F64:
            return readNumber<double, double>(what);
        case GgufValueType::Bool: {
            const auto value = readBool(what);
            if (!value) return value.error();
            return MetaValue(*value);
        }
        case GgufValueType::String: {
            const auto text = readGgufString(m_cursor, what + ": string length", m_path);
            if (!text) return text.error();
            return MetaValue(*text);
        }
        case GgufValueType::Array:
            return readArray(what, depth);
    }
    return unknownType(type, what);
}

Result<Metadata> MetadataReader::read(std::uint64_t count) {
    Metadata out;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string ordinal =
            "metadata key " + std::to_string(i + 1) + " of " + std::to_string(count);
        const auto key = readGgufString(m_cursor, ordinal + ": name length", m_path, kMaxGgufName);
        if (!key) return key.error();
        if (key->empty()) return badInput(ordinal + " has an empty name", m_path, kDamaged);
        const std::string what = "metadata key " + inQuotes(*key);
        if (out.find(*key) != nullptr) {
            return badInput(what + " is there twice", m_path, kDamaged);
        }
        const std::uint64_t begin = m_cursor.position();
        const auto type = m_cursor.read<std::uint32_t>();
        if (!type) return ggufEndsEarly(m_cursor, what + " (value type)", 4, m_path);
        auto value = readValue(*type, what, 1);
        if (!value) return value.error();
        out.add(std::string(*key), std::move(*value), m_cursor.since(begin));
    }
    return out;
}

}  // namespace

Error ggufEndsEarly(const ByteCursor& cursor, const std::string& what, std::uint64_t wanted,
                    const std::string& path) {
    return badInput(what + " " + std::to_string(wanted) + " bytes exceeds the " +
                        std::to_string(cursor.left()) + " bytes left in the file, " +
                        std::to_string(wanted - cursor.left()) +
                        " are missing (truncated or damaged)",
                    path, kDamaged);
}

Result<std::string_view> readGgufString(ByteCursor& cursor, const std::string& what,
                                        const std::string& path, std::uint64_t limit) {
    const auto length = cursor.read<std::uint64_t>();
    if (!length) return ggufEndsEarly(cursor, what + " field of", 8, path);
    const auto text =
        *length <= cursor.left() ? cursor.take(std::min(*length, limit)) : std::nullopt;
    if (!text) return ggufEndsEarly(cursor, what, *length, path);
    if (*length > limit) {
        return badInput(what + " " + std::to_string(*length) + " is too long, the limit is " +
                            std::to_string(limit),
                        path, kDamaged);
    }
    return *text;
}

Result<Metadata> readGgufMetadata(ByteCursor& cursor, std::uint64_t count,
                                  const std::string& path) {
    // A key takes at least its length, one letter, a type and one byte of value.
    constexpr std::uint64_t kFewestBytes = 8 + 1 + 4 + 1;
    if (count > cursor.left() / kFewestBytes) {
        return badInput(
            "the header claims " + std::to_string(count) + " metadata keys, the " +
                std::to_string(cursor.left()) + " bytes left in the file cannot hold more than " +
                std::to_string(cursor.left() / kFewestBytes) + " (truncated or damaged)",
            path, kDamaged);
    }
    return MetadataReader(cursor, path).read(count);
}

}  // namespace lanescope

#pragma once
// Writes tiny GGUF and safetensors files for tests, whole or wrong on purpose: nothing is checked
// here.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::test {

/// Appends little-endian values to a string.
class ByteWriter {
  public:
    template <class T>
    ByteWriter& put(T value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    /// 8-byte length and the text, as GGUF writes strings.
    ByteWriter& text(std::string_view s) {
        put(static_cast<std::uint64_t>(s.size()));
        bytes += s;
        return *this;
    }
    std::string bytes;
};

/// A GGUF file in the making. Type numbers are those of the file format.
class GgufWriter {
  public:
    std::uint32_t version = 3;
    std::uint64_t alignment = 32;  ///< used for placing; written only by a key of your own

    GgufWriter& key(std::string_view name, std::uint32_t type, const std::string& valueBytes) {
        m_keys.text(name).put(type).bytes += valueBytes;
        ++m_nKeys;
        return *this;
    }
    GgufWriter& text(std::string_view name, std::string_view value) {
        return key(name, 8, ByteWriter().text(value).bytes);
    }
    GgufWriter& u32(std::string_view name, std::uint32_t value) {
        return key(name, 4, ByteWriter().put(value).bytes);
    }
    GgufWriter& f32(std::string_view name, float value) {
        return key(name, 6, ByteWriter().put(value).bytes);
    }
    GgufWriter& texts(std::string_view name, const std::vector<std::string>& values) {
        ByteWriter array;
        array.put(std::uint32_t{8}).put(static_cast<std::uint64_t>(values.size()));
        for (const auto& value : values) array.text(value);
        return key(name, 9, array.bytes);
    }

    /// A tensor after the last one. `dims` fastest first, as in the file.
    GgufWriter& tensor(std::string_view name, const std::vector<std::int64_t>& dims,
                       std::uint32_t type, std::string_view data) {
        tensorAt(name, dims, type, m_data.size());
        m_data += data;
        m_data.resize((m_data.size() + alignment - 1) / alignment * alignment);
        return *this;
    }
    /// An entry of the table only.
    GgufWriter& tensorAt(std::string_view name, const std::vector<std::int64_t>& dims,
                         std::uint32_t type, std::uint64_t offset) {
        m_table.text(name).put(static_cast<std::uint32_t>(dims.size()));
        for (const std::int64_t d : dims) m_table.put(d);
        m_table.put(type).put(offset);
        ++m_nTensors;
        return *this;
    }

    [[nodiscard]] std::string bytes() const {
        ByteWriter out;
        out.bytes = "GGUF";
        out.put(version).put(m_nTensors).put(m_nKeys);
        out.bytes += m_keys.bytes + m_table.bytes;
        out.bytes.resize((out.bytes.size() + alignment - 1) / alignment * alignment);
        return out.bytes + m_data;
    }

  private:
    ByteWriter m_keys;
    ByteWriter m_table;
    std::string m_data;
    std::uint64_t m_nKeys = 0;
    std::uint64_t m_nTensors = 0;
};

/// Length, header, data.
inline std::string safetensorsBytes(std::string_view header, std::string_view data) {
    ByteWriter out;
    out.put(static_cast<std::uint64_t>(header.size())).bytes += header;
    return out.bytes + std::string(data);
}

}  // namespace lanescope::test

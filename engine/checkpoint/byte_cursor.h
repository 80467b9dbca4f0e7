#pragma once
// Reads little-endian values from bytes that nobody vouches for: every step is checked against what
// is left. It says only that a read does not fit; the caller knows what was being read.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace lanescope {

static_assert(std::endian::native == std::endian::little, "files are read without swapping");

class ByteCursor {
  public:
    explicit ByteCursor(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::uint64_t position() const { return m_position; }
    [[nodiscard]] std::uint64_t left() const { return m_bytes.size() - m_position; }

    template <class T>
    std::optional<T> read() {
        static_assert(std::is_trivially_copyable_v<T>);
        if (left() < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, m_bytes.data() + m_position, sizeof(T));
        m_position += sizeof(T);
        return value;
    }

    /// The next n bytes as a view, without a copy.
    std::optional<std::string_view> take(std::uint64_t n) {
        if (n > left()) return std::nullopt;
        const auto* start = reinterpret_cast<const char*>(m_bytes.data()) + m_position;
        m_position += static_cast<std::size_t>(n);
        return std::string_view(start, static_cast<std::size_t>(n));
    }

    /// Bytes that were already read, from a position to the current one.
    [[nodiscard]] std::string_view since(std::uint64_t begin) const {
        return {reinterpret_cast<const char*>(m_bytes.data()) + begin,
                m_position - static_cast<std::size_t>(begin)};
    }

  private:
    std::span<const std::byte> m_bytes;
    std::size_t m_position = 0;
};

}  // namespace lanescope

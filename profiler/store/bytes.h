#pragma once
// Writing and checked reading of little-endian bytes: LEB128 varints, zigzag for signed numbers,
// strings with a length in front. A reader that runs over its end turns bad and gives zeros.

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace lanescope::profiler {

class ByteWriter {
  public:
    void u64(std::uint64_t v) {
        while (v >= 0x80) {
            m_out += static_cast<char>(v | 0x80);
            v >>= 7;
        }
        m_out += static_cast<char>(v);
    }
    void i64(std::int64_t v) {
        u64((static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63));
    }
    void f32(float v) { fixed(std::bit_cast<std::uint32_t>(v), 4); }
    void f64(double v) { fixed(std::bit_cast<std::uint64_t>(v), 8); }
    void str(std::string_view s) {
        u64(s.size());
        m_out.append(s);
    }
    void fixed(std::uint64_t bits, int nBytes) {
        for (int i = 0; i < nBytes; ++i) m_out += static_cast<char>(bits >> (8 * i));
    }
    [[nodiscard]] std::string& bytes() { return m_out; }

  private:
    std::string m_out;
};

class ByteReader {
  public:
    explicit ByteReader(std::string_view in) : m_in(in) {}

    std::uint64_t u64() {
        std::uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (m_pos >= m_in.size()) break;
            const auto byte = static_cast<std::uint8_t>(m_in[m_pos++]);
            v |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return v;
        }
        m_ok = false;
        return 0;
    }
    std::int64_t i64() {
        const std::uint64_t z = u64();
        return static_cast<std::int64_t>((z >> 1) ^ (~(z & 1) + 1));
    }
    /// A signed number that must lie in [low, high].
    template <class Int>
    Int within(std::int64_t low, std::int64_t high) {
        const std::int64_t v = i64();
        if (v < low || v > high) {
            m_ok = false;
            return static_cast<Int>(low);
        }
        return static_cast<Int>(v);
    }
    std::int32_t i32() {
        return within<std::int32_t>(std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int32_t>::max());
    }
    /// A count of things that take at least minBytes each in what is left.
    std::size_t count(std::size_t minBytes) {
        const std::uint64_t n = u64();
        if (n > (m_in.size() - m_pos) / minBytes) {
            m_ok = false;
            return 0;
        }
        return static_cast<std::size_t>(n);
    }
    float f32() { return std::bit_cast<float>(static_cast<std::uint32_t>(fixed(4))); }
    double f64() { return std::bit_cast<double>(fixed(8)); }
    std::string str() {
        const std::size_t n = count(1);
        std::string s(m_in.substr(m_pos, n));
        m_pos += n;
        return s;
    }
    std::uint64_t fixed(int nBytes) {
        if (m_in.size() - m_pos < static_cast<std::size_t>(nBytes)) {
            m_ok = false;
            m_pos = m_in.size();
            return 0;
        }
        std::uint64_t v = 0;
        for (int i = 0; i < nBytes; ++i) {
            v |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(m_in[m_pos++])) << (8 * i);
        }
        return v;
    }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] bool atEnd() const { return m_pos == m_in.size(); }

  private:
    std::string_view m_in;
    std::size_t m_pos = 0;
    bool m_ok = true;
};

}  // namespace lanescope::profiler

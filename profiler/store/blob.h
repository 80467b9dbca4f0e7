#pragma once
// What all blobs of the codec share: the checksum behind them, words for damage, and times as
// differences. Used by codec.cpp and device_codec.cpp only.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"
#include "profiler/store/bytes.h"

namespace lanescope::profiler::codec {

inline constexpr std::size_t kChecksumBytes = 8;
inline constexpr std::int64_t kMaxLane = 1023;
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1}
                                           << 61;  // differences of two never overflow
inline constexpr std::int64_t kMaxI32 = std::numeric_limits<std::int32_t>::max();

/// FNV-1a, 64 bits.
inline std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : bytes) {
        hash ^= static_cast<std::uint8_t>(c);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

inline std::string sealed(ByteWriter& writer) {
    const std::uint64_t sum = checksum(writer.bytes());
    writer.fixed(sum, kChecksumBytes);
    return std::move(writer.bytes());
}

inline Result<std::string_view> unsealed(std::string_view blob, const char* what) {
    if (blob.size() < kChecksumBytes) {
        return badInput(std::string("is damaged: ") + what + " of " + std::to_string(blob.size()) +
                        " bytes is too short");
    }
    const std::string_view body = blob.substr(0, blob.size() - kChecksumBytes);
    ByteReader tail(blob.substr(body.size()));
    if (tail.fixed(kChecksumBytes) != checksum(body)) {
        return badInput(std::string("is damaged: the checksum of ") + what + " does not match");
    }
    return body;
}

inline Result<void> finish(const ByteReader& reader, const char* what) {
    if (reader.ok() && reader.atEnd()) return {};
    return badInput(std::string("is damaged: ") + what + " does not add up");
}

inline bool isTime(std::int64_t ns) {
    return ns >= -kMaxTimeNs && ns <= kMaxTimeNs;
}

/// a - b without overflow; added() undoes it.
inline std::int64_t difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t added(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Times of neighbours lie close together: differences take a byte or two.
class Deltas {
  public:
    std::int64_t to(std::int64_t v) { return difference(v, std::exchange(m_last, v)); }
    std::int64_t from(std::int64_t d) { return m_last = added(m_last, d); }

  private:
    std::int64_t m_last = 0;
};

}  // namespace lanescope::profiler::codec

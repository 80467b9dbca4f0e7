#pragma once
// Memory layout of the GGUF block formats, as they lie in a file. Every struct is byte-packed
// (alignment 1 is not promised by the file, so kernels load with memcpy or unaligned loads).
// Values of element i: see reference/dequantise.cpp. Halves are raw bits; convert with float16.h.

#include <cstddef>
#include <cstdint>

namespace lanescope::kernels {

inline constexpr int kBlock = 32;        ///< elements of a simple block
inline constexpr int kSuperBlock = 256;  ///< elements of a K-quant super-block
inline constexpr int kScaleBytes = 12;   ///< eight 6-bit scales and eight 6-bit minima

using HalfBits = std::uint16_t;

#pragma pack(push, 1)

/// x = d * (q - 8); q[j] holds element j (low nibble) and j + 16 (high nibble).
struct BlockQ4_0 {
    HalfBits d;
    std::uint8_t q[kBlock / 2];
};

/// x = d * q + m.
struct BlockQ4_1 {
    HalfBits d;
    HalfBits m;
    std::uint8_t q[kBlock / 2];
};

/// x = d * (q - 16); bit j of high is bit 4 of element j.
struct BlockQ5_0 {
    HalfBits d;
    std::uint8_t high[4];
    std::uint8_t q[kBlock / 2];
};

/// x = d * q + m.
struct BlockQ5_1 {
    HalfBits d;
    HalfBits m;
    std::uint8_t high[4];
    std::uint8_t q[kBlock / 2];
};

/// x = d * q.
struct BlockQ8_0 {
    HalfBits d;
    std::int8_t q[kBlock];
};

/// Geometry only.
struct BlockQ2_K {
    std::uint8_t scales[kSuperBlock / 16];
    std::uint8_t q[kSuperBlock / 4];
    HalfBits d;
    HalfBits dmin;
};

/// Geometry only.
struct BlockQ3_K {
    std::uint8_t high[kSuperBlock / 8];
    std::uint8_t q[kSuperBlock / 4];
    std::uint8_t scales[kScaleBytes];
    HalfBits d;
};

/// Sub-block s of 32: x = d * scale[s] * q - dmin * min[s]. q[32 * (s / 2) + j] holds element j of
/// sub-block s in its low (s even) or high (s odd) nibble.
struct BlockQ4_K {
    HalfBits d;
    HalfBits dmin;
    std::uint8_t scales[kScaleBytes];
    std::uint8_t q[kSuperBlock / 2];
};

/// As Q4_K with a fifth bit: bit s of high[j] belongs to element j of sub-block s.
struct BlockQ5_K {
    HalfBits d;
    HalfBits dmin;
    std::uint8_t scales[kScaleBytes];
    std::uint8_t high[kSuperBlock / 8];
    std::uint8_t q[kSuperBlock / 2];
};

/// Sub-block s of 16: x = d * scale[s] * (q - 32). Half h of 128 elements is four runs of 32 (run r
/// at 128 * h + 32 * r): low nibbles of bytes 0-31, of 32-63, high nibbles of 0-31, of 32-63 of
/// low[64 * h]; bits 2r, 2r + 1 of high[32 * h + j] are the upper bits of element j of run r.
struct BlockQ6_K {
    std::uint8_t low[kSuperBlock / 2];
    std::uint8_t high[kSuperBlock / 4];
    std::int8_t scales[kSuperBlock / 16];
    HalfBits d;
};

#pragma pack(pop)

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 &&
              sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144 &&
              sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

}  // namespace lanescope::kernels

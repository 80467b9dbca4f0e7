#pragma once
// Memory layout of the GGUF block formats, as they lie in a file. Every struct is byte-packed
// (alignment 1 is not promised by the file, so kernels load with memcpy or unaligned loads).
// Values of element i: see reference/dequantise.cpp. Halves are raw bits; convert with float16.h.

#include <cstddef>
#include <cstdint>

namespace lanescope::kernels {

inline constexpr int kBlock = 32;        ///< elements of a simple block
inline constexpr int kSuperBlock = 256;  ///< elements of a K-quant super-block
inline constexpr int kNvBlock = 64;      ///< elements of an NVFP4 block
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

/// Sub-block s of 16: x = d * (scales[s] & 15) * q - dmin * (scales[s] >> 4). Half h of 128
/// elements is four runs of 32: bits 2r, 2r + 1 of q[32 * h + j] are element j of run r.
struct BlockQ2_K {
    std::uint8_t scales[kSuperBlock / 16];
    std::uint8_t q[kSuperBlock / 4];
    HalfBits d;
    HalfBits dmin;
};

/// Sub-block s of 16: x = d * (scale[s] - 32) * (q - 4); the low two bits of q lie as in Q2_K, its
/// third is bit 4 * h + r of high[j]. The 6-bit scales: low nibbles in bytes 0-7 (scales 0-7 in
/// the low halves, 8-15 in the high ones), upper two bits in bytes 8-11 (scale s: bits 2 * (s / 4)
/// of byte 8 + s % 4).
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

/// x = d * kIq4Values[q], nibbles as in Q4_0.
struct BlockIQ4_NL {
    HalfBits d;
    std::uint8_t q[kBlock / 2];
};

/// Sub-block s of 32: x = d * (scale[s] - 32) * kIq4Values[q]; q as eight runs of Q4_0's nibbles.
/// scale: nibble s of low, bits 2s, 2s + 1 of high.
struct BlockIQ4_XS {
    HalfBits d;
    std::uint16_t high;
    std::uint8_t low[kSuperBlock / 64];
    std::uint8_t q[kSuperBlock / 2];
};

/// x = 2^(e - 128) * kFp4Values[q], nibbles as in Q4_0 (OCP microscaling: E8M0 scale, E2M1 values).
struct BlockMXFP4 {
    std::uint8_t e;
    std::uint8_t q[kBlock / 2];
};

/// Four sub-blocks of 16: x = ue4m3(d[s]) / 2 * kFp4Values[q]; byte j of a sub-block holds its
/// elements j (low nibble) and j + 8.
struct BlockNVFP4 {
    std::uint8_t d[4];
    std::uint8_t q[32];
};

/// Ternary, five to a byte: x = d * (t - 1), t the n-th base-3 digit after the point of byte / 256.
/// q: 32 bytes whose digit n is element 32n + j, 16 whose digit n is element 160 + 16n + j, then
/// high: 4 bytes of four digits, element 240 + 4n + j.
struct BlockTQ1_0 {
    std::uint8_t q[(kSuperBlock - 4 * kSuperBlock / 64) / 5];
    std::uint8_t high[kSuperBlock / 64];
    HalfBits d;
};

/// Ternary: x = d * (q - 1), two-bit q in the order of Q2_K.
struct BlockTQ2_0 {
    std::uint8_t q[kSuperBlock / 4];
    HalfBits d;
};

/// The IQ formats draw eight (IQ3: four) magnitudes at once from a codebook (iq_grids.h). Signs are
/// a bit an element, set for minus; 7-bit fields leave the eighth out: their parity is even.
/// Sub-block s of 32: q[s] is four codebook indices of a byte, then a dword of four 7-bit sign
/// fields and a 4-bit scale: x = d * (0.5 + scale) / 4 * grid.
struct BlockIQ2_XXS {
    HalfBits d;
    std::uint16_t q[kSuperBlock / 8];
};

/// x = d * (0.5 + scale) / 4 * grid, a scale nibble per 16; q: 9 bits of index, 7 of sign.
struct BlockIQ2_XS {
    HalfBits d;
    std::uint16_t q[kSuperBlock / 8];
    std::uint8_t scales[kSuperBlock / 32];
};

/// As IQ2_XS with 10 bits of index (two of them in high) and all eight signs.
struct BlockIQ2_S {
    HalfBits d;
    std::uint8_t q[kSuperBlock / 8];
    std::uint8_t signs[kSuperBlock / 8];
    std::uint8_t high[kSuperBlock / 32];
    std::uint8_t scales[kSuperBlock / 32];
};

/// x = d * (0.5 + scale) / 2 * grid; a dword of signs and scale per 32 as in IQ2_XXS.
struct BlockIQ3_XXS {
    HalfBits d;
    std::uint8_t q[kSuperBlock / 4];
    std::uint8_t signsAndScale[kSuperBlock / 8];
};

/// x = d * (1 + 2 scale) * grid, a scale nibble per 32; bit i of high[s] is bit 8 of index i.
struct BlockIQ3_S {
    HalfBits d;
    std::uint8_t q[kSuperBlock / 4];
    std::uint8_t high[kSuperBlock / 32];
    std::uint8_t signs[kSuperBlock / 8];
    std::uint8_t scales[kSuperBlock / 64];
};

/// x = d * (1 + 2 scale) * (grid +- 1/8). high[s]: bits 8 to 10 of four indices, then three bits of
/// scale and the sign of the eighth.
struct BlockIQ1_S {
    HalfBits d;
    std::uint8_t q[kSuperBlock / 8];
    std::uint16_t high[kSuperBlock / 32];
};

/// As IQ1_S, a 3-bit scale per 16 and a sign of the eighth per 8 (nibble i of high: three bits of
/// index i, the sign). The top nibbles of the four words of scales make up d.
struct BlockIQ1_M {
    std::uint8_t q[kSuperBlock / 8];
    std::uint8_t high[kSuperBlock / 16];
    std::uint16_t scales[kSuperBlock / 64];
};

#pragma pack(pop)

/// What the nibbles of IQ4_NL and IQ4_XS mean.
inline constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the values of E2M1.
inline constexpr std::int8_t kFp4Values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                               0, -1, -2, -3, -4, -6, -8, -12};

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 &&
              sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144 &&
              sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);
static_assert(sizeof(BlockIQ4_NL) == 18 && sizeof(BlockIQ4_XS) == 136 && sizeof(BlockMXFP4) == 17 &&
              sizeof(BlockNVFP4) == 36 && sizeof(BlockTQ1_0) == 54 && sizeof(BlockTQ2_0) == 66);
static_assert(sizeof(BlockIQ2_XXS) == 66 && sizeof(BlockIQ2_XS) == 74 && sizeof(BlockIQ2_S) == 82 &&
              sizeof(BlockIQ3_XXS) == 98 && sizeof(BlockIQ3_S) == 110 && sizeof(BlockIQ1_S) == 50 &&
              sizeof(BlockIQ1_M) == 56);

}  // namespace lanescope::kernels

// Values of the small formats without a codebook: two and three bits, ternary, four-bit floats and
// the non-linear four-bit ones. Layouts: types/blocks.h.

#include <bit>

#include "kernels/reference/expand.h"
#include "kernels/types/float16.h"
#include "kernels/types/iq_grids.h"

namespace lanescope::kernels::reference {
namespace {

/// Two-bit field of element i in the order that Q2_K, Q3_K and TQ2_0 share.
int twoBits(const std::uint8_t* q, int i) {
    return q[32 * (i / 128) + i % 32] >> (2 * (i % 128 / 32)) & 3;
}

/// The nibble of element i of 32: low halves first.
int nibble(const std::uint8_t* q, int i) {
    return i < 16 ? q[i] & 15 : q[i - 16] >> 4;
}

/// 2^(e - 128), which is subnormal for the two smallest e.
float e8m0Half(std::uint8_t e) {
    return std::bit_cast<float>(e < 2 ? 0x00200000U << e : static_cast<std::uint32_t>(e - 1) << 23);
}

}  // namespace

void expand(const BlockQ2_K& b, float* y) {
    const float d = halfToF32(b.d);
    const float dmin = halfToF32(b.dmin);
    for (int i = 0; i < kSuperBlock; ++i) {
        const int scale = b.scales[i / 16];
        const float ds = d * static_cast<float>(scale & 15);
        const float m = dmin * static_cast<float>(scale >> 4);
        y[i] = ds * static_cast<float>(twoBits(b.q, i)) - m;
    }
}

void expand(const BlockQ3_K& b, float* y) {
    const float d = halfToF32(b.d);
    for (int i = 0; i < kSuperBlock; ++i) {
        const int s = i / 16;
        const int low = s < 8 ? b.scales[s] & 15 : b.scales[s - 8] >> 4;
        const int scale = (low | (b.scales[8 + s % 4] >> (2 * (s / 4)) & 3) << 4) - 32;
        const int third = b.high[i % 32] >> (i / 32) & 1;
        y[i] = d * static_cast<float>(scale) * static_cast<float>(twoBits(b.q, i) + 4 * third - 4);
    }
}

void expand(const BlockIQ4_NL& b, float* y) {
    const float d = halfToF32(b.d);
    for (int i = 0; i < kBlock; ++i) y[i] = d * static_cast<float>(kIq4Values[nibble(b.q, i)]);
}

void expand(const BlockIQ4_XS& b, float* y) {
    const float d = halfToF32(b.d);
    for (int i = 0; i < kSuperBlock; ++i) {
        const int s = i / 32;
        const int scale =
            ((b.low[s / 2] >> (4 * (s % 2)) & 15) | (b.high >> (2 * s) & 3) << 4) - 32;
        const float ds = d * static_cast<float>(scale);
        y[i] = ds * static_cast<float>(kIq4Values[nibble(b.q + 16 * s, i % 32)]);
    }
}

void expand(const BlockTQ1_0& b, float* y) {
    const float d = halfToF32(b.d);
    constexpr int kPowers[5] = {1, 3, 9, 27, 81};
    for (int i = 0; i < kSuperBlock; ++i) {
        int byte = 0;
        int digit = 0;
        if (i < 160) {
            byte = b.q[i % 32];
            digit = i / 32;
        } else if (i < 240) {
            byte = b.q[32 + i % 16];
            digit = (i - 160) / 16;
        } else {
            byte = b.high[i % 4];
            digit = (i - 240) / 4;
        }
        const int shifted = byte * kPowers[digit] & 255;
        y[i] = d * static_cast<float>((shifted * 3 >> 8) - 1);
    }
}

void expand(const BlockTQ2_0& b, float* y) {
    const float d = halfToF32(b.d);
    for (int i = 0; i < kSuperBlock; ++i) y[i] = d * static_cast<float>(twoBits(b.q, i) - 1);
}

void expand(const BlockMXFP4& b, float* y) {
    const float d = e8m0Half(b.e);
    for (int i = 0; i < kBlock; ++i) y[i] = d * static_cast<float>(kFp4Values[nibble(b.q, i)]);
}

void expand(const BlockNVFP4& b, float* y) {
    for (int i = 0; i < 64; ++i) {
        const int byte = b.q[8 * (i / 16) + i % 8];
        const int code = i % 16 < 8 ? byte & 15 : byte >> 4;
        y[i] = kUe4m3Half[b.d[i / 16]] * static_cast<float>(kFp4Values[code]);
    }
}

}  // namespace lanescope::kernels::reference

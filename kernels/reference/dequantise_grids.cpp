// Values of the formats with a codebook: an index gives the magnitudes of eight (IQ3: four)
// elements, a bit each their signs. Layouts: types/blocks.h.

#include <cstring>

#include "kernels/reference/expand.h"
#include "kernels/types/float16.h"
#include "kernels/types/iq_grids.h"

namespace lanescope::kernels::reference {
namespace {

/// y[j] = d * byte j of the entry, negative where bit j of signs is set.
void spread(std::uint64_t entry, int n, std::uint32_t signs, float d, float* y) {
    for (int j = 0; j < n; ++j) {
        const auto magnitude = static_cast<float>(entry >> (8 * j) & 255);
        y[j] = d * magnitude * ((signs >> j & 1) != 0 ? -1.0F : 1.0F);
    }
}

/// y[j] = d * (byte j of the entry + delta) / 8; bytes are signed.
void spreadIq1(int index, bool minus, float d, float* y) {
    const std::uint64_t entry = kIq1Grid[static_cast<std::size_t>(index)];
    for (int j = 0; j < 8; ++j) {
        const auto eight = static_cast<std::int8_t>(entry >> (8 * j) & 255);
        y[j] = d * (static_cast<float>(eight + (minus ? -1 : 1)) * 0.125F);
    }
}

std::uint32_t dword(const void* bytes) {
    std::uint32_t v;
    std::memcpy(&v, bytes, sizeof v);
    return v;
}

int nibbleOf(const std::uint8_t* bytes, int i) {
    return bytes[i / 2] >> (4 * (i % 2)) & 15;
}

}  // namespace

void expand(const BlockIQ2_XXS& b, float* y) {
    for (int s = 0; s < 8; ++s) {
        const std::uint32_t indices = dword(b.q + 4 * s);
        const std::uint32_t rest = dword(b.q + 4 * s + 2);
        const float d = halfToF32(b.d) * (0.5F + static_cast<float>(rest >> 28)) * 0.25F;
        for (int i = 0; i < 4; ++i)
            spread(kIq2XxsGrid[indices >> (8 * i) & 255], 8, evenSigns(rest >> (7 * i) & 127), d,
                   y + 32 * s + 8 * i);
    }
}

void expand(const BlockIQ2_XS& b, float* y) {
    for (int i = 0; i < 32; ++i) {
        const auto scale = static_cast<float>(nibbleOf(b.scales, i / 2));
        const float d = halfToF32(b.d) * (0.5F + scale) * 0.25F;
        const std::uint32_t q = b.q[i];
        spread(kIq2XsGrid[q & 511], 8, evenSigns(q >> 9), d, y + 8 * i);
    }
}

void expand(const BlockIQ2_S& b, float* y) {
    for (int i = 0; i < 32; ++i) {
        const auto scale = static_cast<float>(nibbleOf(b.scales, i / 2));
        const float d = halfToF32(b.d) * (0.5F + scale) * 0.25F;
        const int index = b.q[i] | (b.high[i / 4] >> (2 * (i % 4)) & 3) << 8;
        spread(kIq2SGrid[static_cast<std::size_t>(index)], 8, b.signs[i], d, y + 8 * i);
    }
}

void expand(const BlockIQ3_XXS& b, float* y) {
    for (int i = 0; i < 64; ++i) {
        const std::uint32_t rest = dword(b.signsAndScale + 4 * (i / 8));
        const float d = halfToF32(b.d) * (0.5F + static_cast<float>(rest >> 28)) * 0.5F;
        const std::uint32_t signs = evenSigns(rest >> (7 * (i % 8 / 2)) & 127);
        spread(kIq3XxsGrid[b.q[i]], 4, signs >> (4 * (i % 2)), d, y + 4 * i);
    }
}

void expand(const BlockIQ3_S& b, float* y) {
    for (int i = 0; i < 64; ++i) {
        const float d = halfToF32(b.d) * static_cast<float>(1 + 2 * nibbleOf(b.scales, i / 8));
        const int index = b.q[i] | (b.high[i / 8] >> (i % 8) & 1) << 8;
        spread(kIq3SGrid[static_cast<std::size_t>(index)], 4, b.signs[i / 2] >> (4 * (i % 2)), d,
               y + 4 * i);
    }
}

void expand(const BlockIQ1_S& b, float* y) {
    for (int i = 0; i < 32; ++i) {
        const int high = b.high[i / 4];
        const float d = halfToF32(b.d) * static_cast<float>(2 * (high >> 12 & 7) + 1);
        spreadIq1(b.q[i] | (high >> (3 * (i % 4)) & 7) << 8, (high & 0x8000) != 0, d, y + 8 * i);
    }
}

void expand(const BlockIQ1_M& b, float* y) {
    const std::uint16_t(&s)[4] = b.scales;
    const float whole = halfToF32(static_cast<std::uint16_t>(
        (s[0] >> 12) | (s[1] >> 8 & 0x00F0) | (s[2] >> 4 & 0x0F00) | (s[3] & 0xF000)));
    for (int i = 0; i < 32; ++i) {
        const int group = i / 2;
        const int scale = s[group / 4] >> (3 * (group % 4)) & 7;
        const int high = nibbleOf(b.high, i);
        spreadIq1(b.q[i] | (high & 7) << 8, (high & 8) != 0,
                  whole * static_cast<float>(2 * scale + 1), y + 8 * i);
    }
}

}  // namespace lanescope::kernels::reference

// What every stored number means. One function a format, element by element (the rest of them:
// expand.h); src may have any alignment, so blocks are copied out first.

#include <cstring>

#include "kernels/reference/expand.h"
#include "kernels/reference/reference.h"
#include "kernels/types/float16.h"

namespace lanescope::kernels::reference {
namespace {

using reference::expand;  // of expand.h, beside those below

void expand(const BlockQ4_0& b, float* y) {
    const float d = halfToF32(b.d);
    for (int j = 0; j < 16; ++j) {
        y[j] = static_cast<float>((b.q[j] & 15) - 8) * d;
        y[j + 16] = static_cast<float>((b.q[j] >> 4) - 8) * d;
    }
}

void expand(const BlockQ4_1& b, float* y) {
    const float d = halfToF32(b.d);
    const float m = halfToF32(b.m);
    for (int j = 0; j < 16; ++j) {
        y[j] = static_cast<float>(b.q[j] & 15) * d + m;
        y[j + 16] = static_cast<float>(b.q[j] >> 4) * d + m;
    }
}

std::uint32_t highBits(const std::uint8_t* bytes) {
    std::uint32_t high;
    std::memcpy(&high, bytes, sizeof high);
    return high;
}

void expand(const BlockQ5_0& b, float* y) {
    const float d = halfToF32(b.d);
    const std::uint32_t high = highBits(b.high);
    for (int j = 0; j < 16; ++j) {
        const int lo = (b.q[j] & 15) | static_cast<int>((high >> j & 1U) << 4);
        const int hi = (b.q[j] >> 4) | static_cast<int>((high >> (j + 16) & 1U) << 4);
        y[j] = static_cast<float>(lo - 16) * d;
        y[j + 16] = static_cast<float>(hi - 16) * d;
    }
}

void expand(const BlockQ5_1& b, float* y) {
    const float d = halfToF32(b.d);
    const float m = halfToF32(b.m);
    const std::uint32_t high = highBits(b.high);
    for (int j = 0; j < 16; ++j) {
        const int lo = (b.q[j] & 15) | static_cast<int>((high >> j & 1U) << 4);
        const int hi = (b.q[j] >> 4) | static_cast<int>((high >> (j + 16) & 1U) << 4);
        y[j] = static_cast<float>(lo) * d + m;
        y[j + 16] = static_cast<float>(hi) * d + m;
    }
}

void expand(const BlockQ8_0& b, float* y) {
    const float d = halfToF32(b.d);
    for (int j = 0; j < 32; ++j) y[j] = static_cast<float>(b.q[j]) * d;
}

/// Sub-block s of the packed 6-bit pairs: scale and minimum.
void scaleAndMin(const std::uint8_t* scales, int s, int* scale, int* minimum) {
    if (s < 4) {
        *scale = scales[s] & 63;
        *minimum = scales[s + 4] & 63;
    } else {
        *scale = (scales[s + 4] & 15) | ((scales[s - 4] >> 6) << 4);
        *minimum = (scales[s + 4] >> 4) | ((scales[s] >> 6) << 4);
    }
}

void expand(const BlockQ4_K& b, float* y) {
    const float d = halfToF32(b.d);
    const float dmin = halfToF32(b.dmin);
    for (int s = 0; s < 8; ++s) {
        int scale = 0;
        int minimum = 0;
        scaleAndMin(b.scales, s, &scale, &minimum);
        const float ds = d * static_cast<float>(scale);
        const float m = dmin * static_cast<float>(minimum);
        for (int j = 0; j < 32; ++j) {
            const int byte = b.q[32 * (s / 2) + j];
            const int q = s % 2 == 0 ? byte & 15 : byte >> 4;
            y[32 * s + j] = ds * static_cast<float>(q) - m;
        }
    }
}

void expand(const BlockQ5_K& b, float* y) {
    const float d = halfToF32(b.d);
    const float dmin = halfToF32(b.dmin);
    for (int s = 0; s < 8; ++s) {
        int scale = 0;
        int minimum = 0;
        scaleAndMin(b.scales, s, &scale, &minimum);
        const float ds = d * static_cast<float>(scale);
        const float m = dmin * static_cast<float>(minimum);
        for (int j = 0; j < 32; ++j) {
            const int byte = b.q[32 * (s / 2) + j];
            const int q = (s % 2 == 0 ? byte & 15 : byte >> 4) | ((b.high[j] >> s & 1) << 4);
            y[32 * s + j] = ds * static_cast<float>(q) - m;
        }
    }
}

void expand(const BlockQ6_K& b, float* y) {
    const float d = halfToF32(b.d);
    for (int i = 0; i < kSuperBlock; ++i) {
        const int half = i / 128;
        const int run = i % 128 / 32;
        const int j = i % 32;
        const int byte = b.low[64 * half + 32 * (run % 2) + j];
        const int low = run < 2 ? byte & 15 : byte >> 4;
        const int q = low | ((b.high[32 * half + j] >> (2 * run) & 3) << 4);
        const int group = i / 16;
        y[i] = d * static_cast<float>(b.scales[group]) * static_cast<float>(q - 32);
    }
}

template <class Block, int kElements>
void expandRow(const void* src, float* dst, std::int64_t n) {
    const auto* bytes = static_cast<const char*>(src);
    for (std::int64_t b = 0; b < n / kElements; ++b) {
        Block block;
        std::memcpy(&block, bytes + b * static_cast<std::int64_t>(sizeof(Block)), sizeof block);
        expand(block, dst + b * kElements);
    }
}

template <float (*kConvert)(std::uint16_t)>
void convertRow(const void* src, float* dst, std::int64_t n) {
    const auto* bytes = static_cast<const char*>(src);
    for (std::int64_t i = 0; i < n; ++i) {
        std::uint16_t raw;
        std::memcpy(&raw, bytes + 2 * i, sizeof raw);
        dst[i] = kConvert(raw);
    }
}

/// Doubles and integers: rare as weights, so rounded to f32 one by one.
template <class T>
void narrowRow(const void* src, float* dst, std::int64_t n) {
    const auto* bytes = static_cast<const char*>(src);
    for (std::int64_t i = 0; i < n; ++i) {
        T value;
        std::memcpy(&value, bytes + i * static_cast<std::int64_t>(sizeof value), sizeof value);
        dst[i] = static_cast<float>(value);
    }
}

}  // namespace

void dequantiseRow(DType type, const void* src, float* dst, std::int64_t n) {
    if (n <= 0) return;
    switch (type) {
        case DType::F32:
            std::memcpy(dst, src, static_cast<std::size_t>(n) * sizeof(float));
            return;
        case DType::F16:
            return convertRow<halfToF32>(src, dst, n);
        case DType::BF16:
            return convertRow<bf16ToF32>(src, dst, n);
        case DType::Q4_0:
            return expandRow<BlockQ4_0, kBlock>(src, dst, n);
        case DType::Q4_1:
            return expandRow<BlockQ4_1, kBlock>(src, dst, n);
        case DType::Q5_0:
            return expandRow<BlockQ5_0, kBlock>(src, dst, n);
        case DType::Q5_1:
            return expandRow<BlockQ5_1, kBlock>(src, dst, n);
        case DType::Q8_0:
            return expandRow<BlockQ8_0, kBlock>(src, dst, n);
        case DType::Q4_K:
            return expandRow<BlockQ4_K, kSuperBlock>(src, dst, n);
        case DType::Q5_K:
            return expandRow<BlockQ5_K, kSuperBlock>(src, dst, n);
        case DType::Q6_K:
            return expandRow<BlockQ6_K, kSuperBlock>(src, dst, n);
        case DType::Q2_K:
            return expandRow<BlockQ2_K, kSuperBlock>(src, dst, n);
        case DType::Q3_K:
            return expandRow<BlockQ3_K, kSuperBlock>(src, dst, n);
        case DType::IQ1_S:
            return expandRow<BlockIQ1_S, kSuperBlock>(src, dst, n);
        case DType::IQ1_M:
            return expandRow<BlockIQ1_M, kSuperBlock>(src, dst, n);
        case DType::IQ2_XXS:
            return expandRow<BlockIQ2_XXS, kSuperBlock>(src, dst, n);
        case DType::IQ2_XS:
            return expandRow<BlockIQ2_XS, kSuperBlock>(src, dst, n);
        case DType::IQ2_S:
            return expandRow<BlockIQ2_S, kSuperBlock>(src, dst, n);
        case DType::IQ3_XXS:
            return expandRow<BlockIQ3_XXS, kSuperBlock>(src, dst, n);
        case DType::IQ3_S:
            return expandRow<BlockIQ3_S, kSuperBlock>(src, dst, n);
        case DType::IQ4_NL:
            return expandRow<BlockIQ4_NL, kBlock>(src, dst, n);
        case DType::IQ4_XS:
            return expandRow<BlockIQ4_XS, kSuperBlock>(src, dst, n);
        case DType::TQ1_0:
            return expandRow<BlockTQ1_0, kSuperBlock>(src, dst, n);
        case DType::TQ2_0:
            return expandRow<BlockTQ2_0, kSuperBlock>(src, dst, n);
        case DType::MXFP4:
            return expandRow<BlockMXFP4, kBlock>(src, dst, n);
        case DType::NVFP4:
            return expandRow<BlockNVFP4, kNvBlock>(src, dst, n);
        case DType::F64:
            return narrowRow<double>(src, dst, n);
        case DType::I8:
            return narrowRow<std::int8_t>(src, dst, n);
        case DType::I16:
            return narrowRow<std::int16_t>(src, dst, n);
        case DType::I32:
            return narrowRow<std::int32_t>(src, dst, n);
        case DType::I64:
            return narrowRow<std::int64_t>(src, dst, n);
    }
}

void fromF32(DType type, const float* src, void* dst, std::int64_t n) {
    if (n <= 0) return;
    auto* bytes = static_cast<char*>(dst);
    if (type == DType::F32) {
        std::memcpy(dst, src, static_cast<std::size_t>(n) * sizeof(float));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        const std::uint16_t raw = type == DType::F16 ? f32ToHalf(src[i]) : f32ToBf16(src[i]);
        std::memcpy(bytes + 2 * i, &raw, sizeof raw);
    }
}

}  // namespace lanescope::kernels::reference

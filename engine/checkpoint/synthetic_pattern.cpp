// Random blocks of every format. All bits but the scales are random; the scales are chosen by
// measuring: dequantise with a scale of one, then shrink to the wanted spread.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/checkpoint/synthetic_parts.h"
#include "kernels/ops/dispatch.h"
#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::DType;

constexpr double kSpread = 0.02;  ///< what trained models start from

/// The 16-bit scale and minimum of a block: x = scale * q + minimum * (…).
struct Scales {
    std::int64_t offset = 0;
    double minimum = 0.0;  ///< second 16-bit field for a mean of 0, in scales; 0: there is none
};

Scales scalesOf(DType type) {
    switch (type) {
        case DType::Q4_1:
            return {0, -7.5};
        case DType::Q5_1:
            return {0, -15.5};
        case DType::Q4_K:
            return {0, 7.5};
        case DType::Q5_K:
            return {0, 15.5};
        case DType::Q2_K:
            return {80, 1.5};
        case DType::Q3_K:
            return {108, 0.0};
        case DType::Q6_K:
            return {208, 0.0};
        case DType::TQ1_0:
            return {52, 0.0};
        case DType::TQ2_0:
            return {64, 0.0};
        default:
            return {0, 0.0};
    }
}

void setScale(DType type, std::byte* block, double scale) {
    const auto half = [&](double value) { return kernels::f32ToHalf(static_cast<float>(value)); };
    if (type == DType::MXFP4) {
        block[0] = static_cast<std::byte>(std::lround(std::log2(scale)) + 128);
        return;
    }
    if (type == DType::NVFP4) {
        // Steps of 2^-10, which is fine enough for the small values wanted here.
        const long steps = std::lround(scale * 1024.0);
        std::memset(block, static_cast<int>(steps < 1 ? 1 : steps > 7 ? 7 : steps), 4);
        return;
    }
    if (type == DType::IQ1_M) {  // the top nibbles of four words
        const std::uint16_t bits = half(scale);
        for (int i = 0; i < 4; ++i) {
            std::byte& high = block[49 + 2 * i];
            high = (high & std::byte{15}) | static_cast<std::byte>((bits >> (4 * i) & 15) << 4);
        }
        return;
    }
    const Scales fields = scalesOf(type);
    const std::uint16_t d = half(scale);
    std::memcpy(block + fields.offset, &d, sizeof d);
    if (fields.minimum == 0.0) return;
    const std::uint16_t m = half(scale * fields.minimum);
    std::memcpy(block + fields.offset + 2, &m, sizeof m);
}

double spreadOf(DType type, const std::vector<std::byte>& bytes, std::int64_t n) {
    std::vector<float> values(static_cast<std::size_t>(n));
    kernels::opTable(kernels::Isa::Reference).dequantiseRow(type, bytes.data(), values.data(), n);
    double sum = 0.0;
    double squares = 0.0;
    for (const float v : values) {
        sum += v;
        squares += static_cast<double>(v) * v;
    }
    const double mean = sum / static_cast<double>(n);
    return std::sqrt(squares / static_cast<double>(n) - mean * mean);
}

/// Sum of four uniform numbers: near enough to a normal one, and the same everywhere.
float normal(std::uint64_t bits) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<int>(bits >> (16 * i) & 0xFFFF) - 0x8000;
    return static_cast<float>(sum) / 37837.0F * static_cast<float>(kSpread);  // sd 0x8000 * 2/√3
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t z = a + (b + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

std::vector<std::byte> randomBlocks(DType type, std::int64_t nElements, std::uint64_t seed) {
    const kernels::DTypeInfo& info = kernels::info(type);
    const std::int64_t nBlocks = (nElements + info.blockSize - 1) / info.blockSize;
    std::vector<std::byte> out(static_cast<std::size_t>(nBlocks * info.blockBytes));
    if (info.blockSize == 1) {
        std::vector<float> values(static_cast<std::size_t>(nBlocks));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = normal(mix(seed, i));
        kernels::opTable(kernels::Isa::Reference).fromF32(type, values.data(), out.data(), nBlocks);
        return out;
    }
    for (std::size_t i = 0; i < out.size(); i += 8) {
        const std::uint64_t bits = mix(seed, i);
        std::memcpy(out.data() + i, &bits, std::min<std::size_t>(8, out.size() - i));
    }
    if (type == DType::TQ2_0) {  // codes are 0, 1 and 2
        for (std::byte& b : out) b &= ~((b & (b >> 1) & std::byte{0x55}) << 1);
    }
    const auto scaleAll = [&](double scale) {
        for (std::int64_t b = 0; b < nBlocks; ++b)
            setScale(type, out.data() + b * info.blockBytes, scale);
    };
    // A scale of 2^-8 keeps every format's scale field in its range.
    constexpr double kFirst = 0x1p-8;
    scaleAll(kFirst);
    const std::int64_t nMeasured = std::min<std::int64_t>(nBlocks, 256) * info.blockSize;
    const double spread = spreadOf(type, out, nMeasured);
    if (spread > 0.0) scaleAll(kFirst * kSpread / spread);
    return out;
}

}  // namespace lanescope

#pragma once
// The fast Walsh-Hadamard transform: log2(n) passes of sums and differences, then one product. The
// order is fixed, so every form gives the same bits.

#include <cmath>
#include <cstdint>

#include "kernels/ops/elementwise.h"

namespace lanescope::kernels {
namespace {

inline void hadamardBlock(float* x, std::int64_t n, float scale) {
    for (std::int64_t h = 1; h < n; h *= 2)
        for (std::int64_t i = 0; i < n; i += 2 * h)
            for (std::int64_t j = i; j < i + h; ++j) {
                const float a = x[j];
                const float b = x[j + h];
                x[j] = a + b;
                x[j + h] = a - b;
            }
    for (std::int64_t i = 0; i < n; ++i) x[i] *= scale;
}

inline void hadamardLoop(const HadamardArgs& args) {
    const std::int64_t n = args.headDim & -args.headDim;
    const float scale = 1.0F / std::sqrt(static_cast<float>(n));
    const std::int64_t width = args.nHeads * args.headDim;
    for (std::int64_t i = args.tokenBegin * width; i < args.tokenEnd * width; i += n)
        hadamardBlock(args.x + i, n, scale);
}

}  // namespace
}  // namespace lanescope::kernels

// Activation rounding and both paths of the matrix product. The fast path is written as the exact
// product of dequantised weights and dequantised activations: an integer kernel must agree with it
// within fp32 rounding, whatever its order.

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/reference/reference.h"
#include "kernels/types/float16.h"

namespace lanescope::kernels::reference {

namespace {

/// Rounds 32 values into block i of out; x becomes what that left over.
void quantiseBlock(float (&x)[kActsBlock], const ActsQ8& out, std::int64_t i) {
    std::int8_t* q = out.q + i * kActsBlock;
    float amax = 0.0F;
    for (const float value : x) {
        const float magnitude = std::fabs(value);
        if (magnitude > amax || std::isnan(magnitude)) amax = magnitude;
        if (std::isnan(amax)) break;
    }
    // Not finite: the scale alone carries it, so that the product becomes NaN.
    const float d = amax / 127.0F;
    const bool zeros = d == 0.0F || !std::isfinite(amax);
    for (int j = 0; j < kActsBlock; ++j) {
        const float rounded = zeros ? 0.0F : std::nearbyint(x[j] / d);
        q[j] = static_cast<std::int8_t>(std::fmin(std::fmax(rounded, -127.0F), 127.0F));
        x[j] = zeros ? 0.0F : std::fma(-static_cast<float>(q[j]), d, x[j]);
    }
    out.scale[i] = d;
    for (int half = 0; half < 2; ++half) {
        int sum = 0;
        for (int j = 0; j < 16; ++j) sum += q[16 * half + j];
        out.sum16[2 * i + half] = static_cast<std::int16_t>(sum);
    }
}

/// Value i of a row of token t.
double valueOf(const ActsQ8& acts, std::int64_t t, std::int64_t i) {
    return static_cast<double>(acts.q[t * acts.nCols + i]) *
           acts.scale[(t * acts.nCols + i) / kActsBlock];
}

}  // namespace

void quantiseActs(const QuantiseActsArgs& args) {
    const std::int64_t nBlocks = args.nCols / kActsBlock;
    for (std::int64_t i = args.tokenBegin * nBlocks; i < args.tokenEnd * nBlocks; ++i) {
        float x[kActsBlock];
        std::memcpy(x, args.x + i * kActsBlock, sizeof x);
        quantiseBlock(x, args.out, i);
        if (args.rest.q != nullptr) quantiseBlock(x, args.rest, i);
    }
}

void matmul(const MatmulArgs& args) {
    const std::int64_t nCols = args.nCols;
    const auto* weights = static_cast<const char*>(args.weight);
    std::vector<float> row(static_cast<std::size_t>(nCols));
    for (std::int64_t r = args.rowBegin; r < args.rowEnd; ++r) {
        dequantiseRow(args.weightType, weights + r * rowBytes(args.weightType, nCols), row.data(),
                      nCols);
        if (args.xb != nullptr)
            for (float& w : row) w = bf16ToF32(f32ToBf16(w));
        for (std::int64_t t = 0; t < args.nTokens; ++t) {
            double sum = 0.0;
            if (args.xq != nullptr) {
                for (std::int64_t i = 0; i < nCols; ++i) {
                    double x = valueOf(*args.xq, t, i);
                    if (args.rest != nullptr) x += valueOf(*args.rest, t, i);
                    sum += static_cast<double>(row[i]) * x;
                }
            } else {
                const float* x = args.x + t * nCols;
                for (std::int64_t i = 0; i < nCols; ++i) sum += static_cast<double>(row[i]) * x[i];
            }
            if (args.bias != nullptr) sum += args.bias[r];
            if (args.accumulate) sum += args.y[t * args.yStride + r];
            args.y[t * args.yStride + r] = static_cast<float>(sum);
        }
    }
}

}  // namespace lanescope::kernels::reference

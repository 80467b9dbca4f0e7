// Activation rounding and both paths of the matrix product. The fast path is written as the exact
// product of dequantised weights and dequantised activations: an integer kernel must agree with it
// within fp32 rounding, whatever its order.

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/reference/reference.h"

namespace lanescope::kernels::reference {

void quantiseActs(const QuantiseActsArgs& args) {
    const std::int64_t nBlocks = args.nCols / kActsBlock;
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        for (std::int64_t b = 0; b < nBlocks; ++b) {
            const float* x = args.x + t * args.nCols + b * kActsBlock;
            std::int8_t* q = args.out.q + t * args.nCols + b * kActsBlock;
            float amax = 0.0F;
            for (int j = 0; j < kActsBlock; ++j) {
                const float magnitude = std::fabs(x[j]);
                if (magnitude > amax || std::isnan(magnitude)) amax = magnitude;
                if (std::isnan(amax)) break;
            }
            // Not finite: the scale alone carries it, so that the product becomes NaN.
            const float d = amax / 127.0F;
            const bool zeros = d == 0.0F || !std::isfinite(amax);
            for (int j = 0; j < kActsBlock; ++j) {
                const float rounded = zeros ? 0.0F : std::nearbyint(x[j] / d);
                q[j] = static_cast<std::int8_t>(std::fmin(std::fmax(rounded, -127.0F), 127.0F));
            }
            args.out.scale[t * nBlocks + b] = d;
            for (int half = 0; half < 2; ++half) {
                int sum = 0;
                for (int j = 0; j < 16; ++j) sum += q[16 * half + j];
                args.out.sum16[(t * nBlocks + b) * 2 + half] = static_cast<std::int16_t>(sum);
            }
        }
    }
}

void matmul(const MatmulArgs& args) {
    const std::int64_t nCols = args.nCols;
    const auto* weights = static_cast<const char*>(args.weight);
    std::vector<float> row(static_cast<std::size_t>(nCols));
    for (std::int64_t r = args.rowBegin; r < args.rowEnd; ++r) {
        dequantiseRow(args.weightType, weights + r * rowBytes(args.weightType, nCols), row.data(),
                      nCols);
        for (std::int64_t t = 0; t < args.nTokens; ++t) {
            double sum = 0.0;
            if (args.xq != nullptr) {
                const std::int8_t* q = args.xq->q + t * nCols;
                const float* scale = args.xq->scale + t * (nCols / kActsBlock);
                for (std::int64_t i = 0; i < nCols; ++i)
                    sum += static_cast<double>(row[i]) * q[i] * scale[i / kActsBlock];
            } else {
                const float* x = args.x + t * nCols;
                for (std::int64_t i = 0; i < nCols; ++i) sum += static_cast<double>(row[i]) * x[i];
            }
            if (args.bias != nullptr) sum += args.bias[r];
            args.y[t * args.yStride + r] = static_cast<float>(sum);
        }
    }
}

}  // namespace lanescope::kernels::reference

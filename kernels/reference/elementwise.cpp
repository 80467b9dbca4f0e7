// The small ops as plain loops. Read ops/elementwise.h for what they compute.

#include "kernels/ops/elementwise.h"
#include "kernels/ops/hadamard_loop.h"

#include <cmath>
#include <numbers>

#include "kernels/reference/reference.h"

namespace lanescope::kernels::reference {
namespace {

double activated(Activation kind, double x) {
    switch (kind) {
        case Activation::GeluTanh:
            return 0.5 * x *
                   (1.0 +
                    std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        case Activation::GeluErf:
            return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
        case Activation::Silu:
            break;
    }
    return x / (1.0 + std::exp(-x));
}

}  // namespace

void rmsNorm(const RmsNormArgs& args) {
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const float* x = args.x + t * args.dim;
        float* y = args.y + t * args.dim;
        double sum = 0.0;
        for (std::int64_t i = 0; i < args.dim; ++i) sum += static_cast<double>(x[i]) * x[i];
        const double scale =
            1.0 / std::sqrt(sum / static_cast<double>(args.dim) + static_cast<double>(args.eps));
        for (std::int64_t i = 0; i < args.dim; ++i)
            y[i] = static_cast<float>(x[i] * scale * args.weight[i]);
    }
}

void layerNorm(const LayerNormArgs& args) {
    const auto n = static_cast<double>(args.dim);
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const float* x = args.x + t * args.dim;
        float* y = args.y + t * args.dim;
        double mean = 0.0;
        for (std::int64_t i = 0; i < args.dim; ++i) mean += x[i];
        mean /= n;
        double squares = 0.0;
        for (std::int64_t i = 0; i < args.dim; ++i) squares += (x[i] - mean) * (x[i] - mean);
        const double scale = 1.0 / std::sqrt(squares / n + static_cast<double>(args.eps));
        for (std::int64_t i = 0; i < args.dim; ++i) {
            const double bias = args.bias != nullptr ? args.bias[i] : 0.0;
            y[i] = static_cast<float>((x[i] - mean) * scale * args.weight[i] + bias);
        }
    }
}

void rope(const RopeArgs& args) {
    const std::int64_t half = args.rotaryDim / 2;
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        for (std::int64_t h = 0; h < args.nHeads; ++h) {
            float* x = args.x + t * args.stride + h * args.headDim;
            for (std::int64_t i = 0; i < half; ++i) {
                // The angle is rounded to f32, as the models were trained.
                const float angle = static_cast<float>(args.positions[t]) * args.invFreq[i];
                const double c = std::cos(static_cast<double>(angle)) * args.mscale;
                const double s = std::sin(static_cast<double>(angle)) * args.mscale;
                const bool split = args.layout == RopeLayout::HalfSplit;
                float& first = x[split ? i : 2 * i];
                float& second = x[split ? i + half : 2 * i + 1];
                const double a = first;
                const double b = second;
                first = static_cast<float>(a * c - b * s);
                second = static_cast<float>(a * s + b * c);
            }
        }
    }
}

void activate(const ActivateArgs& args) {
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        for (std::int64_t i = 0; i < args.dim; ++i) {
            const double g = args.gate[t * args.gateStride + i];
            const double u = args.up != nullptr ? args.up[t * args.upStride + i] : 1.0;
            args.y[t * args.dim + i] = static_cast<float>(activated(args.kind, g) * u);
        }
    }
}

void add(const AddArgs& args) {
    for (std::int64_t i = args.tokenBegin * args.dim; i < args.tokenEnd * args.dim; ++i)
        args.x[i] = std::fma(args.scale, args.delta[i], args.x[i]);
}

void softcap(const SoftcapArgs& args) {
    for (std::int64_t i = args.tokenBegin * args.dim; i < args.tokenEnd * args.dim; ++i)
        args.x[i] = static_cast<float>(
            args.cap * std::tanh(static_cast<double>(args.x[i]) / static_cast<double>(args.cap)));
}

void embed(const EmbedArgs& args) {
    const auto* table = static_cast<const char*>(args.table);
    const std::int64_t stride = rowBytes(args.tableType, args.dim);
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        float* y = args.y + t * args.dim;
        dequantiseRow(args.tableType, table + args.ids[t] * stride, y, args.dim);
        for (std::int64_t i = 0; i < args.dim; ++i) y[i] *= args.scale;
    }
}

void hadamard(const HadamardArgs& args) {
    hadamardLoop(args);
}

}  // namespace lanescope::kernels::reference

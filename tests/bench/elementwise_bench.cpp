// The small ops between the matrices, 64 tokens of 1536 elements: bytes read and written.

#include "tests/bench/bench_support.h"

namespace lanescope::kernels::bench {
namespace {

constexpr std::int64_t kTokens = 64;
constexpr std::int64_t kDim = 1536;
constexpr std::int64_t kElements = kTokens * kDim;

/// bytes: of one element.
template <class F>
void addOp(const std::string& name, double bytes, F run) {
    add(name, [bytes, run](benchmark::State& state) {
        const auto x = normals(kElements);
        std::vector<float> y(x);
        measure(state, {bytes * static_cast<double>(kElements), 0.0},
                [&] { run(x.data(), y.data()); });
    });
}

void addNorms() {
    addOp("rmsNorm/1536", 8, [](const float* x, float* y) {
        ops().rmsNorm({x, x, y, kDim, 1e-5F, 0, kTokens});
    });
    addOp("layerNorm/1536", 8, [](const float* x, float* y) {
        ops().layerNorm({x, x, x, y, kDim, 1e-5F, 0, kTokens});
    });
}

void addActivations() {
    const std::pair<const char*, Activation> kinds[] = {{"silu", Activation::Silu},
                                                        {"geluTanh", Activation::GeluTanh},
                                                        {"geluErf", Activation::GeluErf}};
    for (const auto& [name, kind] : kinds)
        addOp(std::string("activate/1536/") + name, 12, [kind = kind](const float* x, float* y) {
            ops().activate({x, x, y, kDim, kDim, kDim, 0, kTokens, kind});
        });
}

void addRope() {
    const std::pair<const char*, RopeLayout> layouts[] = {{"halfSplit", RopeLayout::HalfSplit},
                                                          {"interleaved", RopeLayout::Interleaved}};
    for (const auto& [name, layout] : layouts)
        addOp(std::string("rope/24x64/") + name, 8, [layout = layout](const float*, float* y) {
            static const std::vector<float> kInvFreq(32, 0.01F);
            static const std::vector<std::int32_t> kPositions(kTokens, 100);
            ops().rope({y, kDim, 24, 64, 64, kInvFreq.data(), kPositions.data(), layout, 1.0F, 0,
                        kTokens});
        });
}

}  // namespace

void addElementwise() {
    addNorms();
    addActivations();
    addRope();
    addOp("add/1536", 12, [](const float* x, float* y) {
        ops().add({y, x, kDim, 0, kTokens, 0.0F});
    });
    addOp("softcap/1536", 8, [](const float*, float* y) {
        ops().softcap({y, 30.0F, kDim, 0, kTokens});
    });
}

}  // namespace lanescope::kernels::bench

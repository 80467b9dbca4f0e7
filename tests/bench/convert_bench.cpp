// Ops that change the format of numbers: quantised activations, rows of a table, dequantising,
// rounding to 16 bits. Bytes read and written.

#include "tests/bench/bench_support.h"

namespace lanescope::kernels::bench {
namespace {

constexpr std::int64_t kTokens = 64;
constexpr std::int64_t kDim = 1536;
constexpr std::int64_t kElements = kTokens * kDim;

double bytesOf(DType type) {
    return static_cast<double>(rowBytes(type, kElements));
}

void quantiseActs(benchmark::State& state) {
    const auto x = normals(kElements);
    std::vector<std::int8_t> q(x.size());
    std::vector<float> scale(x.size() / 32);
    std::vector<std::int16_t> sum16(x.size() / 16);
    measure(state, {5.25 * static_cast<double>(kElements), 0.0}, [&] {
        ops().quantiseActs(
            {x.data(), {q.data(), scale.data(), sum16.data(), kDim}, kDim, 0, kTokens});
    });
}

void embed(benchmark::State& state, DType type) {
    const auto& table = weightBytes({type, kTokens, kDim});
    std::vector<std::int32_t> ids(kTokens);
    for (std::size_t i = 0; i < ids.size(); ++i)
        ids[i] = static_cast<std::int32_t>(i * 7 % kTokens);
    std::vector<float> y(static_cast<std::size_t>(kElements));
    measure(state, {bytesOf(type) + bytesOf(DType::F32), 0.0}, [&] {
        ops().embed({type, table.data(), ids.data(), y.data(), kDim, 0, kTokens, 1.0F});
    });
}

void dequantise(benchmark::State& state, DType type) {
    const auto& row = weightBytes({type, kTokens, kDim});
    std::vector<float> y(static_cast<std::size_t>(kElements));
    measure(state, {bytesOf(type) + bytesOf(DType::F32), 0.0},
            [&] { ops().dequantiseRow(type, row.data(), y.data(), kElements); });
}

void fromF32(benchmark::State& state, DType type) {
    const auto x = normals(kElements);
    std::vector<std::uint16_t> y(x.size());
    measure(state, {bytesOf(type) + bytesOf(DType::F32), 0.0},
            [&] { ops().fromF32(type, x.data(), y.data(), kElements); });
}

}  // namespace

void addConversions() {
    const auto named = [](const char* op, DType type) {
        return std::string(op) + "/" + std::string(info(type).name);
    };
    add("quantiseActs/1536", quantiseActs);
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0, DType::Q4_K, DType::Q6_K})
        add(named("embed/1536", type), embed, type);
    for (const DType type : blockFormats()) add(named("dequantiseRow", type), dequantise, type);
    for (const DType type : {DType::F16, DType::BF16}) add(named("fromF32", type), fromF32, type);
}

}  // namespace lanescope::kernels::bench

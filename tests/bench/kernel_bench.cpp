// Speed of each op at the shapes of SmolLM2-135M and Qwen2.5-0.5B, one thread, best instruction set
// (LANESCOPE_ISA chooses another). Figures are per second of processor time, so that a busy machine
// disturbs them little. Example: kernel_bench --benchmark_filter='matmul/q4_1.*tokens:1$'

#include <benchmark/benchmark.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels {
namespace {

const OpTable& ops() {
    static const OpTable& kTable = opTable(preferredIsa());
    return kTable;
}

std::vector<float> normals(std::int64_t n) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = normal(random);
    return out;
}

struct Shape {
    DType type;
    std::int64_t nRows, nCols;
};

/// Bits of a matrix; every byte is small, so scales are ordinary halves and nothing is subnormal.
std::vector<std::uint8_t> weightBytes(const Shape& s) {
    std::mt19937 random(2);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(rowBytes(s.type, s.nCols) * s.nRows));
    for (auto& b : out) b = static_cast<std::uint8_t>(random() & 0x33);
    return out;
}

enum class Layout { Exact, Stored, Packed };

void matmul(benchmark::State& state, Shape s, Layout layout) {
    const std::int64_t nTokens = state.range(0);
    const auto weights = weightBytes(s);
    const auto x = normals(nTokens * s.nCols);
    std::vector<std::int8_t> q(x.size());
    std::vector<float> scale(x.size() / 32);
    std::vector<std::int16_t> sum16(x.size() / 16);
    const ActsQ8 acts{q.data(), scale.data(), sum16.data(), s.nCols};
    ops().quantiseActs({x.data(), acts, s.nCols, 0, nTokens});
    std::vector<float> y(static_cast<std::size_t>(nTokens * s.nRows));
    MatmulArgs args;
    args.weightType = s.type;
    args.weight = weights.data();
    args.nRows = s.nRows;
    args.nCols = s.nCols;
    args.x = x.data();
    args.xq = layout == Layout::Exact ? nullptr : &acts;
    args.y = y.data();
    args.yStride = s.nRows;
    args.nTokens = nTokens;
    args.rowEnd = s.nRows;
    std::vector<std::uint8_t> packed;
    if (layout == Layout::Packed) {
        if (ops().pack == nullptr) return state.SkipWithError("no packed form");
        packed.resize(static_cast<std::size_t>(packedBytes(s.type, s.nRows, s.nCols)) +
                      kPackedAlign);
        auto* out = packed.data() +
                    (kPackedAlign - reinterpret_cast<std::uintptr_t>(packed.data()) % kPackedAlign);
        ops().pack({s.type, weights.data(), s.nRows, s.nCols, out, 0, s.nRows});
        args.packed = out;
    }
    for (auto _ : state) {
        ops().matmul(args);
        benchmark::ClobberMemory();
    }
    const auto rounds = static_cast<double>(state.iterations());
    const double work = 2.0 * static_cast<double>(nTokens * s.nRows * s.nCols) * rounds;
    state.counters["GOP/s"] = benchmark::Counter(work / 1e9, benchmark::Counter::kIsRate);
    state.counters["GB/s"] = benchmark::Counter(static_cast<double>(weights.size()) * rounds / 1e9,
                                                benchmark::Counter::kIsRate);
}

void attention(benchmark::State& state, std::int64_t nHeads, std::int64_t nKvHeads,
               AttentionKind kind) {
    const std::int64_t nTokens = state.range(0);
    const std::int64_t context = state.range(1);
    constexpr std::int64_t kHeadDim = 64;
    constexpr std::int64_t kBlock = 16;
    const auto q = normals(nTokens * nHeads * kHeadDim);
    std::vector<float> out(q.size());
    std::vector<std::int32_t> table(static_cast<std::size_t>((context + kBlock - 1) / kBlock));
    std::iota(table.begin(), table.end(), 0);
    const auto cells = table.size() * static_cast<std::size_t>(kBlock * nKvHeads * kHeadDim);
    std::vector<std::uint16_t> k(cells, 0x2E66);  // about 0.1
    std::vector<std::uint16_t> v(cells, 0x2E66);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(nTokens));
    std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(context - nTokens));
    AttentionArgs args;
    args.kind = kind;
    args.q = q.data();
    args.qStride = nHeads * kHeadDim;
    args.out = out.data();
    args.positions = positions.data();
    args.nTokens = nTokens;
    args.nHeads = nHeads;
    args.scale = 0.125F;
    args.kv = {k.data(), v.data(), DType::F16, table.data(), kBlock, nKvHeads, kHeadDim};
    std::vector<float> scratch(static_cast<std::size_t>(
        attentionScratchFloats(kind, nHeads, nKvHeads, kHeadDim, context)));
    args.scratch = scratch.data();
    args.itemEnd = attentionItems(args);
    for (auto _ : state) {
        ops().attention(args);
        benchmark::ClobberMemory();
    }
    double flops = 0;
    for (const std::int32_t p : positions)
        flops += 4.0 * static_cast<double>(nHeads * kHeadDim * (p + 1));
    state.counters["GOP/s"] = benchmark::Counter(
        flops * static_cast<double>(state.iterations()) / 1e9, benchmark::Counter::kIsRate);
}

/// Small ops: figures are bytes read and written.
template <class F>
void memoryBound(benchmark::State& state, std::int64_t bytes, F run) {
    for (auto _ : state) {
        run();
        benchmark::ClobberMemory();
    }
    state.counters["GB/s"] = benchmark::Counter(
        static_cast<double>(bytes * state.iterations()) / 1e9, benchmark::Counter::kIsRate);
}

void registerSmallOps() {
    constexpr std::int64_t kTokens = 64;
    constexpr std::int64_t kDim = 1536;
    constexpr std::int64_t kElements = kTokens * kDim;
    benchmark::RegisterBenchmark("rmsNorm/1536", [](benchmark::State& state) {
        const auto x = normals(kElements);
        std::vector<float> y(x.size());
        memoryBound(state, 8 * kElements, [&] {
            ops().rmsNorm({x.data(), x.data(), y.data(), kDim, 1e-5F, 0, kTokens});
        });
    });
    benchmark::RegisterBenchmark("activate/1536", [](benchmark::State& state) {
        const auto x = normals(kElements);
        std::vector<float> y(x.size());
        memoryBound(state, 12 * kElements, [&] {
            ops().activate({x.data(), x.data(), y.data(), kDim, kDim, kDim, 0, kTokens});
        });
    });
    benchmark::RegisterBenchmark("quantiseActs/1536", [](benchmark::State& state) {
        const auto x = normals(kElements);
        std::vector<std::int8_t> q(x.size());
        std::vector<float> scale(x.size() / 32);
        std::vector<std::int16_t> sum16(x.size() / 16);
        memoryBound(state, 5 * kElements, [&] {
            ops().quantiseActs(
                {x.data(), {q.data(), scale.data(), sum16.data(), kDim}, kDim, 0, kTokens});
        });
    });
    benchmark::RegisterBenchmark("rope/24x64", [](benchmark::State& state) {
        auto x = normals(kElements);
        const std::vector<float> invFreq(32, 0.01F);
        const std::vector<std::int32_t> positions(kTokens, 100);
        memoryBound(state, 8 * kElements, [&] {
            ops().rope({x.data(), kDim, 24, 64, 64, invFreq.data(), positions.data(),
                        RopeLayout::HalfSplit, 1.0F, 0, kTokens});
        });
    });
    benchmark::RegisterBenchmark("add/1536", [](benchmark::State& state) {
        auto x = normals(kElements);
        const auto delta = normals(kElements);
        memoryBound(state, 12 * kElements, [&] {
            ops().add({x.data(), delta.data(), kDim, 0, kTokens});
        });
    });
}

void registerAll() {
    const Shape fast[] = {
        {DType::Q4_1, 576, 576},   {DType::Q4_1, 1536, 576},  {DType::Q4_1, 576, 1536},
        {DType::Q8_0, 49152, 576}, {DType::Q5_0, 896, 896},   {DType::Q5_0, 4864, 896},
        {DType::Q8_0, 128, 896},   {DType::Q4_K, 896, 4864},  {DType::Q6_K, 896, 4864},
        {DType::Q4_1, 49152, 576}, {DType::Q4_K, 8960, 1536}, {DType::Q6_K, 8960, 1536},
        {DType::Q5_0, 49152, 896}, {DType::Q4_0, 1536, 576},  {DType::Q5_1, 1536, 576},
        {DType::Q5_K, 896, 4864},
    };
    const auto name = [](const char* op, const Shape& s) {
        return std::string(op) + "/" + std::string(info(s.type).name) + "/" +
               std::to_string(s.nRows) + "x" + std::to_string(s.nCols);
    };
    for (const auto& [op, layout] :
         {std::pair{"matmul", Layout::Stored}, std::pair{"matmulPacked", Layout::Packed}})
        for (const Shape& s : fast)
            benchmark::RegisterBenchmark(name(op, s).c_str(), matmul, s, layout)
                ->ArgName("tokens")
                ->Args({1})
                ->Args({2})
                ->Args({4})
                ->Args({8})
                ->Args({16})
                ->Args({64})
                ->Args({256});
    for (const Shape& s : {Shape{DType::F32, 1536, 576},
                           {DType::F16, 1536, 576},
                           {DType::BF16, 1536, 576},
                           {DType::Q4_1, 1536, 576}})
        benchmark::RegisterBenchmark(name("matmulExact", s).c_str(), matmul, s, Layout::Exact)
            ->ArgName("tokens")
            ->Args({1})
            ->Args({4})
            ->Args({64})
            ->Args({256});
    for (const AttentionKind kind : {AttentionKind::Flash, AttentionKind::Naive}) {
        const std::string suffix = kind == AttentionKind::Flash ? "flash" : "naive";
        benchmark::RegisterBenchmark(("attention/9:3x64/" + suffix).c_str(), attention, 9, 3, kind)
            ->ArgNames({"tokens", "context"})
            ->Args({1, 512})
            ->Args({512, 512})
            ->Args({512, 2048});
        benchmark::RegisterBenchmark(("attention/14:2x64/" + suffix).c_str(), attention, 14, 2,
                                     kind)
            ->ArgNames({"tokens", "context"})
            ->Args({1, 512})
            ->Args({512, 512});
    }
    registerSmallOps();
}

}  // namespace
}  // namespace lanescope::kernels

int main(int argc, char** argv) {
    benchmark::AddCustomContext(
        "isa", std::string(lanescope::kernels::isaName(lanescope::kernels::preferredIsa())));
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    lanescope::kernels::registerAll();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

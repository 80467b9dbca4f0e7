// The product of every format, stored and packed, from one token to a prefill chunk. GB/s are bytes
// of weights as stored.

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tests/bench/bench_support.h"

namespace lanescope::kernels::bench {
namespace {

enum class Layout : std::uint8_t { Exact, Bf16, Stored, Packed };

/// A packed copy, aligned.
class Packed {
  public:
    explicit Packed(const Shape& s)
        : m_bytes(static_cast<std::size_t>(packedBytes(s.type, s.nRows, s.nCols)) + kPackedAlign) {
        m_start = m_bytes.data() +
                  (kPackedAlign - reinterpret_cast<std::uintptr_t>(m_bytes.data()) % kPackedAlign);
    }
    [[nodiscard]] std::uint8_t* data() const { return m_start; }

  private:
    std::vector<std::uint8_t> m_bytes;
    std::uint8_t* m_start = nullptr;
};

void matmul(benchmark::State& state, Shape s, Layout layout) {
    const std::int64_t nTokens = state.range(0);
    const auto& weights = weightBytes(s);
    auto x = normals(nTokens * s.nCols);
    std::vector<std::int8_t> q(x.size());
    std::vector<float> scale(x.size() / 32);
    std::vector<std::int16_t> sum16(x.size() / 16);
    const ActsQ8 acts{q.data(), scale.data(), sum16.data(), s.nCols};
    ops().quantiseActs({x.data(), acts, s.nCols, 0, nTokens});
    std::vector<std::uint16_t> xb(x.size());
    if (layout == Layout::Bf16) {
        ops().fromF32(DType::BF16, x.data(), xb.data(), nTokens * s.nCols);
        ops().dequantiseRow(DType::BF16, xb.data(), x.data(), nTokens * s.nCols);
    }
    std::vector<float> y(static_cast<std::size_t>(nTokens * s.nRows));
    MatmulArgs args;
    args.weightType = s.type;
    args.weight = weights.data();
    args.nRows = s.nRows;
    args.nCols = s.nCols;
    args.x = x.data();
    args.xq = layout == Layout::Exact || layout == Layout::Bf16 ? nullptr : &acts;
    args.xb = layout == Layout::Bf16 ? xb.data() : nullptr;
    args.y = y.data();
    args.yStride = s.nRows;
    args.nTokens = nTokens;
    args.rowEnd = s.nRows;
    const Packed packed(layout == Layout::Packed ? s : Shape{DType::Q4_0, 0, 0});
    if (layout == Layout::Packed) {
        ops().pack({s.type, weights.data(), s.nRows, s.nCols, packed.data(), 0, s.nRows});
        args.packed = packed.data();
    }
    measure(state,
            {static_cast<double>(weights.size()),
             2.0 * static_cast<double>(nTokens * s.nRows * s.nCols)},
            [&] { ops().matmul(args); });
}

/// A matrix larger than any cache and its product's operands, shared by a benchmark's threads.
struct Large {
    Shape shape;
    std::uint8_t* stored = nullptr;
    std::uint8_t* packed = nullptr;
    std::size_t bytes = 0;
    std::vector<std::int8_t> q;
    std::vector<float> x, scale, y;
    std::vector<std::int16_t> sum16;
    ActsQ8 acts;

    Large(const Shape& s, std::int64_t nTokens, Layout layout)
        : shape(s), x(normals(nTokens * s.nCols)), y(static_cast<std::size_t>(nTokens * s.nRows)) {
        const auto size = static_cast<std::size_t>(rowBytes(s.type, s.nCols) * s.nRows);
        const auto packedSize =
            layout == Layout::Packed
                ? static_cast<std::size_t>(packedBytes(s.type, s.nRows, s.nCols))
                : 0;
        bytes = (size + packedSize + 127) / 64 * 64;
        void* data =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) std::abort();
        ::madvise(data, bytes, MADV_HUGEPAGE);
        packed = packedSize > 0 ? static_cast<std::uint8_t*>(data) : nullptr;
        stored = static_cast<std::uint8_t*>(data) + (packedSize + 63) / 64 * 64;
        const auto& pattern = weightBytes({s.type, 256, s.nCols});
        for (std::size_t at = 0; at < size; at += pattern.size())
            std::memcpy(stored + at, pattern.data(), std::min(pattern.size(), size - at));
        if (packed != nullptr) ops().pack({s.type, stored, s.nRows, s.nCols, packed, 0, s.nRows});
        q.resize(x.size());
        scale.resize(x.size() / 32);
        sum16.resize(x.size() / 16);
        acts = {q.data(), scale.data(), sum16.data(), s.nCols};
        ops().quantiseActs({x.data(), acts, s.nCols, 0, nTokens});
    }
    Large(const Large&) = delete;
    Large& operator=(const Large&) = delete;
    ~Large() { ::munmap(packed != nullptr ? packed : stored, bytes); }
};

/// Weights out of memory; each thread has a share of the rows.
void matmulLarge(benchmark::State& state, Shape s, Layout layout) {
    static std::unique_ptr<Large> shared;
    const std::int64_t nTokens = state.range(0);
    if (state.thread_index() == 0) shared = std::make_unique<Large>(s, nTokens, layout);
    const std::int64_t share = s.nRows / state.threads();
    for (auto _ : state) {  // the threads wait for each other before the first round
        MatmulArgs args;
        args.weightType = s.type;
        args.weight = shared->stored;
        args.packed = shared->packed;
        args.nRows = s.nRows;
        args.nCols = s.nCols;
        args.xq = &shared->acts;
        args.y = shared->y.data();
        args.yStride = s.nRows;
        args.nTokens = nTokens;
        args.rowBegin = state.thread_index() * share;
        args.rowEnd = args.rowBegin + share;
        ops().matmul(args);
        benchmark::ClobberMemory();
    }
    report(state, {static_cast<double>(rowBytes(s.type, s.nCols) * share),
                   2.0 * static_cast<double>(nTokens * share * s.nCols)});
    if (state.thread_index() == 0) shared.reset();
}

void pack(benchmark::State& state, Shape s) {
    const auto& weights = weightBytes(s);
    const Packed packed(s);
    measure(state, {static_cast<double>(weights.size()), 0.0}, [&] {
        ops().pack({s.type, weights.data(), s.nRows, s.nCols, packed.data(), 0, s.nRows});
    });
}

/// What the products of a kind are held against: arithmetic alone.
void burst(benchmark::State& state, Burst kind) {
    constexpr std::uint64_t kRounds = 4096;
    const auto each = static_cast<double>(ops().burst(kind, kRounds));
    measure(state, {0.0, each}, [&] { benchmark::DoNotOptimize(ops().burst(kind, kRounds)); });
}

void addProduct(const char* op, const Shape& s, Layout layout, std::vector<std::int64_t> tokens) {
    auto* b = add(nameOf(op, s), matmul, s, layout)->ArgName("tokens");
    for (const std::int64_t n : tokens) b->Arg(n);
}

}  // namespace

void addMatmul() {
    const std::vector<std::int64_t> all{1, 4, 16, 512};
    const bool packs = ops().pack != nullptr;
    add("burst/int8", burst, Burst::Int8);
    add("burst/fp32", burst, Burst::Fp32);
    if (ops().burst(Burst::Bf16, 1) > 0) add("burst/bf16", burst, Burst::Bf16);
    for (const DType type : blockFormats()) {
        const Shape s{type, 1536, 1536};
        addProduct("matmul", s, Layout::Stored, all);
        if (!packs || !canPack(type)) continue;
        addProduct("matmulPacked", s, Layout::Packed, all);
        add(nameOf("pack", s), pack, s);
    }
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q4_1, DType::Q4_K})
        addProduct("matmulExact", {type, 1536, 576}, Layout::Exact, all);
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        addProduct("matmulExact", {type, 1536, 1536}, Layout::Exact, all);
        addProduct("matmulExact", {type, 4864, 896}, Layout::Exact, {1, 512});
        addProduct("matmulBf16", {type, 1536, 1536}, Layout::Bf16, all);
    }
    addProduct("matmulBf16", {DType::Q4_K, 1536, 1536}, Layout::Bf16, all);
    // The shapes of SmolLM2-135M, Qwen2.5-0.5B and 1.5B.
    const Shape shapes[] = {
        {DType::Q4_1, 576, 576},   {DType::Q4_1, 1536, 576}, {DType::Q4_1, 576, 1536},
        {DType::Q5_0, 896, 896},   {DType::Q5_0, 4864, 896}, {DType::Q8_0, 128, 896},
        {DType::Q4_K, 896, 4864},  {DType::Q6_K, 896, 4864}, {DType::Q4_K, 8960, 1536},
        {DType::Q6_K, 1536, 8960},
    };
    for (const Shape& s : shapes)
        addProduct(packs ? "matmulPacked" : "matmul", s, packs ? Layout::Packed : Layout::Stored,
                   {1, 16, 512});
    // Heads: larger than most caches.
    for (const Shape& s : {Shape{DType::Q8_0, 49152, 576}, Shape{DType::Q5_0, 151936, 896}})
        addProduct(packs ? "matmulPacked" : "matmul", s, packs ? Layout::Packed : Layout::Stored,
                   {1, 16});
}

void addLargeMatmul() {
    for (const DType type : blockFormats()) {
        const Shape s{type, 16384, 32768};
        for (const Layout layout : {Layout::Stored, Layout::Packed}) {
            if (layout == Layout::Packed && (ops().pack == nullptr || !canPack(type))) continue;
            const char* op = layout == Layout::Packed ? "matmulLargePacked" : "matmulLarge";
            for (const std::int64_t tokens : {1, 8, 128})
                for (const int threads : {1, 2})
                    add(nameOf(op, s), matmulLarge, s, layout)
                        ->ArgName("tokens")
                        ->Arg(tokens)
                        ->Threads(threads)
                        ->UseRealTime();
        }
    }
}

}  // namespace lanescope::kernels::bench

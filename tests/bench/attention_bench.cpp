// Attention of a prefill chunk and of one decoded token at several depths, and the write of new
// keys and values. GB/s are bytes of keys and values, each counted once a call.

#include <numeric>

#include "tests/bench/bench_support.h"

namespace lanescope::kernels::bench {
namespace {

struct Heads {
    std::int64_t nHeads, nKvHeads, headDim;
};

constexpr std::int64_t kBlock = 16;

/// A sequence's cache with every cell about 0.1.
struct Cache {
    Cache(const Heads& h, std::int64_t context)
        : table(static_cast<std::size_t>((context + kBlock - 1) / kBlock)),
          k(table.size() * static_cast<std::size_t>(kBlock * h.nKvHeads * h.headDim), 0x2E66),
          v(k) {
        std::iota(table.begin(), table.end(), 0);
        kv = {k.data(),     v.data(), KvFormat::F16, KvFormat::F16,
              table.data(), kBlock,   h.nKvHeads,    h.headDim};
    }
    std::vector<std::int32_t> table;
    std::vector<std::uint16_t> k, v;
    PagedKv kv;
};

std::vector<std::int32_t> lastPositions(std::int64_t nTokens, std::int64_t context) {
    std::vector<std::int32_t> positions(static_cast<std::size_t>(nTokens));
    std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(context - nTokens));
    return positions;
}

void attention(benchmark::State& state, Heads h, AttentionKind kind, std::int64_t window) {
    const std::int64_t nTokens = state.range(0);
    const std::int64_t context = state.range(1);
    const auto q = normals(nTokens * h.nHeads * h.headDim);
    std::vector<float> out(q.size());
    Cache cache(h, context);
    const auto positions = lastPositions(nTokens, context);
    AttentionArgs args;
    args.kind = kind;
    args.q = q.data();
    args.qStride = h.nHeads * h.headDim;
    args.out = out.data();
    args.positions = positions.data();
    args.nTokens = nTokens;
    args.nHeads = h.nHeads;
    args.scale = 0.125F;
    args.window = window;
    args.kv = cache.kv;
    std::vector<float> scratch(static_cast<std::size_t>(
        attentionScratchFloats(kind, h.nHeads, h.nKvHeads, h.headDim, context)));
    args.scratch = scratch.data();
    args.itemEnd = attentionItems(args);
    double flops = 0.0;
    for (const std::int32_t p : positions) {
        const std::int64_t seen = window > 0 ? std::min<std::int64_t>(window, p + 1) : p + 1;
        flops += 4.0 * static_cast<double>(h.nHeads * h.headDim * seen);
    }
    const std::int64_t read = window > 0 ? std::min(context, window + nTokens) : context;
    measure(state, {4.0 * static_cast<double>(read * h.nKvHeads * h.headDim), flops},
            [&] { ops().attention(args); });
}

void kvWrite(benchmark::State& state, Heads h) {
    const std::int64_t nTokens = state.range(0);
    const std::int64_t width = h.nKvHeads * h.headDim;
    const auto k = normals(nTokens * width);
    Cache cache(h, nTokens);
    const auto positions = lastPositions(nTokens, nTokens);
    // f32 read and f16 written, keys and values.
    measure(state, {12.0 * static_cast<double>(nTokens * width), 0.0}, [&] {
        ops().kvWrite({k.data(), k.data(), width, width, positions.data(), cache.kv, 0, nTokens});
    });
}

}  // namespace

void addAttention() {
    using Args = std::vector<std::vector<std::int64_t>>;
    const auto with = [](benchmark::internal::Benchmark* b, const Args& all) {
        b->ArgNames({"tokens", "context"});
        for (const auto& args : all) b->Args(args);
    };
    const Args flash{{1, 128},   {1, 512},    {1, 2048},   {1, 8192},
                     {512, 512}, {512, 2048}, {512, 8192}, {16, 2048}};
    constexpr Heads kSmolLm2{9, 3, 64}, kQwen{14, 2, 64}, kGemma{4, 1, 256};
    with(add("attention/9:3x64/flash", attention, kSmolLm2, AttentionKind::Flash, 0), flash);
    with(add("attention/14:2x64/flash", attention, kQwen, AttentionKind::Flash, 0), flash);
    with(add("attention/4:1x256/flash", attention, kGemma, AttentionKind::Flash, 0),
         {{1, 512}, {1, 8192}, {512, 512}, {512, 2048}});
    with(add("attention/4:1x256/flash/window512", attention, kGemma, AttentionKind::Flash, 512),
         {{1, 8192}, {512, 2048}});
    with(add("attention/9:3x64/naive", attention, kSmolLm2, AttentionKind::Naive, 0),
         {{1, 512}, {512, 512}});
    add("kvWrite/3x64/f16", kvWrite, kSmolLm2)->ArgName("tokens")->Arg(1)->Arg(512);
}

}  // namespace lanescope::kernels::bench

#pragma once
// Choosing blocks of a cache by the bounds of their keys, in loops that a compiler turns into
// vectors: eight sums side by side, so that every form gives the same bits.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kernels/ops/attention.h"

namespace lanescope::kernels {
namespace {

inline float fromBf16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// bf16s that x lies between.
inline std::uint16_t bf16Below(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return static_cast<std::uint16_t>((bits >> 16U) +
                                      (x < 0.0F && (bits & 0xFFFFU) != 0 ? 1U : 0U));
}
inline std::uint16_t bf16Above(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return static_cast<std::uint16_t>((bits >> 16U) +
                                      (x > 0.0F && (bits & 0xFFFFU) != 0 ? 1U : 0U));
}

/// Upper bound of the dot product of a query with any key of a block.
inline float mostOf(const float* q, const std::uint16_t* low, const std::uint16_t* high,
                    std::int64_t n) {
    float sums[8] = {};
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int u = 0; u < 8; ++u) {
            const float a = q[i + u] * fromBf16(low[i + u]);
            const float b = q[i + u] * fromBf16(high[i + u]);
            sums[u] += a > b ? a : b;
        }
    for (int u = 0; i < n; ++i, ++u) {
        const float a = q[i] * fromBf16(low[i]);
        const float b = q[i] * fromBf16(high[i]);
        sums[u] += a > b ? a : b;
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

inline void selectHead(const KvSelectArgs& args, std::int64_t token, std::int64_t kvHead) {
    const PagedKv& kv = args.kv;
    std::uint64_t* words = args.words + (token * kv.nKvHeads + kvHead) * args.wordsPerHead;
    const std::int64_t own = args.positions[token] / kv.blockTokens;
    if (args.positions[token] < args.firstPosition || own <= args.keep + 1) {
        std::fill_n(words, args.wordsPerHead, ~std::uint64_t{0});
        return;
    }
    std::fill_n(words, args.wordsPerHead, std::uint64_t{0});
    const auto set = [words](std::int64_t b) { words[b / 64] |= std::uint64_t{1} << (b % 64); };
    const std::int64_t group = args.nHeads / kv.nKvHeads;
    const float* q = args.q + token * args.qStride + kvHead * group * kv.headDim;
    float* score = args.scores;
    std::int32_t* order = args.order;
    std::int64_t n = 0;
    for (std::int64_t b = 1; b < own; ++b) {
        score[b] = 0.0F;
        if (kv.blockTable[b] < 0) continue;
        const std::uint16_t* low =
            kv.bounds + (kv.blockTable[b] * kv.nKvHeads + kvHead) * 2 * kv.headDim;
        for (std::int64_t g = 0; g < group; ++g)
            score[b] += mostOf(q + g * kv.headDim, low, low + kv.headDim, kv.headDim);
        order[n++] = static_cast<std::int32_t>(b);
    }
    const std::int64_t keep = std::min(args.keep, n);
    std::nth_element(order, order + keep, order + n, [score](std::int32_t a, std::int32_t b) {
        return score[a] != score[b] ? score[a] > score[b] : a < b;
    });
    set(0);
    set(own);
    for (std::int64_t i = 0; i < keep; ++i) set(order[i]);
}

inline void kvSelectLoop(const KvSelectArgs& args) {
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t)
        for (std::int64_t h = 0; h < args.kv.nKvHeads; ++h) selectHead(args, t, h);
}

}  // namespace
}  // namespace lanescope::kernels

#pragma once
// Which blocks of the cache a token may look at, as bits that attention reads (KeyMask): a fixed
// pattern, or those whose keys' bounds promise most (arXiv 2406.10774; ops.h, PagedSelectArgs).
// Choosing: a block of threads has a token and a KV head. A thread scores cache blocks of its own,
// in the order of additions of the CPU (kernels/ops/kv_select_loop.h); the score of the last one
// kept is found by a radix search, eight bits a pass; warp 0 then walks all blocks in order, so
// that of equals the lower ones are kept. Shared memory: 256 counts. Bound by reading the bounds.

#include "kernels/cuda/ops.h"
#include "kernels/cuda/vocab_row.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kSelectThreads = 128;

/// Grid: tokens. A thread has words of 64 blocks.
SIMT_KERNEL(kSelectThreads) void keyBlocksKernel(KeyBlocksArgs args) {
    const std::int64_t token = blockX();
    const std::int64_t own = args.positions[token] / args.blockTokens;
    for (std::int64_t word = threadX(); word < args.wordsPerToken; word += kSelectThreads) {
        std::uint64_t bits = 0;
        for (int i = 0; i < 64; ++i) {
            const std::int64_t group = 64 * word + i;
            const bool seen =
                group <= own && (group % args.strideBlocks == 0 || group > own - args.localBlocks);
            bits |= static_cast<std::uint64_t>(seen) << i;
        }
        args.words[token * args.wordsPerToken + word] = bits;
    }
}

SIMT_DEVICE float bf16At(const std::uint16_t* at) {
    return floatOf(static_cast<std::uint32_t>(*at) << 16);
}

/// Upper bound of the dot product of a query with any key of a block; n is a multiple of 8.
SIMT_DEVICE float mostOf(const float* q, const std::uint16_t* low, const std::uint16_t* high,
                         int n) {
    float sums[8] = {};
    for (int i = 0; i < n; i += 8) {
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            const float a = q[i + u] * bf16At(low + i + u);
            const float b = q[i + u] * bf16At(high + i + u);
            sums[u] += a > b ? a : b;
        }
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// What a block of threads chooses for.
struct SelectWork {
    const float* q;             ///< [group, headDim]
    const std::int32_t* pages;  ///< the sequence's
    std::int64_t head;
    int group, own;  ///< own: block of the token
    float* scores;   ///< of blocks [1, own)
};

SIMT_DEVICE void scoreBlocks(const PagedSelectArgs& args, const SelectWork& w) {
    const auto headDim = static_cast<int>(args.kv.headDim);
    for (int b = 1 + threadX(); b < w.own; b += kSelectThreads) {
        const std::uint16_t* low =
            args.kv.bounds + (w.pages[b] * args.kv.nKvHeads + w.head) * 2 * headDim;
        float score = 0.0F;
        for (int g = 0; g < w.group; ++g)
            score += mostOf(w.q + g * headDim, low, low + headDim, headDim);
        w.scores[b] = score;
    }
}

/// The ordered bits of the keep-th best score, and how many of its equals are among the best.
struct LeastKept {
    std::uint32_t bits;
    int equals;
};

/// Precondition: there are more scores than `keep`. Barriers in it.
SIMT_DEVICE LeastKept leastKept(const SelectWork& w, int keep) {
    SIMT_SHARED(int, counts, [256]);
    LeastKept least{0, keep};
    for (int shift = 24; shift >= 0; shift -= 8) {
        syncThreads();  // scores are written, counts have been read
        for (int i = threadX(); i < 256; i += kSelectThreads) counts[i] = 0;
        syncThreads();
        for (int b = 1 + threadX(); b < w.own; b += kSelectThreads) {
            const std::uint32_t bits = orderedBits(w.scores[b]);
            if (shift < 24 && bits >> (shift + 8) != least.bits) continue;
            atomicAdding(&counts[bits >> shift & 0xFFU], 1);
        }
        syncThreads();
        int digit = 255;
        while (digit > 0 && counts[digit] < least.equals) least.equals -= counts[digit--];
        least.bits = least.bits << 8 | static_cast<std::uint32_t>(digit);
    }
    return least;
}

/// Writes the bits: the first block, the own one, and the kept ones between. By one warp; words are
/// written a half at a time.
SIMT_DEVICE void writeKept(const SelectWork& w, const LeastKept& least, std::uint32_t* halves,
                           std::int64_t nHalves) {
    int equals = 0;  // so far
    for (std::int64_t half = 0; half < nHalves; ++half) {
        const auto b = static_cast<int>(32 * half) + laneId();
        const bool between = b > 0 && b < w.own;
        const std::uint32_t bits = between ? orderedBits(w.scores[b]) : 0;
        const std::uint32_t same = ballot(kFullMask, between && bits == least.bits);
        const int before = equals + popCount(same & ((1U << laneId()) - 1));
        const bool kept =
            b == 0 || b == w.own ||
            (between && (bits > least.bits || (bits == least.bits && before < least.equals)));
        const std::uint32_t word = ballot(kFullMask, kept);
        if (laneId() == 0) halves[half] = word;
        equals += popCount(same);
    }
}

/// Grid: tokens from firstToken on, KV heads. headDim is a multiple of 8.
SIMT_KERNEL(kSelectThreads) void kvSelectKernel(PagedSelectArgs args, std::int64_t firstToken) {
    const std::int64_t token = firstToken + blockX();
    SelectWork w{};
    w.head = blockY();
    w.group = static_cast<int>(args.nHeads / args.kv.nKvHeads);
    const int position = args.positions[token];
    const std::int64_t sequence = args.tables.ofToken != nullptr ? args.tables.ofToken[token] : 0;
    w.own = position / static_cast<int>(args.kv.blockTokens);
    std::uint64_t* words = args.words + (token * args.kv.nKvHeads + w.head) * args.wordsPerHead;
    if (position < args.firstPosition[sequence] || w.own <= args.keep + 1) {
        for (std::int64_t i = threadX(); i < args.wordsPerHead; i += kSelectThreads)
            words[i] = ~std::uint64_t{0};
        return;
    }
    w.q = args.q + token * args.qStride + w.head * w.group * args.kv.headDim;
    w.pages = args.tables.blocks + sequence * args.tables.stride;
    w.scores = args.scores + (blockX() * args.kv.nKvHeads + w.head) * args.scoreStride;
    scoreBlocks(args, w);
    const LeastKept least = leastKept(w, static_cast<int>(args.keep));
    if (warpId() == 0)
        writeKept(w, least, reinterpret_cast<std::uint32_t*>(words), 2 * args.wordsPerHead);
}

}  // namespace lanescope::kernels::cuda

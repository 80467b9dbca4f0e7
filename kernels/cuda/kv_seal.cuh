#pragma once
// Coding keys a block at a time, and the bounds of a block's keys (ops.h, PagedSealArgs;
// kernels/reference/kv.cpp). Grid: tokens, KV heads; a block of threads whose token is not the last
// of its cache block leaves at once. A thread has two channels over the tokens of the block (their
// codes share bytes), for bounds eight. No shared memory; bound by latency: once every blockTokens
// steps, a few KiB.

#include "kernels/cuda/kv_rows.cuh"
#include "kernels/cuda/ops.h"

namespace lanescope::kernels::cuda {

inline constexpr int kSealThreads = 128;

/// Codes all channels of a head's keys, [blockTokens, headDim] f16 at `tail`, into a slice.
SIMT_DEVICE void codeKeys(const PagedKv& kv, const KvSlice& layout, const unsigned char* tail,
                          unsigned char* slice) {
    const auto pairAt = [&](std::int64_t t, std::int64_t i) {
        return load<std::uint32_t>(tail + (t * kv.headDim + i) * 2);
    };
    for (std::int64_t i = 2 * threadX(); i < kv.headDim; i += 2 * kSealThreads) {
        float low[2];
        float high[2];
        for (std::int64_t t = 0; t < kv.blockTokens; ++t) {
            const std::uint32_t words[1] = {pairAt(t, i)};
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const float x = elementOf<Half>(words, e);
                low[e] = t == 0 ? x : fminf(low[e], x);
                high[e] = t == 0 ? x : fmaxf(high[e], x);
            }
        }
        const Int4Group groups[2] = {int4Group(low[0], high[0]), int4Group(low[1], high[1])};
        store(slice + layout.scaleOffset + 4 * i, groups[0].bits);
        store(slice + layout.scaleOffset + 4 * i + 4, groups[1].bits);
        for (std::int64_t t = 0; t < kv.blockTokens; ++t) {
            const std::uint32_t words[1] = {pairAt(t, i)};
            slice[t * layout.rowBytes + i / 2] =
                static_cast<unsigned char>(int4CodeOf(elementOf<Half>(words, 0), groups[0]) |
                                           int4CodeOf(elementOf<Half>(words, 1), groups[1]) << 4);
        }
    }
}

/// The bf16 next to x downwards (up: upwards), or x itself.
SIMT_DEVICE std::uint16_t bf16Beside(float x, bool up) {
    const std::uint32_t bits = bitsOf(x);
    const bool away = (up ? x > 0.0F : x < 0.0F) && (bits & 0xFFFFU) != 0;
    return static_cast<std::uint16_t>((bits >> 16) + (away ? 1U : 0U));
}

/// Least and largest coded key of every channel of a slice, [2, headDim] bf16.
SIMT_DEVICE void findBounds(const PagedKv& kv, const KvSlice& layout, const unsigned char* slice,
                            std::uint16_t* bounds) {
    const auto headDim = static_cast<int>(kv.headDim);
    for (int i = 8 * threadX(); i < headDim; i += 8 * kSealThreads) {
        float low[8];
        float high[8];
        for (std::int64_t t = 0; t < kv.blockTokens; ++t) {
            float x[8];
            loadEight(kv.kFormat, KvPart::Keys, layout, slice, t, i, x);
#pragma unroll
            for (int e = 0; e < 8; ++e) {
                low[e] = t == 0 || x[e] < low[e] ? x[e] : low[e];
                high[e] = t == 0 || x[e] > high[e] ? x[e] : high[e];
            }
        }
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            bounds[i + e] = bf16Beside(low[e], false);
            bounds[headDim + i + e] = bf16Beside(high[e], true);
        }
    }
}

/// headDim is a multiple of 8.
SIMT_KERNEL(kSealThreads) void kvSealKernel(PagedSealArgs args, KvSlices layout) {
    const PagedKv& kv = args.kv;
    const std::int64_t token = blockX();
    const std::int64_t head = blockY();
    const std::int64_t end = static_cast<std::int64_t>(args.positions[token]) + 1;
    if (end <= 0 || end % kv.blockTokens != 0) return;
    const std::int64_t sequence = args.tables.ofToken != nullptr ? args.tables.ofToken[token] : 0;
    const std::int64_t index = sequence * args.tables.stride + end / kv.blockTokens - 1;
    const std::int64_t block = args.tables.blocks[index];
    unsigned char* slice = sliceAt(kv, KvPart::Keys, layout.keys, block, head);
    if (kv.kFormat == KvFormat::Int4) {
        codeKeys(kv, layout.keys, tailAt(kv, args.tables.tails[index], head), slice);
        syncThreads();  // what is coded is read
    }
    if (kv.bounds != nullptr)
        findBounds(kv, layout.keys, slice,
                   kv.bounds + (block * kv.nKvHeads + head) * 2 * kv.headDim);
}

}  // namespace lanescope::kernels::cuda

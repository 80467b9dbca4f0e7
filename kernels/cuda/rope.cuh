#pragma once
// Rotary embedding and the write of keys and values into the paged cache, apart or in one launch
// (ops.h, RopeKvArgs). A block has one token and kRopeHeads heads; its threads first compute the
// token's sines and cosines (a precise sincosf: positions go to millions), then share out the
// pairs; rows of the cache are a warp's each (kv_rows.cuh). Shared memory: 2 floats a pair. Bound
// by latency (one token) or memory (prefill).

#include "kernels/cuda/hadamard.cuh"
#include "kernels/cuda/kv_rows.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

inline constexpr int kRopeThreads = 128;
inline constexpr int kRopeHeads = 8;

/// Fills table[i] = {cos, sin} · mscale of the token's angles. A barrier has to follow.
SIMT_DEVICE void rotaryTable(const RopeArgs& args, const float* frequencies, std::int64_t token,
                             Float2* table) {
    const auto position = static_cast<float>(args.positions[token]);
    for (std::int64_t i = threadX(); i < args.rotaryDim / 2; i += kRopeThreads) {
        float s = 0.0F;
        float c = 0.0F;
        sinCos(position * frequencies[i], &s, &c);
        table[i] = Float2{c * args.mscale, s * args.mscale};
    }
}

/// Rotates pairs of heads [headBegin, headEnd) of a token.
SIMT_DEVICE void rotate(const RopeArgs& args, std::int64_t token, std::int64_t headBegin,
                        std::int64_t headEnd, const Float2* table) {
    const std::int64_t half = args.rotaryDim / 2;
    for (std::int64_t n = headBegin * half + threadX(); n < headEnd * half; n += kRopeThreads) {
        const std::int64_t i = n % half;
        float* x = args.x + token * args.stride + n / half * args.headDim;
        const bool split = args.layout == RopeLayout::HalfSplit;
        float& first = x[split ? i : 2 * i];
        float& second = x[split ? i + half : 2 * i + 1];
        const Float2 t = table[i];
        const float a = first;
        const float b = second;
        first = a * t.x - b * t.y;
        second = a * t.y + b * t.x;
    }
}

/// Which physical blocks and tails a token's sequence has.
struct TokenTables {
    const std::int32_t* blocks;
    const std::int32_t* tails;
};

/// Stores heads [headBegin, headEnd) of a token's keys and values, a warp a row.
SIMT_DEVICE void storeKv(const KvWriteArgs& args, const KvSlices& layout, const TokenTables& tables,
                         std::int64_t token, std::int64_t headBegin, std::int64_t headEnd) {
    const PagedKv& kv = args.kv;
    const std::int64_t index = args.positions[token] / kv.blockTokens;
    const std::int64_t slot = args.positions[token] % kv.blockTokens;
    const std::int64_t block = tables.blocks[index];
    const auto headDim = static_cast<int>(kv.headDim);
    for (std::int64_t row = 2 * headBegin + warpId(); row < 2 * headEnd;
         row += kRopeThreads / kWarp) {
        const std::int64_t head = row / 2;
        const std::int64_t at = head * kv.headDim;
        if (row % 2 == 1) {
            storeRow(kv.vFormat, layout.values,
                     sliceAt(kv, KvPart::Values, layout.values, block, head), slot,
                     args.v + token * args.vStride + at, headDim);
            continue;
        }
        const float* k = args.k + token * args.kStride + at;
        if (kv.kFormat == KvFormat::Int4)  // coded when the block is whole: kv_seal.cuh
            storeRow(KvFormat::F16, tailSlice(kv), tailAt(kv, tables.tails[index], head), slot, k,
                     headDim);
        else
            storeRow(kv.kFormat, layout.keys, sliceAt(kv, KvPart::Keys, layout.keys, block, head),
                     slot, k, headDim);
    }
}

/// Rotates heads [headBegin, headEnd) of a token by a table made anew. Barriers before and in it.
SIMT_DEVICE void rotateHeads(const RopeArgs& args, const float* frequencies, std::int64_t token,
                             std::int64_t headBegin, std::int64_t headEnd, Float2* table) {
    syncThreads();  // what is rotated is written, an earlier table has been read
    rotaryTable(args, frequencies, token, table);
    syncThreads();
    rotate(args, token, headBegin, headEnd, table);
}

/// Turns heads [headBegin, headEnd) of a row, a warp each; scale 0: leaves them. A barrier before.
SIMT_DEVICE void turnHeads(float* row, std::int64_t headBegin, std::int64_t headEnd,
                           std::int64_t headDim, float scale) {
    if (scale == 0.0F) return;
    syncThreads();
    for (std::int64_t head = headBegin + warpId(); head < headEnd; head += kRopeThreads / kWarp)
        turnRow(row + head * headDim, static_cast<int>(headDim), scale);
}

SIMT_DEVICE std::int64_t headsUpTo(std::int64_t nHeads, std::int64_t begin) {
    return begin + kRopeHeads < nHeads ? begin + kRopeHeads : nHeads;
}

SIMT_KERNEL(kRopeThreads) void ropeKernel(RopeArgs args) {
    SIMT_SHARED_DYNAMIC(Float2, table);
    const std::int64_t token = args.tokenBegin + blockX();
    const std::int64_t head = static_cast<std::int64_t>(blockY()) * kRopeHeads;
    rotaryTable(args, args.invFreq, token, table);
    syncThreads();
    rotate(args, token, head, headsUpTo(args.nHeads, head), table);
}

SIMT_KERNEL(kRopeThreads, 8) void kvWriteKernel(KvWriteArgs args, KvSlices layout) {
    const std::int64_t head = static_cast<std::int64_t>(blockY()) * kRopeHeads;
    storeKv(args, layout, {args.kv.blockTable, args.kv.tailTable}, args.tokenBegin + blockX(), head,
            headsUpTo(args.kv.nKvHeads, head));
}

/// Heads [headBegin, headEnd) of a token's queries, and of those for sinks.
SIMT_DEVICE void rotateQueries(const RopeKvArgs& args, const float* frequencies, std::int64_t token,
                               std::int64_t headBegin, std::int64_t headEnd, float turnScale,
                               Float2* table) {
    const RopeArgs& q = args.q;
    if (args.qSinks != nullptr) {
        RopeArgs sinks = q;
        sinks.x = args.qSinks;
        sinks.positions = args.sinkPositions;
        const std::int64_t row = token * q.stride;
        for (std::int64_t i = headBegin * q.headDim + threadX(); i < headEnd * q.headDim;
             i += kRopeThreads)
            args.qSinks[row + i] = q.x[row + i];
        rotateHeads(sinks, frequencies, token, headBegin, headEnd, table);
        turnHeads(args.qSinks + row, headBegin, headEnd, q.headDim, turnScale);
    }
    rotateHeads(q, frequencies, token, headBegin, headEnd, table);
    turnHeads(q.x + token * q.stride, headBegin, headEnd, q.headDim, turnScale);
}

/// Blocks of row y below qBlocks have heads of q, the others of k and v. turnScale: of turnHeads().
SIMT_KERNEL(kRopeThreads, 8)
void ropeKvKernel(RopeKvArgs args, KvSlices layout, int qBlocks, float turnScale) {
    SIMT_SHARED_DYNAMIC(Float2, table);
    const std::int64_t token = args.q.tokenBegin + blockX();
    const SequenceTables& tables = args.tables;
    const std::int64_t sequence = tables.ofToken != nullptr ? tables.ofToken[token] : 0;
    const float* frequencies = args.q.invFreq + sequence * args.frequencyStride;
    if (blockY() < qBlocks) {
        const std::int64_t head = static_cast<std::int64_t>(blockY()) * kRopeHeads;
        rotateQueries(args, frequencies, token, head, headsUpTo(args.q.nHeads, head), turnScale,
                      table);
        return;
    }
    const std::int64_t head = static_cast<std::int64_t>(blockY() - qBlocks) * kRopeHeads;
    const std::int64_t end = headsUpTo(args.k.nHeads, head);
    rotateHeads(args.k, frequencies, token, head, end, table);
    if (turnScale != 0.0F) {
        turnHeads(args.k.x + token * args.k.stride, head, end, args.k.headDim, turnScale);
        turnHeads(args.turnedV + token * args.kv.vStride, head, end, args.k.headDim, turnScale);
    }
    syncThreads();
    TokenTables own{args.kv.kv.blockTable, args.kv.kv.tailTable};
    if (tables.ofToken != nullptr) {
        const std::int64_t at = sequence * tables.stride;
        own = {tables.blocks + at, tables.tails != nullptr ? tables.tails + at : nullptr};
    }
    storeKv(args.kv, layout, own, token, head, end);
}

}  // namespace lanescope::kernels::cuda

#pragma once
// Attention by plain multiply-adds, where keys or values are f32: the exact path.
// Blocks: attention_tile.cuh, with 16 rows. Warp w has rows 4w … 4w + 3. Keys come 32 at a time:
// for scores a lane has a key (its row of K against the queries, which all lanes read together),
// for the sums it has columns lane, lane + 32, …. Values of a tile are copied while its scores are
// computed, the next tile's keys while values are summed. Shared memory: queries, keys, values,
// weights; rows have an odd number of 16-byte chunks, so that lanes that read a column of chunks
// meet no bank twice. Bound by arithmetic (prefill) or memory (decode).

#include "kernels/cuda/attention_pages.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kF32Rows = 16;
inline constexpr int kF32Keys = 32;
inline constexpr int kF32RowsPerWarp = kF32Rows / (kAttentionThreads / kWarp);

/// Floats of a row of kDim in shared memory.
template <int kDim>
inline constexpr int kF32Stride = kDim + 4;
template <int kDim>
inline constexpr int kF32SharedFloats =
    (kF32Rows + 2 * kF32Keys) * kF32Stride<kDim> + kF32Rows* kF32Keys;

/// A warp's rows: what each sees, and its sums over the stretch at work.
template <int kPerLane>
struct F32Rows {
    KeyRange seen[kF32RowsPerWarp];
    RunningSum sum[kF32RowsPerWarp];
    float best[kF32RowsPerWarp];
    float total[kF32RowsPerWarp];
    float acc[kF32RowsPerWarp][kPerLane];  ///< columns lane, lane + 32, …

    SIMT_DEVICE void look(const PagedAttentionArgs& args, const AttentionWork& w, int rowBegin,
                          bool sinks) {
        for (int r = 0; r < kF32RowsPerWarp; ++r) seen[r] = rowKeys(args, w, rowBegin + r, sinks);
    }
    SIMT_DEVICE void clear() {
        for (int r = 0; r < kF32RowsPerWarp; ++r) {
            best[r] = kMinusInf;
            total[r] = 0.0F;
            for (float& x : acc[r]) x = 0.0F;
        }
    }
};

/// Scores in units of log2, so that weights are powers of two.
SIMT_DEVICE float f32Score(const PagedAttentionArgs& args, float dot) {
    if (args.softcap > 0.0F)
        return tanhf(dot * args.scale / args.softcap) * (args.softcap * kLog2e);
    return dot * (args.scale * kLog2e);
}

/// Weights of the warp's rows for a tile of keys, in shared memory ([row][key]); older sums are
/// brought to the new maximum. `queries` and `weights` start at the warp's first row.
template <int kPerLane>
SIMT_DEVICE void f32Scores(const PagedAttentionArgs& args, const AttentionWork& w,
                           F32Rows<kPerLane>& rows, int rowBegin, int base, const float* queries,
                           const float* keys, float* weights) {
    constexpr int kStride = kF32Stride<kPerLane * kWarp>;
    const float* own = keys + laneId() * kStride;
    float dots[kF32RowsPerWarp] = {};
    for (int i = 0; i < kPerLane * kWarp; i += 4) {
        const Float4 k = loadShared(reinterpret_cast<const Float4*>(own + i));
#pragma unroll
        for (int r = 0; r < kF32RowsPerWarp; ++r) {
            const Float4 q = loadShared(reinterpret_cast<const Float4*>(queries + r * kStride + i));
            dots[r] = fusedMultiplyAdd(q.x, k.x, dots[r]);
            dots[r] = fusedMultiplyAdd(q.y, k.y, dots[r]);
            dots[r] = fusedMultiplyAdd(q.z, k.z, dots[r]);
            dots[r] = fusedMultiplyAdd(q.w, k.w, dots[r]);
        }
    }
    const int position = base + laneId();
#pragma unroll
    for (int r = 0; r < kF32RowsPerWarp; ++r) {
        const bool seen =
            position >= rows.seen[r].first && position <= rows.seen[r].last &&
            (args.mask.words == nullptr || maskSees(args, w, tokenOf(w, rowBegin + r), position));
        const float score = seen ? f32Score(args, dots[r]) : kMinusInf;
        const float best = fmaxf(rows.best[r], warpMax(score));
        const float shift = shiftOf(best);
        const float keep = fastExp2(rows.best[r] - shift);
        const float weight = fastExp2(score - shift);
        rows.best[r] = best;
        rows.total[r] = fusedMultiplyAdd(rows.total[r], keep, warpSum(weight));
        for (float& x : rows.acc[r]) x *= keep;
        storeShared(&weights[r * kF32Keys + laneId()], weight);
    }
}

template <int kPerLane>
SIMT_DEVICE void f32Sums(F32Rows<kPerLane>& rows, const float* weights, const float* values) {
    constexpr int kStride = kF32Stride<kPerLane * kWarp>;
    for (int key = 0; key < kF32Keys; key += 4) {
        Float4 p[kF32RowsPerWarp];
#pragma unroll
        for (int r = 0; r < kF32RowsPerWarp; ++r)
            p[r] = loadShared(reinterpret_cast<const Float4*>(weights + r * kF32Keys + key));
#pragma unroll
        for (int i = 0; i < kPerLane; ++i) {
            const float* v = values + key * kStride + i * kWarp + laneId();
            const float v0 = loadShared(v);
            const float v1 = loadShared(v + kStride);
            const float v2 = loadShared(v + 2 * kStride);
            const float v3 = loadShared(v + 3 * kStride);
#pragma unroll
            for (int r = 0; r < kF32RowsPerWarp; ++r) {
                float sum = fusedMultiplyAdd(p[r].x, v0, rows.acc[r][i]);
                sum = fusedMultiplyAdd(p[r].y, v1, sum);
                sum = fusedMultiplyAdd(p[r].z, v2, sum);
                rows.acc[r][i] = fusedMultiplyAdd(p[r].w, v3, sum);
            }
        }
    }
}

/// Folds the stretch into the rows' sums, which lie in global memory between stretches.
template <int kPerLane>
SIMT_DEVICE void f32Fold(const PagedAttentionArgs& args, const AttentionWork& w,
                         F32Rows<kPerLane>& rows, int rowBegin, bool last) {
    const auto headDim = static_cast<int>(args.kv.headDim);
#pragma unroll
    for (int r = 0; r < kF32RowsPerWarp; ++r) {
        const int row = rowBegin + r;
        if (row >= w.nRows) break;
        const FoldFactors f = fold(rows.sum[r], rows.best[r], rows.total[r]);
        float* sums = sumsAt(args, tokenOf(w, row), headOf(w, row), w.split);
        const bool finish = last && args.nSplits == 1;
        const float weight = weightOf(rows.sum[r]);
        for (int i = 0; i < kPerLane; ++i) {
            const int column = i * kWarp + laneId();
            if (column >= headDim) break;
            const float before = f.keep == 0.0F ? 0.0F : sums[column];
            const float value = folded(f, before, rows.acc[r][i]);
            sums[column] = finish ? finished(value, weight) : value;
        }
        if (last && !finish && laneId() == 0) {
            sums[headDim] = rows.sum[r].best;
            sums[headDim + 1] = rows.sum[r].total;
        }
    }
}

template <int kPerLane>
SIMT_DEVICE void f32Fetch(const PagedAttentionArgs& args, const KvSlices& layout,
                          const AttentionWork& w, KvPart part, int base, float* shared) {
    constexpr int kDim = kPerLane * kWarp;
    fetchPages<float, kF32Keys, kDim, kF32Stride<kDim>>(args, layout, w, part, base, shared);
}

template <int kPerLane>
SIMT_DEVICE void f32Queries(const PagedAttentionArgs& args, const AttentionWork& w, bool sinks,
                            float* queries) {
    constexpr int kDim = kPerLane * kWarp;
    const float* q = queriesFor(args, sinks);
    for (int i = threadX(); i < kF32Rows * kDim; i += kAttentionThreads)
        queries[i / kDim * kF32Stride<kDim> + i % kDim] = queryAt(args, w, q, i / kDim, i % kDim);
}

/// headDim is a multiple of 8 and at most 32 kPerLane.
template <int kPerLane>
SIMT_KERNEL(kAttentionThreads, 3)
void attentionF32Kernel(PagedAttentionArgs args, KvSlices layout) {
    constexpr int kDim = kPerLane * kWarp;
    constexpr int kStride = kF32Stride<kDim>;
    using Cursor = KeyCursor<kF32Keys>;
    SIMT_SHARED_DYNAMIC(float, queries);
    float* const keys = queries + kF32Rows * kStride;
    float* const values = keys + kF32Keys * kStride;
    const AttentionWork w = attentionWork<kF32Rows>(args);
    if (nothingToDo(args, w)) return;
    if (w.firstStretch == w.endStretch) {
        writeZeros(args, w);
        return;
    }
    Cursor at = Cursor::start(w);
    f32Fetch<kPerLane>(args, layout, w, KvPart::Keys, at.base, keys);
    f32Queries<kPerLane>(args, w, at.sinks(w), queries);
    const int rowBegin = warpId() * kF32RowsPerWarp;
    const bool working = rowBegin < w.nRows;
    float* const own = queries + rowBegin * kStride;
    float* const weights = values + kF32Keys * kStride + rowBegin * kF32Keys;
    F32Rows<kPerLane> rows;
    rows.clear();
    rows.look(args, w, rowBegin, at.sinks(w));
    while (!at.done(w)) {
        waitAsync<0>();
        syncThreads();  // the tile's keys are here, the values before them have been read
        f32Fetch<kPerLane>(args, layout, w, KvPart::Values, at.base, values);
        if (working) f32Scores<kPerLane>(args, w, rows, rowBegin, at.base, own, keys, weights);
        waitAsync<0>();
        syncThreads();  // the values are here, keys have been read, weights are written
        const Cursor next = at.next(args, w);
        if (!next.done(w)) f32Fetch<kPerLane>(args, layout, w, KvPart::Keys, next.base, keys);
        if (working) f32Sums<kPerLane>(rows, weights, values);
        if (working && next.stretch != at.stretch) {
            f32Fold<kPerLane>(args, w, rows, rowBegin, next.done(w));
            rows.clear();
        }
        if (at.sinks(w) && !next.sinks(w)) {  // scores of the sinks lie two barriers back
            f32Queries<kPerLane>(args, w, false, queries);
            rows.look(args, w, rowBegin, false);
        }
        at = next;
    }
}

}  // namespace lanescope::kernels::cuda

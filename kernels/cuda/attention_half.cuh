#pragma once
// Attention on tensor cores, over a cache of 16-bit numbers or of codes, after FlashAttention-2
// (arXiv 2307.08691), for prefill and decode alike: a decode step's few rows leave most of a tile
// of 16 unused, which costs nothing, as it is bound by reading the cache (prefill: by tensor
// cores). Blocks: attention_tile.cuh, with 64 rows. Warp w has rows 16w … 16w + 15 and does nothing
// but copy where there are none; lane l has rows l / 4 and l / 4 + 8 of them, and of each row of a
// product columns 2 (l % 4), + 1 of every eight (language/tensor.h). Keys come 64 (32) at a time;
// scores become weights in registers. Values of a tile are copied while its scores are computed,
// the next tile's keys while values are summed. Shared memory: keys, values (which first hold the
// queries; from 256 columns on these have their own); rows have an odd number of 16-byte chunks, so
// that eight rows of a matrix meet no bank twice.

#include "kernels/cuda/attention_pages.cuh"

namespace lanescope::kernels::cuda {

inline constexpr int kHalfRows = 64;
/// Keys of a tile: fewer where the sums leave few registers for scores.
template <int kDim>
inline constexpr int kHalfKeys = kDim <= 128 ? 64 : 32;
inline constexpr int kMmaRows = 16;

/// Elements of a row of kDim in shared memory.
template <int kDim>
inline constexpr int kHalfStride = kDim + 8;
/// Whether a warp's queries fit into registers beside its sums.
template <int kDim>
inline constexpr bool kQueriesStay = kDim <= 128;
/// Rows of keys, values and, where they have their own, queries.
template <int kDim>
inline constexpr int kHalfSharedRows = 2 * kHalfKeys<kDim> + (kQueriesStay<kDim> ? 0 : kHalfRows);
template <int kDim>
inline constexpr int kHalfSharedBytes = kHalfSharedRows<kDim>* kHalfStride<kDim> * 2;

/// Row h (0 or 1) of this lane.
SIMT_DEVICE int halfRow(int h) {
    return warpId() * kMmaRows + laneId() / 4 + 8 * h;
}

/// A lane's two rows (index 0 and 1): what they see, and their sums over the stretch at work.
template <int kDim>
struct HalfRows {
    KeyRange seen[2];
    RunningSum sum[2];
    float best[2];
    float total[2];          ///< over this lane's columns
    float acc[kDim / 8][4];  ///< [column / 8][2 · row + column % 2]

    SIMT_DEVICE void look(const PagedAttentionArgs& args, const AttentionWork& w, bool sinks) {
        for (int h = 0; h < 2; ++h) seen[h] = rowKeys(args, w, halfRow(h), sinks);
    }
    SIMT_DEVICE void clear() {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            best[h] = kMinusInf;
            total[h] = 0.0F;
        }
#pragma unroll
        for (int n = 0; n < kDim / 8; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) acc[n][e] = 0.0F;
    }
};

/// A warp's queries as tensor cores take them: all of them, or from shared memory when needed.
template <class T, int kDim>
struct HalfQueries {
    static constexpr int kKept = kQueriesStay<kDim> ? kDim / 16 : 1;
    std::uint32_t words[kKept][4];
    const T* at;  ///< the lane's part of the first 16 columns

    /// `queries`: the warp's 16 rows in shared memory.
    SIMT_DEVICE explicit HalfQueries(const T* queries)
        : at(queries + laneId() % 16 * kHalfStride<kDim> + laneId() / 16 * 8) {}
    SIMT_DEVICE void keep() {
#pragma unroll
        for (int i = 0; i < kKept; ++i) loadMatrices(words[i], at + 16 * i);
    }
    SIMT_DEVICE const std::uint32_t (&operator()(int step))[4] {
        if constexpr (kQueriesStay<kDim>) {
            return words[step];
        } else {
            loadMatrices(words[0], at + 16 * step);
            return words[0];
        }
    }
};

/// d0, d1 += a · the two 16x8 matrices in b.
template <class T>
SIMT_DEVICE void multiplyAddTwo(float (&d0)[4], float (&d1)[4], const std::uint32_t (&a)[4],
                                const std::uint32_t (&b)[4]) {
    const std::uint32_t b0[2] = {b[0], b[1]};
    const std::uint32_t b1[2] = {b[2], b[3]};
    multiplyAdd<T>(d0, a, b0);
    multiplyAdd<T>(d1, a, b1);
}

template <int kDim>
using HalfScores = float[kHalfKeys<kDim> / 8][4];

template <class T, int kDim>
SIMT_DEVICE void halfDots(HalfScores<kDim>& scores, HalfQueries<T, kDim>& queries, const T* keys) {
    const int lane = laneId();
    const T* own = keys + (lane / 16 * 8 + lane % 8) * kHalfStride<kDim> + lane / 8 % 2 * 8;
#pragma unroll
    for (int n = 0; n < kHalfKeys<kDim> / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) scores[n][e] = 0.0F;
#pragma unroll
    for (int step = 0; step < kDim / 16; ++step) {
        const std::uint32_t(&a)[4] = queries(step);
#pragma unroll
        for (int n = 0; n < kHalfKeys<kDim> / 16; ++n) {
            std::uint32_t b[4];
            loadMatrices(b, own + 16 * n * kHalfStride<kDim> + 16 * step);
            multiplyAddTwo<T>(scores[2 * n], scores[2 * n + 1], a, b);
        }
    }
}

/// Dots become scores in units of log2, so that weights are powers of two. tanh x as
/// 1 - 2 / (1 + e^2x): what its approximations lose is far below the queries' rounding.
template <int kDim>
SIMT_DEVICE void halfScores(const PagedAttentionArgs& args, HalfScores<kDim>& scores) {
    const bool capped = args.softcap > 0.0F;
    const float scale = capped ? args.scale / args.softcap * (2.0F * kLog2e) : args.scale * kLog2e;
    const float cap = args.softcap * kLog2e;
#pragma unroll
    for (int n = 0; n < kHalfKeys<kDim> / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) scores[n][e] *= scale;
    if (!capped) return;
#pragma unroll
    for (int n = 0; n < kHalfKeys<kDim> / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e)
            scores[n][e] =
                fusedMultiplyAdd(-2.0F * cap, fastReciprocal(1.0F + fastExp2(scores[n][e])), cap);
}

/// Scores become weights; older sums are brought to the new maximum.
template <int kDim>
SIMT_DEVICE void halfWeights(const PagedAttentionArgs& args, const AttentionWork& w,
                             HalfRows<kDim>& rows, int base, HalfScores<kDim>& scores) {
    const int column = base + laneId() % 4 * 2;
    std::uint64_t bits[2];  // of this lane's columns
#pragma unroll
    for (int h = 0; h < 2; ++h)
        bits[h] = maskBits<kHalfKeys<kDim>>(args, w, halfRow(h), base) >> (column - base);
    float top[2] = {kMinusInf, kMinusInf};
#pragma unroll
    for (int n = 0; n < kHalfKeys<kDim> / 8; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int position = column + 8 * n + e % 2;
            const KeyRange& seen = rows.seen[e / 2];
            const bool sees = position >= seen.first && position <= seen.last &&
                              (bits[e / 2] >> (8 * n + e % 2) & 1U) != 0;
            scores[n][e] = sees ? scores[n][e] : kMinusInf;
            top[e / 2] = fmaxf(top[e / 2], scores[n][e]);
        }
    }
    float shift[2];
    float keep[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const float best = fmaxf(rows.best[h], warpMax<4>(top[h]));
        shift[h] = shiftOf(best);
        keep[h] = fastExp2(rows.best[h] - shift[h]);
        rows.best[h] = best;
        rows.total[h] *= keep[h];
    }
#pragma unroll
    for (int n = 0; n < kHalfKeys<kDim> / 8; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            scores[n][e] = fastExp2(scores[n][e] - shift[e / 2]);
            rows.total[e / 2] += scores[n][e];
        }
    }
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) rows.acc[n][e] *= keep[e / 2];
}

template <class T, int kDim>
SIMT_DEVICE void halfSums(HalfRows<kDim>& rows, const HalfScores<kDim>& weights, const T* values) {
    const T* own = values + laneId() % 16 * kHalfStride<kDim> + laneId() / 16 * 8;
#pragma unroll
    for (int step = 0; step < kHalfKeys<kDim> / 16; ++step) {
        const float(&low)[4] = weights[2 * step];
        const float(&high)[4] = weights[2 * step + 1];
        const std::uint32_t a[4] = {packPair<T>(low[0], low[1]), packPair<T>(low[2], low[3]),
                                    packPair<T>(high[0], high[1]), packPair<T>(high[2], high[3])};
#pragma unroll
        for (int n = 0; n < kDim / 16; ++n) {
            std::uint32_t b[4];
            loadMatricesTransposed(b, own + 16 * step * kHalfStride<kDim> + 16 * n);
            multiplyAddTwo<T>(rows.acc[2 * n], rows.acc[2 * n + 1], a, b);
        }
    }
}

/// Folds the stretch into the rows' sums, which lie in global memory between stretches. All lanes
/// meet now and then, so that the compiler does not load a whole row ahead and run out of
/// registers.
template <int kDim>
SIMT_DEVICE void halfFold(const PagedAttentionArgs& args, const AttentionWork& w,
                          HalfRows<kDim>& rows, bool last) {
    const auto headDim = static_cast<int>(args.kv.headDim);
    const bool finish = last && args.nSplits == 1;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const float total = warpSum<4>(rows.total[h]);
        const int row = halfRow(h);
        const bool there = row < w.nRows;
        const FoldFactors f = fold(rows.sum[h], rows.best[h], total);
        const float weight = weightOf(rows.sum[h]);
        float* sums =
            sumsAt(args, there ? tokenOf(w, row) : 0, there ? headOf(w, row) : 0, w.split);
#pragma unroll
        for (int n = 0; n < kDim / 8; ++n) {
            if (n % 4 == 0) syncWarp(kFullMask);
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int column = 8 * n + laneId() % 4 * 2 + e;
                if (!there || column >= headDim) continue;
                const float before = f.keep == 0.0F ? 0.0F : sums[column];
                const float value = folded(f, before, rows.acc[n][2 * h + e]);
                sums[column] = finish ? finished(value, weight) : value;
            }
        }
        if (last && !finish && there && laneId() % 4 == 0) {
            sums[headDim] = rows.sum[h].best;
            sums[headDim + 1] = rows.sum[h].total;
        }
    }
}

template <class T, int kDim>
SIMT_DEVICE void halfFetch(const PagedAttentionArgs& args, const KvSlices& layout,
                           const AttentionWork& w, KvPart part, int base, T* shared) {
    fetchPages<T, kHalfKeys<kDim>, kDim, kHalfStride<kDim>>(args, layout, w, part, base, shared);
}

/// Rounds queries of the warps that have rows into shared memory.
template <class T, int kDim>
SIMT_DEVICE void storeQueries(const PagedAttentionArgs& args, const AttentionWork& w,
                              const float* q, T* queries) {
    const int nRows = (w.nRows + kMmaRows - 1) / kMmaRows * kMmaRows;
    for (int i = threadX(); i < nRows * (kDim / 2); i += kAttentionThreads) {
        const int row = i / (kDim / 2);
        const int column = i % (kDim / 2) * 2;
        const float first = queryAt(args, w, q, row, column);
        const float second = queryAt(args, w, q, row, column + 1);
        store(queries + row * kHalfStride<kDim> + column, packPair<T>(first, second));
    }
}

/// headDim is a multiple of 8 and at most kDim, a multiple of 16.
template <class T, int kDim>
SIMT_KERNEL(kAttentionThreads, kDim <= 32 ? 3 : 2)
void attentionHalfKernel(PagedAttentionArgs args, KvSlices layout) {
    using Cursor = KeyCursor<kHalfKeys<kDim>>;
    constexpr int kTile = kHalfKeys<kDim> * kHalfStride<kDim>;
    SIMT_SHARED_DYNAMIC(T, keys);
    T* const values = keys + kTile;
    T* const queries = kQueriesStay<kDim> ? values : values + kTile;
    const AttentionWork w = attentionWork<kHalfRows>(args);
    if (nothingToDo(args, w)) return;
    if (w.firstStretch == w.endStretch) {
        writeZeros(args, w);
        return;
    }
    Cursor at = Cursor::start(w);
    halfFetch<T, kDim>(args, layout, w, KvPart::Keys, at.base, keys);
    storeQueries<T, kDim>(args, w, queriesFor(args, at.sinks(w)), queries);
    HalfQueries<T, kDim> ownQueries(queries + warpId() * kMmaRows * kHalfStride<kDim>);
    const bool working = warpId() * kMmaRows < w.nRows;
    HalfRows<kDim> rows;
    rows.clear();
    rows.look(args, w, at.sinks(w));
    if constexpr (kQueriesStay<kDim>) {
        syncThreads();
        if (working) ownQueries.keep();
    }
    while (!at.done(w)) {
        HalfScores<kDim> scores;
        waitAsync<0>();
        syncThreads();  // the tile's keys are here, the values before them have been read
        halfFetch<T, kDim>(args, layout, w, KvPart::Values, at.base, values);
        if (working) {
            halfDots<T, kDim>(scores, ownQueries, keys);
            halfScores<kDim>(args, scores);
            halfWeights<kDim>(args, w, rows, at.base, scores);
        }
        waitAsync<0>();
        syncThreads();  // the values are here, keys have been read
        const Cursor next = at.next(args, w);
        if (!next.done(w)) halfFetch<T, kDim>(args, layout, w, KvPart::Keys, next.base, keys);
        if (working) {
            halfSums<T, kDim>(rows, scores, values);
            if (next.stretch != at.stretch) {
                halfFold<kDim>(args, w, rows, next.done(w));
                rows.clear();
            }
        }
        if (at.sinks(w) && !next.sinks(w)) {
            syncThreads();  // the values, whose place it is, have been read
            storeQueries<T, kDim>(args, w, args.q, queries);
            rows.look(args, w, false);
            if constexpr (kQueriesStay<kDim>) {
                syncThreads();
                if (working) ownQueries.keep();
            }
        }
        at = next;
    }
}

}  // namespace lanescope::kernels::cuda

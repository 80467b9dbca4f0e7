// Attention in tiles: the 16 tokens x group heads of an item are rows of two small matrix products
// per 64 keys, scores = Q · Kᵀ and out += P · V, both by one 6 x 16 kernel of FMAs (12
// accumulators, near the FMA peak); all heads of a group share the widened, transposed keys and the
// widened values. Between them the online softmax (arXiv 2307.08691, algorithm 1). Every score and
// every output element is one chain of FMAs over d or over the keys in order, so the rows beside it
// do not matter; keys outside a row's reach get weight 0, which changes nothing.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_attention_tile.h"

namespace lanescope::kernels::avx2 {
namespace {

std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
}
std::int64_t larger(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
}
std::int64_t roundUp(std::int64_t n, std::int64_t to) {
    return (n + to - 1) / to * to;
}

/// What rows have summed up over some keys. [rows, dim], [rows], [rows].
struct Sums {
    float *acc, *best, *total;
};

Sums sumsAt(float* at, std::int64_t rows, std::int64_t dim) {
    return {at, at + rows * dim, at + rows * (dim + 1)};
}

/// One item at work: its rows (token-major, then head of the group) and its parts of the scratch.
struct Work {
    const AttentionArgs& args;
    AttentionProduct product;
    AttentionItem item;
    std::int64_t groupSize, rows, dim;  ///< dim: headDim rounded up to 16
    std::int64_t first, last;           ///< positions any row sees: [first, last]
    float *q, *scores, *keys, *values;
    Sums sums, stretch;  ///< of all keys so far, of the present stretch
    std::int64_t scoreStride;

    [[nodiscard]] std::int64_t position(std::int64_t row) const {
        return args.positions[item.tokenBegin + row / groupSize];
    }
};

/// The keys of one tile, as offsets from its first position `base`.
struct KeyTile {
    std::int64_t base, begin, end;
};

KeyTile keyTile(const Work& w, std::int64_t base) {
    return {base, larger(0, w.first - base), smaller(kKeys, w.last + 1 - base)};
}

/// Addresses of a tile's rows of keys or values; entries outside [begin, end) repeat the nearest.
void rowAddresses(const Work& w, const KeyTile& tile, const void* storage,
                  const char* (&out)[kKeys]) {
    const PagedKv& kv = w.args.kv;
    const std::int64_t bytes = rowBytes(kv.dtype, kv.headDim);
    std::int64_t j = tile.begin;
    while (j < tile.end) {
        const std::int64_t position = tile.base + j;
        const std::int64_t slot = position % kv.blockTokens;
        const std::int64_t block = kv.blockTable[position / kv.blockTokens];
        const std::int64_t n = smaller(kv.blockTokens - slot, tile.end - j);
        const char* row = static_cast<const char*>(storage) +
                          ((block * kv.nKvHeads + w.item.kvHead) * kv.blockTokens + slot) * bytes;
        for (std::int64_t i = 0; i < n; ++i) out[j + i] = row + i * bytes;
        j += n;
    }
    for (std::int64_t i = 0; i < tile.begin; ++i) out[i] = out[tile.begin];
    for (std::int64_t i = tile.end; i < kKeys; ++i) out[i] = out[tile.end - 1];
}

void loadKeys(const Work& w, const KeyTile& tile) {
    const char* row[kKeys];
    rowAddresses(w, tile, w.args.kv.k, row);
    const std::int64_t headDim = w.args.kv.headDim;
    switch (w.args.kv.dtype) {
        case DType::F16:
            return widenKeys<DType::F16>(row, headDim, tile.end, w.keys);
        case DType::BF16:
            return widenKeys<DType::BF16>(row, headDim, tile.end, w.keys);
        default:
            return widenKeys<DType::F32>(row, headDim, tile.end, w.keys);
    }
}

void loadValues(const Work& w, const KeyTile& t) {
    const char* row[kKeys];
    rowAddresses(w, t, w.args.kv.v, row);
    const std::int64_t d = w.args.kv.headDim;
    switch (w.args.kv.dtype) {
        case DType::F16:
            return widenValues<DType::F16>(row, d, w.dim, t.begin, t.end, w.values);
        case DType::BF16:
            return widenValues<DType::BF16>(row, d, w.dim, t.begin, t.end, w.values);
        default:
            return widenValues<DType::F32>(row, d, w.dim, t.begin, t.end, w.values);
    }
}

/// Scaled, capped and masked scores of lanes [j, j + 8); the row sees [low, high).
__m256 finishScores(const AttentionArgs& args, __m256 raw, std::int64_t j, std::int64_t low,
                    std::int64_t high) {
    __m256 s = _mm256_mul_ps(raw, _mm256_set1_ps(args.scale));
    if (args.softcap > 0.0F) {
        const __m256 cap = _mm256_set1_ps(args.softcap);
        s = _mm256_mul_ps(tanhPs(_mm256_div_ps(s, cap)), cap);
    }
    if (j >= low && j + 8 <= high) return s;
    const __m256i seen =
        _mm256_andnot_si256(laneMask(larger(0, low - j)), laneMask(larger(0, high - j)));
    return _mm256_blendv_ps(_mm256_set1_ps(-__builtin_inff()), s, _mm256_castsi256_ps(seen));
}

/// Keys [low, high) of [0, count) from `base` that the row at `position` sees.
struct Reach {
    std::int64_t low, high;
};

Reach reach(const AttentionArgs& args, std::int64_t position, std::int64_t base,
            std::int64_t count) {
    const std::int64_t start = args.window > 0 ? position - args.window + 1 - base : 0;
    return {larger(0, start), smaller(count, position + 1 - base)};
}

void scaleRow(float* row, std::int64_t dim, float factor) {
    const __m256 f = _mm256_set1_ps(factor);
    for (std::int64_t i = 0; i < dim; i += 8)
        _mm256_storeu_ps(row + i, _mm256_mul_ps(_mm256_loadu_ps(row + i), f));
}

float expOf(float x) {
    return _mm256_cvtss_f32(expPs(_mm256_set1_ps(x)));
}

/// Scores of one row over [0, count) become weights e^(score - best); returns their sum. *best is
/// the maximum so far and is raised.
float softmaxRow(const AttentionArgs& args, float* scores, std::int64_t count, Reach seen,
                 float* best) {
    __m256 top = _mm256_set1_ps(*best);
    for (std::int64_t j = 0; j < count; j += 8) {
        const __m256 s = finishScores(args, _mm256_loadu_ps(scores + j), j, seen.low, seen.high);
        _mm256_storeu_ps(scores + j, s);
        top = _mm256_max_ps(top, s);
    }
    *best = maxLanes(top);
    const __m256 shift = _mm256_set1_ps(*best == -__builtin_inff() ? 0.0F : *best);
    __m256 sum = _mm256_setzero_ps();
    for (std::int64_t j = 0; j < count; j += 8) {
        const __m256 p = expPs(_mm256_sub_ps(_mm256_loadu_ps(scores + j), shift));
        _mm256_storeu_ps(scores + j, p);
        sum = _mm256_add_ps(sum, p);
    }
    return sumLanes(sum);
}

void flashTile(const Work& w, const Sums& sums, const KeyTile& tile) {
    const AttentionArgs& args = w.args;
    loadKeys(w, tile);
    w.product(w.q, w.dim, w.keys, kKeys, w.scores, kKeys, w.rows, roundUp(tile.end, 16),
              args.kv.headDim, false);
    for (std::int64_t r = 0; r < w.rows; ++r) {
        float* scores = w.scores + r * kKeys;
        const Reach seen = reach(args, w.position(r), tile.base, kKeys);
        if (seen.low >= seen.high) {
            std::memset(scores, 0, kKeys * sizeof(float));
            continue;
        }
        const float before = sums.best[r];
        const float sum = softmaxRow(args, scores, kKeys, seen, &sums.best[r]);
        // Nothing seen so far: e^(-inf - best) = 0 clears an empty accumulator.
        const float keep = before == sums.best[r] ? 1.0F : expOf(before - sums.best[r]);
        sums.total[r] = sums.total[r] * keep + sum;
        if (keep != 1.0F) scaleRow(sums.acc + r * w.dim, w.dim, keep);
    }
    loadValues(w, tile);
    w.product(w.scores + tile.begin, kKeys, w.values + tile.begin * w.dim, w.dim, sums.acc, w.dim,
              w.rows, w.dim, tile.end - tile.begin, true);
}

void clear(const Work& w, const Sums& sums) {
    std::memset(sums.acc, 0, static_cast<std::size_t>(w.rows * w.dim) * sizeof(float));
    for (std::int64_t r = 0; r < w.rows; ++r) {
        sums.best[r] = -__builtin_inff();
        sums.total[r] = 0.0F;
    }
}

/// The sums over one stretch of keys.
void flashStretch(const Work& w, const Sums& sums, std::int64_t stretch) {
    clear(w, sums);
    const std::int64_t begin = larger(w.first, stretch * kAttentionStretch);
    const std::int64_t end = smaller(w.last + 1, (stretch + 1) * kAttentionStretch);
    for (std::int64_t base = begin / kKeys * kKeys; base < end; base += kKeys)
        flashTile(w, sums, keyTile(w, base));
}

/// Adds the sums over the next stretch to those of all before it.
void combine(std::int64_t rows, std::int64_t dim, const Sums& sums, const Sums& next) {
    for (std::int64_t r = 0; r < rows; ++r) {
        if (next.total[r] == 0.0F) continue;  // it sees none of these keys
        float* acc = sums.acc + r * dim;
        const float* more = next.acc + r * dim;
        if (sums.total[r] == 0.0F) {
            std::memcpy(acc, more, static_cast<std::size_t>(dim) * sizeof(float));
            sums.best[r] = next.best[r];
            sums.total[r] = next.total[r];
            continue;
        }
        const float best = sums.best[r] > next.best[r] ? sums.best[r] : next.best[r];
        const float keep = expOf(sums.best[r] - best);
        const float take = expOf(next.best[r] - best);
        sums.best[r] = best;
        sums.total[r] = sums.total[r] * keep + next.total[r] * take;
        scaleRow(acc, dim, keep);
        const __m256 f = _mm256_set1_ps(take);
        for (std::int64_t i = 0; i < dim; i += 8)
            _mm256_storeu_ps(
                acc + i, _mm256_fmadd_ps(_mm256_loadu_ps(more + i), f, _mm256_loadu_ps(acc + i)));
    }
}

void naiveItem(const Work& w) {
    const std::int64_t start = w.first / kKeys * kKeys;
    const std::int64_t count = roundUp(w.last + 1 - start, kKeys);
    for (std::int64_t base = start; base <= w.last; base += kKeys) {
        const KeyTile tile = keyTile(w, base);
        loadKeys(w, tile);
        w.product(w.q, w.dim, w.keys, kKeys, w.scores + base - start, w.scoreStride, w.rows,
                  roundUp(tile.end, 16), w.args.kv.headDim, false);
    }
    for (std::int64_t r = 0; r < w.rows; ++r) {
        float* scores = w.scores + r * w.scoreStride;
        const Reach seen = reach(w.args, w.position(r), start, count);
        if (seen.low >= seen.high)
            std::memset(scores, 0, static_cast<std::size_t>(count) * sizeof(float));
        else
            w.sums.total[r] = softmaxRow(w.args, scores, count, seen, &w.sums.best[r]);
    }
    for (std::int64_t base = start; base <= w.last; base += kKeys) {
        const KeyTile tile = keyTile(w, base);
        loadValues(w, tile);
        w.product(w.scores + base - start + tile.begin, w.scoreStride,
                  w.values + tile.begin * w.dim, w.dim, w.sums.acc, w.dim, w.rows, w.dim,
                  tile.end - tile.begin, true);
    }
}

/// Finds the item's rows and keys and divides the scratch into its parts (sizes:
/// attentionScratchFloats()); copies its queries there.
Work setUp(AttentionProduct product, const AttentionArgs& args, std::int64_t index) {
    Work w{args,
           product,
           attentionItem(args, index),
           args.nHeads / args.kv.nKvHeads,
           0,
           0,
           0,
           0,
           nullptr,
           nullptr,
           nullptr,
           nullptr,
           {},
           {},
           kKeys};
    w.rows = (w.item.tokenEnd - w.item.tokenBegin) * w.groupSize;
    w.dim = roundUp(args.kv.headDim, 16);
    w.last = args.positions[w.item.tokenEnd - 1];
    const std::int64_t start = args.positions[w.item.tokenBegin];
    w.first = args.window > 0 ? larger(0, start - args.window + 1) : 0;

    const auto address = reinterpret_cast<std::uintptr_t>(args.scratch);
    float* at = args.scratch + (64 - address % 64) % 64 / sizeof(float);
    const auto take = [&at](std::int64_t n) {
        float* part = at;
        at += n;
        return part;
    };
    w.keys = take(w.dim * kKeys);
    w.values = take(w.dim * kKeys);
    w.q = take(w.rows * w.dim);
    w.sums = sumsAt(take(w.rows * (w.dim + 2)), w.rows, w.dim);
    w.stretch = sumsAt(take(w.rows * (w.dim + 2)), w.rows, w.dim);
    if (args.kind == AttentionKind::Naive) w.scoreStride = roundUp(larger(0, w.last + 1), kKeys);
    w.scores = take(0);

    const std::int64_t headDim = args.kv.headDim;
    const std::int64_t firstHead = w.item.kvHead * w.groupSize;
    for (std::int64_t r = 0; r < w.rows; ++r) {
        const std::int64_t token = w.item.tokenBegin + r / w.groupSize;
        const float* q = args.q + token * args.qStride + (firstHead + r % w.groupSize) * headDim;
        std::memcpy(w.q + r * w.dim, q, static_cast<std::size_t>(headDim) * sizeof(float));
    }
    if (headDim % 16 != 0)  // the padding columns of the values
        std::memset(w.values, 0, static_cast<std::size_t>(w.dim * kKeys) * sizeof(float));
    return w;
}

/// Divides by the weights' sum and writes the item's rows of out.
void finish(const AttentionArgs& args, std::int64_t index, const Sums& sums) {
    const AttentionItem item = attentionItem(args, index);
    const std::int64_t groupSize = args.nHeads / args.kv.nKvHeads;
    const std::int64_t rows = (item.tokenEnd - item.tokenBegin) * groupSize;
    const std::int64_t headDim = args.kv.headDim;
    const std::int64_t dim = roundUp(headDim, 16);
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t token = item.tokenBegin + r / groupSize;
        const std::int64_t head = item.kvHead * groupSize + r % groupSize;
        float* out = args.out + (token * args.nHeads + head) * headDim;
        scaleRow(sums.acc + r * dim, dim, sums.total[r] > 0.0F ? 1.0F / sums.total[r] : 0.0F);
        std::memcpy(out, sums.acc + r * dim, static_cast<std::size_t>(headDim) * sizeof(float));
    }
}

void attendItem(AttentionProduct product, const AttentionArgs& args, std::int64_t index) {
    const Work w = setUp(product, args, index);
    if (args.kind == AttentionKind::Naive) {
        clear(w, w.sums);
        if (w.last >= 0) naiveItem(w);
    } else {
        const std::int64_t start = w.first / kAttentionStretch;
        flashStretch(w, w.sums, start);
        for (std::int64_t s = start + 1; s * kAttentionStretch <= w.last; ++s) {
            flashStretch(w, w.stretch, s);
            combine(w.rows, w.dim, w.sums, w.stretch);
        }
    }
    finish(args, index, w.sums);
}

/// Where the sums of a unit lie; its item has `rows` rows, the first item the most.
Sums partialSums(const AttentionArgs& args, std::int64_t unit, std::int64_t rows) {
    const std::int64_t headDim = args.kv.headDim;
    const std::int64_t most =
        smaller(args.nTokens, kAttentionTile) * (args.nHeads / args.kv.nKvHeads);
    return sumsAt(args.partial + unit * attentionPartialFloats(most, headDim), rows,
                  roundUp(headDim, 16));
}

}  // namespace

void attentionBy(AttentionProduct product, const AttentionArgs& args) {
    if (args.partial == nullptr) {
        for (std::int64_t i = args.itemBegin; i < args.itemEnd; ++i) attendItem(product, args, i);
        return;
    }
    const std::int64_t nStretches = attentionStretches(args);
    for (std::int64_t unit = args.itemBegin; unit < args.itemEnd; ++unit) {
        const Work w = setUp(product, args, unit / nStretches);
        flashStretch(w, partialSums(args, unit, w.rows), unit % nStretches);
    }
}

void attention(const AttentionArgs& args) {
    attentionBy(product, args);
}

void attentionCombine(const AttentionArgs& args) {
    const std::int64_t nStretches = attentionStretches(args);
    const std::int64_t groupSize = args.nHeads / args.kv.nKvHeads;
    const std::int64_t dim = roundUp(args.kv.headDim, 16);
    for (std::int64_t index = args.itemBegin; index < args.itemEnd; ++index) {
        const AttentionItem item = attentionItem(args, index);
        const std::int64_t rows = (item.tokenEnd - item.tokenBegin) * groupSize;
        const std::int64_t first = index * nStretches;
        const Sums sums = partialSums(args, first, rows);
        for (std::int64_t s = 1; s < nStretches; ++s)
            combine(rows, dim, sums, partialSums(args, first + s, rows));
        finish(args, index, sums);
    }
}

}  // namespace lanescope::kernels::avx2

// Attention in tiles: the 16 tokens x group heads of an item are rows of two small matrix products
// per 64 keys, scores = Q · Kᵀ and out += P · V, both by one 6 x 16 kernel of FMAs (12
// accumulators, near the FMA peak); all heads of a group share the widened, transposed keys and the
// widened values. Between them the online softmax (arXiv 2307.08691, algorithm 1). Every score and
// every output element is one chain of FMAs over d or over the keys in order, so the rows beside it
// do not matter; keys outside a row's reach get weight 0, which changes nothing.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_math.h"

namespace lanescope::kernels::avx2 {
namespace {

constexpr std::int64_t kKeys = kAttentionKeyTile;
constexpr int kMaxRows = 6;

std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
}
std::int64_t larger(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
}
std::int64_t roundUp(std::int64_t n, std::int64_t to) {
    return (n + to - 1) / to * to;
}

/// C[kR, 16] (+)= A[kR, depth] · B[depth, 16].
template <int kR>
void micro(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, float* c,
           std::int64_t cStride, std::int64_t depth, bool add) {
    __m256 acc[kR][2];
    for (int r = 0; r < kR; ++r)
        for (int i = 0; i < 2; ++i)
            acc[r][i] = add ? _mm256_loadu_ps(c + r * cStride + 8 * i) : _mm256_setzero_ps();
    for (std::int64_t k = 0; k < depth; ++k) {
        const __m256 b0 = _mm256_loadu_ps(b + k * bStride);
        const __m256 b1 = _mm256_loadu_ps(b + k * bStride + 8);
#pragma GCC unroll 6
        for (int r = 0; r < kR; ++r) {
            const __m256 v = _mm256_broadcast_ss(a + r * aStride + k);
            acc[r][0] = _mm256_fmadd_ps(v, b0, acc[r][0]);
            acc[r][1] = _mm256_fmadd_ps(v, b1, acc[r][1]);
        }
    }
    for (int r = 0; r < kR; ++r)
        for (int i = 0; i < 2; ++i) _mm256_storeu_ps(c + r * cStride + 8 * i, acc[r][i]);
}

/// C[rows, columns] (+)= A · B; columns is a multiple of 16.
void product(const float* a, std::int64_t aStride, const float* b, std::int64_t bStride, float* c,
             std::int64_t cStride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
             bool add) {
    for (std::int64_t j = 0; j < columns; j += 16) {
        std::int64_t r = 0;
        const auto tile = [&](auto kernel) {
            kernel(a + r * aStride, aStride, b + j, bStride, c + r * cStride + j, cStride, depth,
                   add);
        };
        for (; r + kMaxRows <= rows; r += kMaxRows) tile(micro<kMaxRows>);
        switch (rows - r) {
            case 5:
                tile(micro<5>);
                break;
            case 4:
                tile(micro<4>);
                break;
            case 3:
                tile(micro<3>);
                break;
            case 2:
                tile(micro<2>);
                break;
            case 1:
                tile(micro<1>);
                break;
            default:
                break;
        }
    }
}

/// Eight (or n < 8, then zeros) stored elements as f32.
template <DType kType>
__m256 widen(const char* p, std::int64_t i, std::int64_t n) {
    if constexpr (kType == DType::F32) {
        const auto* f = reinterpret_cast<const float*>(p) + i;
        return n >= 8 ? _mm256_loadu_ps(f) : _mm256_maskload_ps(f, laneMask(n));
    } else {
        __m128i raw;
        if (n >= 8) {
            raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 2 * i));
        } else {
            alignas(16) std::uint16_t part[8] = {};
            std::memcpy(part, p + 2 * i, static_cast<std::size_t>(n) * 2);
            raw = _mm_load_si128(reinterpret_cast<const __m128i*>(part));
        }
        return kType == DType::F16 ? _mm256_cvtph_ps(raw) : bf16ToFloat(raw);
    }
}

/// keys[headDim][64] = transposed keys; keys past the tile repeat a valid one (masked later).
template <DType kType>
void widenKeys(const char* const (&key)[kKeys], std::int64_t headDim, std::int64_t end,
               float* keys) {
    for (std::int64_t j = 0; j < end; j += 8) {
        for (std::int64_t i = 0; i < headDim; i += 8) {
            __m256 r[8];
            for (int u = 0; u < 8; ++u) r[u] = widen<kType>(key[j + u], i, headDim - i);
            transpose8(r);
            for (int u = 0; u < 8; ++u) _mm256_storeu_ps(keys + (i + u) * kKeys + j, r[u]);
        }
    }
}

template <DType kType>
void widenValues(const char* const (&value)[kKeys], std::int64_t headDim, std::int64_t dim,
                 std::int64_t begin, std::int64_t end, float* values) {
    for (std::int64_t j = begin; j < end; ++j)
        for (std::int64_t i = 0; i < headDim; i += 8)
            _mm256_storeu_ps(values + j * dim + i, widen<kType>(value[j], i, headDim - i));
}

/// One item at work: its rows (token-major, then head of the group) and its parts of the scratch.
struct Work {
    const AttentionArgs& args;
    AttentionItem item;
    std::int64_t groupSize, rows, dim;  ///< dim: headDim rounded up to 16
    std::int64_t first, last;           ///< positions any row sees: [first, last]
    float *q, *acc, *scores, *keys, *values, *best, *total;
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

void flashTile(const Work& w, const KeyTile& tile) {
    const AttentionArgs& args = w.args;
    loadKeys(w, tile);
    product(w.q, w.dim, w.keys, kKeys, w.scores, kKeys, w.rows, roundUp(tile.end, 16),
            args.kv.headDim, false);
    for (std::int64_t r = 0; r < w.rows; ++r) {
        float* scores = w.scores + r * kKeys;
        const Reach seen = reach(args, w.position(r), tile.base, kKeys);
        if (seen.low >= seen.high) {
            std::memset(scores, 0, kKeys * sizeof(float));
            continue;
        }
        const float before = w.best[r];
        const float sum = softmaxRow(args, scores, kKeys, seen, &w.best[r]);
        // Nothing seen so far: e^(-inf - best) = 0 clears an empty accumulator.
        const float keep = before == w.best[r] ? 1.0F : expOf(before - w.best[r]);
        w.total[r] = w.total[r] * keep + sum;
        if (keep != 1.0F) scaleRow(w.acc + r * w.dim, w.dim, keep);
    }
    loadValues(w, tile);
    product(w.scores + tile.begin, kKeys, w.values + tile.begin * w.dim, w.dim, w.acc, w.dim,
            w.rows, w.dim, tile.end - tile.begin, true);
}

void naiveItem(const Work& w) {
    const std::int64_t start = w.first / kKeys * kKeys;
    const std::int64_t count = roundUp(w.last + 1 - start, kKeys);
    for (std::int64_t base = start; base <= w.last; base += kKeys) {
        const KeyTile tile = keyTile(w, base);
        loadKeys(w, tile);
        product(w.q, w.dim, w.keys, kKeys, w.scores + base - start, w.scoreStride, w.rows,
                roundUp(tile.end, 16), w.args.kv.headDim, false);
    }
    for (std::int64_t r = 0; r < w.rows; ++r) {
        float* scores = w.scores + r * w.scoreStride;
        const Reach seen = reach(w.args, w.position(r), start, count);
        if (seen.low >= seen.high)
            std::memset(scores, 0, static_cast<std::size_t>(count) * sizeof(float));
        else
            w.total[r] = softmaxRow(w.args, scores, count, seen, &w.best[r]);
    }
    for (std::int64_t base = start; base <= w.last; base += kKeys) {
        const KeyTile tile = keyTile(w, base);
        loadValues(w, tile);
        product(w.scores + base - start + tile.begin, w.scoreStride, w.values + tile.begin * w.dim,
                w.dim, w.acc, w.dim, w.rows, w.dim, tile.end - tile.begin, true);
    }
}

/// Divides the rows of the scratch into the item's parts; sizes as in attentionScratchFloats().
Work setUp(const AttentionArgs& args, std::int64_t index) {
    Work w{args,
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
           nullptr,
           nullptr,
           nullptr,
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
    w.acc = take(w.rows * w.dim);
    w.best = take(w.rows);
    w.total = take(w.rows);
    if (args.kind == AttentionKind::Naive) w.scoreStride = roundUp(larger(0, w.last + 1), kKeys);
    w.scores = take(0);
    return w;
}

void attendItem(const AttentionArgs& args, std::int64_t index) {
    const Work w = setUp(args, index);
    const std::int64_t headDim = args.kv.headDim;
    const std::int64_t firstHead = w.item.kvHead * w.groupSize;
    for (std::int64_t r = 0; r < w.rows; ++r) {
        const std::int64_t token = w.item.tokenBegin + r / w.groupSize;
        const float* q = args.q + token * args.qStride + (firstHead + r % w.groupSize) * headDim;
        std::memcpy(w.q + r * w.dim, q, static_cast<std::size_t>(headDim) * sizeof(float));
        w.best[r] = -__builtin_inff();
        w.total[r] = 0.0F;
    }
    std::memset(w.acc, 0, static_cast<std::size_t>(w.rows * w.dim) * sizeof(float));
    if (headDim % 16 != 0)  // the padding columns of the values
        std::memset(w.values, 0, static_cast<std::size_t>(w.dim * kKeys) * sizeof(float));
    if (args.kind == AttentionKind::Naive) {
        if (w.last >= 0) naiveItem(w);
    } else {
        for (std::int64_t base = w.first / kKeys * kKeys; base <= w.last; base += kKeys)
            flashTile(w, keyTile(w, base));
    }
    for (std::int64_t r = 0; r < w.rows; ++r) {
        const std::int64_t token = w.item.tokenBegin + r / w.groupSize;
        float* out = args.out + (token * args.nHeads + firstHead + r % w.groupSize) * headDim;
        scaleRow(w.acc + r * w.dim, w.dim, w.total[r] > 0.0F ? 1.0F / w.total[r] : 0.0F);
        std::memcpy(out, w.acc + r * w.dim, static_cast<std::size_t>(headDim) * sizeof(float));
    }
}

}  // namespace

void attention(const AttentionArgs& args) {
    for (std::int64_t i = args.itemBegin; i < args.itemEnd; ++i) attendItem(args, i);
}

}  // namespace lanescope::kernels::avx2

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
    std::int64_t groupSize;
    KvSlice keySlice, valueSlice;
    std::int64_t rows = 0, dim = 0;    ///< dim: headDim rounded up to 16
    std::int64_t first = 0, last = 0;  ///< positions any row sees are in [first, last]
    bool picks = false;                ///< rows may see nothing in between
    /// Keys are coded a block at a time: the rows' own blocks begin at [firstTail, lastTail].
    bool hasTails = false;
    std::int64_t firstTail = 0, lastTail = 0;
    float *q = nullptr, *qSinks = nullptr;  ///< [rows, dim]; qSinks null: as q
    float *keys = nullptr, *values = nullptr;
    float* part = nullptr;    ///< [rows, 64]: scores of a tile
    float* scores = nullptr;  ///< [rows, scoreStride]: Flash: part
    std::int64_t scoreStride = kKeys;
    Sums sums{}, stretch{};  ///< of all keys so far, of the present stretch
};

/// Where a tile's keys are read: as coded in the cache, or as they are in the tails of their blocks
/// (PagedKv::tail).
enum class KeySource : std::uint8_t { Cache, Tail };

/// The keys of one tile that are taken together, as offsets from its first position `base`.
struct KeyTile {
    std::int64_t base, begin, end;
    KeySource source;
    const float* q;  ///< the rows' queries for them
};

/// The rows of a tile. Entries outside [begin, end), and those of blocks that are gone (nobody sees
/// them), repeat one that is there. False: none is.
bool rowAddresses(const Work& w, const KeyTile& tile, KvPart part, KvRow (&out)[kKeys]) {
    const PagedKv& kv = w.args.kv;
    const bool keys = part == KvPart::Keys;
    const bool tail = keys && tile.source == KeySource::Tail;
    KvSlice layout = keys ? w.keySlice : w.valueSlice;
    const char* storage = static_cast<const char*>(keys ? kv.k : kv.v);
    if (tail) {
        layout = {2 * kv.headDim, 0, 2 * kv.headDim * kv.blockTokens};
        storage = static_cast<const char*>(kv.tail);
    }
    // What scales a row: its own entry, or the slice's.
    const std::int64_t scaleStep = codesWholeBlocks(keys ? kv.kFormat : kv.vFormat, part) ? 0 : 4;
    const KvRow* there = nullptr;
    bool whole = tile.begin == 0 && tile.end == kKeys;
    std::int64_t j = tile.begin;
    while (j < tile.end) {
        const std::int64_t index = (tile.base + j) / kv.blockTokens;
        const std::int64_t slot = (tile.base + j) % kv.blockTokens;
        const std::int64_t block = tail ? kv.tailTable[index] : kv.blockTable[index];
        const std::int64_t n = smaller(kv.blockTokens - slot, tile.end - j);
        if (block < 0) {
            for (std::int64_t i = 0; i < n; ++i) out[j + i] = {};
            whole = false;
        } else {
            const char* slice = storage + (block * kv.nKvHeads + w.item.kvHead) * layout.bytes;
            for (std::int64_t i = 0; i < n; ++i)
                out[j + i] = {slice + (slot + i) * layout.rowBytes,
                              slice + layout.scaleOffset + (slot + i) * scaleStep};
            there = &out[j];
        }
        j += n;
    }
    if (there == nullptr) return false;
    if (whole) return true;
    const KvRow row = *there;
    for (std::int64_t i = 0; i < kKeys; ++i)
        if (i < tile.begin || i >= tile.end || out[i].codes == nullptr) out[i] = row;
    return true;
}

bool loadKeys(const Work& w, const KeyTile& tile) {
    KvRow row[kKeys];
    if (!rowAddresses(w, tile, KvPart::Keys, row)) return false;
    const KvFormat format = tile.source == KeySource::Tail ? KvFormat::F16 : w.args.kv.kFormat;
    withFormat(format, [&](auto f) {
        widenKeys<decltype(f)::value>(row, w.args.kv.headDim, tile.end, w.keys);
    });
    return true;
}

bool loadValues(const Work& w, const KeyTile& tile) {
    KvRow row[kKeys];
    if (!rowAddresses(w, tile, KvPart::Values, row)) return false;
    withFormat(w.args.kv.vFormat, [&](auto f) {
        widenValues<decltype(f)::value>(row, w.args.kv.headDim, w.dim, tile.begin, tile.end,
                                        w.values);
    });
    return true;
}

/// Bits of positions [low, high) of [0, 64).
std::uint64_t bitsOf(std::int64_t low, std::int64_t high) {
    low = larger(low, 0);
    high = smaller(high, kKeys);
    if (low >= high) return 0;
    const std::uint64_t below = high == kKeys ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1;
    return below & (~std::uint64_t{0} << low);
}

/// Which of a tile's keys a row sees: bit j is position base + j.
std::uint64_t keysSeen(const Work& w, std::int64_t row, const KeyTile& tile) {
    const AttentionArgs& args = w.args;
    const std::int64_t token = w.item.tokenBegin + row / w.groupSize;
    const std::int64_t position = args.positions[token];
    const std::int64_t at = position - tile.base;
    std::uint64_t seen = bitsOf(0, at + 1);
    if (args.window > 0)
        seen &= bitsOf(at - args.window + 1, kKeys) | bitsOf(0, args.sinks - tile.base);
    if (w.hasTails) {
        const std::int64_t own = position / args.kv.blockTokens * args.kv.blockTokens - tile.base;
        seen &= tile.source == KeySource::Tail ? bitsOf(own, kKeys) : bitsOf(0, own);
    }
    if (args.mask.words != nullptr && seen != 0) {
        const std::int64_t group = args.mask.groupTokens;
        const std::uint64_t* words =
            args.mask.words + token * args.mask.tokenStride + w.item.kvHead * args.mask.headStride;
        const std::int64_t last = smaller(tile.base + kKeys - 1, position);
        for (std::int64_t g = tile.base / group; g <= last / group; ++g)
            if ((words[g / 64] >> (g % 64) & 1U) == 0)
                seen &= ~bitsOf(g * group - tile.base, (g + 1) * group - tile.base);
    }
    return seen & bitsOf(tile.begin, tile.end);
}

/// Scaled, capped and masked scores of eight keys; `seen` has their bits.
__m256 finishScores(const AttentionArgs& args, __m256 raw, unsigned seen) {
    __m256 s = _mm256_mul_ps(raw, _mm256_set1_ps(args.scale));
    if (args.softcap > 0.0F) {
        const __m256 cap = _mm256_set1_ps(args.softcap);
        s = _mm256_mul_ps(tanhPs(_mm256_div_ps(s, cap)), cap);
    }
    if (seen == 0xFF) return s;
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i is =
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(seen)), bit), bit);
    return _mm256_blendv_ps(_mm256_set1_ps(-__builtin_inff()), s, _mm256_castsi256_ps(is));
}

void scaleRow(float* row, std::int64_t dim, float factor) {
    const __m256 f = _mm256_set1_ps(factor);
    for (std::int64_t i = 0; i < dim; i += 8)
        _mm256_storeu_ps(row + i, _mm256_mul_ps(_mm256_loadu_ps(row + i), f));
}

float expOf(float x) {
    return _mm256_cvtss_f32(expPs(_mm256_set1_ps(x)));
}

/// Finishes the scores of a tile's row; returns the greater of `best` and their maximum.
float finishRow(const AttentionArgs& args, float* scores, std::uint64_t seen, float best) {
    __m256 top = _mm256_set1_ps(best);
    for (std::int64_t j = 0; j < kKeys; j += 8) {
        const __m256 s = finishScores(args, _mm256_loadu_ps(scores + j), seen >> j & 0xFFU);
        _mm256_storeu_ps(scores + j, s);
        top = _mm256_max_ps(top, s);
    }
    return maxLanes(top);
}

/// Finished scores become weights e^(score - best); adds them up lane by lane.
void weighRow(float* scores, float best, __m256& sum) {
    const __m256 shift = _mm256_set1_ps(best == -__builtin_inff() ? 0.0F : best);
    for (std::int64_t j = 0; j < kKeys; j += 8) {
        const __m256 p = expPs(_mm256_sub_ps(_mm256_loadu_ps(scores + j), shift));
        _mm256_storeu_ps(scores + j, p);
        sum = _mm256_add_ps(sum, p);
    }
}

void flashTile(const Work& w, const Sums& sums, const KeyTile& tile) {
    const AttentionArgs& args = w.args;
    if (!loadKeys(w, tile)) return;
    w.product(tile.q, w.dim, w.keys, kKeys, w.part, kKeys, w.rows, roundUp(tile.end, 16),
              args.kv.headDim, false);
    std::uint64_t seen = 0;
    for (std::int64_t r = 0; r < w.rows; ++r) {
        float* scores = w.part + r * kKeys;
        if (r % w.groupSize == 0) seen = keysSeen(w, r, tile);
        if (seen == 0) {
            std::memset(scores, 0, kKeys * sizeof(float));
            continue;
        }
        const float before = sums.best[r];
        sums.best[r] = finishRow(args, scores, seen, before);
        __m256 sum = _mm256_setzero_ps();
        weighRow(scores, sums.best[r], sum);
        // Nothing seen so far: e^(-inf - best) = 0 clears an empty accumulator.
        const float keep = before == sums.best[r] ? 1.0F : expOf(before - sums.best[r]);
        sums.total[r] = sums.total[r] * keep + sumLanes(sum);
        if (keep != 1.0F) scaleRow(sums.acc + r * w.dim, w.dim, keep);
    }
    loadValues(w, tile);
    w.product(w.part + tile.begin, kKeys, w.values + tile.begin * w.dim, w.dim, sums.acc, w.dim,
              w.rows, w.dim, tile.end - tile.begin, true);
}

/// Whether any row sees any of them.
bool anySeen(const Work& w, const KeyTile& tile) {
    for (std::int64_t r = 0; r < w.rows; r += w.groupSize)
        if (keysSeen(w, r, tile) != 0) return true;
    return false;
}

/// The parts of the keys [base, base + 64) that are taken together, in order, those that some row
/// sees. A part that a row sees nothing of leaves its sums as they are, so that it does not matter
/// for it whether other rows have it taken.
template <class Fn>
void eachPart(const Work& w, std::int64_t base, Fn&& fn) {
    const std::int64_t begin = larger(0, w.first - base);
    const std::int64_t end = smaller(kKeys, w.last + 1 - base);
    const auto take = [&](std::int64_t from, std::int64_t to, KeySource source, const float* q) {
        const KeyTile tile{base, from, to, source, q};
        if (from < to && (!w.picks || anySeen(w, tile))) fn(tile);
    };
    const auto fromBoth = [&](std::int64_t from, std::int64_t to, const float* q) {
        if (!w.hasTails) return take(from, to, KeySource::Cache, q);
        take(from, smaller(to, w.lastTail - base), KeySource::Cache, q);
        take(larger(from, w.firstTail - base), to, KeySource::Tail, q);
    };
    const std::int64_t sinks = w.qSinks != nullptr ? smaller(w.args.sinks - base, end) : 0;
    if (sinks > 0) fromBoth(begin, sinks, w.qSinks);
    fromBoth(larger(begin, sinks), end, w.q);
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
        eachPart(w, base, [&](const KeyTile& tile) { flashTile(w, sums, tile); });
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

/// All scores of a row, then all weights, then all values: what flash attention saves.
void naiveItem(const Work& w) {
    const std::int64_t start = w.first / kKeys * kKeys;
    const auto rowAt = [&](std::int64_t r, std::int64_t base) {
        return w.scores + r * w.scoreStride + base - start;
    };
    const auto eachTile = [&](auto&& fn) {
        for (std::int64_t base = start; base <= w.last; base += kKeys) fn(base);
    };
    eachTile([&](std::int64_t base) {
        for (std::int64_t r = 0; r < w.rows; ++r)
            for (std::int64_t j = 0; j < kKeys; ++j) rowAt(r, base)[j] = -__builtin_inff();
        eachPart(w, base, [&](const KeyTile& tile) {
            if (!loadKeys(w, tile)) return;
            w.product(tile.q, w.dim, w.keys, kKeys, w.part, kKeys, w.rows, roundUp(tile.end, 16),
                      w.args.kv.headDim, false);
            for (std::int64_t r = 0; r < w.rows; ++r) {
                const std::uint64_t seen = keysSeen(w, r, tile);
                if (seen == 0) continue;
                float* part = w.part + r * kKeys;
                w.sums.best[r] = finishRow(w.args, part, seen, w.sums.best[r]);
                for (std::int64_t j = 0; j < kKeys; j += 8) {
                    const __m256 finished = _mm256_loadu_ps(part + j);
                    float* out = rowAt(r, base) + j;
                    _mm256_storeu_ps(out, _mm256_max_ps(_mm256_loadu_ps(out), finished));
                }
            }
        });
    });
    for (std::int64_t r = 0; r < w.rows; ++r) {
        __m256 sum = _mm256_setzero_ps();
        eachTile([&](std::int64_t base) { weighRow(rowAt(r, base), w.sums.best[r], sum); });
        w.sums.total[r] = sumLanes(sum);
    }
    eachTile([&](std::int64_t base) {
        const KeyTile tile{base, larger(0, w.first - base), smaller(kKeys, w.last + 1 - base),
                           KeySource::Cache, nullptr};
        if (!loadValues(w, tile)) return;
        w.product(w.scores + base - start + tile.begin, w.scoreStride,
                  w.values + tile.begin * w.dim, w.dim, w.sums.acc, w.dim, w.rows, w.dim,
                  tile.end - tile.begin, true);
    });
}

/// AttentionArgs::mass of an item, whose weights and their sums are there.
void writeMass(const Work& w) {
    const AttentionArgs& args = w.args;
    const std::int64_t start = w.first / kKeys * kKeys;
    for (std::int64_t t = w.item.tokenBegin; t < w.item.tokenEnd; ++t) {
        float* mass = args.mass + (t * args.kv.nKvHeads + w.item.kvHead) * args.massStride;
        const std::int64_t end = args.positions[t] + 1;
        const std::int64_t firstRow = (t - w.item.tokenBegin) * w.groupSize;
        for (std::int64_t g = 0; g * args.massGroup < end; ++g) {
            const std::int64_t from = larger(g * args.massGroup, start);
            const std::int64_t to = smaller((g + 1) * args.massGroup, end);
            float sum = 0.0F;
            for (std::int64_t r = firstRow; r < firstRow + w.groupSize; ++r) {
                if (w.sums.total[r] <= 0.0F) continue;
                const float* weights = w.scores + r * w.scoreStride - start;
                float own = 0.0F;
                for (std::int64_t p = from; p < to; ++p) own += weights[p];
                sum += own / w.sums.total[r];
            }
            mass[g] = sum;
        }
    }
}

/// Finds the item's rows and keys and divides the scratch into its parts (sizes:
/// attentionScratchFloats()); copies its queries there.
Work setUp(AttentionProduct product, const AttentionArgs& args, std::int64_t index) {
    const PagedKv& kv = args.kv;
    Work w{.args = args,
           .product = product,
           .item = attentionItem(args, index),
           .groupSize = args.nHeads / kv.nKvHeads,
           .keySlice = kv.keySlice(),
           .valueSlice = kv.valueSlice()};
    w.rows = (w.item.tokenEnd - w.item.tokenBegin) * w.groupSize;
    w.dim = roundUp(kv.headDim, 16);
    w.last = args.positions[w.item.tokenEnd - 1];
    const std::int64_t start = args.positions[w.item.tokenBegin];
    w.picks = args.mask.words != nullptr || args.sinks > 0;
    if (args.window > 0 && args.sinks == 0) w.first = larger(0, start - args.window + 1);
    w.hasTails = codesWholeBlocks(kv.kFormat, KvPart::Keys);
    w.firstTail = larger(0, start) / kv.blockTokens * kv.blockTokens;
    w.lastTail = larger(0, w.last) / kv.blockTokens * kv.blockTokens;

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
    if (args.sinks > 0 && args.qSinks != nullptr) w.qSinks = take(w.rows * w.dim);
    w.part = w.scores = take(w.rows * kKeys);
    w.sums = sumsAt(take(w.rows * (w.dim + 2)), w.rows, w.dim);
    w.stretch = sumsAt(take(w.rows * (w.dim + 2)), w.rows, w.dim);
    if (args.kind == AttentionKind::Naive) {
        w.scoreStride = roundUp(larger(0, w.last + 1), kKeys);
        w.scores = take(0);
    }

    const std::int64_t firstHead = w.item.kvHead * w.groupSize;
    const auto copyRows = [&](const float* from, float* to) {
        for (std::int64_t r = 0; r < w.rows; ++r) {
            const std::int64_t token = w.item.tokenBegin + r / w.groupSize;
            const std::int64_t head = firstHead + r % w.groupSize;
            std::memcpy(to + r * w.dim, from + token * args.qStride + head * kv.headDim,
                        static_cast<std::size_t>(kv.headDim) * sizeof(float));
        }
    };
    copyRows(args.q, w.q);
    if (w.qSinks != nullptr) copyRows(args.qSinks, w.qSinks);
    if (kv.headDim % 16 != 0)  // the padding columns of the values
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
        if (args.mass != nullptr) writeMass(w);
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

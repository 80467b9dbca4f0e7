// y = x · Wᵀ with int8 activations: the tiles of panel_loop.h for 256-bit vectors, 16 rows x 4
// tokens. Dots are exact in 16 and 32 bits: 4-bit weights sum a whole block in 16 bits before one
// widening, so a block of 8 x 32 costs nine multiplies. y itself keeps the sums between chunks.
// Order of operations: panel.h.

#include <algorithm>
#include <bit>

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_block.h"
#include "kernels/cpu/panel_loop.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Four activations (columns 4g .. 4g + 3) in every lane.
inline __m256i broadcast4(const void* p) {
    int v;
    std::memcpy(&v, p, sizeof v);
    return _mm256_set1_epi32(v);
}

/// Keeps the sum in a register here: GCC 12 otherwise sinks the adds below all multiplies of the
/// block and spills every product (12 instead of 6 cycles a block of 8 x 32).
inline void pin(__m256i& v) {
    asm("" : "+x"(v));
}

inline __m256i load(const void* p) {
    return _mm256_load_si256(static_cast<const __m256i*>(p));
}

/// The scales of one half of the block, twice a row: the other factor of a widening multiply.
inline __m256i halfScales(__m256i both, int half) {
    const __m256i low = _mm256_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13, 0, 1,
                                         0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13);
    return _mm256_shuffle_epi8(both, half == 0 ? low : _mm256_add_epi8(low, _mm256_set1_epi8(2)));
}

/// One block of activations of a tile's tokens, token after token at fixed distances: few addresses
/// stay in registers.
struct TileActs {
    const std::int8_t* q;       ///< 32 codes a token
    const std::int16_t* sum16;  ///< two sums a token
    const float* scale;         ///< one scale a token
    std::int64_t nCols;         ///< codes to the next token
    std::int64_t nBlocks;       ///< scales to the next token

    [[nodiscard]] const std::int8_t* codes(int t) const { return q + nCols * t; }
    [[nodiscard]] __m256i sums(int t) const { return broadcast4(sum16 + 2 * nBlocks * t); }
    [[nodiscard]] __m256 scales(int t) const { return _mm256_broadcast_ss(scale + nBlocks * t); }
    /// The codes of the next tile of four tokens, a cache line of each every other block.
    void prefetchNext(int b) const {
        const int t = 2 * (b % 2);
        for (int i = t; i < t + 2; ++i)
            _mm_prefetch(reinterpret_cast<const char*>(codes(4 + i)), _MM_HINT_T0);
    }
    void next() {
        q += kActsBlock;
        sum16 += 2;
        ++scale;
    }
};

/// Sums of kP half panels and kT tokens. Many of them stay in memory, where each block reads and
/// writes every sum once: the dots want all registers.
template <int kP, int kT>
class TileSums {
  public:
    // cppcheck-suppress uninitMemberVar  // every sum is set before it is read
    TileSums() {
        // Hides the array: GCC 12 otherwise keeps a copy on the stack and stores every sum twice.
        if constexpr (kP * kT > 4) asm("" : "+r"(m_at));
    }
    TileSums(const TileSums&) = delete;
    TileSums& operator=(const TileSums&) = delete;
    [[nodiscard]] __m256 get(int p, int t) const { return _mm256_load_ps(at(p, t)); }
    void set(int p, int t, __m256 sum) { _mm256_store_ps(at(p, t), sum); }

  private:
    [[nodiscard]] float* at(int p, int t) const { return m_at + kPartRows * (kP * t + p); }
    alignas(32) float m_v[kT * kP * kPartRows];
    float* m_at = m_v;
};

/// Dots of groups [kBegin, kEnd) of a block of signed weights.
template <int kBegin, int kEnd, int kP, int kT, class Block>
inline void signedDots(const Block& block, const TileActs& a, __m256i (&dot)[kP][kT]) {
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
    for (int g = kBegin; g < kEnd; ++g) {
        // |w| <= 128 and |a| <= 127: the pair sum stays below 32767.
        __m256i v[kP];
        __m256i magnitude[kP];
#pragma GCC unroll 2
        for (int p = 0; p < kP; ++p) {
            v[p] = block.w(g, p);
            magnitude[p] = _mm256_abs_epi8(v[p]);
        }
#pragma GCC unroll 4
        for (int t = 0; t < kT; ++t) {
            const __m256i x = broadcast4(a.codes(t) + 4 * g);
#pragma GCC unroll 2
            for (int p = 0; p < kP; ++p) {
                const __m256i pairs = _mm256_maddubs_epi16(magnitude[p], _mm256_sign_epi8(x, v[p]));
                const __m256i wide = _mm256_madd_epi16(pairs, ones);
                dot[p][t] = g == kBegin ? wide : _mm256_add_epi32(dot[p][t], wide);
                pin(dot[p][t]);
            }
        }
    }
}

/// The same of unsigned weights, summed in 16 bits for as many groups as fit there and widened by
/// `factor`. Written so that a broadcast serves both halves and a weight vector all tokens.
template <int kBegin, int kEnd, int kP, int kT, class Block>
inline void unsignedDots(const Block& block, const TileActs& a, const __m256i (&factor)[kP],
                         __m256i (&dot)[kP][kT]) {
    constexpr int kFit = groupsIn16Bits(Block::kCodes.top);
    constexpr int kGroups = kFit < kEnd - kBegin ? kFit : kEnd - kBegin;
#pragma GCC unroll 8
    for (int begin = kBegin; begin < kEnd; begin += kGroups) {
        __m256i sum[kP][kT];
#pragma GCC unroll 8
        for (int g = begin; g < begin + kGroups; ++g) {
            __m256i v[kP];
#pragma GCC unroll 2
            for (int p = 0; p < kP; ++p) v[p] = block.w(g, p);
#pragma GCC unroll 4
            for (int t = 0; t < kT; ++t) {
                const __m256i x = broadcast4(a.codes(t) + 4 * g);
#pragma GCC unroll 2
                for (int p = 0; p < kP; ++p) {
                    const __m256i pairs = _mm256_maddubs_epi16(v[p], x);
                    sum[p][t] = g == begin ? pairs : _mm256_add_epi16(sum[p][t], pairs);
                    pin(sum[p][t]);
                }
            }
        }
#pragma GCC unroll 2
        for (int p = 0; p < kP; ++p) {
#pragma GCC unroll 4
            for (int t = 0; t < kT; ++t) {
                const __m256i wide = _mm256_madd_epi16(sum[p][t], factor[p]);
                dot[p][t] = begin == kBegin ? wide : _mm256_add_epi32(dot[p][t], wide);
            }
        }
    }
}

/// A block's dots of kP half panels with kT tokens; a[t] points at the block's activations. Halves
/// with whole scales of their own have them multiplied in.
template <PanelKind kKind, int kP, int kT, class Block>
inline void blockDots(const Block& block, const TileActs& a, __m256i (&dot)[kP][kT]) {
    if constexpr (Block::kCodes.isSigned) {
        signedDots<0, 8>(block, a, dot);
    } else if constexpr (hasHalves(kKind)) {
        __m256i factor[2][kP];
        for (int p = 0; p < kP; ++p) {
            __m256i sub = block.sub(p);
            if constexpr (kKind == PanelKind::Minimum2)
                sub = _mm256_and_si256(sub, _mm256_set1_epi16(0xFF));
            for (int half = 0; half < 2; ++half) factor[half][p] = halfScales(sub, half);
        }
        __m256i second[kP][kT];
        unsignedDots<0, 4>(block, a, factor[0], dot);
        unsignedDots<4, 8>(block, a, factor[1], second);
        for (int p = 0; p < kP; ++p)
            for (int t = 0; t < kT; ++t) dot[p][t] = _mm256_add_epi32(dot[p][t], second[p][t]);
    } else {
        __m256i factor[kP];
        for (int p = 0; p < kP; ++p) factor[p] = _mm256_set1_epi16(1 << Block::kCodes.log2Factor);
        unsignedDots<0, 8>(block, a, factor, dot);
    }
}

/// acc of one (half panel, token) after one block: the fixed order of panel.h.
template <PanelKind kKind, class Block>
inline __m256 accumulate(__m256i dot, __m256i sums, __m256 scale, const Block& block, int p,
                         __m256 acc) {
    constexpr int kZero = Block::kCodes.zero;
    if constexpr (Block::kCodes.rowZeros) {
        dot = _mm256_sub_epi32(dot, _mm256_madd_epi16(sums, block.sub(p)));
    } else if constexpr (kZero != 0) {
        if constexpr (kKind == PanelKind::Scaled6) {
            static_assert(std::has_single_bit(static_cast<unsigned>(kZero)));
            const __m256i shift = _mm256_madd_epi16(sums, block.sub(p));
            dot = _mm256_sub_epi32(
                dot, _mm256_slli_epi32(shift, std::countr_zero(static_cast<unsigned>(kZero))));
        } else {
            dot = _mm256_sub_epi32(dot, _mm256_madd_epi16(sums, _mm256_set1_epi16(kZero)));
        }
    }
    const __m256 d = block.d(p);
    __m256 v = _mm256_mul_ps(d, _mm256_cvtepi32_ps(dot));
    if constexpr (hasMinimum(kKind)) {
        __m256i minimum = _mm256_set1_epi16(1);
        if constexpr (kKind == PanelKind::Minimum2) minimum = _mm256_srli_epi16(block.sub(p), 8);
        const __m256 total = _mm256_cvtepi32_ps(_mm256_madd_epi16(sums, minimum));
        v = _mm256_fmadd_ps(block.m(p), total, v);
    }
    return _mm256_fmadd_ps(scale, v, acc);
}

/// Dots of one half of a Split8 block, in values.
template <int kHalf, int kP, int kT, class Block>
inline void halfDots(const Block& block, const TileActs& a, __m256i (&dot)[kP][kT]) {
    if constexpr (Block::kCodes.isSigned) {
        signedDots<4 * kHalf, 4 * kHalf + 4>(block, a, dot);
    } else {
        __m256i factor[kP];
        for (int p = 0; p < kP; ++p) factor[p] = _mm256_set1_epi16(1 << Block::kCodes.log2Factor);
        unsignedDots<4 * kHalf, 4 * kHalf + 4>(block, a, factor, dot);
        for (int t = 0; t < kT; ++t) {
            const __m256i shift =
                _mm256_set1_epi32(Block::kCodes.zero * a.sum16[2 * a.nBlocks * t + kHalf]);
            for (int p = 0; p < kP; ++p) dot[p][t] = _mm256_sub_epi32(dot[p][t], shift);
        }
    }
}

/// A whole block of Split8: the halves have scales of their own.
template <int kP, int kT, class Block>
inline void splitBlock(const Block& block, const TileActs& a, TileSums<kP, kT>& sums) {
    __m256i dot[kP][kT];
    __m256 v[kP][kT];
    halfDots<0, kP, kT>(block, a, dot);
    for (int p = 0; p < kP; ++p)
        for (int t = 0; t < kT; ++t)
            v[p][t] = _mm256_mul_ps(block.d(p), _mm256_cvtepi32_ps(dot[p][t]));
    halfDots<1, kP, kT>(block, a, dot);
    for (int p = 0; p < kP; ++p) {
        const __m256 d = block.m(p);
        for (int t = 0; t < kT; ++t) {
            v[p][t] = _mm256_fmadd_ps(d, _mm256_cvtepi32_ps(dot[p][t]), v[p][t]);
            sums.set(p, t, _mm256_fmadd_ps(a.scales(t), v[p][t], sums.get(p, t)));
        }
    }
}

template <PanelKind kKind, int kP, int kT, class Block>
inline void wholeBlock(const Block& block, const TileActs& a, TileSums<kP, kT>& sums) {
    __m256i dot[kP][kT];
    blockDots<kKind, kP, kT>(block, a, dot);
#pragma GCC unroll 4
    for (int t = 0; t < kT; ++t) {
        const __m256i pair = a.sums(t);
        const __m256 scale = a.scales(t);
#pragma GCC unroll 2
        for (int p = 0; p < kP; ++p)
            sums.set(p, t, accumulate<kKind>(dot[p][t], pair, scale, block, p, sums.get(p, t)));
    }
}

/// Reads and writes the outputs of a tile: whole vectors where its rows fill them, since a masked
/// store takes tens of instructions on some processors.
template <int kP>
class TileRows {
  public:
    explicit TileRows(std::int64_t nRows) : m_whole(nRows >= kPartRows * kP) {
        for (int p = 0; p < kP; ++p) m_mask[p] = laneMask(nRows - kPartRows * p);
    }
    [[nodiscard]] __m256 load(const float* from, int p) const {
        if (m_whole) return _mm256_loadu_ps(from + kPartRows * p);
        return _mm256_maskload_ps(from + kPartRows * p, m_mask[p]);
    }
    void store(float* to, int p, __m256 v) const {
        if (m_whole)
            _mm256_storeu_ps(to + kPartRows * p, v);
        else
            _mm256_maskstore_ps(to + kPartRows * p, m_mask[p], v);
    }

  private:
    bool m_whole;
    __m256i m_mask[kP];
};

template <PanelKind kKind, int kP, int kT, class Source>
void tile(const Chunk& c, const Source& source, std::int64_t token) {
    const ActsQ8& x = *c.args.xq;
    const std::int64_t rowBlocks = c.args.nCols / kActsBlock;
    const std::int64_t at = token * rowBlocks + c.block;
    TileActs a{x.q + at * kActsBlock, x.sum16 + 2 * at, x.scale + at, c.args.nCols, rowBlocks};
    const TileRows<kP> rows(c.nRows);
    float* y = c.args.y + token * c.args.yStride + c.row;
    TileSums<kP, kT> sums;
    for (int t = 0; t < kT; ++t)
        for (int p = 0; p < kP; ++p)
            sums.set(p, t, c.first ? _mm256_setzero_ps() : rows.load(y + t * c.args.yStride, p));
    for (int b = 0; b < c.nBlocks; ++b, a.next()) {
        const auto block = source.block(b);
        source.prefetch(b);
        if constexpr (kT == 4) a.prefetchNext(b);
        if constexpr (kKind == PanelKind::Split8)
            splitBlock(block, a, sums);
        else
            wholeBlock<kKind>(block, a, sums);
    }
    const float* bias = c.last ? c.args.bias : nullptr;
    for (int t = 0; t < kT; ++t) {
        for (int p = 0; p < kP; ++p) {
            __m256 v = sums.get(p, t);
            if (bias != nullptr) v = _mm256_add_ps(v, rows.load(bias + c.row, p));
            rows.store(y + t * c.args.yStride, p, v);
        }
    }
}

template <PanelKind kKind, int kP, class Source>
void allTokens(const Chunk& c, const Source& source) {
    std::int64_t t = 0;
    for (; t + 4 <= c.args.nTokens; t += 4) tile<kKind, kP, 4>(c, source, t);
    if ((c.args.nTokens - t) / 2 == 1) {
        tile<kKind, kP, 2>(c, source, t);
        t += 2;
    }
    if (c.args.nTokens - t == 1) tile<kKind, kP, 1>(c, source, t);
}

// Up to so many tokens, packed weights are decoded in registers on their way from memory, which is
// what bounds the speed; with more of them each panel is decoded once, into L1.
constexpr std::int64_t kDirectTokens = 12;

template <DType kType>
void expand(const PackedBlock<kType>& block, Panel& panel, int b) {
    constexpr PanelKind kKind = panelKind(kType);
#pragma GCC unroll 2
    for (int p = 0; p < 2; ++p) {
#pragma GCC unroll 8
        for (int g = 0; g < 8; ++g)
            _mm256_store_si256(reinterpret_cast<__m256i*>(panel.w[b][g] + 32 * p), block.w(g, p));
        _mm256_store_ps(panel.d[b] + 8 * p, block.d(p));
        if constexpr (hasMinimum(kKind) || kKind == PanelKind::Split8)
            _mm256_store_ps(panel.m[b] + 8 * p, block.m(p));
        if constexpr (kKind == PanelKind::Scaled6 || kKind == PanelKind::Minimum2 ||
                      packedCodes(kType).rowZeros)
            _mm256_store_si256(reinterpret_cast<__m256i*>(panel.sub[b] + 16 * p), block.sub(p));
    }
}

template <DType kType>
void throughL1(const Chunk& whole, const PackedSource<PackedBlock<kType>>& source) {
    Panel panel;
    for (int from = 0; from < whole.nBlocks; from += kPanelBlocks) {
        const int count = std::min(whole.nBlocks - from, kPanelBlocks);
        for (int b = 0; b < count; ++b) {
            source.prefetch(from + b);
            expand<kType>(source.block(from + b), panel, b);
        }
        const Chunk c{whole.args,
                      whole.row,
                      whole.nRows,
                      from,
                      count,
                      from == 0 && whole.first,
                      from + count == whole.nBlocks};
        allTokens<panelKind(kType), 2>(c, PanelSource<PanelBlock<packedCodes(kType)>>{panel});
    }
}

/// The two places blocks come from.
struct Kernel {
    static constexpr bool kWholePanels = false;  ///< half a panel is a tile of its own
    template <PanelKind kKind>
    static void run(const Chunk& c, const Panel& panel) {
        const PanelSource<PanelBlock<panelCodes(kKind)>> source{panel};
        if (c.nRows > kPartRows)
            allTokens<kKind, 2>(c, source);
        else
            allTokens<kKind, 1>(c, source);
    }
    template <DType kType>
    static void run(const Chunk& c, const std::uint8_t* panel) {
        const PackedSource<PackedBlock<kType>> source{panel};
        if (c.args.nTokens <= kDirectTokens)
            allTokens<panelKind(kType), 2>(c, source);
        else
            throughL1<kType>(c, source);
    }
};

}  // namespace

void matmulFast(const MatmulArgs& args) {
    if (args.nCols == 0) return matmulExact(args);
    panelProduct<Kernel>(args);
}

void matmul(const MatmulArgs& args) {
    if (args.xq != nullptr)
        matmulFast(args);
    else
        matmulExact(args);
}

}  // namespace lanescope::kernels::avx2

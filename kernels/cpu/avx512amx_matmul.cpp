// y = x · Wᵀ with int8 activations by AMX: sixteen tokens x 16 rows, one tile multiply a block of
// 32 columns, because the scales change there. A panel's block is a tile of weights as it lies:
// tile row g holds columns 4g .. 4g + 3 of all 16 rows. Dots are exact, then avx512_tile.h's order
// of floats: the same bits as every other form. What is left below sixteen tokens goes the VNNI
// way, and so do kinds whose halves have scales of their own: a tile multiply takes as long for
// half a block. Tests also compile this file over emulated intrinsics
// (tests/kernels/support/emulated_amx.h).

#include "kernels/cpu/avx512amx.h"

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx512_tile.h"
#include "kernels/cpu/avx512amx_tiles.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512amx {
namespace {

using avx2::Chunk;
using avx2::PanelSource;
using avx512vnni::PackedBlock;
using avx512vnni::PanelBlock;
using avx512vnni::TokenSums;

constexpr std::int64_t kTileTokens = 16;
/// Below, unpacking a panel for tiles costs what they save.
constexpr std::int64_t kFewestTokens = 2 * kTileTokens;
/// Blocks whose dots are under way while one's are scaled: what a tile stores can be read only
/// once it has left the store buffer.
constexpr int kAhead = 3;

/// Tiles 0 and 3: dots. 1 and 4: activations. 2 and 5: weights. Two of each, so that one multiply
/// need not wait for the other's dots to be stored.
TileConfig config() {
    TileConfig out;
    for (const int first : {0, 3}) {
        out.set(first, kTileTokens, 64);
        out.set(first + 1, kTileTokens, static_cast<int>(kActsBlock));
        out.set(first + 2, kActsBlock / 4, 64);
    }
    return out;
}

/// Dots of sixteen tokens with 16 rows.
struct alignas(64) Dots {
    std::int32_t of[kTileTokens][kPanelRows];
    [[nodiscard]] __m512i token(int t) const { return _mm512_load_si512(of[t]); }
};

constexpr bool isSigned(PanelKind kind) {
    return kind == PanelKind::Signed8;
}

/// out = dots of weights w and activations a (rows `stride` apart) by tiles 0 to 2. Tile numbers
/// are part of the instruction, hence twice.
template <bool kSigned>
inline void firstDots(const std::int8_t* a, std::int64_t stride, const std::uint8_t* w, Dots& out) {
    _tile_loadd(1, a, stride);
    _tile_loadd(2, w, 64);
    _tile_zero(0);
    if constexpr (kSigned)
        _tile_dpbssd(0, 1, 2);
    else
        _tile_dpbsud(0, 1, 2);
    _tile_stored(0, out.of, 64);
}

/// The same by tiles 3 to 5.
template <bool kSigned>
inline void secondDots(const std::int8_t* a, std::int64_t stride, const std::uint8_t* w,
                       Dots& out) {
    _tile_loadd(4, a, stride);
    _tile_loadd(5, w, 64);
    _tile_zero(3);
    if constexpr (kSigned)
        _tile_dpbssd(3, 4, 5);
    else
        _tile_dpbsud(3, 4, 5);
    _tile_stored(3, out.of, 64);
}

/// Adds block b's dots, scaled, to the tokens' sums. scale: of the first token's first block of the
/// chunk, rows `rowBlocks` apart.
template <PanelKind kKind>
inline void addBlock(const Panel& panel, int b, const float* scale, std::int64_t rowBlocks,
                     const TokenSums (&sums)[kTileTokens], const Dots& dots,
                     __m512 (&acc)[kTileTokens]) {
    const PanelBlock<kKind> block(panel, b);
#pragma GCC unroll 16
    for (int t = 0; t < kTileTokens; ++t) {
        const __m512 v = avx512vnni::blockValue<kKind, zeroPoint(kKind)>(
            block, dots.token(t), dots.token(t), sums[t].first[b], 0.0F);
        acc[t] = _mm512_fmadd_ps(_mm512_set1_ps(scale[t * rowBlocks + b]), v, acc[t]);
    }
}

/// Sixteen tokens from `token` on with one chunk of a panel.
template <PanelKind kKind>
void tile(const Chunk& c, const Panel& panel, std::int64_t token) {
    const std::int64_t stride = c.args.nCols;
    const std::int8_t* a = c.args.xq->q + token * stride + c.block * kActsBlock;
    constexpr bool kSigned = isSigned(kKind);
    const std::int64_t rowBlocks = c.args.nCols / kActsBlock;
    const std::int64_t at = token * rowBlocks + c.block;
    const float* scale = c.args.xq->scale + at;
    TokenSums sums[kTileTokens];
    __m512 acc[kTileTokens];
#pragma GCC unroll 16
    for (int t = 0; t < kTileTokens; ++t) {
        sums[t].fill<kKind>(c.args.xq->sum16 + 2 * (at + t * rowBlocks), c.nBlocks);
        acc[t] = avx512vnni::beginSum(c, token + t);
    }
    Dots dots[kAhead + 1];
    const auto begin = [&](int b) {
        const std::int8_t* from = a + b * kActsBlock;
        if (b % 2 == 0)
            firstDots<kSigned>(from, stride, panel.w[b][0], dots[b % (kAhead + 1)]);
        else
            secondDots<kSigned>(from, stride, panel.w[b][0], dots[b % (kAhead + 1)]);
    };
    storesFirst();
    for (int b = 0; b < kAhead && b < c.nBlocks; ++b) begin(b);
    for (int b = 0; b < c.nBlocks; ++b) {
        if (b + kAhead < c.nBlocks) begin(b + kAhead);
        addBlock<kKind>(panel, b, scale, rowBlocks, sums, dots[b % (kAhead + 1)], acc);
    }
#pragma GCC unroll 16
    for (int t = 0; t < kTileTokens; ++t) avx512vnni::endSum(c, token + t, acc[t]);
}

template <PanelKind kKind>
void allTokens(const Chunk& c, const Panel& panel) {
    std::int64_t t = 0;
    if constexpr (!hasHalves(kKind))
        for (; t + kTileTokens <= c.args.nTokens; t += kTileTokens) tile<kKind>(c, panel, t);
    avx512vnni::allTokens<kKind>(c, PanelSource<PanelBlock<kKind>>{panel}, t);
}

/// A packed block into the panel, where tiles can read it, with the panel's zero point.
template <DType kType>
void expand(const PackedBlock<kType>& block, Panel& panel, int b) {
    constexpr PanelKind kKind = panelKind(kType);
    constexpr int kMove = zeroPoint(kKind) - packedCodes(kType).zero;
    __m512i rowZeros = _mm512_setzero_si512();
    if constexpr (packedCodes(kType).rowZeros)
        rowZeros = _mm512_or_si512(block.sub(), _mm512_slli_epi16(block.sub(), 8));
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
        __m512i w = block.w(g);
        for (int i = 0; i < packedCodes(kType).log2Factor; ++i) w = _mm512_add_epi8(w, w);
        if constexpr (kMove != 0) w = _mm512_add_epi8(w, _mm512_set1_epi8(kMove));
        if constexpr (packedCodes(kType).rowZeros) w = _mm512_sub_epi8(w, rowZeros);
        _mm512_store_si512(panel.w[b][g], w);
    }
    _mm512_store_ps(panel.d[b], block.d());
    if constexpr (hasMinimum(kKind)) _mm512_store_ps(panel.m[b], block.m());
}

struct Kernel {
    static constexpr bool kWholePanels = true;
    template <PanelKind kKind>
    static void run(const Chunk& c, const Panel& panel) {
        allTokens<kKind>(c, panel);
    }
    template <DType kType>
    static void run(const Chunk& whole, const std::uint8_t* packed) {
        const avx2::PackedSource<PackedBlock<kType>> source{packed};
        if constexpr (hasHalves(panelKind(kType)))
            avx512vnni::allTokens<panelKind(kType)>(whole, source);
        else
            inPanels<kType>(whole, source);
    }

  private:
    template <DType kType>
    static void inPanels(const Chunk& whole, const avx2::PackedSource<PackedBlock<kType>>& source) {
        Panel panel;
        for (int from = 0; from < whole.nBlocks; from += kPanelBlocks) {
            const int left = whole.nBlocks - from;
            const int count = left < kPanelBlocks ? left : kPanelBlocks;
            for (int b = 0; b < count; ++b) {
                source.prefetch(from + b);
                expand<kType>(source.block(from + b), panel, b);
            }
            const Chunk c{whole.args,   whole.row, whole.nRows,
                          from,         count,     whole.first && from == 0,
                          count == left};
            allTokens<panelKind(kType)>(c, panel);
        }
    }
};

}  // namespace

void matmul(const MatmulArgs& args) {
    const bool blocks = args.xq != nullptr && args.nCols > 0 && info(args.weightType).blockSize > 1;
    if (!blocks || args.nTokens < kFewestTokens) return avx512vnni::matmul(args);
    const Tiles tiles(config());
    avx2::panelProduct<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512amx

// y = x · Wᵀ with int8 activations by AMX: sixteen tokens x 16 rows, one tile multiply a block of
// 32 columns, because the scales change there (half a block where its halves have scales of their
// own). A panel's block is a tile of weights as it lies: tile row g holds columns 4g .. 4g + 3 of
// all 16 rows. Dots are exact, then avx512_tile.h's order of floats: the same bits as every other
// form. What is left below sixteen tokens goes the VNNI way. Tests compile this file over emulated
// intrinsics (tests/kernels/support/emulated_amx.h); it has not run on a processor with AMX yet.

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

constexpr std::int64_t kTileTokens = 16;

/// Tiles 0 and 3: dots. 1 and 4: activations. 2 and 5: weights. Two of each, so that one multiply
/// need not wait for the other's dots to be stored.
TileConfig configOf(PanelKind kind) {
    const int columns = hasHalves(kind) ? 16 : 32;
    TileConfig config;
    for (const int first : {0, 3}) {
        config.set(first, kTileTokens, 64);
        config.set(first + 1, kTileTokens, columns);
        config.set(first + 2, columns / 4, 64);
    }
    return config;
}

/// Dots of sixteen tokens with 16 rows.
struct alignas(64) Dots {
    std::int32_t of[kTileTokens][kPanelRows];
    [[nodiscard]] __m512i token(int t) const { return _mm512_load_si512(of[t]); }
};

constexpr bool isSigned(PanelKind kind) {
    return kind == PanelKind::Signed8 || kind == PanelKind::Split8;
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

template <PanelKind kKind>
inline void addBlock(const Chunk& c, const Panel& panel, int b, std::int64_t token,
                     const Dots& first, const Dots& second, __m512 (&acc)[kTileTokens]) {
    const ActsQ8& x = *c.args.xq;
    const std::int64_t rowBlocks = c.args.nCols / kActsBlock;
    const PanelBlock<kKind> block(panel, b);
    for (int t = 0; t < kTileTokens; ++t) {
        const std::int64_t at = (token + t) * rowBlocks + c.block + b;
        const __m512 v = avx512vnni::blockValue<kKind, zeroPoint(kKind)>(
            block, first.token(t), second.token(t), x.sum16 + 2 * at);
        acc[t] = _mm512_fmadd_ps(_mm512_set1_ps(x.scale[at]), v, acc[t]);
    }
}

/// Sixteen tokens from `token` on with one chunk of a panel.
template <PanelKind kKind>
void tile(const Chunk& c, const Panel& panel, std::int64_t token) {
    const std::int64_t stride = c.args.nCols;
    const std::int8_t* a = c.args.xq->q + token * stride + c.block * kActsBlock;
    constexpr bool kSigned = isSigned(kKind);
    __m512 acc[kTileTokens];
    for (int t = 0; t < kTileTokens; ++t) acc[t] = avx512vnni::beginSum(c, token + t);
    Dots one;
    Dots two;
    if constexpr (hasHalves(kKind)) {
        for (int b = 0; b < c.nBlocks; ++b) {
            firstDots<kSigned>(a + b * kActsBlock, stride, panel.w[b][0], one);
            secondDots<kSigned>(a + b * kActsBlock + 16, stride, panel.w[b][4], two);
            addBlock<kKind>(c, panel, b, token, one, two, acc);
        }
    } else {
        // The next block's dots are under way while this one's are scaled.
        firstDots<kSigned>(a, stride, panel.w[0][0], one);
        for (int b = 0; b < c.nBlocks; b += 2) {
            if (b + 1 < c.nBlocks)
                secondDots<kSigned>(a + (b + 1) * kActsBlock, stride, panel.w[b + 1][0], two);
            addBlock<kKind>(c, panel, b, token, one, one, acc);
            if (b + 2 < c.nBlocks)
                firstDots<kSigned>(a + (b + 2) * kActsBlock, stride, panel.w[b + 2][0], one);
            if (b + 1 < c.nBlocks) addBlock<kKind>(c, panel, b + 1, token, two, two, acc);
        }
    }
    for (int t = 0; t < kTileTokens; ++t) avx512vnni::endSum(c, token + t, acc[t]);
}

template <PanelKind kKind>
void allTokens(const Chunk& c, const Panel& panel) {
    std::int64_t t = 0;
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
    if constexpr (hasMinimum(kKind) || kKind == PanelKind::Split8)
        _mm512_store_ps(panel.m[b], block.m());
    if constexpr (kKind == PanelKind::Scaled6 || kKind == PanelKind::Minimum2)
        _mm512_store_si512(panel.sub[b], block.sub());
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
    if (!blocks || args.nTokens < kTileTokens) return avx512vnni::matmul(args);
    const Tiles tiles(configOf(panelKind(args.weightType)));
    avx2::panelProduct<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512amx

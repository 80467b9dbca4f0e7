// y = x · Wᵀ with bf16 activations by AMX: 16 rows x 16 tokens a tile, four of them for each tile
// of weights read; a row of a panel of pairs (bf16_loop.h) is a row of a tile. Every tile multiply
// sums the even and the odd ones of its 32 columns by themselves, then adds both to the sum so far,
// each step with one rounding to f32; subnormal numbers count as zero (Intel SDM volume 2,
// TDPBF16PS). All numbers of tokens go through the tiles, missing ones as zeros, so that the bits
// do not depend on it. Tests also compile it over emulated
// intrinsics (tests/kernels/support/emulated_amx.h).

#include "kernels/cpu/avx512_sums.h"
#include "kernels/cpu/avx512amx.h"
#include "kernels/cpu/avx512amx_tiles.h"
#include "kernels/cpu/avx512bf16.h"
#include "kernels/cpu/bf16_loop.h"

namespace lanescope::kernels::avx512bf16 {
namespace {

using avx2::ExactStep;
using avx2::kBf16Columns;
using avx2::PairPanel;

constexpr std::int64_t kTileTokens = 16;
constexpr std::int64_t kFourTiles = 4 * kTileTokens;

/// Tiles 0 to 3: sums. 4: weights. 5 to 7: activations.
avx512amx::TileConfig config() {
    avx512amx::TileConfig out;
    for (int tile = 0; tile < 8; ++tile) out.set(tile, 16, 64);
    return out;
}

struct alignas(64) Sums {
    float of[kTileTokens][avx2::kExactRows];
};

void addTile(const ExactStep& s, std::int64_t token, std::int64_t nTokens, const Sums& sums) {
    for (std::int64_t t = 0; t < nTokens; ++t)
        avx512vnni::addSums(s, token + t, _mm512_load_ps(sums.of[t]));
}

/// 64 tokens from `token` on.
void fourTiles(const ExactStep& s, const PairPanel& panel, std::int64_t token) {
    const std::int64_t stride = s.args.nCols;
    const std::int64_t bytes = stride * static_cast<std::int64_t>(sizeof(std::uint16_t));
    const std::uint16_t* x = s.args.xb + token * stride + s.begin;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (std::int64_t k = 0; k < s.n; k += kBf16Columns) {
        _tile_loadd(4, panel.of[k / 2], 64);
        _tile_loadd(5, x + k, bytes);
        _tile_dpbf16ps(0, 5, 4);
        _tile_loadd(6, x + kTileTokens * stride + k, bytes);
        _tile_dpbf16ps(1, 6, 4);
        _tile_loadd(7, x + 2 * kTileTokens * stride + k, bytes);
        _tile_dpbf16ps(2, 7, 4);
        _tile_loadd(5, x + 3 * kTileTokens * stride + k, bytes);
        _tile_dpbf16ps(3, 5, 4);
    }
    Sums sums;
    _tile_stored(0, sums.of, 64);
    addTile(s, token, kTileTokens, sums);
    _tile_stored(1, sums.of, 64);
    addTile(s, token + kTileTokens, kTileTokens, sums);
    _tile_stored(2, sums.of, 64);
    addTile(s, token + 2 * kTileTokens, kTileTokens, sums);
    _tile_stored(3, sums.of, 64);
    addTile(s, token + 3 * kTileTokens, kTileTokens, sums);
}

/// Up to sixteen tokens; x: their columns of the step, rows `stride` apart.
void oneTile(const ExactStep& s, const PairPanel& panel, std::int64_t token, std::int64_t nTokens,
             const std::uint16_t* x, std::int64_t stride) {
    _tile_zero(0);
    for (std::int64_t k = 0; k < s.n; k += kBf16Columns) {
        _tile_loadd(4, panel.of[k / 2], 64);
        _tile_loadd(5, x + k, stride * static_cast<std::int64_t>(sizeof(std::uint16_t)));
        _tile_dpbf16ps(0, 5, 4);
    }
    Sums sums;
    _tile_stored(0, sums.of, 64);
    addTile(s, token, nTokens, sums);
}

struct Kernel {
    static void tokens(const ExactStep& s, const PairPanel& panel) {
        avx512amx::storesFirst();
        const std::int64_t stride = s.args.nCols;
        std::int64_t t = s.token;
        for (; t + kFourTiles <= s.tokenEnd; t += kFourTiles) fourTiles(s, panel, t);
        for (; t + kTileTokens <= s.tokenEnd; t += kTileTokens)
            oneTile(s, panel, t, kTileTokens, s.args.xb + t * stride + s.begin, stride);
        if (t == s.tokenEnd) return;
        alignas(64) std::uint16_t padded[kTileTokens][avx2::kExactChunk] = {};
        for (std::int64_t i = 0; t + i < s.tokenEnd; ++i)
            std::memcpy(padded[i], s.args.xb + (t + i) * stride + s.begin,
                        static_cast<std::size_t>(s.n) * sizeof(std::uint16_t));
        avx512amx::storesFirst();
        oneTile(s, panel, t, s.tokenEnd - t, padded[0], avx2::kExactChunk);
    }
};

}  // namespace

void matmulByTiles(const MatmulArgs& args) {
    if (!avx2::isBf16Product(args)) return avx512amx::matmul(args);
    const avx512amx::Tiles tiles(config());
    avx2::bf16Product<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512bf16

// Bursts of tile multiplies: see avx2_burst.cpp. fp32 is the AVX-512 form's.

#include "kernels/cpu/avx512amx.h"
#include "kernels/cpu/avx512amx_tiles.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512amx {
namespace {

constexpr std::uint64_t kTileBytes = 16 * 64;

TileConfig wholeTiles() {
    TileConfig config;
    for (int tile = 0; tile < 8; ++tile) config.set(tile, 16, 64);
    return config;
}

void clearTiles() {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
}

}  // namespace

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    if (kind != Burst::Int8) return avx512vnni::burst(kind, rounds);
    const Tiles tiles(wholeTiles());
    clearTiles();
    for (std::uint64_t i = 0; i < rounds; ++i) {
        _tile_dpbsud(0, 4, 5);
        _tile_dpbsud(1, 4, 5);
        _tile_dpbsud(2, 4, 5);
        _tile_dpbsud(3, 4, 5);
    }
    return rounds * 4 * 16 * kTileBytes * 2;
}

std::uint64_t burstWithBf16(Burst kind, std::uint64_t rounds) {
    if (kind != Burst::Bf16) return burst(kind, rounds);
    const Tiles tiles(wholeTiles());
    clearTiles();
    for (std::uint64_t i = 0; i < rounds; ++i) {
        _tile_dpbf16ps(0, 4, 5);
        _tile_dpbf16ps(1, 4, 5);
        _tile_dpbf16ps(2, 4, 5);
        _tile_dpbf16ps(3, 4, 5);
    }
    return rounds * 4 * 16 * (kTileBytes / sizeof(std::uint16_t)) * 2;
}

}  // namespace lanescope::kernels::avx512amx

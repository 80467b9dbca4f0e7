// Bursts of tile multiplies: see avx2_burst.cpp. fp32 is the AVX-512 form's.

#include "kernels/cpu/avx512amx.h"
#include "kernels/cpu/avx512amx_tiles.h"
#include "kernels/cpu/avx512vnni.h"

namespace lanescope::kernels::avx512amx {

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    if (kind != Burst::Int8) return avx512vnni::burst(kind, rounds);
    TileConfig config;
    for (int tile = 0; tile < 8; ++tile) config.set(tile, 16, 64);
    const Tiles tiles(config);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        _tile_dpbsud(0, 4, 5);
        _tile_dpbsud(1, 4, 5);
        _tile_dpbsud(2, 4, 5);
        _tile_dpbsud(3, 4, 5);
    }
    constexpr std::uint64_t kEach = 16 * 16 * 64 * 2;
    return rounds * 4 * kEach;
}

}  // namespace lanescope::kernels::avx512amx

#pragma once
// AMX tile registers (Intel SDM volume 1, chapter 18): a thread's configuration. For files compiled
// for AMX only.

#include <immintrin.h>

#include <cstdint>

namespace lanescope::kernels::avx512amx {
namespace {

/// Keeps what was stored so far before the tile loads that follow: GCC 12 does not know that
/// _tile_loadd and _tile_loadconfig read memory (GCC bug 114098).
inline void storesFirst() {
    asm volatile("" ::: "memory");
}

/// The operand of LDTILECFG.
struct TileConfig {
    std::uint8_t palette = 1;
    std::uint8_t startRow = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t rowBytes[16] = {};
    std::uint8_t rows[16] = {};

    void set(int tile, int nRows, int nBytes) {
        rows[tile] = static_cast<std::uint8_t>(nRows);
        rowBytes[tile] = static_cast<std::uint16_t>(nBytes);
    }
};
static_assert(sizeof(TileConfig) == 64);

/// The tiles are this thread's as long as it lives.
class Tiles {
  public:
    explicit Tiles(const TileConfig& config) {
        storesFirst();
        _tile_loadconfig(&config);
    }
    Tiles(const Tiles&) = delete;
    Tiles& operator=(const Tiles&) = delete;
    ~Tiles() { _tile_release(); }
};

}  // namespace
}  // namespace lanescope::kernels::avx512amx

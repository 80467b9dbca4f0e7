#pragma once
// Emulates the AMX instructions that kernels/cpu/avx512*.cpp use, after Intel SDM volume 2
// (LDTILECFG, TILELOADD, TDPBSSD, TDPBSUD, TDPBF16PS, TILESTORED), so that the same source is
// checked on a machine without them. What the processor would fault on ends the test.
// Force-included after simde_avx512.h.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lanescope::emulated {

struct Tile {
    int rows = 0;
    int bytes = 0;  ///< of a row
    alignas(64) std::uint8_t data[16][64] = {};
};

inline thread_local Tile tiles[8];
inline thread_local bool tilesReady = false;

inline void tileFault(const char* what) {
    std::fprintf(stderr, "amx: %s\n", what);
    std::abort();
}

inline Tile& tileOf(int number) {
    if (!tilesReady) tileFault("used without a configuration");
    if (number < 0 || number > 7 || tiles[number].rows == 0) tileFault("tile is not configured");
    return tiles[number];
}

inline void tileLoadConfig(const void* from) {
    const auto* bytes = static_cast<const std::uint8_t*>(from);
    if (bytes[0] != 1) tileFault("palette is not 1");
    for (int i = 1; i < 16; ++i)
        if (bytes[i] != 0) tileFault("reserved byte of the configuration is set");
    for (int i = 0; i < 8; ++i) {
        std::uint16_t rowBytes;
        std::memcpy(&rowBytes, bytes + 16 + 2 * i, sizeof rowBytes);
        const int rows = bytes[48 + i];
        if (rowBytes > 64 || rows > 16 || (rowBytes == 0) != (rows == 0))
            tileFault("impossible shape of a tile");
        tiles[i] = Tile{};
        tiles[i].rows = rows;
        tiles[i].bytes = rowBytes;
    }
    tilesReady = true;
}

inline void tileRelease() {
    tilesReady = false;
}

inline void tileLoad(int number, const void* base, std::int64_t stride) {
    Tile& tile = tileOf(number);
    std::memset(tile.data, 0, sizeof tile.data);
    for (int r = 0; r < tile.rows; ++r)
        std::memcpy(tile.data[r], static_cast<const std::uint8_t*>(base) + r * stride,
                    static_cast<std::size_t>(tile.bytes));
}

inline void tileStore(int number, void* base, std::int64_t stride) {
    const Tile& tile = tileOf(number);
    for (int r = 0; r < tile.rows; ++r)
        std::memcpy(static_cast<std::uint8_t*>(base) + r * stride, tile.data[r],
                    static_cast<std::size_t>(tile.bytes));
}

inline void tileZero(int number) {
    std::memset(tileOf(number).data, 0, sizeof tiles[0].data);
}

/// c += a · b: a signed, b signed or not; four bytes of K a lane.
template <class B>
void tileDot(int numberC, int numberA, int numberB) {
    Tile& c = tileOf(numberC);
    const Tile& a = tileOf(numberA);
    const Tile& b = tileOf(numberB);
    if (numberC == numberA || numberC == numberB || numberA == numberB)
        tileFault("the three tiles of a dot must differ");
    if (a.rows != c.rows || b.bytes != c.bytes || a.bytes != 4 * b.rows)
        tileFault("shapes of a dot do not fit");
    for (int m = 0; m < c.rows; ++m)
        for (int k = 0; k < a.bytes / 4; ++k)
            for (int n = 0; n < c.bytes / 4; ++n) {
                std::int32_t sum;
                std::memcpy(&sum, c.data[m] + 4 * n, sizeof sum);
                for (int i = 0; i < 4; ++i)
                    sum += static_cast<std::int8_t>(a.data[m][4 * k + i]) *
                           static_cast<B>(b.data[k][4 * n + i]);
                std::memcpy(c.data[m] + 4 * n, &sum, sizeof sum);
            }
}

/// c += a · b of bf16 pairs, as TDPBF16PS: even and odd elements are summed by themselves over the
/// whole of K, then both are added to c.
inline void tileDotBf16(int numberC, int numberA, int numberB) {
    Tile& c = tileOf(numberC);
    const Tile& a = tileOf(numberA);
    const Tile& b = tileOf(numberB);
    if (numberC == numberA || numberC == numberB || numberA == numberB)
        tileFault("the three tiles of a dot must differ");
    if (a.rows != c.rows || b.bytes != c.bytes || a.bytes != 4 * b.rows)
        tileFault("shapes of a dot do not fit");
    for (int m = 0; m < c.rows; ++m)
        for (int n = 0; n < c.bytes / 4; ++n) {
            float sums[2] = {};
            for (int k = 0; k < a.bytes / 4; ++k) {
                std::uint32_t x, y;
                std::memcpy(&x, a.data[m] + 4 * k, sizeof x);
                std::memcpy(&y, b.data[k] + 4 * n, sizeof y);
                for (int i = 0; i < 2; ++i)
                    sums[i] = flushed(std::fma(bf16At(x, i), bf16At(y, i), sums[i]));
            }
            float sum;
            std::memcpy(&sum, c.data[m] + 4 * n, sizeof sum);
            sum = flushed(flushed(sum) + flushed(sums[0] + sums[1]));
            std::memcpy(c.data[m] + 4 * n, &sum, sizeof sum);
        }
}

}  // namespace lanescope::emulated

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbssd
#undef _tile_dpbsud
#undef _tile_dpbf16ps
#define _tile_loadconfig lanescope::emulated::tileLoadConfig
#define _tile_release lanescope::emulated::tileRelease
#define _tile_loadd lanescope::emulated::tileLoad
#define _tile_stored lanescope::emulated::tileStore
#define _tile_zero lanescope::emulated::tileZero
#define _tile_dpbf16ps lanescope::emulated::tileDotBf16
#define _tile_dpbssd lanescope::emulated::tileDot<std::int8_t>
#define _tile_dpbsud lanescope::emulated::tileDot<std::uint8_t>

#pragma once
// Codebooks of the IQ formats, ready to use, and the scale of NVFP4. Byte j of an entry is the
// magnitude of element j (IQ1: eight times the value, signed). Packed data: iq_grid_data.h.

#include <array>
#include <cstdint>

namespace lanescope::kernels {

extern const std::array<std::uint64_t, 2048> kIq1Grid;    ///< int8 -8, 0, 8: IQ1_S, IQ1_M
extern const std::array<std::uint64_t, 256> kIq2XxsGrid;  ///< 8, 25, 43
extern const std::array<std::uint64_t, 512> kIq2XsGrid;   ///< 8, 25, 43
extern const std::array<std::uint64_t, 1024> kIq2SGrid;   ///< 8, 25, 43
extern const std::array<std::uint32_t, 256> kIq3XxsGrid;  ///< 4, 12, 20, 28, 36, 44, 52, 62
extern const std::array<std::uint32_t, 512> kIq3SGrid;    ///< 1, 3 … 15
/// Half the value of an unsigned E4M3 byte; 0x7F counts as 0.
extern const std::array<float, 256> kUe4m3Half;

/// Eight sign bits of a 7-bit field: the number of minus signs is even.
inline std::uint32_t evenSigns(std::uint32_t seven) {
    return seven | static_cast<std::uint32_t>(__builtin_parity(seven)) << 7;
}

}  // namespace lanescope::kernels

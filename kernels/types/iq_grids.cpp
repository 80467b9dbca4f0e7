#include "kernels/types/iq_grids.h"

#include "kernels/types/iq_grid_data.h"

namespace lanescope::kernels {
namespace {

/// Entries of sizeof(Word) values whose codes take kBits each.
template <class Word, int kBits, std::size_t kEntries, std::size_t kCodes>
constexpr std::array<Word, kEntries> expandGrid(const std::array<std::uint16_t, kEntries>& packed,
                                                const std::array<std::uint8_t, kCodes>& values) {
    std::array<Word, kEntries> out{};
    for (std::size_t i = 0; i < kEntries; ++i) {
        for (unsigned j = 0; j < sizeof(Word); ++j) {
            const unsigned code = packed[i] >> (kBits * j) & ((1U << kBits) - 1);
            out[i] |= static_cast<Word>(values[code]) << (8 * j);
        }
    }
    return out;
}

constexpr std::array<std::uint8_t, 3> kTernary{0xF8, 0, 8};  // -8, 0, 8
constexpr std::array<std::uint8_t, 3> kThree{0x08, 0x19, 0x2B};
constexpr std::array<std::uint8_t, 8> kEightXxs{0x04, 0x0C, 0x14, 0x1C, 0x24, 0x2C, 0x34, 0x3E};
constexpr std::array<std::uint8_t, 8> kEightS{1, 3, 5, 7, 9, 11, 13, 15};

constexpr std::array<float, 256> makeUe4m3Half() {
    std::array<float, 256> out{};
    for (unsigned i = 0; i < out.size(); ++i) {
        const unsigned exponent = i >> 3 & 15;
        const unsigned mantissa = i & 7;
        float value = static_cast<float>(exponent == 0 ? mantissa : mantissa + 8) * 0x1p-10F;
        for (unsigned e = 1; e < exponent; ++e) value *= 2.0F;
        out[i] = i == 0x7F ? 0.0F : value;
    }
    return out;
}

}  // namespace

constexpr std::array<std::uint64_t, 2048> kIq1Grid =
    expandGrid<std::uint64_t, 2>(griddata::kIq1, kTernary);
constexpr std::array<std::uint64_t, 256> kIq2XxsGrid =
    expandGrid<std::uint64_t, 2>(griddata::kIq2Xxs, kThree);
constexpr std::array<std::uint64_t, 512> kIq2XsGrid =
    expandGrid<std::uint64_t, 2>(griddata::kIq2Xs, kThree);
constexpr std::array<std::uint64_t, 1024> kIq2SGrid =
    expandGrid<std::uint64_t, 2>(griddata::kIq2S, kThree);
constexpr std::array<std::uint32_t, 256> kIq3XxsGrid =
    expandGrid<std::uint32_t, 4>(griddata::kIq3Xxs, kEightXxs);
constexpr std::array<std::uint32_t, 512> kIq3SGrid =
    expandGrid<std::uint32_t, 4>(griddata::kIq3S, kEightS);
constexpr std::array<float, 256> kUe4m3Half = makeUe4m3Half();

}  // namespace lanescope::kernels

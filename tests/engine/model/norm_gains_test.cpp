#include "engine/model/norm_gains.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lanescope {
namespace {

TEST(NormGains, EvenOnesAreEven) {
    EXPECT_FALSE(unevenGains({}));
    EXPECT_FALSE(unevenGains(std::vector<float>(64, 0.0F)));
    EXPECT_FALSE(unevenGains(std::vector<float>(576, -3.5F)));
}

TEST(NormGains, OneFarAboveTheOthersOfItsBlockIsUneven) {
    // A block of 32 with one gain g among ones: g² · 32 >= 4 · (g² + 31) from g = 2.11 on.
    std::vector<float> gains(96, 1.0F);
    for (std::size_t block = 0; block < 3; ++block) gains[32 * block + 5] = 2.1F;
    EXPECT_FALSE(unevenGains(gains));
    for (std::size_t block = 0; block < 3; ++block) gains[32 * block + 5] = -2.2F;
    EXPECT_TRUE(unevenGains(gains));
}

TEST(NormGains, BlocksThatAreLargeAsAWholeAreEven) {
    std::vector<float> gains(96, 1.0F);
    for (std::size_t i = 32; i < 64; ++i) gains[i] = 50.0F;  // every block has a scale of its own
    EXPECT_FALSE(unevenGains(gains));
}

TEST(NormGains, ShortLastBlockCountsByItsLength) {
    std::vector<float> gains(36, 1.0F);
    gains[33] = 8.0F;  // 64 · 4 + 32 against 4 · (64 + 35)
    EXPECT_FALSE(unevenGains(gains));
}

TEST(NormGains, GainsThatAreNoNumbersDecideNothing) {
    EXPECT_FALSE(unevenGains(std::vector<float>(32, std::numeric_limits<float>::infinity())));
    EXPECT_FALSE(unevenGains(std::vector<float>(32, std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace lanescope

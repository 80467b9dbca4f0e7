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
    // A block of 32 with one gain g among ones: g² · 32 >= 1.7² · (g² + 31) from g = 1.754 on.
    std::vector<float> gains(96, 1.0F);
    for (std::size_t block = 0; block < 3; ++block) gains[32 * block + 5] = 1.75F;
    EXPECT_FALSE(unevenGains(gains));
    for (std::size_t block = 0; block < 3; ++block) gains[32 * block + 5] = -1.76F;
    EXPECT_TRUE(unevenGains(gains));
}

TEST(NormGains, BlocksThatAreLargeAsAWholeAreEven) {
    std::vector<float> gains(96, 1.0F);
    for (std::size_t i = 32; i < 64; ++i) gains[i] = 50.0F;  // every block has a scale of its own
    EXPECT_FALSE(unevenGains(gains));
}

TEST(NormGains, ShortLastBlockCountsByItsLength) {
    std::vector<float> gains(36, 1.0F);
    gains[33] = 2.0F;  // 4 · 4 + 32 against 2.89 · (4 + 35)
    EXPECT_FALSE(unevenGains(gains));
}

TEST(NormGains, GainsThatAreNoNumbersDecideNothing) {
    EXPECT_FALSE(unevenGains(std::vector<float>(32, std::numeric_limits<float>::infinity())));
    EXPECT_FALSE(unevenGains(std::vector<float>(32, std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace lanescope

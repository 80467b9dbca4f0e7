// Conversions of narrow floats.

#include <cmath>

#include "kernels/types/float8.h"
#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

/// All 256 values, then that every float between two neighbours goes to the nearer one.
template <class T>
void checkRoundTrip(int nFinite) {
    for (int b = 0; b < 256; ++b) {
        const float x = toFloat(T{static_cast<std::uint8_t>(b)});
        if (b % 128 >= nFinite) continue;
        EXPECT_EQ(fromFloat<T>(x).bits, b);
        if (b % 128 + 1 >= nFinite) continue;
        const float next = toFloat(T{static_cast<std::uint8_t>(b + 1)});
        const float middle = 0.5F * (x + next);
        const int even = b % 2 == 0 ? b : b + 1;
        EXPECT_EQ(fromFloat<T>(middle).bits, even) << b;
        EXPECT_EQ(fromFloat<T>(std::nextafter(middle, x)).bits, b);
        EXPECT_EQ(fromFloat<T>(std::nextafter(middle, next)).bits, b + 1);
    }
}

TEST(Floats, E4M3IsExactOneWayAndNearestEvenTheOther) {
    checkRoundTrip<Fp8E4M3>(127);
    EXPECT_EQ(toFloat(Fp8E4M3{0x01}), 0x1p-9F);
    EXPECT_EQ(toFloat(Fp8E4M3{0x7E}), 448.0F);
    EXPECT_TRUE(std::isnan(toFloat(Fp8E4M3{0x7F})));
    EXPECT_EQ(fromFloat<Fp8E4M3>(1e9F).bits, 0x7E);
    EXPECT_EQ(fromFloat<Fp8E4M3>(-INFINITY).bits, 0xFE);
    EXPECT_TRUE(std::isnan(toFloat(fromFloat<Fp8E4M3>(NAN))));
}

TEST(Floats, E5M2IsExactOneWayAndNearestEvenTheOther) {
    checkRoundTrip<Fp8E5M2>(124);
    EXPECT_EQ(toFloat(Fp8E5M2{0x01}), 0x1p-16F);
    EXPECT_EQ(toFloat(Fp8E5M2{0x7B}), 57344.0F);
    EXPECT_TRUE(std::isinf(toFloat(Fp8E5M2{0x7C})));
    EXPECT_EQ(fromFloat<Fp8E5M2>(1e9F).bits, 0x7B);
    EXPECT_EQ(fromFloat<Fp8E5M2>(-INFINITY).bits, 0xFB);
    EXPECT_TRUE(std::isnan(toFloat(fromFloat<Fp8E5M2>(NAN))));
}

TEST(Floats, PairsHaveTheFirstInTheLowHalf) {
    EXPECT_EQ(packPair<Half>(1.0F, -2.0F), 0xC0003C00U);
    EXPECT_EQ(packPair<BFloat16>(1.0F, -2.0F), 0xC0003F80U);
    EXPECT_EQ(toFloat(fromFloat<Half>(1e6F)), INFINITY);
    EXPECT_EQ(floatOf(bitsOf(1.25F)), 1.25F);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

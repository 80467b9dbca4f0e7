// Instructions that g++ has to be told in other words.

#include <cmath>

#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

TEST(Maths, BitsAreCountedMovedAndPermuted) {
    EXPECT_EQ(popCount(0xF0F0U), 8);
    EXPECT_EQ(leadingZeros(1U), 31);
    EXPECT_EQ(leadingZeros(0U), 32);
    EXPECT_EQ(findFirstSet(0x8U), 4);
    EXPECT_EQ(findFirstSet(0U), 0);
    EXPECT_EQ(reverseBits(0x1U), 0x80000000U);
    EXPECT_EQ(reverseBits(0x12345678U), 0x1E6A2C48U);
    EXPECT_EQ(bytePermute(0x33221100U, 0x77665544U, 0x7410U), 0x77441100U);
    EXPECT_EQ(bytePermute(0x80221100U, 0x77665544U, 0x8B3BU), 0x00FF80FFU);
    EXPECT_EQ(funnelShiftLeft(0x80000001U, 0x12345678U, 4), 0x23456788U);
    EXPECT_EQ(funnelShiftRight(0x80000001U, 0x12345678U, 4), 0x88000000U);
    EXPECT_EQ(funnelShiftLeft(1U, 2U, 32), 2U);
    EXPECT_EQ(funnelShiftRight(1U, 2U, 0), 1U);
}

TEST(Maths, DotsOfFourBytes) {
    EXPECT_EQ(dot4(0x80FF7F01U, 0x80FF7F01U, 10), 16384 + 1 + 16129 + 1 + 10);
    EXPECT_EQ(dot4UnsignedSigned(0x80FF7F01U, 0x80FF7F01U, 10), -16384 - 255 + 16129 + 1 + 10);
}

TEST(Maths, RoundingSaturates) {
    EXPECT_EQ(roundToInt(2.5F), 2);
    EXPECT_EQ(roundToInt(-3.5F), -4);
    EXPECT_EQ(roundToInt(1e20F), INT32_MAX);
    EXPECT_EQ(roundToInt(-INFINITY), INT32_MIN);
    EXPECT_EQ(roundToInt(NAN), 0);
    EXPECT_EQ(fastExp2(-3.0F), 0.125F);
    EXPECT_EQ(fastExp2(-140.0F), 0.0F);
    EXPECT_EQ(fastReciprocal(4.0F), 0.25F);
    EXPECT_EQ(reciprocalSqrt(4.0F), 0.5F);
    EXPECT_EQ(fastDivide(3.0F, 4.0F), 0.75F);
}

void loadsKernel(const char* in, float* out) {
    const auto v = load<Float4>(in + 16 * threadX());
    const auto w = loadConstant<float>(in + 4 * threadX());
    const auto u = loadOnce<Float2>(in + 8 * threadX());
    store(out + 2 * threadX(), Float2{v.x + v.y + v.z + v.w, w + u.x + u.y});
}

void misalignedKernel(const char* in, float* out) {
    out[0] = load<Float4>(in + 4).x;
}

TEST(Maths, VectorsAreLoadedFromTheirAlignment) {
    alignas(16) float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    alignas(8) float out[4] = {};
    launch({{1}, {2}}, {}, loadsKernel, reinterpret_cast<const char*>(in), out);
    EXPECT_EQ(out[0], 10.0F);
    EXPECT_EQ(out[1], 1.0F + 3.0F);
    EXPECT_EQ(out[2], 26.0F);
    EXPECT_EQ(out[3], 2.0F + 7.0F);
    expectError(errorOf(1, misalignedKernel, reinterpret_cast<const char*>(in), out),
                ErrorKind::Misaligned, HasSubstr("an access of 16 bytes, 4 beyond"));
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

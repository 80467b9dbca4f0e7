// Activations, residual add, soft-cap, rounding to int8 and to 16 bits, gather.

#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

using kernels::test::close;
using kernels::test::kElementwiseTolerance;

class CudaElementwise : public KernelTest {};
LANESCOPE_FOR_EACH_SCHEDULE(CudaElementwise);

constexpr std::int64_t kDims[] = {0, 1, 3, 31, 32, 33, 255, 257, 576};

TEST_P(CudaElementwise, ActivationsAgreeAlsoAtTheEnds) {
    const float ends[] = {-1e30F, -200.0F, -88.8F, -86.9F, 0.0F,  88.8F,
                          200.0F, -5.5F,   1e-20F, -0.99F, -1.4F, 1e30F};
    for (const Activation kind : {Activation::Silu, Activation::GeluTanh, Activation::GeluErf}) {
        for (const std::int64_t dim : kDims) {
            for (const bool gated : {false, true}) {
                auto gate = normals(3 * (dim + 3), 8.0F);
                std::copy_n(ends, std::min<std::size_t>(std::size(ends), gate.size()),
                            gate.begin());
                const auto up = normals(3 * (dim + 1));
                std::vector<float> expected(static_cast<std::size_t>(3 * dim), -7.0F);
                std::vector<float> actual = expected;
                ActivateArgs args{gate.data(),
                                  gated ? up.data() : nullptr,
                                  expected.data(),
                                  dim + 3,
                                  dim + 1,
                                  dim,
                                  1,
                                  3,
                                  kind};
                reference().activate(args);
                args.y = actual.data();
                ASSERT_EQ(activate({args, {}, {}}, nullptr), kSuccess);
                for (std::size_t i = 0; i < actual.size(); ++i) {
                    const auto row = static_cast<std::int64_t>(i) / dim;
                    const auto column = static_cast<std::int64_t>(i) % dim;
                    const double x = gate[static_cast<std::size_t>(row * (dim + 3) + column)];
                    const double y =
                        gated ? up[static_cast<std::size_t>(row * (dim + 1) + column)] : 1.0;
                    // Left of zero erf cancels, and what is left is measured against x.
                    ASSERT_TRUE(near(actual[i], expected[i], 1e-6 * std::fabs(x * y) + 1e-30))
                        << "kind " << static_cast<int>(kind) << " x " << x << " element " << i;
                }
            }
        }
    }
}

TEST_P(CudaElementwise, ActivationsAreRoundedToInt8OnTheWay) {
    const std::int64_t dim = 288;
    const auto gate = normals(3 * dim, 2.0F);
    const auto up = normals(3 * dim);
    std::vector<float> y(gate.size(), 0.0F);
    Acts out(3, dim);
    Acts rest(3, dim);
    ActivateArgs args{gate.data(), up.data(), y.data(), dim, dim, dim, 0, 3, Activation::Silu};
    ASSERT_EQ(activate({args, out.view(), rest.view()}, nullptr), kSuccess);
    Acts expected(3, dim);
    Acts expectedRest(3, dim);
    reference().quantiseActs({y.data(), expected.view(), dim, 0, 3, expectedRest.view()});
    expectSame(out, expected);
    expectSame(rest, expectedRest);
    Acts alone(3, dim);
    args.y = nullptr;
    ASSERT_EQ(activate({args, alone.view(), {}}, nullptr), kSuccess);
    expectSame(alone, expected);
}

TEST_P(CudaElementwise, RoundingToInt8HasTheBitsOfTheReference) {
    for (const std::int64_t nCols : {0, 32, 96, 576}) {
        for (const float spread : {1e-30F, 1e-3F, 1.0F, 1e4F, 1e36F}) {
            auto x = normals(4 * nCols, spread);
            if (nCols == 96) {
                std::fill_n(x.begin() + 96, 32, 0.0F);
                std::fill_n(x.begin() + 128, 32, 1e-45F);
                x[165] = std::numeric_limits<float>::quiet_NaN();
                x[200] = -std::numeric_limits<float>::infinity();
            }
            Acts expected(4, nCols);
            Acts expectedRest(4, nCols);
            Acts actual(4, nCols);
            Acts actualRest(4, nCols);
            QuantiseActsArgs args{x.data(), expected.view(), nCols, 1, 4, expectedRest.view()};
            reference().quantiseActs(args);
            args.out = actual.view();
            args.rest = actualRest.view();
            ASSERT_EQ(quantiseActs(args, nullptr), kSuccess);
            expectSame(actual, expected);
            expectSame(actualRest, expectedRest);
        }
    }
}

TEST_P(CudaElementwise, RoundingTo16BitsHasTheBitsOfTheFormats) {
    for (const std::int64_t n : {0, 1, 2, 3, 511, 512, 513, 1025}) {
        auto x = normals(n, 30.0F);
        const float ends[] = {65520.0F, -1e30F,         1e-8F,
                              -0.0F,    1.0F + 0x1p-8F, std::numeric_limits<float>::quiet_NaN()};
        std::copy_n(ends, std::min<std::size_t>(std::size(ends), x.size()), x.begin());
        for (const DType type : {DType::F16, DType::BF16}) {
            constexpr std::uint16_t kUntouched = 0x1234;
            std::vector<std::uint16_t> actual(x.size() + 1, kUntouched);
            ASSERT_EQ(roundActs({x.data(), actual.data(), type, n}, nullptr), kSuccess);
            for (std::size_t i = 0; i < x.size(); ++i)
                EXPECT_EQ(actual[i], type == DType::F16 ? f32ToHalf(x[i]) : f32ToBf16(x[i]))
                    << info(type).name << ' ' << x[i];
            EXPECT_EQ(actual.back(), kUntouched);
        }
    }
    EXPECT_NE(roundActs({}, nullptr), roundActs({.type = DType::F32}, nullptr));
}

TEST_P(CudaElementwise, AddAndSoftcapAgree) {
    for (const std::int64_t dim : kDims) {
        const auto x = normals(3 * dim, 30.0F);
        const auto delta = normals(3 * dim);
        auto expected = x;
        auto actual = x;
        reference().add({expected.data(), delta.data(), dim, 1, 3, 0.25F});
        ASSERT_EQ(add({actual.data(), delta.data(), dim, 1, 3, 0.25F}, nullptr), kSuccess);
        EXPECT_EQ(actual, expected);
        reference().softcap({expected.data(), 30.0F, dim, 0, 2});
        ASSERT_EQ(softcap({actual.data(), 30.0F, dim, 0, 2}, nullptr), kSuccess);
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_TRUE(
                close(actual[i], expected[i], std::fabs(expected[i]), kElementwiseTolerance));
    }
}

TEST_P(CudaElementwise, EmbeddingReadsEveryFormatOfATable) {
    for (const DType type : kernels::test::kWeightTypes) {
        if (!canEmbed(type)) continue;
        const std::int64_t block = info(type).blockSize;
        for (const std::int64_t blocks : {0, 1, 3, 18}) {
            const std::int64_t dim = block * blocks;
            auto table = kernels::test::randomWeights(type, 5, dim, m_random);
            table.erase(table.begin());  // it comes one byte off
            const std::int32_t ids[] = {4, 0, 4, 2};
            std::vector<float> expected(static_cast<std::size_t>(4 * dim), -3.0F);
            std::vector<float> actual = expected;
            EmbedArgs args{type, table.data(), ids, expected.data(), dim, 1, 4, 1.5F};
            reference().embed(args);
            args.y = actual.data();
            ASSERT_EQ(embed(args, nullptr), kSuccess);
            EXPECT_EQ(actual, expected) << info(type).name << ' ' << dim;
        }
    }
    EXPECT_TRUE(canEmbed(DType::Q6_K));
    EXPECT_FALSE(canEmbed(DType::IQ1_M));
    EXPECT_NE(embed({DType::IQ1_M}, nullptr), kSuccess);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

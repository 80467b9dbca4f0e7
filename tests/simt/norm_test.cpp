// RMSNorm and LayerNorm, alone and with what stands around them.

#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

using kernels::test::close;
using kernels::test::kElementwiseTolerance;

class CudaNorm : public KernelTest {
  protected:
    /// What the reference makes of rows [1, nTokens) of x.
    std::vector<float> expected(const NormArgs& args, const std::vector<float>& x) {
        std::vector<float> y(x.size(), -5.0F);
        if (args.kind == NormKind::Rms)
            reference().rmsNorm({x.data(), args.weight, y.data(), args.dim, args.eps,
                                 args.tokenBegin, args.tokenEnd});
        else
            reference().layerNorm({x.data(), args.weight, args.bias, y.data(), args.dim, args.eps,
                                   args.tokenBegin, args.tokenEnd});
        return y;
    }
};
LANESCOPE_FOR_EACH_SCHEDULE(CudaNorm);

constexpr std::int64_t kDims[] = {0, 1, 3, 31, 33, 64, 257, 576, 2048};

TEST_P(CudaNorm, AgreesAlsoInPlace) {
    for (const NormKind kind : {NormKind::Rms, NormKind::Layer}) {
        for (const std::int64_t dim : kDims) {
            auto x = normals(3 * dim, 3.0F);
            for (float& v : x) v += 2.0F;
            const auto weight = normals(dim);
            const auto bias = normals(dim);
            std::vector<float> actual(x.size(), -5.0F);
            NormArgs args;
            args.kind = kind;
            args.x = x.data();
            args.weight = weight.data();
            args.bias = kind == NormKind::Layer && dim % 2 == 1 ? bias.data() : nullptr;
            args.y = actual.data();
            args.dim = dim;
            args.tokenBegin = 1;
            args.tokenEnd = 3;
            const auto y = expected(args, x);
            ASSERT_EQ(norm(args, nullptr), kSuccess);
            // A row of one element is all cancellation: nothing of it but eps is left.
            const double spread = kind == NormKind::Rms ? 1.0
                                  : dim == 1            ? 20.0 / std::sqrt(1e-5)
                                                        : 20.0;
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(close(actual[i], y[i], kind == NormKind::Rms ? std::fabs(y[i]) : spread,
                                  kElementwiseTolerance))
                    << "dim " << dim << " element " << i;
            auto inPlace = x;
            args.x = args.y = inPlace.data();
            ASSERT_EQ(norm(args, nullptr), kSuccess);
            EXPECT_TRUE(std::equal(inPlace.begin() + dim, inPlace.end(), actual.begin() + dim));
        }
    }
}

TEST_P(CudaNorm, AddsTheResidualBeforeAndRoundsToInt8After) {
    for (const NormKind kind : {NormKind::Rms, NormKind::Layer}) {
        for (const std::int64_t dim : {32, 96, 576}) {
            const auto x = normals(4 * dim);
            const auto delta = normals(4 * dim);
            const auto weight = normals(dim);
            auto sum = x;
            auto expectedSum = x;
            reference().add({expectedSum.data(), delta.data(), dim, 1, 4, 0.5F});
            std::vector<float> y(x.size(), -5.0F);
            Acts out(4, dim);
            Acts rest(4, dim);
            NormArgs args;
            args.kind = kind;
            args.x = args.sum = sum.data();
            args.delta = delta.data();
            args.deltaScale = 0.5F;
            args.weight = weight.data();
            args.y = y.data();
            args.out = out.view();
            args.rest = rest.view();
            args.dim = dim;
            args.tokenBegin = 1;
            args.tokenEnd = 4;
            const auto expectedY = expected(args, expectedSum);
            ASSERT_EQ(norm(args, nullptr), kSuccess);
            EXPECT_EQ(sum, expectedSum);
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(close(y[i], expectedY[i], 10.0, kElementwiseTolerance));
            Acts expectedOut(4, dim);
            Acts expectedRest(4, dim);
            reference().quantiseActs(
                {y.data(), expectedOut.view(), dim, 1, 4, expectedRest.view()});
            expectSame(out, expectedOut);
            expectSame(rest, expectedRest);
        }
    }
}

TEST_P(CudaNorm, ARowHasTheSameBitsWhateverElseIsInTheBatch) {
    const std::int64_t dim = 576;
    const auto x = normals(7 * dim);
    const auto weight = normals(dim);
    std::vector<float> together(x.size());
    std::vector<float> alone(x.size());
    NormArgs args;
    args.x = x.data();
    args.weight = weight.data();
    args.dim = dim;
    args.y = together.data();
    args.tokenEnd = 7;
    ASSERT_EQ(norm(args, nullptr), kSuccess);
    args.y = alone.data();
    for (std::int64_t t = 0; t < 7; ++t) {
        args.tokenBegin = t;
        args.tokenEnd = t + 1;
        ASSERT_EQ(norm(args, nullptr), kSuccess);
    }
    EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

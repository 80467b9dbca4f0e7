// Norms, rotary embedding, activations, residual add, soft-cap, gather and cache writes.

#include <cstring>

#include "tests/kernels/support/isa_test.h"
#include "tests/kernels/support/paged.h"

namespace lanescope::kernels::test {
namespace {

class Elementwise : public IsaTest {};
LANESCOPE_FOR_EACH_ISA(Elementwise);

constexpr std::int64_t kDims[] = {0, 1, 3, 7, 8, 9, 31, 64, 576, 4864};

TEST_P(Elementwise, RmsNormAgreesAlsoInPlace) {
    for (const std::int64_t dim : kDims) {
        const auto x = normals(3 * dim, 3.0F);
        const auto weight = normals(dim);
        std::vector<float> expected(x.size(), -5.0F);
        std::vector<float> actual = expected;
        const RmsNormArgs args{x.data(), weight.data(), expected.data(), dim, 1e-5F, 1, 3};
        reference().rmsNorm(args);
        RmsNormArgs mine = args;
        mine.y = actual.data();
        ops().rmsNorm(mine);
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_TRUE(
                close(actual[i], expected[i], std::fabs(expected[i]), kElementwiseTolerance))
                << "dim " << dim << " element " << i;
        std::vector<float> inPlace = x;
        mine.x = mine.y = inPlace.data();
        ops().rmsNorm(mine);
        EXPECT_TRUE(std::equal(inPlace.begin() + dim, inPlace.end(), actual.begin() + dim));
    }
}

TEST_P(Elementwise, RopeAgreesForLayoutsPartsAndFarPositions) {
    const std::int32_t positions[] = {0, 1, 77, 4095, 131071, 1000003};
    for (const RopeLayout layout : {RopeLayout::HalfSplit, RopeLayout::Interleaved}) {
        for (const auto& [headDim, rotaryDim] :
             {std::pair{64, 64}, {64, 32}, {80, 80}, {10, 6}, {2, 2}, {300, 260}, {8, 0}}) {
            std::vector<float> invFreq;
            for (int i = 0; i < rotaryDim / 2; ++i)
                invFreq.push_back(
                    static_cast<float>(std::pow(10000.0, -2.0 * i / std::max(1, rotaryDim))));
            const std::int64_t stride = 3 * headDim + 5;
            const auto x = normals(6 * stride);
            std::vector<float> expected = x;
            std::vector<float> actual = x;
            RopeArgs args{expected.data(), stride, 3,      headDim, rotaryDim, invFreq.data(),
                          positions,       layout, 1.125F, 0,       6};
            reference().rope(args);
            args.x = actual.data();
            ops().rope(args);
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(close(actual[i], expected[i], 6.0, kElementwiseTolerance))
                    << "headDim " << headDim << " rotaryDim " << rotaryDim << " element " << i;
        }
    }
}

TEST_P(Elementwise, LayerNormAgreesAlsoWithoutBiasAndInPlace) {
    for (const std::int64_t dim : kDims) {
        auto x = normals(3 * dim, 3.0F);
        for (float& v : x) v += 2.0F;  // a mean worth taking off
        const auto weight = normals(dim);
        const auto bias = normals(dim);
        for (const float* b : {bias.data(), static_cast<const float*>(nullptr)}) {
            std::vector<float> expected(x.size(), -5.0F);
            std::vector<float> actual = expected;
            LayerNormArgs args{x.data(), weight.data(), b, expected.data(), dim, 1e-5F, 1, 3};
            reference().layerNorm(args);
            args.y = actual.data();
            ops().layerNorm(args);
            // A row of one element is all cancellation: nothing of it but eps is left.
            const double spread = dim == 1 ? 20.0 / std::sqrt(1e-5) : 20.0;
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(close(actual[i], expected[i], spread, kElementwiseTolerance))
                    << "dim " << dim << " element " << i;
            std::vector<float> inPlace = x;
            args.x = args.y = inPlace.data();
            ops().layerNorm(args);
            EXPECT_TRUE(std::equal(inPlace.begin() + dim, inPlace.end(), actual.begin() + dim));
        }
    }
}

class Activations : public Elementwise {
  protected:
    /// Values that are ordinary, tiny, and far out on both sides.
    std::vector<float> inputs(std::int64_t n) {
        auto x = normals(n, 8.0F);
        const float ends[] = {-1e30F, -200.0F, -88.8F, -86.95F, -86.8F, 0.0F,  88.8F,
                              200.0F, -5.5F,   1e-20F, -0.99F,  -1.4F,  1.42F, 1e30F};
        for (std::size_t i = 0; i < std::size(ends) && i < x.size(); ++i) x[i] = ends[i];
        return x;
    }
    static constexpr Activation kKinds[] = {Activation::Silu, Activation::GeluTanh,
                                            Activation::GeluErf};
};
LANESCOPE_FOR_EACH_ISA(Activations);

TEST_P(Activations, AgreeAlsoAtTheEnds) {
    for (const Activation kind : kKinds) {
        for (const std::int64_t dim : kDims) {
            const auto gate = inputs(2 * (dim + 3));
            const auto up = normals(2 * (dim + 1));
            std::vector<float> expected(static_cast<std::size_t>(2 * dim));
            std::vector<float> actual = expected;
            ActivateArgs args{gate.data(), up.data(), expected.data(), dim + 3, dim + 1, dim, 0,
                              2,           kind};
            reference().activate(args);
            args.y = actual.data();
            ops().activate(args);
            for (std::int64_t i = 0; i < 2 * dim; ++i) {
                // GELU's 1 + tanh cancels on the left: there only x itself is a measure.
                const auto at = static_cast<std::size_t>(i);
                const double x = gate[static_cast<std::size_t>(i / dim * (dim + 3) + i % dim)];
                const double y = up[static_cast<std::size_t>(i / dim * (dim + 1) + i % dim)];
                const double magnitude =
                    kind == Activation::Silu ? std::fabs(expected[at]) : std::fabs(x * y);
                ASSERT_TRUE(close(actual[at], expected[at], magnitude,
                                  {kElementwiseTolerance.relative, 1e-35}))
                    << "kind " << static_cast<int>(kind) << " dim " << dim << " x " << x;
            }
        }
    }
}

TEST_P(Activations, WithoutAGateAreTheActivationItself) {
    const auto x = inputs(2 * 77);
    const std::vector<float> ones(x.size(), 1.0F);
    for (const Activation kind : kKinds) {
        std::vector<float> gated(x.size());
        std::vector<float> plain(x.size());
        ActivateArgs args{x.data(), ones.data(), gated.data(), 77, 77, 77, 0, 2, kind};
        ops().activate(args);
        args.up = nullptr;
        args.y = plain.data();
        ops().activate(args);
        EXPECT_EQ(plain, gated) << "kind " << static_cast<int>(kind);
    }
    // Figures of the definitions, so that the reference itself is held: gelu(1), gelu(-1), silu(1).
    const float in[] = {1.0F, -1.0F};
    float out[2];
    ActivateArgs args{in, nullptr, out, 2, 0, 2, 0, 1, Activation::GeluErf};
    ops().activate(args);
    EXPECT_NEAR(out[0], 0.8413447, 2e-7);
    EXPECT_NEAR(out[1], -0.1586553, 2e-7);
    args.kind = Activation::GeluTanh;
    ops().activate(args);
    EXPECT_NEAR(out[0], 0.8411920, 2e-7);
    EXPECT_NEAR(out[1], -0.1588080, 2e-7);
    args.kind = Activation::Silu;
    ops().activate(args);
    EXPECT_NEAR(out[0], 0.7310586, 2e-7);
}

TEST_P(Activations, MayOverwriteTheirGate) {
    const auto up = normals(2 * 77);
    for (const Activation kind : kKinds) {
        auto gate = normals(2 * 77);
        std::vector<float> apart(gate.size());
        ActivateArgs args{gate.data(), up.data(), apart.data(), 77, 77, 77, 0, 2, kind};
        ops().activate(args);
        args.y = gate.data();
        ops().activate(args);
        EXPECT_EQ(gate, apart);
    }
}

TEST_P(Elementwise, SoftcapAgreesAndNeverPassesTheCap) {
    for (const std::int64_t dim : kDims) {
        auto expected = normals(4 * dim, 60.0F);
        if (dim > 0) expected[static_cast<std::size_t>(dim)] = 1e30F;
        auto actual = expected;
        reference().softcap({expected.data(), 30.0F, dim, 1, 3});
        ops().softcap({actual.data(), 30.0F, dim, 1, 3});
        for (std::int64_t i = 0; i < 4 * dim; ++i) {
            const auto at = static_cast<std::size_t>(i);
            ASSERT_TRUE(close(actual[at], expected[at], 30.0, kElementwiseTolerance));
            if (i >= dim && i < 3 * dim) {
                ASSERT_LE(std::fabs(actual[at]), 30.0F);
            }
        }
    }
}

TEST_P(Elementwise, AddScalesWithOneRounding) {
    for (const std::int64_t dim : kDims) {
        const auto delta = normals(2 * dim);
        auto expected = normals(2 * dim);
        auto actual = expected;
        reference().add({expected.data(), delta.data(), dim, 0, 2, 0.8082904F});
        ops().add({actual.data(), delta.data(), dim, 0, 2, 0.8082904F});
        EXPECT_EQ(actual, expected) << "dim " << dim;
    }
}

TEST_P(Elementwise, EmbedScalesItsRows) {
    const std::int32_t ids[] = {1, 0};
    const auto table = normals(2 * 37);
    std::vector<float> actual(2 * 37);
    ops().embed({DType::F32, table.data(), ids, actual.data(), 37, 0, 2, 12.5F});
    for (std::size_t i = 0; i < 37; ++i) {
        EXPECT_EQ(actual[i], 12.5F * table[37 + i]);
        EXPECT_EQ(actual[37 + i], 12.5F * table[i]);
    }
}

TEST_P(Elementwise, AddIsExact) {
    for (const std::int64_t dim : kDims) {
        const auto delta = normals(4 * dim);
        auto expected = normals(4 * dim);
        auto actual = expected;
        reference().add({expected.data(), delta.data(), dim, 1, 3});
        ops().add({actual.data(), delta.data(), dim, 1, 3});
        EXPECT_EQ(actual, expected) << "dim " << dim;
    }
}

TEST_P(Elementwise, EmbedGathersEveryFormatExactly) {
    const std::int32_t ids[] = {4, 0, 4, 2};
    for (const DType type : kWeightTypes) {
        const std::int64_t dim = isBlockFormat(type) ? 512 : 37;
        const auto table = randomWeights(type, 5, dim, m_random);
        std::vector<float> expected(static_cast<std::size_t>(4 * dim), 7.0F);
        auto actual = expected;
        reference().embed({type, table.data() + 1, ids, expected.data(), dim, 1, 4});
        ops().embed({type, table.data() + 1, ids, actual.data(), dim, 1, 4});
        EXPECT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * 4), 0)
            << info(type).name;
    }
}

}  // namespace
}  // namespace lanescope::kernels::test

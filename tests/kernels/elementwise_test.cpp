// Norms, rotary embedding, gated activation, residual add, gather and cache writes.

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

TEST_P(Elementwise, SiluMulAgreesAlsoAtTheEnds) {
    for (const std::int64_t dim : kDims) {
        auto gate = normals(2 * (dim + 3), 8.0F);
        const auto up = normals(2 * (dim + 1));
        const float ends[] = {-1e30F, -200.0F, -88.8F, -86.95F, -86.8F, 0.0F, 88.8F, 200.0F};
        for (std::size_t i = 0; i < 8 && static_cast<std::int64_t>(i) < dim; ++i) gate[i] = ends[i];
        std::vector<float> expected(static_cast<std::size_t>(2 * dim));
        std::vector<float> actual = expected;
        SiluMulArgs args{gate.data(), up.data(), expected.data(), dim + 3, dim + 1, dim, 0, 2};
        reference().siluMul(args);
        args.y = actual.data();
        ops().siluMul(args);
        for (std::size_t i = 0; i < actual.size(); ++i)
            ASSERT_TRUE(close(actual[i], expected[i], std::fabs(expected[i]),
                              {kElementwiseTolerance.relative, 1e-35}))
                << "dim " << dim << " element " << i;
    }
}

TEST_P(Elementwise, SiluMulMayOverwriteItsGate) {
    auto gate = normals(2 * 77);
    const auto up = normals(2 * 77);
    std::vector<float> apart(gate.size());
    SiluMulArgs args{gate.data(), up.data(), apart.data(), 77, 77, 77, 0, 2};
    ops().siluMul(args);
    args.y = gate.data();
    ops().siluMul(args);
    EXPECT_EQ(gate, apart);
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

TEST_P(Elementwise, KvWriteStoresTheSameBytes) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        for (const auto& [headDim, blockTokens] : {std::pair{64, 16}, {20, 5}, {3, 1}}) {
            const auto k = normals(23 * 2 * headDim);
            const auto v = normals(23 * 2 * headDim);
            Paged expected(type, 2, headDim, 23, blockTokens);
            Paged actual(type, 2, headDim, 23, blockTokens);
            expected.write(reference(), k, v, 3, 19);
            actual.write(ops(), k, v, 3, 11);
            actual.write(ops(), k, v, 11, 19);
            EXPECT_EQ(actual.keyBytes(), expected.keyBytes());
            EXPECT_EQ(actual.valueBytes(), expected.valueBytes());
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::test

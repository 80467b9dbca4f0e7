// The AVX-512 VNNI matrix product, compiled over emulated intrinsics: within rounding of the
// reference and the very bits of the AVX2 form, so that a run is the same on both kinds of machine.

#include <algorithm>
#include <cstring>

#include "kernels/cpu/avx2.h"
#include "tests/kernels/support/isa_test.h"

namespace lanescope::kernels {
namespace avx512vnni_emulated {
void matmul(const MatmulArgs& args);
}

namespace test {
namespace {

bool hasAvx2() {
    const auto isas = availableIsas();
    return std::find(isas.begin(), isas.end(), Isa::Avx2) != isas.end();
}

TEST(Avx512Emulated, MatmulGivesTheBitsOfAvx2) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    std::mt19937 random(99);
    std::normal_distribution<float> normal;
    for (const DType type : kWeightTypes) {
        if (!isBlockFormat(type)) continue;
        for (const std::int64_t nCols : {std::int64_t{256}, std::int64_t{1280}}) {
            for (const std::int64_t nRows : {1, 8, 16, 37}) {
                const std::int64_t nTokens = nCols == 256 ? 15 : 8;
                const auto weights = randomWeights(type, nRows, nCols, random);
                std::vector<float> x(static_cast<std::size_t>(nTokens * nCols));
                for (float& v : x) v = normal(random);
                std::vector<std::int8_t> q(x.size());
                std::vector<float> scale(x.size() / 32);
                std::vector<std::int16_t> sum16(x.size() / 16);
                const ActsQ8 acts{q.data(), scale.data(), sum16.data(), nCols};
                opTable(Isa::Reference).quantiseActs({x.data(), acts, nCols, 0, nTokens});
                std::vector<float> bias(static_cast<std::size_t>(nRows), 0.25F);

                MatmulArgs args;
                args.weightType = type;
                args.weight = weights.data() + 1;
                args.nRows = nRows;
                args.nCols = nCols;
                args.xq = &acts;
                args.bias = nRows == 8 ? nullptr : bias.data();
                args.yStride = nRows + 1;
                args.nTokens = nTokens;
                args.rowEnd = nRows;
                std::vector<float> expected(static_cast<std::size_t>(nTokens * args.yStride), 5.0F);
                std::vector<float> actual = expected;
                std::vector<float> exact = expected;
                args.y = expected.data();
                avx2::matmul(args);
                args.y = actual.data();
                avx512vnni_emulated::matmul(args);
                args.y = exact.data();
                opTable(Isa::Reference).matmul(args);
                double magnitude = 0;
                for (const float y : exact) magnitude = std::max(magnitude, std::fabs(double{y}));
                for (std::size_t i = 0; i < actual.size(); ++i) {
                    ASSERT_TRUE(close(actual[i], exact[i], 100 * magnitude, kMatmulTolerance))
                        << info(type).name << " rows " << nRows << " columns " << nCols;
                    ASSERT_EQ(std::memcmp(&actual[i], &expected[i], sizeof(float)), 0)
                        << info(type).name << " rows " << nRows << " columns " << nCols
                        << " element " << i << ": " << actual[i] << " instead of " << expected[i];
                }
                if (!canPack(type)) continue;
                const PackedCopy copy = packedCopy(opTable(Isa::Avx2), args);
                args.packed = copy.data;
                std::fill(actual.begin(), actual.end(), 5.0F);
                args.y = actual.data();
                avx512vnni_emulated::matmul(args);
                ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * 4), 0)
                    << info(type).name << " packed, rows " << nRows << " columns " << nCols;
            }
        }
    }
}

}  // namespace
}  // namespace test
}  // namespace lanescope::kernels

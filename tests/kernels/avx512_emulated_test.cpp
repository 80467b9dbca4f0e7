// The AVX-512 VNNI and AMX matrix products, compiled over emulated instructions: within rounding of
// the reference and the very bits of the AVX2 form, so that a run is the same on every machine.

#include <algorithm>
#include <cstring>

#include "kernels/cpu/avx2.h"
#include "tests/kernels/support/isa_test.h"

namespace lanescope::kernels {
namespace avx512vnni_emulated {
void matmul(const MatmulArgs& args);
}
namespace avx512amx_emulated {
void matmul(const MatmulArgs& args);
}

namespace test {
namespace {

bool hasAvx2() {
    const auto isas = availableIsas();
    return std::find(isas.begin(), isas.end(), Isa::Avx2) != isas.end();
}

/// One product, its operands and its results by AVX2 and by the reference.
struct Case {
    DType type;
    std::int64_t nRows, nCols, nTokens;
    std::vector<std::uint8_t> weights;
    std::vector<float> x, bias;
    std::vector<std::int8_t> q[2];
    std::vector<float> scale[2];
    std::vector<std::int16_t> sum16[2];
    ActsQ8 acts[2];
    MatmulArgs args;
    std::vector<float> expected, exact;

    Case(DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t tokens, bool twoTerms,
         std::mt19937& random)
        : type(dtype), nRows(rows), nCols(cols), nTokens(tokens) {
        std::normal_distribution<float> normal;
        weights = randomWeights(type, nRows, nCols, random);
        x.resize(static_cast<std::size_t>(nTokens * nCols));
        for (float& v : x) v = normal(random);
        for (int i = 0; i < 2; ++i) {
            q[i].resize(x.size());
            scale[i].resize(x.size() / 32);
            sum16[i].resize(x.size() / 16);
            acts[i] = {q[i].data(), scale[i].data(), sum16[i].data(), nCols};
        }
        opTable(Isa::Reference).quantiseActs({x.data(), acts[0], nCols, 0, nTokens, acts[1]});
        bias.assign(static_cast<std::size_t>(nRows), 0.25F);
        args.weightType = type;
        args.weight = weights.data() + 1;
        args.nRows = nRows;
        args.nCols = nCols;
        args.xq = &acts[0];
        args.rest = twoTerms ? &acts[1] : nullptr;
        args.bias = nRows == 8 ? nullptr : bias.data();
        args.yStride = nRows + 1;
        args.nTokens = nTokens;
        args.rowEnd = nRows;
        expected = run(avx2::matmul, args);
        exact = run(opTable(Isa::Reference).matmul, args);
    }
    Case(const Case&) = delete;
    Case& operator=(const Case&) = delete;

    static std::vector<float> run(void (*matmul)(const MatmulArgs&), MatmulArgs of) {
        std::vector<float> y(static_cast<std::size_t>(of.nTokens * of.yStride), 5.0F);
        of.y = y.data();
        matmul(of);
        return y;
    }
    [[nodiscard]] std::string name() const {
        return std::string(info(type).name) + " rows " + std::to_string(nRows) + " columns " +
               std::to_string(nCols) + " tokens " + std::to_string(nTokens);
    }
    [[nodiscard]] ::testing::AssertionResult holds(void (*matmul)(const MatmulArgs&)) {
        double magnitude = 0;
        for (const float y : exact) magnitude = std::max(magnitude, std::fabs(double{y}));
        const auto stored = run(matmul, args);
        for (std::size_t i = 0; i < stored.size(); ++i)
            if (!close(stored[i], exact[i], 100 * magnitude, kMatmulTolerance) ||
                std::memcmp(&stored[i], &expected[i], sizeof(float)) != 0)
                return ::testing::AssertionFailure()
                       << name() << " element " << i << ": " << stored[i] << " instead of "
                       << expected[i] << ", exactly " << exact[i];
        if (!canPack(type)) return ::testing::AssertionSuccess();
        const PackedCopy copy = packedCopy(opTable(Isa::Avx2), args);
        MatmulArgs packed = args;
        packed.packed = copy.data;
        if (run(matmul, packed) != expected)
            return ::testing::AssertionFailure() << name() << " packed";
        return ::testing::AssertionSuccess();
    }
};

TEST(Avx512Emulated, MatmulGivesTheBitsOfAvx2) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    std::mt19937 random(99);
    for (const DType type : kWeightTypes) {
        if (!isBlockFormat(type)) continue;
        for (const std::int64_t nCols : {std::int64_t{256}, std::int64_t{1280}})
            for (const std::int64_t nRows : {1, 8, 16, 37}) {
                Case c(type, nRows, nCols, nCols == 256 ? 15 : 8, nRows == 16, random);
                ASSERT_TRUE(c.holds(avx512vnni_emulated::matmul));
            }
    }
}

TEST(AmxEmulated, MatmulGivesTheBitsOfAvx2) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    std::mt19937 random(7);
    for (const DType type : kWeightTypes) {
        if (!isBlockFormat(type)) continue;
        for (const auto& [nRows, nCols, nTokens] :
             {std::tuple{16, 256, 16}, {37, 256, 35}, {8, 1280, 17}, {1, 512, 15}}) {
            Case c(type, nRows, nCols, nTokens, nRows == 37, random);
            ASSERT_TRUE(c.holds(avx512amx_emulated::matmul));
        }
    }
}

}  // namespace
}  // namespace test
}  // namespace lanescope::kernels

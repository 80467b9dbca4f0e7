// Tensor-core products: values, rounding of x, batch invariance, bank conflicts.

#include "kernels/types/float16.h"
#include "tests/simt/product_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

using kernels::test::kMatmulTolerance;

constexpr DType kTypes[] = {DType::F16, DType::BF16};

/// x as the kernels use it.
void roundActs(Problem& problem) {
    for (float& v : problem.x)
        v = problem.type == DType::F16 ? halfToF32(f32ToHalf(v)) : bf16ToF32(f32ToBf16(v));
}

class CudaMatmulTensor : public ProductTest {};
LANESCOPE_FOR_EACH_SCHEDULE(CudaMatmulTensor);

TEST_P(CudaMatmulTensor, AgreesWithTheReferenceOfRoundedInputs) {
    constexpr std::int64_t kColumns[] = {8, 64, 264, 0, 96, 520, 32, 40};
    std::size_t turn = 0;
    for (const DType type : kTypes) {
        for (const auto [nRows, nTokens] : kExtents) {
            if (kRaceTool && nRows * nTokens > 1200) continue;  // five times slower
            Problem problem(type, nRows, kColumns[turn % 8], nTokens, m_random, turn % 2 == 1);
            roundActs(problem);
            expectAgrees(problem, Path::Tensor, kMatmulTolerance);
            if (HasFatalFailure()) return;
            ++turn;
        }
    }
}

TEST_P(CudaMatmulTensor, LongRowsTakeSeveralRounds) {
    for (const std::int64_t nTokens : {1, 8, 20}) {
        Problem problem(DType::BF16, 3, 16648, nTokens, m_random, true);
        roundActs(problem);
        expectAgrees(problem, Path::Tensor, kMatmulTolerance);
    }
}

TEST_P(CudaMatmulTensor, RoundsXToTheWeightsType) {
    for (const DType type : kTypes) {
        Problem problem(type, 17, 72, 35, m_random, false);
        for (const std::int64_t nTokens : {2, 8, 9, 35}) {
            const auto given = run(problem, Path::Tensor, nTokens);
            Problem rounded(type, 17, 72, 35, m_random, false);
            rounded.weights = std::make_unique<Weights>(problem.weights->data(), 17 * 144);
            rounded.x = problem.x;
            roundActs(rounded);
            EXPECT_NE(rounded.x, problem.x);
            EXPECT_EQ(given, run(rounded, Path::Tensor, nTokens));
        }
    }
}

TEST_P(CudaMatmulTensor, ATokensRowHasTheSameBitsWhateverElseIsInTheBatch) {
    for (const DType type : kTypes)
        for (const std::int64_t nCols : {104, 1320})
            expectBatchInvariant(Problem(type, 19, nCols, 65, m_random, true), Path::Tensor);
}

TEST_P(CudaMatmulTensor, AnotherTokensNanStaysThere) {
    for (const std::int64_t nTokens : {4, 12, 40}) {
        Problem problem(DType::BF16, 8, 64, nTokens, m_random, false);
        problem.x[70] = std::nanf("");
        problem.x[140] = INFINITY;
        const std::vector<float> y = run(problem, Path::Tensor, nTokens);
        for (std::int64_t t = 0; t < nTokens; ++t)
            for (std::int64_t r = 0; r < 8; ++r)
                EXPECT_EQ(std::isfinite(y[static_cast<std::size_t>(t * 11 + r)]), t != 1 && t != 2)
                    << "token " << t << " of " << nTokens;
    }
}

TEST(CudaMatmulTensorBanks, SharedMemoryIsReadWithoutConflicts) {
    std::mt19937 random{1};
    Options options;
    options.countBanks = true;
    for (const std::int64_t nTokens : {1, 8, 32, 64}) {
        const Problem problem(DType::BF16, 128, 512, nTokens, random, false);
        const ScopedOptions scope(options);
        std::vector<float> y;
        ASSERT_EQ(matmulTensor(problem.args(Path::Tensor, nTokens, y), nullptr), kSuccess);
        EXPECT_GT(scope.stats().sharedAccesses, 50U);
        EXPECT_EQ(scope.stats().bankConflicts, 0U) << nTokens << " tokens";
    }
}

TEST(CudaMatmulTensorTypes, AreRefusedWhereThereIsNoKernel) {
    std::mt19937 random{1};
    std::vector<float> y;
    const Problem floats(DType::F32, 4, 64, 2, random, false);
    EXPECT_NE(matmulTensor(floats.args(Path::Tensor, 2, y), nullptr), kSuccess);
    const Problem odd(DType::BF16, 4, 60, 2, random, false);
    EXPECT_NE(matmulTensor(odd.args(Path::Tensor, 2, y), nullptr), kSuccess);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

// Matrix products with int8 and with f32 activations: values, batch invariance, bank conflicts.

#include "tests/simt/product_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

using kernels::test::kMatmulTolerance;

constexpr DType kBlockTypes[] = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                                 DType::Q8_0, DType::Q4_K, DType::Q5_K, DType::Q6_K};
constexpr DType kPlainTypes[] = {DType::F32, DType::F16, DType::BF16};

class CudaMatmul : public ProductTest {
  protected:
    /// All extents; columns and paths in turn, elsewhere in each format.
    void sweep(DType type, const std::vector<std::int64_t>& columns,
               const std::vector<Path>& paths) {
        for (const auto [nRows, nTokens] : kExtents) {
            if (kRaceTool && nRows * nTokens > 1200) continue;  // five times slower
            const std::int64_t nCols = columns[m_turn % columns.size()];
            const Path path = paths[m_turn / columns.size() % paths.size()];
            const Problem problem(type, nRows, nCols, nTokens, m_random, m_turn % 2 == 1);
            expectAgrees(problem, path, kMatmulTolerance);
            if (HasFatalFailure()) return;
            ++m_turn;
        }
    }

  private:
    std::size_t m_turn = 0;
};
LANESCOPE_FOR_EACH_SCHEDULE(CudaMatmul);

TEST_P(CudaMatmul, BlockFormatsAgreeWithTheReference) {
    for (const DType type : kBlockTypes) {
        const std::int64_t unit = info(type).blockSize;
        sweep(type,
              unit == 32 ? std::vector<std::int64_t>{32, 96, 256, 288, 0, 640}
                         : std::vector<std::int64_t>{256, 512, 0, 768},
              {Path::Int8, Path::TwoTerms});
        sweep(type, {3 * unit, unit}, {Path::F32});
    }
}

TEST_P(CudaMatmul, PlainFormatsAgreeWithTheReference) {
    for (const DType type : kPlainTypes) sweep(type, {67, 8, 1, 64, 300, 4, 0, 12}, {Path::F32});
}

TEST_P(CudaMatmul, ATokensRowHasTheSameBitsWhateverElseIsInTheBatch) {
    for (const DType type : kBlockTypes) {
        const Problem problem(type, 19, info(type).blockSize == 32 ? 672 : 768, 65, m_random, true);
        for (const Path path : {Path::Int8, Path::TwoTerms, Path::F32})
            expectBatchInvariant(problem, path);
    }
    for (const DType type : kPlainTypes)
        for (const std::int64_t nCols : {333, 352})
            expectBatchInvariant(Problem(type, 19, nCols, 33, m_random, true), Path::F32);
}

TEST_P(CudaMatmul, AddsToWhatIsThere) {
    const Problem problem(DType::Q4_1, 17, 64, 9, m_random, true);
    for (const std::int64_t nTokens : {1, 4, 8, 9}) {
        const std::vector<float> product = run(problem, Path::Int8, nTokens);
        std::vector<float> y;
        MatmulArgs args = problem.args(Path::Int8, nTokens, y);
        args.accumulate = true;
        ASSERT_EQ(matmul(args, nullptr), kSuccess);
        for (std::size_t i = 0; i < y.size(); ++i)
            ASSERT_EQ(y[i],
                      static_cast<std::int64_t>(i) % args.yStride < 17 ? product[i] - 9.0F : -9.0F);
    }
}

/// Extreme codes: the largest dots must not leave the range of the conversion to float.
TEST_P(CudaMatmul, SurvivesExtremeBlocks) {
    for (const DType type : kBlockTypes) {
        const kernels::test::ScaleField field = kernels::test::scaleField(type);
        for (const int fill : {0x00, 0x0F, 0x7F, 0x80, 0xF0, 0xFF}) {
            Problem problem(type, 9, 256, 5, m_random, false);
            std::vector<std::uint8_t> bytes(
                problem.weights->data(),
                problem.weights->data() + 9 * rowBytes(type, problem.nCols));
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                const std::int64_t at = static_cast<std::int64_t>(i) % info(type).blockBytes;
                if (at < field.offset || at >= field.offset + 2 * field.count)
                    bytes[i] = static_cast<std::uint8_t>(fill);
            }
            problem.weights = std::make_unique<Weights>(bytes.data(), bytes.size());
            for (std::size_t i = 0; i < problem.x.size(); ++i)
                problem.x[i] = i / 256 % 2 == 0 ? 1.0F : -1.0F;
            problem.quantise();
            // The reference rounds weights to f32 one by one, which errors of one sign add up.
            expectAgrees(problem, Path::Int8, {64 * kMatmulTolerance.relative, 1e-30});
            expectBatchInvariant(problem, Path::Int8);
            if (HasFatalFailure()) return;
        }
    }
}

TEST_P(CudaMatmul, AnotherTokensNanStaysThere) {
    for (const std::int64_t nTokens : {4, 8, 12}) {
        Problem problem(DType::Q4_1, 8, 64, nTokens, m_random, false);
        problem.x[70] = std::nanf("");
        problem.x[140] = INFINITY;
        problem.quantise();
        for (const Path path : {Path::F32, Path::Int8, Path::TwoTerms}) {
            const std::vector<float> y = run(problem, path, nTokens);
            for (std::int64_t t = 0; t < nTokens; ++t)
                for (std::int64_t r = 0; r < 8; ++r)
                    EXPECT_EQ(std::isfinite(y[static_cast<std::size_t>(t * 11 + r)]),
                              t != 1 && t != 2)
                        << pathName(path) << " token " << t;
        }
    }
}

TEST(CudaMatmulBanks, SharedMemoryIsReadWithoutConflicts) {
    std::mt19937 random{1};
    Options options;
    options.countBanks = true;
    const auto conflicts = [&](DType type, std::int64_t nTokens, bool int8) {
        // Rows of whole 16-byte pieces: others begin at different places of their banks.
        const Problem problem(type, 32, type == DType::Q6_K ? 2048 : 1024, nTokens, random, false);
        const ScopedOptions scope(options);
        std::vector<float> y;
        EXPECT_EQ(matmul(problem.args(int8 ? Path::Int8 : Path::F32, nTokens, y), nullptr),
                  kSuccess);
        EXPECT_GT(scope.stats().sharedAccesses, 100U);
        return scope.stats().bankConflicts;
    };
    for (const DType type : kBlockTypes)
        for (const std::int64_t nTokens : {8, 32})
            EXPECT_EQ(conflicts(type, nTokens, true), 0U)
                << info(type).name << " tokens " << nTokens;
    EXPECT_EQ(conflicts(DType::Q4_0, 32, false), 0U);
    EXPECT_EQ(conflicts(DType::F32, 32, false), 0U);
    EXPECT_EQ(conflicts(DType::BF16, 32, false), 0U);
}

TEST(CudaMatmulTypes, AreRefusedWhereThereIsNoKernel) {
    EXPECT_FALSE(canMultiply(DType::F16, true));
    EXPECT_FALSE(canMultiply(DType::IQ4_NL, true));
    EXPECT_FALSE(canMultiply(DType::IQ4_NL, false));
    for (const DType type : kBlockTypes)
        EXPECT_TRUE(canMultiply(type, true) && canMultiply(type, false));
    for (const DType type : kPlainTypes) EXPECT_TRUE(canMultiply(type, false));
    MatmulArgs args;
    args.weightType = DType::IQ4_NL;
    EXPECT_NE(matmul(args, nullptr), kSuccess);
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

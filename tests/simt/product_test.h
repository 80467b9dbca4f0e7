#pragma once
// Fixture of the tests of matrix products: inputs, the reference, the comparison.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {

/// The way a product goes.
enum class Path { F32, Int8, TwoTerms, Tensor };

inline const char* pathName(Path path) {
    constexpr const char* kNames[] = {" f32", " int8", " two terms", " tensor"};
    return kNames[static_cast<int>(path)];
}

/// Weights as the backend keeps them: at a multiple of 16 bytes and readable up to one; not a byte
/// more, so that AddressSanitizer sees every other access.
class Weights {
  public:
    Weights(const std::uint8_t* bytes, std::size_t size)
        : m_bytes(static_cast<std::uint8_t*>(
              ::operator new ((size + 15) / 16 * 16 + 16, std::align_val_t{16}))) {
        std::memset(m_bytes.get(), 0xFF, (size + 15) / 16 * 16);
        std::memcpy(m_bytes.get(), bytes, size);
    }
    [[nodiscard]] const std::uint8_t* data() const { return m_bytes.get(); }

  private:
    struct Free {
        void operator()(std::uint8_t* p) const { ::operator delete (p, std::align_val_t{16}); }
    };
    std::unique_ptr<std::uint8_t, Free> m_bytes;
};

/// A product with everything it reads.
struct Problem {
    Problem(DType weightType, std::int64_t rows, std::int64_t columns, std::int64_t tokens,
            std::mt19937& random, bool withBias)
        : type(weightType),
          nRows(rows),
          nCols(columns),
          nTokens(tokens),
          x(static_cast<std::size_t>(tokens * columns)),
          acts(isInt8() ? tokens : 0, columns),
          rest(isInt8() ? tokens : 0, columns),
          bias(withBias ? static_cast<std::size_t>(rows) : 0) {
        const auto bytes = kernels::test::randomWeights(type, nRows, nCols, random);
        weights = std::make_unique<Weights>(bytes.data() + 1, bytes.size() - 1);
        std::normal_distribution<float> normal;
        for (float& v : x) v = normal(random);
        for (float& v : bias) v = normal(random);
        quantise();
    }
    [[nodiscard]] bool isInt8() const { return kernels::test::isBlockFormat(type); }
    void quantise() {
        actsView = acts.view();
        restView = rest.view();
        if (isInt8())
            opTable(Isa::Reference).quantiseActs({x.data(), actsView, nCols, 0, nTokens, restView});
    }
    /// Tokens [0, n) into y, rows at nRows + 3.
    [[nodiscard]] MatmulArgs args(Path path, std::int64_t n, std::vector<float>& y) const {
        MatmulArgs out;
        out.weightType = type;
        out.weight = weights->data();
        out.nRows = out.rowEnd = nRows;
        out.nCols = nCols;
        out.x = x.data();
        if (path == Path::Int8 || path == Path::TwoTerms) out.xq = &actsView;
        if (path == Path::TwoTerms) out.rest = &restView;
        out.bias = bias.empty() ? nullptr : bias.data();
        out.yStride = nRows + 3;
        out.nTokens = n;
        y.assign(static_cast<std::size_t>(n * out.yStride), -9.0F);
        out.y = y.data();
        return out;
    }

    DType type;
    std::int64_t nRows;
    std::int64_t nCols;
    std::int64_t nTokens;
    std::unique_ptr<Weights> weights;
    std::vector<float> x;
    Acts acts;
    Acts rest;
    ActsQ8 actsView;
    ActsQ8 restView;
    std::vector<float> bias;
};

class ProductTest : public KernelTest {
  protected:
    /// Largest weight of each row times the sum of |x|: what errors are in proportion to.
    static std::vector<double> magnitudes(const Problem& problem) {
        std::vector<float> row(static_cast<std::size_t>(problem.nCols));
        std::vector<double> sums;
        for (std::int64_t t = 0; t < problem.nTokens; ++t) {
            double sum = 0;
            for (std::int64_t i = 0; i < problem.nCols; ++i)
                sum += std::fabs(problem.x[static_cast<std::size_t>(t * problem.nCols + i)]);
            sums.push_back(sum);
        }
        std::vector<double> out(static_cast<std::size_t>(problem.nTokens * problem.nRows));
        for (std::int64_t r = 0; r < problem.nRows; ++r) {
            reference().dequantiseRow(
                problem.type, problem.weights->data() + r * rowBytes(problem.type, problem.nCols),
                row.data(), problem.nCols);
            double top = 0;
            for (const float w : row) top = std::max(top, std::fabs(static_cast<double>(w)));
            for (std::int64_t t = 0; t < problem.nTokens; ++t)
                out[static_cast<std::size_t>(t * problem.nRows + r)] =
                    top * sums[static_cast<std::size_t>(t)];
        }
        return out;
    }

    static std::vector<float> run(const Problem& problem, Path path, std::int64_t nTokens) {
        std::vector<float> y;
        const MatmulArgs args = problem.args(path, nTokens, y);
        const Status status =
            path == Path::Tensor ? matmulTensor(args, nullptr) : matmul(args, nullptr);
        EXPECT_EQ(status, kSuccess);
        return y;
    }

    static void expectAgrees(const Problem& problem, Path path,
                             kernels::test::Tolerance tolerance) {
        std::vector<float> expected;
        reference().matmul(problem.args(path, problem.nTokens, expected));
        const std::vector<float> actual = run(problem, path, problem.nTokens);
        const std::vector<double> magnitude = magnitudes(problem);
        const std::int64_t stride = problem.nRows + 3;
        for (std::int64_t t = 0; t < problem.nTokens; ++t) {
            for (std::int64_t r = 0; r < stride; ++r) {
                const auto at = static_cast<std::size_t>(t * stride + r);
                if (r >= problem.nRows) {
                    ASSERT_EQ(actual[at], -9.0F) << "wrote past row " << problem.nRows;
                    continue;
                }
                const double added = problem.bias.empty()
                                         ? 0.0
                                         : std::fabs(problem.bias[static_cast<std::size_t>(r)]);
                ASSERT_TRUE(kernels::test::close(
                    actual[at], expected[at],
                    magnitude[static_cast<std::size_t>(t * problem.nRows + r)] + added, tolerance))
                    << info(problem.type).name << pathName(path) << " rows " << problem.nRows
                    << " columns " << problem.nCols << " tokens " << problem.nTokens << " at token "
                    << t << " row " << r;
            }
        }
    }

    /// The first tokens have the same bits however many there are.
    static void expectBatchInvariant(const Problem& problem, Path path) {
        const std::vector<float> whole = run(problem, path, problem.nTokens);
        for (const std::int64_t n : {1, 2, 7, 8, 9, 33}) {
            if (n > problem.nTokens) break;
            const std::vector<float> part = run(problem, path, n);
            ASSERT_EQ(std::memcmp(part.data(), whole.data(), part.size() * sizeof(float)), 0)
                << info(problem.type).name << pathName(path) << " columns " << problem.nCols
                << " of " << n << " tokens";
        }
    }
};

/// Rows and tokens around the edges of tiles.
struct Extents {
    std::int64_t nRows;
    std::int64_t nTokens;
};
inline constexpr Extents kExtents[] = {{1, 0},   {1, 1},   {1, 9},   {1, 65},   {15, 1},
                                       {15, 7},  {15, 8},  {16, 3},  {16, 8},   {16, 64},
                                       {17, 1},  {17, 4},  {17, 8},  {17, 9},   {17, 17},
                                       {17, 65}, {130, 1}, {130, 7}, {130, 17}, {130, 65}};

}  // namespace lanescope::kernels::cuda::test

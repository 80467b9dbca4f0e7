// The matrix product: all paths of every weight format against the reference, and its promise that
// bits depend neither on the other tokens nor on how rows are split.

#include <algorithm>
#include <cstring>

#include "kernels/types/blocks.h"
#include "tests/kernels/support/isa_test.h"

namespace lanescope::kernels::test {
namespace {

/// Memory of one int8 term.
struct Term {
    std::vector<std::int8_t> q;
    std::vector<float> scale;
    std::vector<std::int16_t> sum16;
    ActsQ8 view;
    void resize(std::size_t n, std::int64_t nCols) {
        q.resize(n);
        scale.resize(n / 32);
        sum16.resize(n / 16);
        view = {q.data(), scale.data(), sum16.data(), nCols};
    }
    /// The rows from token t on.
    [[nodiscard]] ActsQ8 from(std::int64_t t) const {
        ActsQ8 v = view;
        v.q += t * v.nCols;
        v.scale += t * (v.nCols / 32);
        v.sum16 += t * (v.nCols / 16);
        return v;
    }
};

/// Activations in all forms.
struct Acts {
    std::vector<float> x;
    Term first, rest;
    std::vector<std::uint16_t> xb;
    std::vector<float> rounded;  ///< xb as f32
    void quantise(std::int64_t nCols, std::int64_t nTokens) {
        const auto n = static_cast<std::int64_t>(x.size());
        xb.resize(x.size());
        rounded.resize(x.size());
        opTable(Isa::Reference).fromF32(DType::BF16, x.data(), xb.data(), n);
        opTable(Isa::Reference).dequantiseRow(DType::BF16, xb.data(), rounded.data(), n);
        opTable(Isa::Reference).quantiseActs({x.data(), first.view, nCols, 0, nTokens, rest.view});
    }
};

enum class Path { Exact, Fast, TwoTerms, Bf16 };
constexpr Path kPaths[] = {Path::Exact, Path::Fast, Path::TwoTerms, Path::Bf16};

bool isInt8(Path path) {
    return path == Path::Fast || path == Path::TwoTerms;
}

const char* pathName(Path path) {
    return path == Path::Exact  ? " exact"
           : path == Path::Fast ? " fast"
           : path == Path::Bf16 ? " bf16"
                                : " two terms";
}

class Matmul : public IsaTest {
  protected:
    void makeActs(Acts& a, std::int64_t nTokens, std::int64_t nCols, float spread = 1.0F) {
        a.x = normals(nTokens * nCols, spread);
        a.first.resize(a.x.size(), nCols);
        a.rest.resize(a.x.size(), nCols);
        a.quantise(nCols, nTokens);
    }

    static MatmulArgs makeArgs(DType type, const std::vector<std::uint8_t>& weights,
                               std::int64_t nRows, std::int64_t nCols, const Acts& a, Path path,
                               std::int64_t nTokens) {
        MatmulArgs args;
        args.weightType = type;
        args.weight = weights.data() + 1;
        args.nRows = nRows;
        args.nCols = nCols;
        args.x = path == Path::Bf16 ? a.rounded.data() : a.x.data();
        args.xb = path == Path::Bf16 ? a.xb.data() : nullptr;
        args.xq = isInt8(path) ? &a.first.view : nullptr;
        args.rest = path == Path::TwoTerms ? &a.rest.view : nullptr;
        args.nTokens = nTokens;
        args.rowEnd = nRows;
        return args;
    }

    /// Largest weight of each row times the sum of |x|: what rounding errors are in proportion to.
    static std::vector<double> magnitudes(const MatmulArgs& args, const Acts& a) {
        std::vector<float> row(static_cast<std::size_t>(args.nCols));
        std::vector<double> out(static_cast<std::size_t>(args.nTokens * args.nRows));
        for (std::int64_t r = 0; r < args.nRows; ++r) {
            reference().dequantiseRow(
                args.weightType,
                static_cast<const char*>(args.weight) + r * rowBytes(args.weightType, args.nCols),
                row.data(), args.nCols);
            double top = 0;
            for (const float w : row) top = std::max(top, std::fabs(static_cast<double>(w)));
            for (std::int64_t t = 0; t < args.nTokens; ++t) {
                double sum = 0;
                for (std::int64_t i = 0; i < args.nCols; ++i)
                    sum += std::fabs(a.x[static_cast<std::size_t>(t * args.nCols + i)]);
                out[static_cast<std::size_t>(t * args.nRows + r)] = top * sum;
            }
        }
        return out;
    }

    void compare(DType type, std::int64_t nRows, std::int64_t nCols, std::int64_t nTokens,
                 Path path, bool withBias) {
        const auto weights = randomWeights(type, nRows, nCols, m_random);
        Acts acts;
        makeActs(acts, nTokens, nCols);
        MatmulArgs args = makeArgs(type, weights, nRows, nCols, acts, path, nTokens);
        const std::vector<float> bias = normals(nRows);
        if (withBias) args.bias = bias.data();
        args.yStride = nRows + 3;
        std::vector<float> expected(static_cast<std::size_t>(nTokens * args.yStride), -9.0F);
        std::vector<float> actual = expected;
        args.y = expected.data();
        reference().matmul(args);
        args.y = actual.data();
        ops().matmul(args);
        const std::vector<double> magnitude = magnitudes(args, acts);
        for (std::int64_t t = 0; t < nTokens; ++t) {
            for (std::int64_t r = 0; r < args.yStride; ++r) {
                const auto at = static_cast<std::size_t>(t * args.yStride + r);
                if (r >= nRows) {
                    ASSERT_EQ(actual[at], -9.0F) << "wrote past row " << nRows;
                    continue;
                }
                const double scale = magnitude[static_cast<std::size_t>(t * nRows + r)];
                const double added = withBias ? std::fabs(bias[static_cast<std::size_t>(r)]) : 0.0;
                ASSERT_TRUE(close(actual[at], expected[at], scale + added, kMatmulTolerance))
                    << info(type).name << pathName(path) << " rows " << nRows << " columns "
                    << nCols << " tokens " << nTokens << " at token " << t << " row " << r;
            }
        }
    }

    /// Products of weights as they are stored and packed, with int8 activations of one or two
    /// terms.
    void comparePacked(DType type, const std::vector<std::uint8_t>& weights, std::int64_t nRows,
                       std::int64_t nCols, std::int64_t nTokens) {
        Acts acts;
        makeActs(acts, nTokens, nCols);
        const std::vector<float> bias = normals(nRows);
        const Path path = m_random() % 2 == 0 ? Path::Fast : Path::TwoTerms;
        MatmulArgs args = makeArgs(type, weights, nRows, nCols, acts, path, nTokens);
        args.bias = nRows == 16 ? nullptr : bias.data();
        args.yStride = nRows + 1;
        std::vector<float> expected(static_cast<std::size_t>(nTokens * args.yStride), 7.0F);
        std::vector<float> actual = expected;
        args.y = expected.data();
        ops().matmul(args);
        const PackedCopy copy = packedCopy(ops(), args);
        args.packed = copy.data;
        args.weight = nullptr;
        args.y = actual.data();
        for (std::int64_t row = 0; row < nRows; row += 48) {
            args.rowBegin = row;
            args.rowEnd = std::min(nRows, row + 48);
            ops().matmul(args);
        }
        ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * 4), 0)
            << info(type).name << pathName(path) << " rows " << nRows << " columns " << nCols
            << " tokens " << nTokens;
    }
};
LANESCOPE_FOR_EACH_ISA(Matmul);

TEST_P(Matmul, AgreesWithReferenceOverSizesAndFormats) {
    for (const DType type : kWeightTypes) {
        const std::int64_t unit = info(type).blockSize;
        for (const Path path : kPaths) {
            if (isInt8(path) && unit == 1) continue;
            for (const std::int64_t nRows : {1, 7, 8, 9, 16, 33})
                for (const std::int64_t nTokens : {0, 1, 2, 3, 4, 5, 9})
                    compare(type, nRows, unit == 1 ? 67 : unit, nTokens, path, nRows % 2 == 1);
            compare(type, 0, unit, 3, path, false);
            compare(type, 5, 0, 2, path, true);
        }
    }
}

TEST_P(Matmul, AgreesWithReferenceOnLongRows) {
    for (const DType type : kWeightTypes) {
        const std::int64_t unit = info(type).blockSize;
        // Past one chunk of every kernel, and a last chunk that is short.
        const std::int64_t nCols = unit == 1 ? 1111 : unit == 32 ? 1056 : unit == 64 ? 1088 : 1280;
        compare(type, 19, nCols, 6, Path::Exact, true);
        compare(type, 19, nCols, 6, Path::Bf16, true);
        if (unit > 1) {
            compare(type, 19, nCols, 6, Path::Fast, true);
            compare(type, 19, nCols, 6, Path::TwoTerms, true);
            compare(type, 24, 5 * nCols / unit * unit, 101, Path::Fast, false);
        }
        compare(type, 6, 2048, 101, Path::Exact, false);
        compare(type, 17, 768, 200, Path::Exact, false);  // more than one block of tokens
    }
}

/// Extreme values of every stored field: the largest dots must not saturate.
TEST_P(Matmul, SurvivesExtremeBlocks) {
    for (const DType type : kWeightTypes) {
        if (!isBlockFormat(type)) continue;
        for (const int fill : {0x00, 0x0F, 0x7F, 0x80, 0x81, 0xF0, 0xFF}) {
            constexpr std::int64_t kCols = 512;
            constexpr std::int64_t kTokens = 33;  // enough for every kernel's tiles
            auto weights = randomWeights(type, 9, kCols, m_random);
            // Everything but the scales, which would be infinite.
            const std::int64_t blockBytes = info(type).blockBytes;
            const ScaleField field = scaleField(type);
            const std::int64_t own = type == DType::MXFP4 ? 1 : type == DType::NVFP4 ? 4 : 0;
            for (std::size_t at = 1; at < weights.size();
                 at += static_cast<std::size_t>(blockBytes)) {
                for (std::int64_t i = own; i < blockBytes; ++i) {
                    if (i >= field.offset && i < field.offset + 2 * field.count) continue;
                    if (type == DType::IQ1_M && i >= 48) continue;
                    weights[at + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(fill);
                }
            }
            for (const float sign : {1.0F, -1.0F}) {
                Acts acts;
                makeActs(acts, kTokens, kCols);
                for (float& x : acts.x) x = sign;  // all of the largest magnitude, one sign
                acts.quantise(kCols, kTokens);
                MatmulArgs args = makeArgs(type, weights, 9, kCols, acts, Path::Fast, kTokens);
                std::vector<float> expected(9 * kTokens);
                std::vector<float> actual(9 * kTokens);
                args.yStride = 9;
                args.y = expected.data();
                reference().matmul(args);
                args.y = actual.data();
                ops().matmul(args);
                const auto magnitude = magnitudes(args, acts);
                for (std::size_t i = 0; i < expected.size(); ++i)
                    ASSERT_TRUE(close(actual[i], expected[i],
                                      magnitude[i] + 64 * std::fabs(expected[i]), kMatmulTolerance))
                        << info(type).name << " filled with " << fill;
            }
        }
    }
}

TEST_P(Matmul, BitsDoNotDependOnTokensOrRowRanges) {
    constexpr std::int64_t kRows = 37;
    constexpr std::int64_t kTokens = 9;
    for (const DType type : kWeightTypes) {
        const std::int64_t unit = info(type).blockSize;
        const std::int64_t nCols = unit == 1 ? 777 : unit == 32 ? 1056 : unit == 64 ? 1088 : 1280;
        const auto weights = randomWeights(type, kRows, nCols, m_random);
        Acts acts;
        makeActs(acts, kTokens, nCols);
        const std::vector<float> bias = normals(kRows);
        for (const Path path : kPaths) {
            if (isInt8(path) && unit == 1) continue;
            MatmulArgs args = makeArgs(type, weights, kRows, nCols, acts, path, kTokens);
            args.bias = bias.data();
            args.yStride = kRows;
            std::vector<float> whole(kTokens * kRows);
            args.y = whole.data();
            ops().matmul(args);

            for (std::int64_t chunk = 1; chunk <= kTokens; ++chunk) {
                for (const std::int64_t split : {1, 5, 8, 20, 37}) {
                    std::vector<float> parts(whole.size(), -1.0F);
                    for (std::int64_t t = 0; t < kTokens; t += chunk) {
                        MatmulArgs part = args;
                        const ActsQ8 first = acts.first.from(t);
                        const ActsQ8 rest = acts.rest.from(t);
                        part.x += t * nCols;
                        if (isInt8(path)) part.xq = &first;
                        if (path == Path::Bf16) part.xb += t * nCols;
                        if (path == Path::TwoTerms) part.rest = &rest;
                        part.y = parts.data() + t * kRows;
                        part.nTokens = std::min(chunk, kTokens - t);
                        for (std::int64_t r = 0; r < kRows; r += split) {
                            part.rowBegin = r;
                            part.rowEnd = std::min(kRows, r + split);
                            ops().matmul(part);
                        }
                    }
                    ASSERT_EQ(std::memcmp(parts.data(), whole.data(), whole.size() * 4), 0)
                        << info(type).name << pathName(path) << " in chunks of " << chunk
                        << " tokens, " << split << " rows";
                }
            }
        }
    }
}

TEST_P(Matmul, ExactBitsOfManyTokensAreThoseOfOne) {
    constexpr std::int64_t kRows = 21, kTokens = 205;
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q4_K}) {
        const std::int64_t nCols = type == DType::F32 ? 523 : 768;
        const auto weights = randomWeights(type, kRows, nCols, m_random);
        Acts acts;
        acts.x = normals(kTokens * nCols);
        MatmulArgs args = makeArgs(type, weights, kRows, nCols, acts, Path::Exact, kTokens);
        args.yStride = kRows;
        std::vector<float> whole(kTokens * kRows);
        std::vector<float> parts(whole.size());
        args.y = whole.data();
        ops().matmul(args);
        args.nTokens = 1;
        for (std::int64_t t = 0; t < kTokens; ++t) {
            args.x = acts.x.data() + t * nCols;
            args.y = parts.data() + t * kRows;
            ops().matmul(args);
        }
        EXPECT_EQ(parts, whole) << info(type).name;
    }
}

TEST_P(Matmul, PackedWeightsGiveTheSameBits) {
    if (ops().pack == nullptr) GTEST_SKIP() << "reads stored formats only";
    for (const DType type : kWeightTypes) {
        if (!canPack(type)) continue;
        const std::int64_t unit = info(type).blockSize;
        for (const std::int64_t nBlocks : {1, 2, 3, 5, 33, 37}) {
            if (unit == 256 && nBlocks > 9) continue;
            for (const std::int64_t nRows : {1, 16, 33, 100}) {
                const auto weights = randomWeights(type, nRows, nBlocks * unit, m_random);
                const auto nTokens = static_cast<std::int64_t>(1 + m_random() % 20);
                comparePacked(type, weights, nRows, nBlocks * unit, nTokens);
            }
        }
        const auto weights = randomWeights(type, 37, 3 * unit, m_random);
        for (std::int64_t nTokens = 1; nTokens <= 20; ++nTokens)  // both ways of reading
            comparePacked(type, weights, 37, 3 * unit, nTokens);
    }
}

/// Formats whose scales are bytes that stand for numbers of their own.
TEST_P(Matmul, PackedScalesAreTheSameForEveryByte) {
    if (ops().pack == nullptr) GTEST_SKIP() << "reads stored formats only";
    for (const DType type : {DType::MXFP4, DType::NVFP4}) {
        auto weights = randomWeights(type, 256, 64, m_random);
        std::size_t at = 1;
        for (int row = 0; row < 256; ++row, at += static_cast<std::size_t>(rowBytes(type, 64))) {
            const auto byte = static_cast<std::uint8_t>(row);
            for (std::size_t i = 0; i < 4 && type == DType::NVFP4; ++i) weights[at + i] = byte;
            if (type == DType::MXFP4) weights[at] = weights[at + sizeof(BlockMXFP4)] = byte;
        }
        comparePacked(type, weights, 256, 64, 3);
    }
}

TEST_P(Matmul, AnotherTokensNanStaysThere) {
    const auto weights = randomWeights(DType::Q4_1, 8, 64, m_random);
    Acts acts;
    makeActs(acts, 4, 64);
    acts.x[70] = std::nanf("");
    acts.x[140] = INFINITY;
    acts.quantise(64, 4);
    for (const Path path : kPaths) {
        MatmulArgs args = makeArgs(DType::Q4_1, weights, 8, 64, acts, path, 4);
        std::vector<float> y(32);
        args.y = y.data();
        args.yStride = 8;
        ops().matmul(args);
        for (std::size_t r = 0; r < 8; ++r) {
            EXPECT_TRUE(std::isfinite(y[r]) && std::isfinite(y[24 + r]));
            EXPECT_FALSE(std::isfinite(y[8 + r])) << "a NaN activation must show in the result";
            EXPECT_FALSE(std::isfinite(y[16 + r])) << "an infinite activation must show";
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::test

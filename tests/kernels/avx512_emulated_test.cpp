// The AVX-512 VNNI and AMX matrix products and AVX-512 attention, compiled over emulated
// instructions: within rounding of the reference and the very bits of the AVX2 form, so that a run
// is the same on every machine.

#include <algorithm>
#include <cstring>

#include "kernels/cpu/avx2.h"
#include "tests/kernels/support/isa_test.h"
#include "tests/kernels/support/paged.h"

namespace lanescope::kernels {
namespace avx512vnni_emulated {
void matmul(const MatmulArgs& args);
void matmulExact(const MatmulArgs& args);
void attention(const AttentionArgs& args);
}  // namespace avx512vnni_emulated
namespace avx512amx_emulated {
void matmul(const MatmulArgs& args);
}
namespace avx512bf16_emulated {
void matmul(const MatmulArgs& args);
void matmulByTiles(const MatmulArgs& args);
}  // namespace avx512bf16_emulated

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

/// An exact product into y, the rows in two calls.
std::vector<float> exactProduct(void (*matmul)(const MatmulArgs&), MatmulArgs args) {
    std::vector<float> y(static_cast<std::size_t>(args.nTokens * args.yStride), 5.0F);
    args.y = y.data();
    args.rowEnd = std::min<std::int64_t>(args.nRows, 32);
    matmul(args);
    args.rowBegin = args.rowEnd;
    args.rowEnd = args.nRows;
    matmul(args);
    return y;
}

TEST(Avx512Emulated, ExactMatmulGivesTheBitsOfAvx2) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q4_K})
        for (const auto& [nRows, nCols, nTokens] :
             {std::tuple{37, 300, 25}, {16, 21, 12}, {3, 512, 4}, {1, 777, 7}, {40, 259, 1}}) {
            const std::int64_t columns = type == DType::Q4_K ? 512 : nCols;
            const auto weights = randomWeights(type, nRows, columns, random);
            std::vector<float> x(static_cast<std::size_t>(nTokens * columns));
            for (float& v : x) v = normal(random);
            const std::vector<float> bias(static_cast<std::size_t>(nRows), 0.25F);
            MatmulArgs args;
            args.weightType = type;
            args.weight = weights.data() + 1;
            args.nRows = nRows;
            args.nCols = columns;
            args.x = x.data();
            args.bias = nRows == 16 ? nullptr : bias.data();
            args.yStride = nRows + 3;
            args.nTokens = nTokens;
            EXPECT_EQ(exactProduct(avx512vnni_emulated::matmulExact, args),
                      exactProduct(avx2::matmulExact, args))
                << info(type).name << " rows " << nRows << " tokens " << nTokens;
        }
}

TEST(Avx512Emulated, AttentionGivesTheBitsOfAvx2) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    constexpr std::int64_t kHeads = 6, kKvHeads = 2, kHeadDim = 40, kContext = 150, kTokens = 21;
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    const auto normals = [&](std::int64_t n) {
        std::vector<float> out(static_cast<std::size_t>(n));
        for (float& v : out) v = normal(random);
        return out;
    };
    Paged cache(KvFormat::F16, kKvHeads, kHeadDim, kContext, 16);
    cache.write(opTable(Isa::Avx2), normals(kContext * kKvHeads * kHeadDim),
                normals(kContext * kKvHeads * kHeadDim), 0, kContext);
    const auto q = normals(kTokens * kHeads * kHeadDim);
    std::vector<std::int32_t> positions(kTokens);
    std::iota(positions.begin(), positions.end(), kContext - kTokens);
    OpTable wide = opTable(Isa::Avx2);
    wide.attention = avx512vnni_emulated::attention;
    for (const AttentionKind kind : {AttentionKind::Naive, AttentionKind::Flash})
        for (const std::int64_t window : {0, 70}) {
            AttentionArgs args;
            args.kind = kind;
            args.q = q.data();
            args.qStride = kHeads * kHeadDim;
            args.positions = positions.data();
            args.nTokens = kTokens;
            args.nHeads = kHeads;
            args.scale = 0.2F;
            args.window = window;
            args.kv = cache.view();
            std::vector<float> expected(q.size()), out(q.size());
            args.out = expected.data();
            attend(opTable(Isa::Avx2), args, kContext);
            args.out = out.data();
            attend(wide, args, kContext);
            EXPECT_EQ(out, expected);
            if (kind == AttentionKind::Naive) continue;
            std::fill(out.begin(), out.end(), 0.0F);
            attendShared(wide, args, kContext);
            EXPECT_EQ(out, expected);
        }
}

TEST(AmxEmulated, MatmulGivesTheBitsOfAvx2) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    std::mt19937 random(7);
    for (const DType type : kWeightTypes) {
        if (!isBlockFormat(type)) continue;
        for (const auto& [nRows, nCols, nTokens] :
             {std::tuple{16, 256, 32}, {37, 256, 51}, {8, 1280, 33}, {1, 512, 31}}) {
            Case c(type, nRows, nCols, nTokens, nRows == 37, random);
            ASSERT_TRUE(c.holds(avx512amx_emulated::matmul));
        }
    }
}

/// Products of bf16 activations: within rounding of the reference, and their bits depend neither on
/// the other tokens nor on the other rows.
void checkBf16(void (*matmul)(const MatmulArgs&)) {
    std::mt19937 random(21);
    std::normal_distribution<float> normal;
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q4_K, DType::Q8_0})
        for (const auto& [nRows, nCols, nTokens] :
             {std::tuple{37, 512, 67}, {16, 768, 16}, {3, 256, 1}, {20, 288, 13}}) {
            if (type == DType::Q4_K && nCols % 256 != 0) continue;
            const auto weights = randomWeights(type, nRows, nCols, random);
            std::vector<float> x(static_cast<std::size_t>(nTokens * nCols));
            for (float& v : x) v = normal(random);
            std::vector<std::uint16_t> xb(x.size());
            const OpTable& reference = opTable(Isa::Reference);
            reference.fromF32(DType::BF16, x.data(), xb.data(), std::ssize(x));
            reference.dequantiseRow(DType::BF16, xb.data(), x.data(), std::ssize(x));
            const std::vector<float> bias(static_cast<std::size_t>(nRows), 0.25F);
            MatmulArgs args;
            args.weightType = type;
            args.weight = weights.data() + 1;
            args.nRows = nRows;
            args.nCols = nCols;
            args.x = x.data();
            args.xb = xb.data();
            args.bias = nRows == 16 ? nullptr : bias.data();
            args.yStride = nRows + 1;
            args.nTokens = nTokens;
            const auto expected = exactProduct(reference.matmul, args);
            const auto whole = exactProduct(matmul, args);
            double magnitude = 0;
            for (const float y : expected) magnitude = std::max(magnitude, std::fabs(double{y}));
            for (std::size_t i = 0; i < whole.size(); ++i)
                ASSERT_TRUE(close(whole[i], expected[i], 100 * magnitude, kMatmulTolerance))
                    << info(type).name << " columns " << nCols << " element " << i;
            for (int t = 0; t < nTokens; t += 5) {
                MatmulArgs part = args;
                part.x += t * nCols;
                part.xb += t * nCols;
                part.nTokens = std::min(5, nTokens - t);
                const auto y = exactProduct(matmul, part);
                ASSERT_TRUE(std::equal(y.begin(), y.end(), whole.begin() + t * args.yStride))
                    << info(type).name << " columns " << nCols << " from token " << t;
            }
        }
}

TEST(Avx512Emulated, Bf16MatmulAgreesWithReferenceForAnyTokens) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    checkBf16(avx512bf16_emulated::matmul);
}

TEST(AmxEmulated, Bf16MatmulAgreesWithReferenceForAnyTokens) {
    if (!hasAvx2()) GTEST_SKIP() << "needs a processor with AVX2 and FMA";
    checkBf16(avx512bf16_emulated::matmulByTiles);
}

}  // namespace
}  // namespace test
}  // namespace lanescope::kernels

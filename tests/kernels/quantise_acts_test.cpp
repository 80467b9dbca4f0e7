// Rounding of activations to int8 per 32: equal to the reference bit for bit, and its properties.

#include <algorithm>
#include <cstring>

#include "tests/kernels/support/isa_test.h"

namespace lanescope::kernels::test {
namespace {

class QuantiseActs : public IsaTest {
  protected:
    struct Result {
        std::vector<std::int8_t> q;
        std::vector<float> scale;
        std::vector<std::int16_t> sum16;
    };
    static Result run(const OpTable& table, const std::vector<float>& x, std::int64_t nCols,
                      std::int64_t begin, std::int64_t end) {
        Result r{std::vector<std::int8_t>(x.size(), 99), std::vector<float>(x.size() / 32, -1.0F),
                 std::vector<std::int16_t>(x.size() / 16, 9999)};
        table.quantiseActs(
            {x.data(), {r.q.data(), r.scale.data(), r.sum16.data(), nCols}, nCols, begin, end});
        return r;
    }
    /// Both terms.
    static std::pair<Result, Result> runTwo(const OpTable& table, const std::vector<float>& x,
                                            std::int64_t nCols) {
        Result first = run(table, x, nCols, 0, 0);
        Result rest = first;
        QuantiseActsArgs args;
        args.x = x.data();
        args.out = {first.q.data(), first.scale.data(), first.sum16.data(), nCols};
        args.rest = {rest.q.data(), rest.scale.data(), rest.sum16.data(), nCols};
        args.nCols = nCols;
        args.tokenEnd = std::ssize(x) / nCols;
        table.quantiseActs(args);
        return {first, rest};
    }
};
LANESCOPE_FOR_EACH_ISA(QuantiseActs);

TEST_P(QuantiseActs, EqualsReferenceBitForBit) {
    for (const std::int64_t nCols : {0, 32, 96, 576, 4864}) {
        for (const float spread : {1e-30F, 1e-3F, 1.0F, 1e4F, 1e36F}) {
            const auto x = normals(5 * nCols, spread);
            const Result expected = run(reference(), x, nCols, 0, 5);
            const Result actual = run(ops(), x, nCols, 0, 5);
            EXPECT_EQ(actual.q, expected.q) << nCols << " columns, spread " << spread;
            EXPECT_EQ(actual.scale, expected.scale);
            EXPECT_EQ(actual.sum16, expected.sum16);
        }
    }
}

TEST_P(QuantiseActs, KeepsItsPromises) {
    auto x = normals(32 * 40);
    std::fill_n(x.begin(), 32, 0.0F);         // zeros: scale 0
    std::fill_n(x.begin() + 32, 32, 1e-45F);  // amax / 127 underflows to 0
    x[64] = std::nanf("");
    x[96] = -INFINITY;
    for (std::size_t i = 0; i < 32; ++i)  // halves: d = 1, rounding to even shows
        x[128 + i] = i == 0 ? 127.0F : static_cast<float>(i) - 0.5F;
    x[160] = 2e-43F;  // a subnormal scale: quotients may pass 127
    const Result r = run(ops(), x, 32, 0, 40);
    EXPECT_EQ(r.scale[0], 0.0F);
    EXPECT_EQ(r.scale[1], 0.0F);
    EXPECT_TRUE(std::isnan(r.scale[2]));
    EXPECT_EQ(r.scale[3], INFINITY);
    EXPECT_TRUE(std::all_of(r.q.begin(), r.q.begin() + 128, [](auto q) { return q == 0; }));
    EXPECT_EQ(r.scale[4], 1.0F);
    for (int i = 1; i < 32; ++i)
        EXPECT_EQ(r.q[static_cast<std::size_t>(128 + i)], i % 2 == 0 ? i : i - 1) << i - 0.5;
    for (std::size_t b = 6; b < 40; ++b) {
        int largest = 0;
        for (std::size_t i = 0; i < 32; ++i) {
            const float back = r.q[32 * b + i] * r.scale[b];
            EXPECT_LE(std::fabs(back - x[32 * b + i]), 0.5001F * r.scale[b]);
            largest = std::max(largest, std::abs(static_cast<int>(r.q[32 * b + i])));
        }
        EXPECT_EQ(largest, 127) << "the largest magnitude uses the whole range";
        for (std::size_t half = 0; half < 2; ++half) {
            int sum = 0;
            for (std::size_t i = 0; i < 16; ++i) sum += r.q[32 * b + 16 * half + i];
            EXPECT_EQ(r.sum16[2 * b + half], sum);
        }
    }
}

TEST_P(QuantiseActs, TwoTermsHoldFifteenBits) {
    auto x = normals(96 * 6);
    std::fill_n(x.begin(), 32, 0.0F);
    x[40] = std::nanf("");
    const auto [first, rest] = runTwo(ops(), x, 96);
    const auto [expectedFirst, expectedRest] = runTwo(reference(), x, 96);
    EXPECT_EQ(first.q, run(ops(), x, 96, 0, 6).q) << "the first term is the only one's";
    EXPECT_EQ(rest.q, expectedRest.q);
    EXPECT_EQ(rest.scale, expectedRest.scale);
    EXPECT_EQ(rest.sum16, expectedRest.sum16);
    EXPECT_EQ(rest.scale[1], 0.0F) << "a NaN is carried by the first term alone";
    for (std::size_t i = 64; i < x.size(); ++i) {
        const double d = first.scale[i / 32];
        const double back = first.q[i] * d + rest.q[i] * static_cast<double>(rest.scale[i / 32]);
        EXPECT_LE(std::fabs(back - x[i]), d / 254.0 * 0.51) << i;
    }
}

TEST_P(QuantiseActs, WritesOnlyItsTokens) {
    const auto x = normals(64 * 4);
    const Result all = run(ops(), x, 64, 0, 4);
    const Result part = run(ops(), x, 64, 1, 3);
    for (std::size_t i = 0; i < part.q.size(); ++i)
        EXPECT_EQ(part.q[i], i / 64 == 1 || i / 64 == 2 ? all.q[i] : 99);
    EXPECT_EQ(part.scale[0], -1.0F);
    EXPECT_EQ(part.scale[6], -1.0F);
    EXPECT_EQ(part.sum16[11], all.sum16[11]);
    EXPECT_EQ(part.sum16[3], 9999);
}

}  // namespace
}  // namespace lanescope::kernels::test

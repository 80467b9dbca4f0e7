// Rotary embedding and cache writes, apart and in one launch.

#include "tests/kernels/support/paged.h"
#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

using kernels::test::close;
using kernels::test::kElementwiseTolerance;
using kernels::test::Paged;

std::vector<float> frequencies(std::int64_t rotaryDim) {
    std::vector<float> out;
    for (int i = 0; i < rotaryDim / 2; ++i)
        out.push_back(
            static_cast<float>(std::pow(10000.0, -2.0 * i / static_cast<double>(rotaryDim))));
    return out;
}

class CudaRope : public KernelTest {};
LANESCOPE_FOR_EACH_SCHEDULE(CudaRope);

TEST_P(CudaRope, AgreesForLayoutsPartsAndFarPositions) {
    const std::int32_t positions[] = {0, 1, 77, 4095, 131071, 1000003};
    for (const RopeLayout layout : {RopeLayout::HalfSplit, RopeLayout::Interleaved}) {
        for (const auto& [headDim, rotaryDim, nHeads] :
             {std::tuple{64, 64, 3}, {64, 32, 9}, {80, 80, 1}, {10, 6, 17}, {2, 2, 8}, {8, 0, 3}}) {
            const auto invFreq = frequencies(rotaryDim);
            const std::int64_t stride = nHeads * headDim + 5;
            const auto x = normals(6 * stride);
            auto expected = x;
            auto actual = x;
            RopeArgs args{expected.data(), stride, nHeads, headDim, rotaryDim, invFreq.data(),
                          positions,       layout, 1.125F, 1,       6};
            reference().rope(args);
            args.x = actual.data();
            ASSERT_EQ(rope(args, nullptr), kSuccess);
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(close(actual[i], expected[i], 6.0, kElementwiseTolerance))
                    << "headDim " << headDim << " rotaryDim " << rotaryDim << " element " << i;
        }
    }
}

struct Cache {
    Cache(const KvWriteArgs& args, std::int64_t nBlocks)
        : k(static_cast<std::size_t>(nBlocks * args.kv.nKvHeads * args.kv.keySlice().bytes), 0xFF),
          v(k) {}
    std::vector<std::uint8_t> k;
    std::vector<std::uint8_t> v;
};

TEST_P(CudaRope, KeysAndValuesGoToTheirPages) {
    const std::int32_t positions[] = {0, 6, 7, 19, 5};
    const std::int32_t blockTable[] = {2, 0, 3, 1};
    for (const KvFormat type : {KvFormat::F32, KvFormat::F16, KvFormat::BF16}) {
        for (const auto& [nKvHeads, headDim] : {std::pair{1, 1}, {2, 64}, {9, 40}, {8, 3}}) {
            const std::int64_t stride = nKvHeads * headDim + 2;
            const auto k = normals(5 * stride, 100.0F);
            const auto v = normals(5 * stride);
            KvWriteArgs args{
                k.data(),  v.data(),
                stride,    stride,
                positions, {nullptr, nullptr, type, type, blockTable, 7, nKvHeads, headDim},
                1,         5};
            Cache expected(args, 4);
            Cache actual(args, 4);
            args.kv.k = expected.k.data();
            args.kv.v = expected.v.data();
            reference().kvWrite(args);
            args.kv.k = actual.k.data();
            args.kv.v = actual.v.data();
            ASSERT_EQ(kvWrite(args, nullptr), kSuccess);
            EXPECT_EQ(actual.k, expected.k);
            EXPECT_EQ(actual.v, expected.v);
        }
    }
}

TEST_P(CudaRope, InOneLaunchIsWhatApartGives) {
    const std::int32_t positions[] = {3, 11, 4, 12};
    const std::int32_t blockTable[] = {1, 0};
    for (const auto& [nHeads, nKvHeads, headDim, rotaryDim] : {std::tuple{9, 3, 64, 64},
                                                               {8, 8, 20, 10},
                                                               {32, 1, 8, 8},
                                                               {3, 3, 16, 0},
                                                               {20, 10, 32, 32}}) {
        for (const KvFormat type : {KvFormat::F32, KvFormat::F16, KvFormat::BF16}) {
            const auto invFreq = frequencies(rotaryDim);
            // As the projections leave them: q, k, v of a token side by side.
            const std::int64_t stride = (nHeads + 2 * nKvHeads) * headDim;
            const auto qkv = normals(4 * stride);
            auto apart = qkv;
            auto fused = qkv;
            RopeKvArgs args;
            args.q = {apart.data(),
                      stride,
                      nHeads,
                      headDim,
                      rotaryDim,
                      invFreq.data(),
                      positions,
                      RopeLayout::HalfSplit,
                      1.0F,
                      0,
                      4};
            args.k = args.q;
            args.k.x = apart.data() + nHeads * headDim;
            args.k.nHeads = nKvHeads;
            args.kv = {args.k.x,  apart.data() + (nHeads + nKvHeads) * headDim,
                       stride,    stride,
                       positions, {nullptr, nullptr, type, type, blockTable, 8, nKvHeads, headDim},
                       0,         4};
            Cache expected(args.kv, 2);
            Cache actual(args.kv, 2);
            args.kv.kv.k = expected.k.data();
            args.kv.kv.v = expected.v.data();
            ASSERT_EQ(rope(args.q, nullptr), kSuccess);
            ASSERT_EQ(rope(args.k, nullptr), kSuccess);
            ASSERT_EQ(kvWrite(args.kv, nullptr), kSuccess);
            args.q.x = fused.data();
            args.k.x = fused.data() + nHeads * headDim;
            args.kv.k = args.k.x;
            args.kv.v = fused.data() + (nHeads + nKvHeads) * headDim;
            args.kv.kv.k = actual.k.data();
            args.kv.kv.v = actual.v.data();
            ASSERT_EQ(ropeKv(args, nullptr), kSuccess);
            EXPECT_EQ(fused, apart);
            EXPECT_EQ(actual.k, expected.k);
            EXPECT_EQ(actual.v, expected.v);
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

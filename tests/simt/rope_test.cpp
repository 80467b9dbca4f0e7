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
          v(static_cast<std::size_t>(nBlocks * args.kv.nKvHeads * args.kv.valueSlice().bytes),
            0xFF),
          tail(static_cast<std::size_t>(nBlocks * args.kv.nKvHeads * args.kv.blockTokens *
                                        args.kv.headDim),
               0xFFFF) {}
    void use(PagedKv& kv) {
        kv.k = k.data();
        kv.v = v.data();
        kv.tail = tail.data();
    }
    void expectSame(const Cache& other) const {
        EXPECT_EQ(k, other.k);
        EXPECT_EQ(v, other.v);
        EXPECT_EQ(tail, other.tail);
    }
    std::vector<std::uint8_t> k, v;
    std::vector<std::uint16_t> tail;
};

constexpr std::pair<KvFormat, KvFormat> kFormats[] = {
    {KvFormat::F32, KvFormat::F32},   {KvFormat::F16, KvFormat::F16},
    {KvFormat::BF16, KvFormat::BF16}, {KvFormat::E4M3, KvFormat::E5M2},
    {KvFormat::Int8, KvFormat::Int8}, {KvFormat::Int4, KvFormat::Int4},
    {KvFormat::F16, KvFormat::Int4},  {KvFormat::Int4, KvFormat::E4M3}};

TEST_P(CudaRope, KeysAndValuesGoToTheirPages) {
    const std::int32_t positions[] = {0, 6, 7, 19, 5};
    const std::int32_t blockTable[] = {2, 0, 3, 1};
    const std::int32_t tailTable[] = {3, 1, 0, 2};
    for (const auto& [keys, values] : kFormats) {
        for (const auto& [nKvHeads, headDim] : {std::pair{1, 1}, {2, 64}, {9, 40}, {8, 3}}) {
            if (!canStore(keys, headDim) || !canStore(values, headDim)) continue;
            const std::int64_t stride = nKvHeads * headDim + 2;
            const auto k = normals(5 * stride, 100.0F);
            const auto v = normals(5 * stride);
            KvWriteArgs args{
                k.data(),  v.data(),
                stride,    stride,
                positions, {nullptr, nullptr, keys, values, blockTable, 7, nKvHeads, headDim},
                1,         5};
            args.kv.tailTable = tailTable;
            Cache expected(args, 4);
            Cache actual(args, 4);
            expected.use(args.kv);
            reference().kvWrite(args);
            actual.use(args.kv);
            ASSERT_EQ(kvWrite(args, nullptr), kSuccess);
            actual.expectSame(expected);
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
        for (const auto& [keys, values] : kFormats) {
            if (!canStore(keys, headDim) || !canStore(values, headDim)) continue;
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
            args.kv = {
                args.k.x,  apart.data() + (nHeads + nKvHeads) * headDim,
                stride,    stride,
                positions, {nullptr, nullptr, keys, values, blockTable, 8, nKvHeads, headDim},
                0,         4};
            Cache expected(args.kv, 2);
            Cache actual(args.kv, 2);
            args.kv.kv.tailTable = blockTable;
            expected.use(args.kv.kv);
            ASSERT_EQ(rope(args.q, nullptr), kSuccess);
            ASSERT_EQ(rope(args.k, nullptr), kSuccess);
            ASSERT_EQ(kvWrite(args.kv, nullptr), kSuccess);
            args.q.x = fused.data();
            args.k.x = fused.data() + nHeads * headDim;
            args.kv.k = args.k.x;
            args.kv.v = fused.data() + (nHeads + nKvHeads) * headDim;
            actual.use(args.kv.kv);
            ASSERT_EQ(ropeKv(args, nullptr), kSuccess);
            EXPECT_EQ(fused, apart);
            actual.expectSame(expected);
        }
    }
}

TEST_P(CudaRope, TurnsWhatItStoresAndRotatesQueriesForSinks) {
    const std::int32_t positions[] = {3, 11, 4, 12};
    const std::int32_t sinkPositions[] = {3, 5, 4, 5};
    const std::int32_t blockTable[] = {1, 0};
    for (const auto& [nHeads, nKvHeads, headDim, rotaryDim] :
         {std::tuple{9, 3, 64, 64}, {8, 8, 24, 10}, {32, 1, 8, 8}, {20, 10, 80, 32}}) {
        for (const auto& [turned, format] : {std::pair{false, KvFormat::F16},
                                             {true, KvFormat::F16},
                                             {true, KvFormat::Int4},
                                             {true, KvFormat::Int8}}) {
            const auto invFreq = frequencies(rotaryDim);
            const std::int64_t stride = (nHeads + 2 * nKvHeads) * headDim;
            auto apart = normals(4 * stride);
            auto fused = apart;
            auto apartSinks = apart;  // columns of k and v are nobody's
            std::vector<float> fusedSinks = apartSinks;
            for (std::int64_t t = 0; t < 4; ++t)
                std::fill_n(fusedSinks.begin() + t * stride, nHeads * headDim, 1e9F);
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
            args.k.nHeads = nKvHeads;
            args.k.x = apart.data() + nHeads * headDim;
            args.kv = {
                args.k.x,  apart.data() + (nHeads + nKvHeads) * headDim,
                stride,    stride,
                positions, {nullptr, nullptr, format, format, blockTable, 8, nKvHeads, headDim},
                0,         4};
            args.kv.kv.tailTable = blockTable;
            Cache expected(args.kv, 2);
            Cache actual(args.kv, 2);
            RopeArgs sinks = args.q;
            sinks.x = apartSinks.data();
            sinks.positions = sinkPositions;
            ASSERT_EQ(rope(sinks, nullptr), kSuccess);
            ASSERT_EQ(rope(args.q, nullptr), kSuccess);
            ASSERT_EQ(rope(args.k, nullptr), kSuccess);
            for (std::int64_t t = 0; turned && t < 4; ++t) {
                reference().hadamard(
                    {apart.data() + t * stride, nHeads + 2 * nKvHeads, headDim, 0, 1});
                reference().hadamard({apartSinks.data() + t * stride, nHeads, headDim, 0, 1});
            }
            expected.use(args.kv.kv);
            ASSERT_EQ(kvWrite(args.kv, nullptr), kSuccess);
            args.q.x = fused.data();
            args.k.x = fused.data() + nHeads * headDim;
            args.kv.k = args.k.x;
            args.kv.v = fused.data() + (nHeads + nKvHeads) * headDim;
            args.qSinks = fusedSinks.data();
            args.sinkPositions = sinkPositions;
            args.turnedV = turned ? fused.data() + (nHeads + nKvHeads) * headDim : nullptr;
            actual.use(args.kv.kv);
            ASSERT_EQ(ropeKv(args, nullptr), kSuccess);
            EXPECT_EQ(fused, apart);
            EXPECT_EQ(fusedSinks, apartSinks);
            actual.expectSame(expected);
        }
    }
}

TEST_P(CudaRope, WritesTheReferencesBytesForHardNumbers) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const float hard[] = {0.0F,     -0.0F,  1e-9F,    -448.0F, 464.0F,    60000.0F, -1e6F, 2.5F,
                          -0.0078F, 0.001F, 65504.0F, 1.5e-5F, -3.05e-5F, 127.0F,   7.5F,  kInf};
    for (const KvFormat format : {KvFormat::E4M3, KvFormat::E5M2, KvFormat::Int8}) {
        std::vector<float> k(16 * 16);
        for (std::size_t i = 0; i < k.size(); ++i)
            k[i] = i / 16 == 15 ? 0.0F : hard[i % (i / 16 + 1)] * (i % 32 < 16 ? 1.0F : 0.37F);
        const std::int32_t position = 0;
        const std::int32_t table[] = {0};
        KvWriteArgs args{k.data(), k.data(),  256,
                         256,      &position, {nullptr, nullptr, format, format, table, 8, 16, 16},
                         0,        1};
        Cache expected(args, 1);
        Cache actual(args, 1);
        expected.use(args.kv);
        reference().kvWrite(args);
        actual.use(args.kv);
        ASSERT_EQ(kvWrite(args, nullptr), kSuccess);
        actual.expectSame(expected);
    }
}

/// Blocks of two sequences, of which the tokens fill some.
TEST_P(CudaRope, SealsTheBlocksThatTokensFill) {
    constexpr std::int64_t kBlock = 9;
    std::vector<std::int32_t> written(27);
    std::iota(written.begin(), written.end(), 0);
    const std::int32_t blocks[] = {4, 1, 0, 3, 5, 2};
    const std::int32_t tails[] = {0, 5, 2, 4, 1, 3};
    const std::int32_t ofToken[] = {0, 0, 0, 1, 1};
    const std::int32_t positions[] = {7, 8, 9, 17, 26};  // fill block 0; blocks 1 and 2
    for (const KvFormat format : {KvFormat::Int4, KvFormat::F16, KvFormat::Int8, KvFormat::E4M3}) {
        for (const auto& [nKvHeads, headDim] : {std::pair{1, 8}, {3, 40}, {2, 256}}) {
            const std::int64_t width = nKvHeads * headDim;
            KvWriteArgs args{nullptr,
                             nullptr,
                             width,
                             width,
                             written.data(),
                             {nullptr, nullptr, format, format, nullptr, kBlock, nKvHeads, headDim},
                             0,
                             27};
            Cache expected(args, 6);
            expected.use(args.kv);
            for (int s = 0; s < 2; ++s) {
                const auto k = normals(27 * width, 3.0F);
                args.k = args.v = k.data();
                args.kv.blockTable = blocks + 3 * s;
                args.kv.tailTable = tails + 3 * s;
                reference().kvWrite(args);
            }
            Cache actual = expected;
            std::vector<std::uint16_t> wanted(static_cast<std::size_t>(6 * 2 * width), 0x7777);
            auto found = wanted;
            args.kv.bounds = wanted.data();
            for (const auto& [s, b] : {std::pair{0, 0}, {1, 1}, {1, 2}}) {
                args.kv.blockTable = blocks + 3 * s;
                args.kv.tailTable = tails + 3 * s;
                reference().kvSeal({args.kv, b, b + 1, 0, nKvHeads});
            }
            actual.use(args.kv);
            args.kv.bounds = found.data();
            args.kv.blockTable = args.kv.tailTable = nullptr;
            ASSERT_EQ(kvSeal({positions, 5, args.kv, {ofToken, blocks, 3, tails}}, nullptr),
                      kSuccess);
            actual.expectSame(expected);
            EXPECT_EQ(found, wanted);
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

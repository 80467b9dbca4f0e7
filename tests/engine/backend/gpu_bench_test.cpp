// The kernel benchmark on the emulated device: every row is there and counts what it should.

#include "engine/lane/gpu_bench.h"

#include <gtest/gtest.h>

#include "engine/backend/cuda/gpu_rival.h"
#include "tests/engine/backend/emulated_device.h"

namespace lanescope {
namespace {

GpuBenchSizes small() {
    GpuBenchSizes sizes;
    sizes.dim = 256;
    sizes.ffn = 64;
    sizes.heads = 2;
    sizes.kvHeads = 1;
    sizes.headDim = 64;
    sizes.context = 64;
    sizes.promptTokens = 17;
    sizes.coldBytes = std::uint64_t{1} << 20;
    sizes.repetitions = 1;
    return sizes;
}

TEST(GpuBench, MeasuresEveryFormatAndAttention) {
    EmulatedCounts counts;
    EmulatedDevice device({}, counts);
    const CancelToken cancel;
    const auto bench = benchGpu(device, small(), cancel);
    ASSERT_TRUE(bench.ok()) << bench.error().toString();
    EXPECT_GT(bench->copyGbps, 0.0);
    EXPECT_EQ(bench->rows.size(), 7U * 3 + 2);
    for (const GpuBenchRow& row : bench->rows) {
        EXPECT_GT(row.us, 0.0) << row.name;
        EXPECT_GT(row.gbps, 0.0) << row.name;
        EXPECT_GT(row.tflops, 0.0) << row.name;
    }
    EXPECT_EQ(bench->rows.front().name, "product q4_0 64x256, 1 token");
    EXPECT_EQ(bench->rows.back().name, "attention 2/1 heads of 64, last 17 of 64");
}

TEST(GpuBench, AnotherLibraryIsMeasuredBesideOurProductsOf16BitWeights) {
    EmulatedCounts counts;
    EmulatedDevice device({}, counts);
    const CancelToken cancel;
    int calls = 0;
    const GpuRival rival{"another", [&](const kernels::MatmulArgs& args) {
                             ++calls;
                             EXPECT_NE(args.xb, nullptr);
                             EXPECT_NE(args.weight, nullptr);
                             return kernels::cuda::kSuccess;
                         }};
    const auto bench = benchGpu(device, small(), cancel, &rival);
    ASSERT_TRUE(bench.ok()) << bench.error().toString();
    ASSERT_EQ(bench->rows.size(), 7U * 3 + 2 * 3 + 2);
    EXPECT_EQ(bench->rows[15].name, "product bf16 64x256, 1 token");
    EXPECT_EQ(bench->rows[16].name, "product bf16 64x256, 1 token, another");
    EXPECT_EQ(calls, 2 * 2 * 3) << "a warm-up and a repetition each";
}

TEST(GpuBench, CublasIsARivalWhereItIsThere) {
    EmulatedCounts counts;
    EmulatedDevice device({}, counts);
    const CancelToken cancel;
    std::string why;
    const auto rival = cublasRival(device, &why);
    ASSERT_TRUE(rival.has_value()) << why;
    const auto bench = benchGpu(device, small(), cancel, &*rival);
    ASSERT_TRUE(bench.ok()) << bench.error().toString();
    EXPECT_EQ(bench->rows.size(), 7U * 3 + 2 * 3 + 2);
    // What it refuses has no row.
    GpuRival refusing = *rival;
    refusing.product = [](const kernels::MatmulArgs&) -> kernels::cuda::Status { return 801; };
    const auto alone = benchGpu(device, small(), cancel, &refusing);
    ASSERT_TRUE(alone.ok()) << alone.error().toString();
    EXPECT_EQ(alone->rows.size(), 7U * 3 + 2);
}

TEST(GpuBench, SaysWhatDidNotFitAndStopsWhenCancelled) {
    EmulatedCounts counts;
    EmulatedOptions options;
    options.totalBytes = 1000;
    EmulatedDevice little(options, counts);
    CancelToken cancel;
    EXPECT_EQ(benchGpu(little, small(), cancel).error().code, ErrorCode::OutOfMemory);
    EmulatedDevice device({}, counts);
    cancel.request();
    EXPECT_EQ(benchGpu(device, small(), cancel).error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lanescope

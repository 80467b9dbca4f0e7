// The op suite on the emulated device: all is right there, a planted fault shows in its own row and
// in no other, and what a device refuses is said.

#include "engine/backend/cuda/op_suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/backend/cuda/self_test.h"
#include "tests/engine/backend/emulated_device.h"

namespace lanescope {
namespace {

using kernels::DType;
using kernels::cuda::OpTable;
using kernels::cuda::Status;
using kernels::cuda::Stream;

OpTable theOps;  ///< what the wrong ones call; a table's functions have no context

Status wrongAdd(const kernels::AddArgs& args, Stream stream) {
    const Status status = theOps.add(args, stream);
    args.x[args.tokenEnd * args.dim - 1] += 1e-5F;
    return status;
}

Status wrongMatmul(const kernels::MatmulArgs& args, Stream stream) {
    const Status status = theOps.matmul(args, stream);
    if (args.weightType == DType::Q6_K && args.rest != nullptr && args.nTokens == 17)
        args.y[3 * args.yStride + 1] += 1e-4F;
    return status;
}

Status wrongAttention(const kernels::cuda::PagedAttentionArgs& args, Stream stream) {
    const Status status = theOps.attention(args, stream);
    if (args.kv.kFormat == kernels::KvFormat::F16 && args.window > 0 && args.sinks == 0 &&
        args.kv.headDim == 80)
        args.out[7] += 2e-3F;
    return status;
}

Status nanOfEmbed(const kernels::EmbedArgs& args, Stream stream) {
    const Status status = theOps.embed(args, stream);
    args.y[args.dim] = std::nanf("");
    return status;
}

Status refusedSoftcap(const kernels::SoftcapArgs&, Stream) {
    return 2;  // not one that stops the device
}

std::map<std::string, OpCheckRow> byName(const OpSuite& suite) {
    std::map<std::string, OpCheckRow> rows;
    for (const OpCheckRow& row : suite.rows) {
        EXPECT_TRUE(rows.emplace(row.op, row).second) << row.op << " is there twice";
    }
    return rows;
}

TEST(OpSuite, EveryOpOfTheTableIsHeldAgainstTheReference) {
    EmulatedCounts counts;
    EmulatedDevice device({}, counts);
    const CancelToken cancel;
    const auto suite = runOpSuite(device, device.ops(), cancel);
    ASSERT_TRUE(suite.ok()) << suite.error().toString();
    for (const OpCheckRow& row : suite->rows) {
        EXPECT_TRUE(row.passed()) << describeFailure(row);
        EXPECT_GT(row.tolerance, 0.0) << row.op;
        EXPECT_LE(row.tolerance, 5e-3) << row.op;
    }
    EXPECT_TRUE(suite->passed());
    const auto rows = byName(*suite);
    for (const char* op : {"embed",
                           "norm rms",
                           "norm layer with residual",
                           "norm rms to int8",
                           "quantiseActs",
                           "ropeKv q and k",
                           "ropeKv pages bf16",
                           "ropeKv pages int4",
                           "attention int8",
                           "attention int4 / fp32",
                           "hadamard",
                           "keyBlocks",
                           "kvSelect",
                           "activate silu",
                           "activate gelu erf",
                           "activate to int8",
                           "add",
                           "softcap",
                           "matmul f32 f32",
                           "matmul bf16 f32",
                           "matmul q4_0 f32",
                           "matmul q4_0 int8",
                           "matmul q6_K int8x2",
                           "matmulTensor f16",
                           "matmulTensor bf16",
                           "attention fp32",
                           "attention fp16, window",
                           "attention fp16, sinks",
                           "attention fp32, mask",
                           "attention bf16, softcap",
                           "attention bf16, sequences",
                           "attention fp32, split keys"})
        EXPECT_TRUE(rows.contains(op)) << op;
    // Three shapes, of each six numbers of tokens, and one more that adds.
    EXPECT_EQ(rows.at("matmul q4_0 int8").cases, 3 * 7);
    EXPECT_EQ(rows.at("attention bf16").cases, 5) << "head sizes";
}

TEST(OpSuite, AFaultShowsInItsOwnRowOnly) {
    EmulatedCounts counts;
    EmulatedDevice device({}, counts);
    theOps = device.ops();
    OpTable wrong = theOps;
    wrong.add = wrongAdd;
    wrong.matmul = wrongMatmul;
    wrong.attention = wrongAttention;
    wrong.embed = nanOfEmbed;
    wrong.softcap = refusedSoftcap;
    const CancelToken cancel;
    const auto suite = runOpSuite(device, wrong, cancel);
    ASSERT_TRUE(suite.ok()) << suite.error().toString();
    EXPECT_FALSE(suite->passed());
    std::vector<std::string> failed;
    for (const OpCheckRow& row : suite->rows)
        if (!row.passed()) failed.push_back(row.op);
    EXPECT_EQ(failed, (std::vector<std::string>{"embed", "add", "softcap", "matmul q6_K int8x2",
                                                "attention fp16, window"}));
    const auto rows = byName(*suite);
    EXPECT_NE(rows.at("embed").failure.find("not a number"), std::string::npos);
    EXPECT_NE(rows.at("softcap").failure.find("out of memory (2) (3x1)"), std::string::npos)
        << rows.at("softcap").failure;
    EXPECT_NE(describeFailure(rows.at("matmul q6_K int8x2")).find(", 17 tokens)"),
              std::string::npos)
        << describeFailure(rows.at("matmul q6_K int8x2"));
    EXPECT_NE(rows.at("attention fp16, window").worstCase.find("heads of 80"), std::string::npos);
}

TEST(SelfTest, SaysWhichOpIsWrongAndByHowMuch) {
    EmulatedCounts counts;
    EmulatedDevice device({}, counts);
    theOps = device.ops();
    OpTable wrong = theOps;
    wrong.attention = [](const kernels::cuda::PagedAttentionArgs& args, Stream stream) {
        const Status status = theOps.attention(args, stream);
        // Two in a hundred, which half as many bits would explain: but not in f32.
        if (args.kv.kFormat == kernels::KvFormat::F32) args.out[0] *= 1.02F;
        return status;
    };
    const auto result = selfTest(device, wrong);
    ASSERT_FALSE(result.ok());
    const std::string& message = result.error().message;
    EXPECT_EQ(message.rfind("emulated device fails its self-test: attention fp32 is off by ", 0),
              0U)
        << message;
    EXPECT_NE(message.find(" of its largest value, 1.0e-05 allowed ("), std::string::npos)
        << message;
}

TEST(OpSuite, AStoppedDeviceFailsEverythingAfterIt) {
    EmulatedCounts counts;
    EmulatedOptions options;
    options.failAfter = 100;
    EmulatedDevice device(options, counts);
    CancelToken cancel;
    const auto suite = runOpSuite(device, device.ops(), cancel);
    ASSERT_TRUE(suite.ok()) << suite.error().toString();
    const auto stopped = std::find_if(suite->rows.begin(), suite->rows.end(),
                                      [](const OpCheckRow& row) { return !row.passed(); });
    ASSERT_NE(stopped, suite->rows.end());
    EXPECT_NE(stopped->failure.find("unspecified launch failure (719)"), std::string::npos);
    for (auto row = stopped + 1; row != suite->rows.end(); ++row)
        EXPECT_EQ(row->failure.rfind("not run: the device has stopped (" + stopped->op, 0), 0U)
            << row->failure;
    cancel.request();
    EXPECT_EQ(runOpSuite(device, device.ops(), cancel).error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace lanescope

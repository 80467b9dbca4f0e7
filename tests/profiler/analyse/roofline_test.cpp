#include "profiler/analyse/roofline.h"

#include <gtest/gtest.h>

#include "tests/profiler/make_run.h"

namespace lanescope::profiler {
namespace {

Roof roof() {
    return {.threads = 2, .isa = "avx2", .readGBps = 20.0, .int8Gops = 400.0, .fp32Gflops = 100.0};
}

TEST(Roofline, AMatrixReadOnceIsHeldAgainstMemory) {
    // 40 MB, 80 Mflop in 4 ms: 10 GB/s of 20, far from 400 GOP/s.
    const RooflinePoint p = rooflinePoint({40'000'000, 80'000'000, 4.0}, roof(), Peak::Int8);
    EXPECT_DOUBLE_EQ(p.intensity, 2.0);
    EXPECT_DOUBLE_EQ(p.gbPerS, 10.0);
    EXPECT_DOUBLE_EQ(p.gflopPerS, 20.0);
    EXPECT_DOUBLE_EQ(p.attainableGflopPerS, 40.0);
    EXPECT_DOUBLE_EQ(p.ofRoof, 0.5);
    EXPECT_EQ(p.limit, Limit::Memory);
    EXPECT_FALSE(p.fromCache);
}

TEST(Roofline, WhatReusesItsBytesIsHeldAgainstArithmetic) {
    const OpWork work{1'000'000, 1'000'000'000, 20.0};
    const RooflinePoint fp32 = rooflinePoint(work, roof(), Peak::Fp32);
    EXPECT_EQ(fp32.limit, Limit::Arithmetic);
    EXPECT_DOUBLE_EQ(fp32.attainableGflopPerS, 100.0);
    EXPECT_DOUBLE_EQ(fp32.ofRoof, 0.5);
    const RooflinePoint int8 = rooflinePoint(work, roof(), Peak::Int8);
    EXPECT_DOUBLE_EQ(int8.attainableGflopPerS, 400.0);
    EXPECT_DOUBLE_EQ(int8.ofRoof, 0.125);
}

TEST(Roofline, CachesLiftAnOpAboveTheMemoryRoofAndNothingIsClamped) {
    const RooflinePoint p = rooflinePoint({40'000'000, 1'000, 1.0}, roof(), Peak::Fp32);
    EXPECT_DOUBLE_EQ(p.ofRoof, 2.0);
    EXPECT_TRUE(p.fromCache);
    EXPECT_FALSE(p.roofTooLow);
    // Above the arithmetic roof no cache is to blame, but the roof.
    const RooflinePoint q = rooflinePoint({8, 1'000'000'000, 5.0}, roof(), Peak::Fp32);
    EXPECT_DOUBLE_EQ(q.ofRoof, 2.0);
    EXPECT_FALSE(q.fromCache);
    EXPECT_TRUE(q.roofTooLow);
}

TEST(Roofline, WhatIsNotKnownStaysZero) {
    const RooflinePoint noRoof = rooflinePoint({1000, 2000, 1.0}, {}, Peak::Fp32);
    EXPECT_DOUBLE_EQ(noRoof.intensity, 2.0);
    EXPECT_GT(noRoof.gflopPerS, 0.0);
    EXPECT_EQ(noRoof.limit, Limit::Unknown);
    EXPECT_EQ(noRoof.ofRoof, 0.0);
    EXPECT_EQ(rooflinePoint({0, 0, 1.0}, roof(), Peak::Fp32).limit, Limit::Unknown);
    EXPECT_EQ(rooflinePoint({10, 10, 0.0}, roof(), Peak::Fp32).limit, Limit::Unknown);
    const RooflinePoint moves = rooflinePoint({20'000'000, 0, 2.0}, roof(), Peak::Fp32);
    EXPECT_EQ(moves.limit, Limit::Memory);
    EXPECT_DOUBLE_EQ(moves.ofRoof, 0.5);
    const RooflinePoint computes = rooflinePoint({0, 100'000'000, 2.0}, roof(), Peak::Fp32);
    EXPECT_EQ(computes.limit, Limit::Arithmetic);
    EXPECT_DOUBLE_EQ(computes.attainableGflopPerS, 100.0);
}

RunData runWith(const std::string& machine, const std::string& settings) {
    RunData run = test::makeRun();
    run.header.machineJson = machine;
    run.lanes[1].settingsJson = settings;
    return run;
}

const char* const kMachine =
    R"({"cpu":"x","roofs":[{"threads":1,"isa":"avx2","readGBps":12,"int8Gops":200,"fp32Gflops":50},
        {"threads":2,"isa":"avx2","readGBps":20,"int8Gops":400,"fp32Gflops":100}]})";

TEST(Roofline, ALaneMeetsTheRoofOfItsThreads) {
    const LaneRoof lane =
        laneRoof(runWith(kMachine, R"({"threads":2,"int8":["qkv","gate+up"]})"), 1);
    EXPECT_EQ(lane.roof, roof());
    EXPECT_EQ(lane.peakOf(trace::Op::Qkv), Peak::Int8);
    EXPECT_EQ(lane.peakOf(trace::Op::GateUp), Peak::Int8);
    LaneRoof bf16 = laneRoof(runWith(kMachine, R"({"threads":2,"acts":"bf16"})"), 1);
    EXPECT_EQ(bf16.peakOf(trace::Op::Qkv), Peak::Fp32);  // this machine has no dots of bf16
    bf16.roof.bf16Gflops = 200.0;
    EXPECT_EQ(bf16.peakOf(trace::Op::Qkv), Peak::Bf16);
    EXPECT_EQ(bf16.peakOf(trace::Op::Attention), Peak::Fp32);
    EXPECT_EQ(lane.peakOf(trace::Op::Down), Peak::Fp32);
    EXPECT_EQ(lane.peakOf(trace::Op::Attention), Peak::Fp32);
    EXPECT_EQ(laneRoof(runWith(kMachine, R"({"threads":1})"), 1).roof.readGBps, 12.0);
    EXPECT_FALSE(laneRoof(runWith(kMachine, R"({"threads":4})"), 1).roof.known());
    EXPECT_FALSE(laneRoof(runWith(kMachine, R"({"threads":2})"), 9).roof.known());
}

TEST(Roofline, OldAndBrokenRunsHaveNone) {
    for (const char* machine :
         {"", "{}", "[]", "no json", R"({"cpu":"x"})", R"({"roofs":7})", R"({"roofs":[7,null]})",
          R"({"roofs":[{"threads":2}]})",
          R"({"roofs":[{"threads":2,"readGBps":-1,"int8Gops":400,"fp32Gflops":100}]})",
          R"({"roofs":[{"threads":2,"readGBps":"20","int8Gops":400,"fp32Gflops":100}]})"}) {
        EXPECT_FALSE(laneRoof(runWith(machine, R"({"threads":2})"), 1).roof.known()) << machine;
    }
    for (const char* settings : {"", "[]", R"({"int8":"qkv"})", R"({"int8":[1,"none"]})"})
        EXPECT_TRUE(laneRoof(runWith(kMachine, settings), 1).int8Ops.none()) << settings;
}

TEST(Roofline, OpsOfARunAreSummedAndPhasesLeftOut) {
    const RunData run = runWith(kMachine, R"({"threads":2,"int8":["qkv"]})");
    const LaneRoof lane = laneRoof(run, 1);
    for (const OpStats& op : opStats(run, 1)) {
        const RooflinePoint p = rooflinePoint(op, lane);
        EXPECT_EQ(p.limit == Limit::Unknown, isPhase(op.op));
        if (isPhase(op.op)) continue;
        // 1 MB in 1 ms each: 1 GB/s of 20.
        EXPECT_EQ(op.bytes, 1'000'000U * static_cast<std::uint64_t>(op.count));
        EXPECT_NEAR(p.ofRoof, 0.05, 1e-9);
        EXPECT_EQ(p.peak, op.op == trace::Op::Qkv ? Peak::Int8 : Peak::Fp32);
    }
}

TEST(Roofline, StepsCanBeToldApart) {
    const RunData run = test::makeRun(1, 8);
    const auto countOf = [&run](StepKind kind) {
        std::int64_t n = 0;
        for (const OpStats& op : opStats(run, 0, -1, -1, kind)) n += op.count;
        return n;
    };
    EXPECT_EQ(countOf(StepKind::Prefill), 5);  // the phase and 4 ops
    EXPECT_EQ(countOf(StepKind::Decode), 7 * 5);
    EXPECT_EQ(countOf(StepKind::All), 8 * 5);
}

}  // namespace
}  // namespace lanescope::profiler

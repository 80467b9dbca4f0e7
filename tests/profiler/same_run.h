#pragma once
// Field-by-field equality of runs, floats bit for bit (so that NaN equals NaN).

#include <gtest/gtest.h>

#include <bit>

#include "profiler/store/run_data.h"

namespace lanescope::profiler::test {

inline void expectSame(const trace::LaneRecord& a, const trace::LaneRecord& b) {
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.model, b.model);
    EXPECT_EQ(a.modelPath, b.modelPath);
    EXPECT_EQ(a.settingsJson, b.settingsJson);
    EXPECT_EQ(a.memory.weightBytes, b.memory.weightBytes);
    EXPECT_EQ(a.memory.kvBytesEstimated, b.memory.kvBytesEstimated);
    EXPECT_EQ(a.memory.kvBytes, b.memory.kvBytes);
    EXPECT_EQ(a.memory.scratchBytesEstimated, b.memory.scratchBytesEstimated);
    EXPECT_EQ(a.memory.scratchBytes, b.memory.scratchBytes);
    EXPECT_EQ(a.memory.residentBytes, b.memory.residentBytes);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a.loadMs), std::bit_cast<std::uint64_t>(b.loadMs));
    EXPECT_EQ(a.nParameters, b.nParameters);
    EXPECT_EQ(a.nLayers, b.nLayers);
    EXPECT_EQ(a.kvBytesPerToken, b.kvBytesPerToken);
    EXPECT_EQ(a.error, b.error);
}

inline void expectSame(const trace::TokenRecord& a, const trace::TokenRecord& b) {
    auto bits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
    EXPECT_EQ(a.request, b.request);
    EXPECT_EQ(a.index, b.index);
    EXPECT_EQ(a.token, b.token);
    EXPECT_EQ(a.piece, b.piece);
    EXPECT_EQ(a.tNs, b.tNs);
    EXPECT_EQ(bits(a.logProbability), bits(b.logProbability));
    EXPECT_EQ(bits(a.entropy), bits(b.entropy));
    EXPECT_EQ(a.contextTokens, b.contextTokens);
    EXPECT_EQ(a.kvBytes, b.kvBytes);
    ASSERT_EQ(a.top.size(), b.top.size());
    for (std::size_t i = 0; i < a.top.size(); ++i) {
        EXPECT_EQ(a.top[i].token, b.top[i].token);
        EXPECT_EQ(bits(a.top[i].probability), bits(b.top[i].probability));
        EXPECT_EQ(a.top[i].piece, b.top[i].piece);
    }
}

inline void expectSame(const RequestData& a, const RequestData& b) {
    const auto& x = a.record;
    const auto& y = b.record;
    EXPECT_EQ(x.id, y.id);
    EXPECT_EQ(x.lane, y.lane);
    EXPECT_EQ(x.prompt, y.prompt);
    EXPECT_EQ(x.repetition, y.repetition);
    EXPECT_EQ(x.warmup, y.warmup);
    EXPECT_EQ(x.promptText, y.promptText);
    EXPECT_EQ(x.promptTokens, y.promptTokens);
    EXPECT_EQ(x.tStartNs, y.tStartNs);
    EXPECT_EQ(x.tPrefillEndNs, y.tPrefillEndNs);
    EXPECT_EQ(x.tEndNs, y.tEndNs);
    EXPECT_EQ(x.finish, y.finish);
    EXPECT_EQ(x.text, y.text);
    EXPECT_EQ(x.error, y.error);
    EXPECT_EQ(a.prefillDone, b.prefillDone);
    ASSERT_EQ(a.tokens.size(), b.tokens.size());
    for (std::size_t i = 0; i < a.tokens.size(); ++i) expectSame(a.tokens[i], b.tokens[i]);
}

inline void expectSame(const DeviceActivity& a, const DeviceActivity& b) {
    EXPECT_EQ(a.tStartNs, b.tStartNs);
    EXPECT_EQ(a.tEndNs, b.tEndNs);
    EXPECT_EQ(a.tSpanNs, b.tSpanNs);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.graphNode, b.graphNode);
    EXPECT_EQ(a.correlation, b.correlation);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.device, b.device);
    EXPECT_EQ(a.context, b.context);
    EXPECT_EQ(a.stream, b.stream);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.grid, b.grid);
    EXPECT_EQ(a.block, b.block);
    EXPECT_EQ(a.registersPerThread, b.registersPerThread);
    EXPECT_EQ(a.staticSharedBytes, b.staticSharedBytes);
    EXPECT_EQ(a.dynamicSharedBytes, b.dynamicSharedBytes);
    EXPECT_EQ(a.occupancy, b.occupancy);
    EXPECT_EQ(a.op, b.op);
    EXPECT_EQ(a.layer, b.layer);
    EXPECT_EQ(a.lane, b.lane);
    EXPECT_EQ(a.request, b.request);
    EXPECT_EQ(a.step, b.step);
}

inline void expectSameDevices(const RunData& a, const RunData& b) {
    ASSERT_EQ(a.devices.size(), b.devices.size());
    for (std::size_t i = 0; i < a.devices.size(); ++i) {
        const auto& x = a.devices[i];
        const auto& y = b.devices[i];
        EXPECT_TRUE(x.device == y.device && x.name == y.name && x.computeMajor == y.computeMajor &&
                    x.computeMinor == y.computeMinor && x.nSms == y.nSms &&
                    x.memoryBytes == y.memoryBytes && x.copyGBps == y.copyGBps && x.uuid == y.uuid)
            << "device " << i;
    }
    const auto& s = a.deviceTiming;
    const auto& t = b.deviceTiming;
    EXPECT_EQ(s.source, t.source);
    EXPECT_EQ(s.unavailable, t.unavailable);
    EXPECT_EQ(s.clockResidualNs, t.clockResidualNs);
    EXPECT_EQ(s.droppedRecords, t.droppedRecords);
    EXPECT_EQ(s.badRecords, t.badRecords);
    EXPECT_EQ(s.unmatched, t.unmatched);
    EXPECT_EQ(s.overheadNs, t.overheadNs);
    EXPECT_EQ(s.labelCostNs, t.labelCostNs);
    ASSERT_EQ(a.deviceNames.size(), b.deviceNames.size());
    for (std::size_t i = 0; i < a.deviceNames.size(); ++i) {
        EXPECT_EQ(a.deviceNames[i], b.deviceNames[i]);
    }
    ASSERT_EQ(a.deviceActivities.size(), b.deviceActivities.size());
    for (std::size_t i = 0; i < a.deviceActivities.size(); ++i) {
        expectSame(a.deviceActivities[i], b.deviceActivities[i]);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "device activity " << i;
    }
    ASSERT_EQ(a.deviceSamples.size(), b.deviceSamples.size());
    for (std::size_t i = 0; i < a.deviceSamples.size(); ++i) {
        const auto& x = a.deviceSamples[i];
        const auto& y = b.deviceSamples[i];
        ASSERT_TRUE(x.tNs == y.tNs && x.device == y.device &&
                    x.powerMilliwatts == y.powerMilliwatts && x.smClockMHz == y.smClockMHz &&
                    x.memoryClockMHz == y.memoryClockMHz && x.temperatureC == y.temperatureC &&
                    x.memoryUsedBytes == y.memoryUsedBytes)
            << "device sample " << i;
    }
}

inline void expectSame(const RunData& a, const RunData& b) {
    EXPECT_EQ(a.header.id, b.header.id);
    EXPECT_EQ(a.header.name, b.header.name);
    EXPECT_EQ(a.header.startedUnixMs, b.header.startedUnixMs);
    EXPECT_EQ(a.header.version, b.header.version);
    EXPECT_EQ(a.header.planJson, b.header.planJson);
    EXPECT_EQ(a.header.machineJson, b.header.machineJson);
    EXPECT_EQ(a.header.command, b.header.command);
    EXPECT_EQ(a.header.epochNs, b.header.epochNs);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.droppedSpans, b.droppedSpans);
    EXPECT_EQ(a.droppedEvents, b.droppedEvents);
    EXPECT_EQ(a.spanCostNs, b.spanCostNs);
    EXPECT_EQ(a.overheadNs, b.overheadNs);
    ASSERT_EQ(a.lanes.size(), b.lanes.size());
    for (std::size_t i = 0; i < a.lanes.size(); ++i) expectSame(a.lanes[i], b.lanes[i]);
    ASSERT_EQ(a.requests.size(), b.requests.size());
    for (std::size_t i = 0; i < a.requests.size(); ++i) expectSame(a.requests[i], b.requests[i]);
    ASSERT_EQ(a.spans.size(), b.spans.size());
    for (std::size_t i = 0; i < a.spans.size(); ++i) {
        const auto& x = a.spans[i];
        const auto& y = b.spans[i];
        ASSERT_TRUE(x.tStartNs == y.tStartNs && x.tEndNs == y.tEndNs && x.bytes == y.bytes &&
                    x.flops == y.flops && x.request == y.request && x.step == y.step &&
                    x.layer == y.layer && x.lane == y.lane && x.op == y.op)
            << "span " << i;
    }
    ASSERT_EQ(a.kvEvents.size(), b.kvEvents.size());
    for (std::size_t i = 0; i < a.kvEvents.size(); ++i) {
        const auto& x = a.kvEvents[i];
        const auto& y = b.kvEvents[i];
        ASSERT_TRUE(x.tNs == y.tNs && x.request == y.request && x.lane == y.lane &&
                    x.action == y.action && x.blocks == y.blocks &&
                    x.blocksInUse == y.blocksInUse && x.bytesInUse == y.bytesInUse)
            << "KV event " << i;
    }
    expectSameDevices(a, b);
}

}  // namespace lanescope::profiler::test

#pragma once
// Hand-made runs with known answers.

#include <string>
#include <utility>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::profiler::test {

inline constexpr std::int64_t kMs = 1'000'000;

/// A request of lane `lane` that starts at startMs; tokensMs are the times of its tokens after
/// that. Prefill ends at the first token; the end is at the last one.
inline RequestData makeRequest(std::int32_t id, std::int32_t lane, std::int64_t startMs,
                               const std::vector<double>& tokensMs, std::size_t nPrompt = 10) {
    RequestData request;
    auto& r = request.record;
    r.id = id;
    r.lane = lane;
    r.promptText = "prompt";
    r.promptTokens.assign(nPrompt, 7);
    r.tStartNs = startMs * kMs;
    r.tPrefillEndNs = r.tStartNs;
    r.finish = trace::FinishReason::MaxTokens;
    request.prefillDone = static_cast<std::int32_t>(nPrompt);
    for (std::size_t i = 0; i < tokensMs.size(); ++i) {
        trace::TokenRecord token;
        token.request = id;
        token.index = static_cast<std::int32_t>(i);
        token.token = 100 + static_cast<std::int32_t>(i);
        token.piece = " w" + std::to_string(i);
        token.tNs = r.tStartNs + static_cast<std::int64_t>(tokensMs[i] * 1e6);
        token.logProbability = -0.5F;
        token.entropy = 1.25F;
        token.contextTokens = static_cast<std::int32_t>(nPrompt + i + 1);
        token.kvBytes = 1024 * (nPrompt + i + 1);
        token.top = {{token.token, 0.6F, token.piece}, {5, 0.1F, "x"}};
        r.text += token.piece;
        r.tEndNs = token.tNs;
        if (i == 0) r.tPrefillEndNs = token.tNs;
        request.tokens.push_back(std::move(token));
    }
    if (tokensMs.empty()) r.tEndNs = r.tStartNs + kMs;
    return request;
}

inline trace::LaneRecord makeLane(std::int32_t index) {
    trace::LaneRecord lane;
    lane.index = index;
    lane.name = std::string(1, static_cast<char>('A' + index));
    lane.model = "tiny";
    lane.modelPath = "models/tiny.gguf";
    lane.settingsJson = R"({"kv":"fp16","threads":2,"notes":["kv int3 is unknown, fp16 used"]})";
    lane.memory = {98'000'000, 4'000'000, 4'100'000, 1'000'000, 900'000, 104'000'000};
    lane.loadMs = 12.5;
    lane.nParameters = 134'515'008;
    lane.nLayers = 30;
    lane.kvBytesPerToken = 1024;
    return lane;
}

/// Lanes A and B, one prompt, nRepetitions each; B takes 1.5 times as long between tokens.
inline RunData makeRun(int nRepetitions = 2, int nTokens = 8) {
    RunData run;
    run.header.id = "0123456789abcdef0123456789abcdef";
    run.header.name = "kv formats";
    run.header.startedUnixMs = 1'700'000'000'000;
    run.header.version = "0.1.0";
    run.header.planJson =
        R"({"schema":1,"name":"kv formats","prompts":[{"text":"hello"}],"lanes":[]})";
    run.header.machineJson = R"({"cpu":"Example CPU","cores":2})";
    run.header.command = "lanescope-cli run plan.json";
    run.header.epochNs = 123'456'789;
    run.status = trace::RunStatus::Finished;
    run.lanes = {makeLane(0), makeLane(1)};
    std::int64_t startMs = 100;
    std::int32_t id = 0;
    for (int repetition = 0; repetition < nRepetitions; ++repetition) {
        for (std::int32_t lane = 0; lane < 2; ++lane) {
            std::vector<double> times;
            double t = 20.0 + repetition;
            for (int i = 0; i < nTokens; ++i) {
                times.push_back(t);
                t += (lane == 0 ? 10.0 : 15.0) + 0.25 * (i % 3) + 0.1 * repetition;
            }
            RequestData request = makeRequest(id, lane, startMs, times);
            request.record.repetition = repetition;
            for (const auto& token : request.tokens) {
                trace::Span step;
                step.tStartNs = token.tNs - 5 * kMs;
                step.tEndNs = token.tNs - kMs;
                step.bytes = 1'000'000;
                step.flops = 2'000'000;
                step.request = id;
                step.step = token.index;
                step.lane = static_cast<std::int16_t>(lane);
                step.op = token.index == 0 ? trace::Op::Prefill : trace::Op::DecodeStep;
                run.spans.push_back(step);
                for (int op = 0; op < 4; ++op) {
                    trace::Span inner = step;
                    inner.tStartNs = step.tStartNs + op * kMs;
                    inner.tEndNs = inner.tStartNs + kMs;
                    inner.layer = 1;
                    inner.op = static_cast<trace::Op>(static_cast<int>(trace::Op::Qkv) + op);
                    run.spans.push_back(inner);
                }
            }
            trace::KvEvent kv;
            kv.tNs = request.record.tStartNs;
            kv.request = id;
            kv.lane = static_cast<std::int16_t>(lane);
            kv.blocks = kv.blocksInUse = 2;
            kv.bytesInUse = 32768;
            run.kvEvents.push_back(kv);
            run.requests.push_back(std::move(request));
            startMs += 500;
            ++id;
        }
    }
    run.droppedSpans = 3;
    run.spanCostNs = 55.5;
    run.overheadNs = 12345;
    return run;
}

/// Adds device 0 with two streams: under each span that is not an enclosing one a kernel on stream
/// 7 that starts 50 us after the span, and after every tenth of them a copy on stream 9 beside it.
inline void addDeviceTiming(RunData& run) {
    run.deviceNames = {"gemmKernel<bf16, 64>", "=evil\"<b>|name", "Memcpy HtoD"};
    std::uint32_t correlation = 0;
    for (const auto& span : run.spans) {
        if (span.op == trace::Op::Prefill || span.op == trace::Op::DecodeStep) continue;
        DeviceActivity kernel;
        kernel.tStartNs = span.tStartNs + 50'000;
        kernel.tEndNs = span.tEndNs + 60'000;  // into the next one
        kernel.tSpanNs = span.tStartNs;
        kernel.correlation = ++correlation;
        kernel.name = static_cast<std::int32_t>(correlation % 2);
        kernel.device = 0;
        kernel.context = 1;
        kernel.stream = 7;
        kernel.grid = {132, 2, 1};
        kernel.block = {256, 1, 1};
        kernel.registersPerThread = 96;
        kernel.staticSharedBytes = 1024;
        kernel.dynamicSharedBytes = 65536;
        kernel.occupancy = 0.375F;
        kernel.op = static_cast<std::int16_t>(span.op);
        kernel.layer = span.layer;
        kernel.lane = span.lane;
        kernel.request = span.request;
        kernel.step = span.step;
        run.deviceActivities.push_back(kernel);
        if (correlation % 10 != 0) continue;
        DeviceActivity copy;
        copy.kind = DeviceActivityKind::Memcpy;
        copy.tStartNs = kernel.tStartNs + 1000;
        copy.tEndNs = copy.tStartNs + 2000;
        copy.name = 2;
        copy.device = 0;
        copy.context = 1;
        copy.stream = 9;
        copy.bytes = 4096;
        run.deviceActivities.push_back(copy);
    }
    run.devices = {{0, "Example GPU", 9, 0, 132, 80'000'000'000, 2890.5, "GPU-0011"}};
    run.deviceTiming.source = "CUPTI 13.0";
    run.deviceTiming.clockResidualNs = 12.5;
    run.deviceTiming.droppedRecords = 4;
    run.deviceTiming.badRecords = 1;
    run.deviceTiming.unmatched = 2;
    run.deviceTiming.overheadNs = 777;
    run.deviceTiming.labelCostNs = 41.0;
    DeviceSample sample;
    sample.tNs = 15 * kMs;  // nothing known
    run.deviceSamples.push_back(sample);
    sample = {5 * kMs, 0, 350'000, 1980, 2619, 51, 1 << 30};
    run.deviceSamples.push_back(sample);
}

}  // namespace lanescope::profiler::test

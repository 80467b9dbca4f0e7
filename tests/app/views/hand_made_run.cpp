#include "tests/app/views/hand_made_run.h"

#include <string>

namespace lanescope::app::test {

profiler::RunSnapshot handMadeRun(int nLanes, int repetitions, int nTokens, const char* id,
                                  bool withRoof) {
    auto run = std::make_shared<profiler::RunData>();
    run->header.id = id;
    run->header.name = "kv formats";
    run->header.startedUnixMs = 1'790'000'000'000;
    run->header.version = "0.1.0";
    run->header.command = "lanescope-cli run plan.json --out out";
    run->header.machineJson = withRoof ? R"({"cpu":"test","roofs":[{"threads":2,"isa":"avx2",)"
                                         R"("readGBps":1.0,"int8Gops":8.0,"fp32Gflops":0.8}]})"
                                       : R"({"cpu":"test"})";
    run->status = trace::RunStatus::Finished;
    std::int64_t clock = 1'000'000;
    for (int l = 0; l < nLanes; ++l) {
        trace::LaneRecord lane;
        lane.index = l;
        lane.name = std::string(1, static_cast<char>('A' + l));
        lane.model = "tiny";
        lane.settingsJson = R"({"kv":"fp16","threads":2,"int8":["qkv","gate+up","head"]})";
        lane.memory.weightBytes = 98'000'000;
        lane.memory.kvBytes = 4'000'000;
        run->lanes.push_back(lane);
    }
    int requestId = 0;
    for (int r = 0; r < repetitions; ++r) {
        for (int l = 0; l < nLanes; ++l) {
            profiler::RequestData request;
            request.record.id = requestId;
            request.record.lane = l;
            request.record.repetition = r;
            request.record.promptText = "Name three primary colours";
            request.record.promptTokens = {1, 2, 3};
            request.record.tStartNs = clock;
            const auto step = [&](int index, std::int64_t lengthNs) {
                trace::Span phase;
                phase.tStartNs = clock;
                phase.tEndNs = clock + lengthNs;
                phase.op = index == 0 ? trace::Op::Prefill : trace::Op::DecodeStep;
                phase.lane = static_cast<std::int16_t>(l);
                phase.request = requestId;
                phase.step = index;
                run->spans.push_back(phase);
                std::int64_t t = clock;
                for (const auto op :
                     {trace::Op::Qkv, trace::Op::Attention, trace::Op::GateUp, trace::Op::Head}) {
                    trace::Span s = phase;
                    s.op = op;
                    s.layer = op == trace::Op::Head ? -1 : 0;
                    s.tStartNs = t;
                    s.tEndNs = t + lengthNs / 4;
                    s.bytes = 1'000'000;
                    s.flops = op == trace::Op::Qkv         ? 2'000'000
                              : op == trace::Op::Attention ? 1'000'000
                              : op == trace::Op::GateUp    ? 4'000'000
                                                           : 3'000'000;
                    t = s.tEndNs;
                    run->spans.push_back(s);
                }
                clock += lengthNs;
            };
            for (int t = 0; t < nTokens; ++t) {
                step(t, t == 0 ? 20'000'000 : 5'000'000 + 1'000'000 * l);
                if (t == 0) request.record.tPrefillEndNs = clock;
                trace::TokenRecord token;
                token.request = requestId;
                token.index = t;
                token.token = 100 + t;
                token.piece = t % 4 == 3 ? "\n" : " word" + std::to_string(t);
                token.tNs = clock;
                token.logProbability = -0.1F * static_cast<float>(t % 7);
                token.entropy = 0.5F;
                token.contextTokens = 3 + t;
                token.kvBytes = static_cast<std::uint64_t>(1 + t / 16) * 368'640U;
                token.top = {
                    {100 + t, 0.7F, token.piece}, {7, 0.2F, " other"}, {8, 0.05F, "\xE9\xA2\x9C"}};
                request.record.text += token.piece;
                request.tokens.push_back(token);
            }
            request.record.tEndNs = clock;
            request.record.finish = trace::FinishReason::MaxTokens;
            run->requests.push_back(request);
            ++requestId;
            clock += 500'000;
        }
    }
    return run;
}

profiler::RunSnapshot onDevice(const profiler::RunData& run) {
    auto out = std::make_shared<profiler::RunData>(run);
    out->header.id = run.header.id + "-device";
    profiler::DeviceFacts facts;
    facts.name = "test GPU";
    facts.nSms = 4;
    facts.copyGBps = 2.0;
    out->devices = {facts};
    out->deviceTiming.source = "made by hand";
    for (int op = 0; op < trace::kOpCount; ++op)
        out->deviceNames.push_back(
            "void lanescope::" + std::string(trace::opName(static_cast<trace::Op>(op))) +
            "Kernel<float, 128>(Args)");
    for (const trace::Span& span : run.spans) {
        profiler::DeviceActivity a;
        const bool copy = span.op == trace::Op::DecodeStep || span.op == trace::Op::Prefill;
        a.kind = copy ? profiler::DeviceActivityKind::Memcpy : profiler::DeviceActivityKind::Kernel;
        a.tSpanNs = span.tStartNs;
        a.tStartNs = span.tStartNs + 50'000;
        a.tEndNs = a.tStartNs + (copy ? 100'000 : (span.tEndNs - span.tStartNs) * 6 / 10);
        a.device = 0;
        a.context = 1;
        a.stream = copy ? 9 : 7;
        a.bytes = copy ? 65'536 : 0;
        a.name = copy ? -1 : static_cast<std::int32_t>(span.op);
        a.occupancy = copy ? 0.0F : 0.5F;
        a.grid = {32, 1, 1};
        a.block = {128, 1, 1};
        a.op = static_cast<std::int16_t>(span.op);
        a.layer = span.layer;
        a.lane = span.lane;
        a.request = span.request;
        a.step = span.step;
        out->deviceActivities.push_back(a);
    }
    return out;
}

}  // namespace lanescope::app::test

#pragma once
// A run with as many spans as wanted, as an engine would record them: steps, and ops in them.

#include <memory>

#include "profiler/store/run_data.h"

namespace lanescope::app::test {

/// `n` op spans over `nLanes` lanes that take turns, 140 to a step, and a step span for each of
/// those; lengths vary by a fixed pattern.
inline profiler::RunSnapshot manySpans(std::size_t n, int nLanes) {
    constexpr std::size_t kOpsAStep = 140;
    auto run = std::make_shared<profiler::RunData>();
    run->header.id = "many-" + std::to_string(n);
    run->status = trace::RunStatus::Finished;
    for (int l = 0; l < nLanes; ++l) {
        trace::LaneRecord lane;
        lane.index = l;
        lane.name = std::string(1, static_cast<char>('A' + l));
        lane.model = "synthetic";
        run->lanes.push_back(lane);
        profiler::RequestData request;
        request.record.id = l;
        request.record.lane = l;
        run->requests.push_back(request);
    }
    std::int64_t clock = 0;
    std::uint32_t noise = 12345;
    std::vector<trace::Span> ops;
    for (std::size_t done = 0, step = 0; done < n; ++step) {
        const auto lane = static_cast<std::int16_t>(step / 50 % static_cast<std::size_t>(nLanes));
        trace::Span phase;
        phase.op = step == 0 ? trace::Op::Prefill : trace::Op::DecodeStep;
        phase.lane = lane;
        phase.request = lane;
        phase.step = static_cast<std::int32_t>(step);
        phase.tStartNs = clock;
        ops.clear();
        for (std::size_t i = 0; i < kOpsAStep && done < n; ++i, ++done) {
            noise = noise * 1664525U + 1013904223U;
            trace::Span op = phase;
            op.op = static_cast<trace::Op>(i % 14);
            op.layer = static_cast<std::int16_t>(i / 14);
            op.tStartNs = clock + 20;
            op.tEndNs = op.tStartNs + 200 + static_cast<std::int64_t>(noise >> 20);
            op.bytes = 100'000;
            op.flops = 300'000;
            clock = op.tEndNs;
            ops.push_back(op);
        }
        phase.tEndNs = clock + 10;
        clock += 1'000;
        run->spans.push_back(phase);
        for (const auto& op : ops) run->spans.push_back(op);
    }
    return run;
}

}  // namespace lanescope::app::test

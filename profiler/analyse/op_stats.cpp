#include <algorithm>
#include <array>
#include <set>

#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

bool isPhase(trace::Op op) {
    using trace::Op;
    return op == Op::Prefill || op == Op::DecodeStep || op == Op::Load || op == Op::Warmup;
}

namespace {

bool isOf(StepKind kind, std::int32_t step) {
    if (kind == StepKind::All) return true;
    return kind == StepKind::Prefill ? step == 0 : step > 0;
}

}  // namespace

std::vector<OpStats> opStats(const RunData& run, std::int32_t lane, std::int32_t request,
                             std::int32_t step, StepKind kind) {
    std::set<std::int32_t> wanted;  // ids; spans outside a request (-1) always count
    for (const RequestData* timed : timedRequests(run, lane)) wanted.insert(timed->record.id);

    struct Sum {
        std::vector<double> us;
        std::uint64_t bytes = 0, flops = 0;
    };
    std::array<Sum, trace::kOpCount> sums;
    for (const auto& span : run.spans) {
        if (span.lane != lane) continue;
        if (request >= 0 ? span.request != request
                         : span.request >= 0 && !wanted.contains(span.request)) {
            continue;
        }
        if (step >= 0 && span.step != step) continue;
        if (!isOf(kind, span.step)) continue;
        Sum& sum = sums[static_cast<std::size_t>(span.op)];
        sum.us.push_back(static_cast<double>(span.tEndNs - span.tStartNs) / 1e3);
        sum.bytes += span.bytes;
        sum.flops += span.flops;
    }

    std::vector<OpStats> all;
    double opsTotalMs = 0.0;
    for (int i = 0; i < trace::kOpCount; ++i) {
        Sum& sum = sums[static_cast<std::size_t>(i)];
        if (sum.us.empty()) continue;
        const Distribution d = distribution(std::move(sum.us));
        OpStats stats;
        stats.op = static_cast<trace::Op>(i);
        stats.count = d.n;
        stats.totalMs = d.mean * static_cast<double>(d.n) / 1e3;
        stats.meanUs = d.mean;
        stats.p95Us = d.p95;
        stats.bytes = sum.bytes;
        stats.flops = sum.flops;
        if (stats.totalMs > 0.0) {
            stats.gbPerS = static_cast<double>(sum.bytes) / (stats.totalMs * 1e6);
            stats.gflopPerS = static_cast<double>(sum.flops) / (stats.totalMs * 1e6);
        }
        if (!isPhase(stats.op)) opsTotalMs += stats.totalMs;
        all.push_back(stats);
    }
    for (auto& stats : all) {
        if (!isPhase(stats.op) && opsTotalMs > 0.0) stats.share = stats.totalMs / opsTotalMs;
    }
    return all;
}

}  // namespace lanescope::profiler

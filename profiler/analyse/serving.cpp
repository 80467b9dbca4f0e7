#include "profiler/analyse/serving.h"

#include <algorithm>

namespace lanescope::profiler {

namespace {

double ms(std::int64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

bool finishedWell(trace::FinishReason reason) {
    using trace::FinishReason;
    return reason == FinishReason::EndOfText || reason == FinishReason::MaxTokens ||
           reason == FinishReason::StopString || reason == FinishReason::ContextFull;
}

/// Means over the passes' time.
void addSteps(std::span<const trace::BatchStep> steps, std::int64_t blockTokens,
              ServingStats& stats) {
    double time = 0.0, occupied = 0.0, used = 0.0, empty = 0.0, held = 0.0;
    for (const trace::BatchStep& step : steps) {
        const auto ns = static_cast<double>(step.tEndNs - step.tStartNs);
        time += ns;
        if (step.maxRunning > 0) occupied += ns * step.sequences / step.maxRunning;
        if (step.blocks > 0) used += ns * step.blocksInUse / step.blocks;
        const auto places = static_cast<double>(step.blocksInUse * blockTokens);
        held += ns * places;
        // Shared blocks are whole: what is empty belongs to one request.
        const auto read = static_cast<double>(step.blocksRead * blockTokens);
        empty += ns * std::max(read - static_cast<double>(step.tokensHeld), 0.0);
        stats.queuePeak = std::max(stats.queuePeak, step.waiting);
        stats.kvBlocksPeak = std::max(stats.kvBlocksPeak, step.blocksInUse);
        stats.preemptions = std::max<std::int64_t>(stats.preemptions, step.preemptions);
    }
    if (time <= 0.0) return;
    stats.occupancy = occupied / time;
    stats.kvUse = used / time;
    if (held > 0.0) stats.kvEmpty = empty / held;
}

}  // namespace

ServingStats servingStats(const ServingData& data, std::int64_t blockTokens,
                          const ServingGoal& goal) {
    ServingStats stats;
    std::vector<double> ttft, itl, tpot, queue, endToEnd;
    std::int64_t good = 0;
    std::int64_t first = 0, last = 0;
    for (std::size_t i = 0; i < data.requests.size(); ++i) {
        const trace::ServedRecord& r = data.requests[i];
        if (i == 0 || r.tArrivalNs < first) first = r.tArrivalNs;
        last = std::max(last, r.tEndNs);
        stats.promptTokens += r.promptTokens;
        stats.reusedTokens += r.reusedTokens;
        stats.outputTokens += r.outputTokens;
        if (r.tAdmittedNs > 0) queue.push_back(ms(r.tAdmittedNs - r.tArrivalNs));
        const bool said = r.tFirstTokenNs > 0;
        if (said) ttft.push_back(ms(r.tFirstTokenNs - r.tArrivalNs));
        const std::vector<std::int64_t>& times = data.tokenNs[i];
        for (std::size_t t = 1; t < times.size(); ++t) itl.push_back(ms(times[t] - times[t - 1]));
        if (r.finish == trace::FinishReason::Cancelled) ++stats.cancelled;
        if (r.finish == trace::FinishReason::Error) ++stats.failed;
        if (!finishedWell(r.finish)) continue;
        ++stats.finished;
        endToEnd.push_back(ms(r.tEndNs - r.tArrivalNs));
        double perToken = 0.0;
        if (times.size() > 1) {
            perToken = ms(times.back() - times.front()) / static_cast<double>(times.size() - 1);
            tpot.push_back(perToken);
        }
        if (said && ttft.back() <= goal.ttftMs && perToken <= goal.tpotMs) ++good;
    }
    stats.seconds = static_cast<double>(last - first) / 1e9;
    if (stats.seconds > 0.0) {
        stats.tps = static_cast<double>(stats.outputTokens) / stats.seconds;
        stats.requestsPerSecond = static_cast<double>(stats.finished) / stats.seconds;
        stats.goodput = static_cast<double>(good) / stats.seconds;
    }
    if (!data.requests.empty())
        stats.goodShare = static_cast<double>(good) / static_cast<double>(data.requests.size());
    addSteps(data.steps, blockTokens, stats);
    stats.ttftMs = distribution(std::move(ttft));
    stats.itlMs = distribution(std::move(itl));
    stats.tpotMs = distribution(std::move(tpot));
    stats.queueMs = distribution(std::move(queue));
    stats.endToEndMs = distribution(std::move(endToEnd));
    return stats;
}

}  // namespace lanescope::profiler

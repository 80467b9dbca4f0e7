#include "profiler/analyse/stats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanescope::profiler {

namespace {

constexpr double kNsPerMs = 1e6;

/// Linear interpolation between ranks; sorted is not empty.
double percentile(const std::vector<double>& sorted, double q) {
    const double rank = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(rank);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    const double part = rank - static_cast<double>(low);
    return sorted[low] + (sorted[high] - sorted[low]) * part;
}

bool isDone(const RequestData& request) {
    using trace::FinishReason;
    const FinishReason f = request.record.finish;
    return f != FinishReason::None && f != FinishReason::Cancelled && f != FinishReason::Error;
}

/// What the requests of one lane add up to before they are summarised.
struct Samples {
    std::vector<double> ttft, itl, tpot, prefillTps, decodeTps, endToEnd;
    double logProbabilitySum = 0.0;
    std::int64_t logProbabilities = 0;
};

void addRequest(const RequestData& request, Samples& samples, LaneStats& stats) {
    const auto& record = request.record;
    const auto& tokens = request.tokens;
    ++stats.requests;
    if (record.finish == trace::FinishReason::Error) ++stats.failed;
    stats.promptTokens += static_cast<std::int64_t>(record.promptTokens.size());
    stats.outputTokens += static_cast<std::int64_t>(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0) {
            samples.itl.push_back(static_cast<double>(tokens[i].tNs - tokens[i - 1].tNs) /
                                  kNsPerMs);
        }
        stats.kvBytesPeak = std::max(stats.kvBytesPeak, tokens[i].kvBytes);
        if (std::isfinite(tokens[i].logProbability)) {
            samples.logProbabilitySum += static_cast<double>(tokens[i].logProbability);
            ++samples.logProbabilities;
        }
    }
    if (record.tPrefillEndNs > record.tStartNs && !record.promptTokens.empty()) {
        samples.prefillTps.push_back(static_cast<double>(record.promptTokens.size()) * 1e9 /
                                     static_cast<double>(record.tPrefillEndNs - record.tStartNs));
    }
    if (tokens.empty()) return;
    const double ttft = static_cast<double>(tokens.front().tNs - record.tStartNs) / kNsPerMs;
    samples.ttft.push_back(ttft);
    if (!isDone(request)) return;  // no end, or one that is not the model's
    const double endToEnd = static_cast<double>(record.tEndNs - record.tStartNs) / kNsPerMs;
    samples.endToEnd.push_back(endToEnd);
    if (tokens.size() < 2) return;
    const double tpot = (endToEnd - ttft) / static_cast<double>(tokens.size() - 1);
    samples.tpot.push_back(tpot);
    if (tpot > 0.0) samples.decodeTps.push_back(1000.0 / tpot);
}

void summarise(Samples& samples, LaneStats& stats) {
    stats.ttftMs = distribution(std::move(samples.ttft));
    stats.itlMs = distribution(std::move(samples.itl));
    stats.tpotMs = distribution(std::move(samples.tpot));
    stats.prefillTps = distribution(std::move(samples.prefillTps));
    stats.decodeTps = distribution(std::move(samples.decodeTps));
    stats.endToEndMs = distribution(std::move(samples.endToEnd));
    if (samples.logProbabilities > 0) {
        stats.meanLogProbability =
            samples.logProbabilitySum / static_cast<double>(samples.logProbabilities);
    }
}

}  // namespace

Distribution distribution(std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    Distribution d;
    d.n = static_cast<std::int64_t>(values.size());
    if (values.empty()) return d;
    std::sort(values.begin(), values.end());
    // Running mean and squares: no overflow for huge values, no cancellation for close ones.
    double mean = 0.0;
    double squares = 0.0;
    double n = 0.0;
    for (const double v : values) {
        n += 1.0;
        const double step = v - mean;
        mean += step / n;
        squares += step * (v - mean);
    }
    d.mean = mean;
    if (n > 1.0) d.sd = std::sqrt(squares / (n - 1.0));
    d.min = values.front();
    d.max = values.back();
    d.p50 = percentile(values, 0.50);
    d.p95 = percentile(values, 0.95);
    d.p99 = percentile(values, 0.99);
    return d;
}

std::vector<const RequestData*> timedRequests(const RunData& run, std::int32_t lane) {
    std::vector<const RequestData*> timed;
    std::vector<const RequestData*> warmup;
    for (const auto& request : run.requests) {
        if (request.record.lane != lane) continue;
        (request.record.warmup ? warmup : timed).push_back(&request);
    }
    return timed.empty() ? warmup : timed;
}

std::vector<LaneStats> laneStats(const RunData& run) {
    std::vector<LaneStats> all;
    for (const auto& lane : run.lanes) {
        LaneStats stats;
        stats.lane = lane.index;
        stats.memory = lane.memory;
        Samples samples;
        for (const RequestData* request : timedRequests(run, lane.index)) {
            addRequest(*request, samples, stats);
        }
        summarise(samples, stats);
        all.push_back(stats);
    }
    return all;
}

LaneStats requestStats(const RunData& run, std::size_t requestIndex) {
    LaneStats stats;
    if (requestIndex >= run.requests.size()) return stats;
    const RequestData& request = run.requests[requestIndex];
    stats.lane = request.record.lane;
    for (const auto& lane : run.lanes) {
        if (lane.index == stats.lane) stats.memory = lane.memory;
    }
    Samples samples;
    addRequest(request, samples, stats);
    summarise(samples, stats);
    return stats;
}

std::int64_t firstDifference(const RequestData& a, const RequestData& b) {
    const std::size_t n = std::min(a.tokens.size(), b.tokens.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (a.tokens[i].token != b.tokens[i].token) return static_cast<std::int64_t>(i);
    }
    return -1;
}

}  // namespace lanescope::profiler

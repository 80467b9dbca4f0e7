#include "app/models/serving_series.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::app {

namespace {

/// The scheduler needs less between two passes.
constexpr std::int64_t kIdleNs = 2'000'000;
/// More than a chart has pixels.
constexpr std::size_t kMostSteps = 1000;

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

double lastSecond(const PolicyRun& policy) {
    double last = 0.0;
    for (const auto& times : policy.tokenNs)
        if (!times.empty()) last = std::max(last, seconds(times.back() - policy.tStartNs));
    return last;
}

/// Counts up by one at every time, from 0 at 0.
Points counted(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    Points points;
    points.x.push_back(0.0);
    points.y.push_back(0.0);
    for (std::size_t i = 0; i < times.size(); ++i) {
        points.x.push_back(times[i]);
        points.y.push_back(static_cast<double>(i + 1));
    }
    return points;
}

}  // namespace

Points arrivedOverTime(const ServingRun& run, const PolicyRun& policy) {
    // While it goes on, those that are due.
    double now = lastSecond(policy);
    for (const trace::BatchStep& step : policy.steps)
        now = std::max(now, seconds(step.tEndNs - policy.tStartNs));
    std::vector<double> times;
    for (const double at : run.arrivalSeconds)
        if (at <= now) times.push_back(at);
    return counted(std::move(times));
}

Points endedOverTime(const PolicyRun& policy) {
    std::vector<double> times;
    for (const trace::ServedRecord& record : policy.requests)
        if (record.finish != trace::FinishReason::None)
            times.push_back(seconds(record.tEndNs - policy.tStartNs));
    return counted(std::move(times));
}

Points overPasses(const PolicyRun& policy, std::int32_t trace::BatchStep::*value) {
    Points points;
    const auto add = [&](std::int64_t ns, std::int32_t y) {
        points.x.push_back(seconds(ns - policy.tStartNs));
        points.y.push_back(y);
    };
    if (!policy.steps.empty()) add(policy.tStartNs, 0);
    for (std::size_t i = 0; i < policy.steps.size(); ++i) {
        const trace::BatchStep& step = policy.steps[i];
        add(step.tStartNs, step.*value);
        const bool last = i + 1 == policy.steps.size();
        if (last ? policy.state != PolicyState::Running
                 : policy.steps[i + 1].tStartNs - step.tEndNs > kIdleNs)
            add(step.tEndNs, 0);
    }
    return points;
}

Points totalOverPasses(const PolicyRun& policy, std::int32_t trace::BatchStep::*value) {
    Points points;
    for (const trace::BatchStep& step : policy.steps) {
        points.x.push_back(seconds(step.tStartNs - policy.tStartNs));
        points.y.push_back(step.*value);
    }
    return points;
}

double throughputWindow(const ServingRun& run) {
    double longest = 0.0;
    for (const PolicyRun& policy : run.policies) longest = std::max(longest, lastSecond(policy));
    static constexpr std::array<double, 10> kRound{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
    for (const double window : kRound)
        if (longest / window <= 40.0) return window;
    return kRound.back();
}

Points throughput(const PolicyRun& policy, double windowSeconds) {
    Points points;
    const double last = lastSecond(policy);
    if (!(last > 0.0) || !(windowSeconds > 0.0)) return points;
    // A stretch that has not been lived through would look slow.
    const bool over = policy.state != PolicyState::Running;
    const auto n = static_cast<std::size_t>(over ? std::ceil(last / windowSeconds)
                                                 : std::floor(last / windowSeconds));
    std::vector<double> counts(n, 0.0);
    for (const auto& times : policy.tokenNs)
        for (const std::int64_t t : times) {
            const double at = std::max(seconds(t - policy.tStartNs), 0.0);
            auto slot = static_cast<std::size_t>(at / windowSeconds);
            if (over && slot == n && n > 0) --slot;  // the very last moment
            if (slot < n) counts[slot] += 1.0;
        }
    for (std::size_t i = 0; i < n; ++i) {
        const double begin = static_cast<double>(i) * windowSeconds;
        const double length = over && i + 1 == n ? std::max(last - begin, 1e-9) : windowSeconds;
        // A sliver at the end says nothing about speed.
        if (length < windowSeconds / 4.0 && i > 0) break;
        points.x.push_back(begin);
        points.y.push_back(counts[i] / length);
    }
    if (points.x.empty()) return points;
    points.x.push_back(std::min(points.x.back() + windowSeconds, last));
    points.y.push_back(points.y.back());
    return points;
}

Points cumulativeShare(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    Points points;
    const std::size_t n = values.size();
    if (n == 0) return points;
    points.x.push_back(values.front());
    points.y.push_back(0.0);
    const std::size_t steps = std::min(n, kMostSteps);
    for (std::size_t step = 1; step <= steps; ++step) {
        const std::size_t upTo = (step * n + steps - 1) / steps;
        points.x.push_back(values[upTo - 1]);
        points.y.push_back(100.0 * static_cast<double>(upTo) / static_cast<double>(n));
    }
    return points;
}

std::vector<double> ttftValues(const PolicyRun& policy) {
    std::vector<double> values;
    for (const trace::ServedRecord& record : policy.requests)
        if (record.tFirstTokenNs > 0)
            values.push_back(static_cast<double>(record.tFirstTokenNs - record.tArrivalNs) / 1e6);
    return values;
}

std::vector<double> itlValues(const PolicyRun& policy) {
    std::vector<double> values;
    for (const auto& times : policy.tokenNs)
        for (std::size_t i = 1; i < times.size(); ++i)
            values.push_back(static_cast<double>(times[i] - times[i - 1]) / 1e6);
    return values;
}

}  // namespace lanescope::app

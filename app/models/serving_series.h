#pragma once
// Lines of the serving charts out of what the engine recorded. Pure functions. Times are seconds
// after the policy's start.

#include <span>
#include <vector>

#include "app/bridge/serving_run.h"

namespace lanescope::app {

struct Points {
    std::vector<double> x, y;
};

/// Requests that have arrived, and that have ended, over time.
Points arrivedOverTime(const ServingRun& run, const PolicyRun& policy);
Points endedOverTime(const PolicyRun& policy);

/// A number of every pass, from its start on; between passes nothing runs and it is 0.
Points overPasses(const PolicyRun& policy, std::int32_t trace::BatchStep::*value);
/// A count that only grows: it keeps its value between passes.
Points totalOverPasses(const PolicyRun& policy, std::int32_t trace::BatchStep::*value);

/// Tokens given out a second, in stretches of equal length (windowSeconds), each from its start.
Points throughput(const PolicyRun& policy, double windowSeconds);
/// A round length that gives about 40 stretches.
double throughputWindow(const ServingRun& run);

/// Share of the values (in %) that are at most x: a step at each, or at a thousand of them.
Points cumulativeShare(std::vector<double> values);
/// Of requests that had a first token, and of all gaps between two tokens of a request, in ms.
std::vector<double> ttftValues(const PolicyRun& policy);
std::vector<double> itlValues(const PolicyRun& policy);

}  // namespace lanescope::app

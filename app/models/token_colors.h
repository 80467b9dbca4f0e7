#pragma once
// What a token's background says: nothing, how sure the model was, how long it took, or whether the
// baseline wrote the same. Pure functions of the snapshot.

#include <QColor>
#include <QString>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::app {

enum class TokenColoring : std::uint8_t { None, Probability, Latency, Disagreement };

/// One value per token: probability 0 … 1; latency in ms (the first token: its time since the
/// prefill ended); disagreement 1 where the baseline has another token at this position or none,
/// else 0. Empty for None.
std::vector<double> tokenValues(TokenColoring coloring, const profiler::RequestData& request,
                                const profiler::RequestData* baseline);

/// The value at which the latency scale ends: the 95th percentile, at least 1 us.
double latencyScaleMs(const std::vector<double>& values);

/// 0 … 1 on the scale of the coloring: 0 shows nothing, 1 the strongest colour.
double tokenStrength(TokenColoring coloring, double value, double latencyScale);

/// Background for a strength; transparent at 0.
QColor tokenBackground(TokenColoring coloring, double strength, bool dark);

}  // namespace lanescope::app

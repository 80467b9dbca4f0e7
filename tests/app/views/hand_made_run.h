#pragma once
// A small run made by hand, with known figures, for tests of views.

#include <memory>

#include "profiler/store/run_data.h"

namespace lanescope::app::test {

/// nLanes lanes, `repetitions` requests each of nTokens tokens; lane i's ITL is (5 + i) ms, TTFT 20
/// ms; spans for every step.
profiler::RunSnapshot handMadeRun(int nLanes, int repetitions, int nTokens,
                                  const char* id = "0123456789abcdef");

}  // namespace lanescope::app::test

#pragma once
// A small run made by hand, with known figures, for tests of views.

#include <memory>

#include "profiler/store/run_data.h"

namespace lanescope::app::test {

/// nLanes lanes, `repetitions` requests each of nTokens tokens; lane i's ITL is (5 + i) ms, TTFT 20
/// ms; spans for every step: Qkv, Attention, GateUp and Head in equal parts, 1 MB each, 2, 1, 4 and
/// 3 Mflop. withRoof: 1 GB/s, 8 int8 GOP/s, 0.8 fp32 GFLOP/s; all but attention ran in int8.
profiler::RunSnapshot handMadeRun(int nLanes, int repetitions, int nTokens,
                                  const char* id = "0123456789abcdef", bool withRoof = false);

/// The same run as a GPU would have run it: every op launched a kernel of 0.6 of its length, 50 us
/// later, on stream 7 of one device; every step a copy on stream 9. Copy bandwidth 2 GB/s.
profiler::RunSnapshot onDevice(const profiler::RunData& run);

}  // namespace lanescope::app::test

#pragma once
// Figures from a run, by the definitions of the field: TTFT, ITL, TPOT, tokens/s, with spread and
// noise. Pure functions on snapshots. Warm-up requests are left out unless nothing else is there.

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::profiler {

/// n values: mean, sample standard deviation, order statistics (linear interpolation between
/// ranks).
struct Distribution {
    std::int64_t n = 0;
    double mean = 0.0, sd = 0.0, min = 0.0, max = 0.0, p50 = 0.0, p95 = 0.0, p99 = 0.0;
};
Distribution distribution(std::vector<double> values);  ///< non-finite values are left out

/// One lane over its timed requests. Times in ms.
struct LaneStats {
    std::int32_t lane = 0;
    std::int32_t requests = 0;
    std::int32_t failed = 0;
    Distribution ttftMs;      ///< request start to first token, per request
    Distribution itlMs;       ///< every gap between two emitted tokens
    Distribution tpotMs;      ///< (end-to-end - TTFT) / (tokens - 1), per request
    Distribution prefillTps;  ///< prompt tokens / prefill time
    Distribution decodeTps;   ///< 1000 / TPOT
    Distribution endToEndMs;
    std::int64_t promptTokens = 0;
    std::int64_t outputTokens = 0;
    std::uint64_t kvBytesPeak = 0;
    double meanLogProbability = 0.0;
    trace::MemoryFigures memory;
};
/// One entry per lane of the run, in its order; a lane without requests has n = 0 everywhere.
/// Cancelled and failed requests count for TTFT and ITL, not for end-to-end, TPOT and decode speed.
std::vector<LaneStats> laneStats(const RunData& run);
/// Figures of one request alone; all zero when there is no such request.
LaneStats requestStats(const RunData& run, std::size_t requestIndex);

/// The requests laneStats counts: timed ones, or the warm-up when there are no others. Valid as
/// long as the run.
std::vector<const RequestData*> timedRequests(const RunData& run, std::int32_t lane);

/// Time per op of one lane (or one request / step when >= 0): for the table and the inspector.
struct OpStats {
    trace::Op op{};
    std::int64_t count = 0;
    double totalMs = 0.0, meanUs = 0.0, p95Us = 0.0;
    std::uint64_t bytes = 0, flops = 0;    ///< sums over the spans
    double gbPerS = 0.0, gflopPerS = 0.0;  ///< 0 when no time was measured
    double share = 0.0;                    ///< of the sum over ops (phases excluded)
};
/// True for spans that enclose others (prefill, decode step, load, warm-up).
bool isPhase(trace::Op op);
/// Steps of a request that count: step 0 is the prefill, each later one decodes.
enum class StepKind : std::uint8_t { All, Prefill, Decode };
/// In the order of Op, ops that did occur. With request and step < 0: the timed requests only,
/// unless there are only warm-ups.
std::vector<OpStats> opStats(const RunData& run, std::int32_t lane, std::int32_t request = -1,
                             std::int32_t step = -1, StepKind kind = StepKind::All);

/// One figure of two lanes (of the same or of two runs), with what counts as noise.
struct Delta {
    std::string metric;  ///< "TTFT", "ITL p50", "decode tok/s" …
    std::string unit;
    double before = 0.0, after = 0.0;
    double beforeSd = 0.0, afterSd = 0.0;
    std::int64_t beforeN = 0, afterN = 0;
    double absolute = 0.0, percent = 0.0;
    bool lowerIsBetter = true;
    enum class Verdict : std::uint8_t {
        Better,
        Worse,
        WithinNoise,
        NotComparable
    } verdict = Verdict::NotComparable;
};
/// Noise: Welch's t-test, two-sided 95 %, when both have n >= 2; with one repetition: NotComparable
/// is said, numbers are still shown.
/// A figure that one side lacks (n = 0) is NotComparable too.
std::vector<Delta> compareLanes(const LaneStats& before, const LaneStats& after);

/// "better", "worse", "within noise", "not comparable (one repetition)".
const char* verdictName(Delta::Verdict verdict);
/// Two-sided p of Welch's t-test; NaN when it is undefined (n < 2 on a side, or no spread at all).
double welchP(double meanA, double sdA, std::int64_t nA, double meanB, double sdB, std::int64_t nB);
/// True when decode speed, or else end-to-end time, is worse than the baseline's beyond noise or,
/// with single repetitions, at all: what is then said in words.
bool isSlower(const std::vector<Delta>& deltas);

/// First output position where two requests' tokens differ; -1: equal over the common length.
std::int64_t firstDifference(const RequestData& a, const RequestData& b);

}  // namespace lanescope::profiler

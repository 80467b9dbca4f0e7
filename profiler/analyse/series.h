#pragma once
// The lines of the charts as pure functions: per-token latency and KV bytes over token index, time
// or context length; and thinning to the pixels at hand that keeps every peak.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::profiler {

/// x and y of one line; token[i] is the output position of point i (for the shared selection).
struct Series {
    std::vector<double> x, y;
    std::vector<std::int32_t> token;
};

enum class SeriesKind : std::uint8_t {
    ItlMs,           ///< gap before each token but the first; the first one is TTFT, see ttftMs
    KvBytes,         ///< bytes of the blocks the sequence holds
    LogProbability,  ///< natural log
    Entropy,         ///< nats
};
enum class XAxis : std::uint8_t {
    Token,    ///< output position, 0 = first
    TimeMs,   ///< since the request's start
    Context,  ///< tokens in the KV cache after the step
};
enum class Averaging : std::uint8_t {
    LastRequest,  ///< the newest request that has tokens, for a live view
    Mean,         ///< over the repetitions, position by position, where at least one has a value
};

/// One lane's line for one prompt (prompt < 0: LastRequest takes any prompt, Mean all of them).
/// Non-finite values stay in place: charts draw a gap.
Series series(const RunData& run, std::int32_t lane, SeriesKind kind, XAxis axis,
              Averaging averaging = Averaging::LastRequest, std::int32_t prompt = -1);
/// The same of a single request.
Series requestSeries(const RequestData& request, SeriesKind kind, XAxis axis);

/// At most about two points (lowest and highest) for each of nBuckets equal parts of the x range,
/// in order of x; first, last and gaps are kept. x must not decrease. Returned unchanged when it
/// already has no more than 2 nBuckets points.
Series thinned(const Series& full, std::size_t nBuckets);

}  // namespace lanescope::profiler

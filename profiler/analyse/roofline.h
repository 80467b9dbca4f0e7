#pragma once
// Ops against what the machine can do at most: the roofline (Williams, Waterman, Patterson 2009).
// Pure functions; the roof itself was measured by engine/lane/machine_roof.h and stored with the
// run.

#include <bitset>
#include <cstdint>
#include <string>

#include "profiler/analyse/stats.h"
#include "profiler/store/run_data.h"

namespace lanescope::profiler {

/// What a machine does at most with a number of threads, all together.
struct Roof {
    int threads = 0;
    std::string isa;
    double readGBps = 0.0;  ///< 10^9 bytes a second from memory
    double int8Gops = 0.0;  ///< 10^9 operations a second, 2 a multiply-accumulate
    double fp32Gflops = 0.0;
    double bf16Gflops = 0.0;  ///< 0: the processor has no dots of bf16
    [[nodiscard]] bool known() const { return readGBps > 0 && int8Gops > 0 && fp32Gflops > 0; }
    bool operator==(const Roof&) const = default;
};

/// The arithmetic an op is held against.
enum class Peak : std::uint8_t { Fp32, Int8, Bf16 };
const char* peakName(Peak peak);  ///< "fp32", "int8", "bf16"
double peakGflops(const Roof& roof, Peak peak);

/// A roof as one lane meets it.
struct LaneRoof {
    Roof roof;  ///< not known(): it was not measured with the run
    std::bitset<trace::kOpCount> int8Ops;
    std::bitset<trace::kOpCount> bf16Ops;

    /// The one rule: int8 for matrix products that ran with int8 activations on block-quantised
    /// weights, bf16 for those of bf16 activations where the processor has dots of bf16, fp32 for
    /// all else (attention, norms, and every op of an exact lane).
    [[nodiscard]] Peak peakOf(trace::Op op) const {
        const auto at = static_cast<std::size_t>(op);
        if (int8Ops[at]) return Peak::Int8;
        return bf16Ops[at] && roof.bf16Gflops > 0 ? Peak::Bf16 : Peak::Fp32;
    }
};
/// The products of activations and weights.
std::bitset<trace::kOpCount> productOps();
/// From the run's machine ("roofs", the one with the lane's number of threads) and the lane's
/// settings ("threads", "int8", "acts"). Runs from before roofs were stored have none; what cannot
/// be read counts as not measured.
LaneRoof laneRoof(const RunData& run, std::int32_t lane);

/// Which roof an op would meet first.
enum class Limit : std::uint8_t { Unknown, Memory, Arithmetic };
const char* limitName(Limit limit);  ///< "memory", "arithmetic"; "" for Unknown

/// An op under its roof. Zeros: not known.
struct RooflinePoint {
    double intensity = 0.0;  ///< flop a byte
    double gbPerS = 0.0;
    double gflopPerS = 0.0;
    double attainableGflopPerS = 0.0;  ///< min(peak, intensity x read bandwidth)
    /// Time the roof would need, max(bytes / bandwidth, flops / peak), over the time it took. Above
    /// 1 is possible, see fromCache; it is not clamped.
    double ofRoof = 0.0;
    Limit limit = Limit::Unknown;
    Peak peak = Peak::Fp32;
    /// Memory-bound and above the roof: data came from the caches, which are faster than memory.
    bool fromCache = false;
    /// Above the arithmetic roof by more than noise: the roof is too low, since something else ran
    /// while it was measured.
    bool roofTooLow = false;
};
/// What an op did and how long it took.
struct OpWork {
    std::uint64_t bytes = 0;
    std::uint64_t flops = 0;
    double ms = 0.0;
};
RooflinePoint rooflinePoint(const OpWork& work, const Roof& roof, Peak peak);
/// Phases enclose ops and have no roof of their own.
RooflinePoint rooflinePoint(const OpStats& stats, const LaneRoof& lane);

}  // namespace lanescope::profiler

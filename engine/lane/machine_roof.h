#pragma once
// What this machine can do at most, measured: reading from memory and arithmetic. The roof that
// kernels are held against (Williams, Waterman, Patterson 2009, "Roofline").

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace lanescope {

/// All threads together.
struct MachineRoof {
    int threads = 0;
    std::string isa;        ///< of the kernels that were measured
    double readGBps = 0.0;  ///< 10^9 bytes a second, from memory, in one stream a thread
    double int8Gops = 0.0;  ///< 10^9 operations a second, 2 a multiply-accumulate, 8-bit inputs
    double fp32Gflops = 0.0;
    double bf16Gflops = 0.0;     ///< dots of bf16 summed in f32; 0: the processor has none
    double int8GopsAlone = 0.0;  ///< of one thread alone
    double fp32GflopsAlone = 0.0;
    double bf16GflopsAlone = 0.0;
    [[nodiscard]] bool known() const { return readGBps > 0 && int8Gops > 0 && fp32Gflops > 0; }
};

/// Measures for about a second and keeps the result in the cache folder; the best of many short
/// bursts counts, so that another process on the cores disturbs little.
MachineRoof measureRoof(int threads);

/// The roof measured last for this processor, instruction set and number of threads (0: all). A
/// cache that cannot be read or written is no error.
std::optional<MachineRoof> cachedRoof(int threads);
/// The same; without one, measures.
MachineRoof machineRoof(int threads);

/// {threads, isa, readGBps, int8Gops, fp32Gflops, bf16Gflops where there is one}: as it is stored
/// with a run, in the list "roofs" of its machine. Read back by profiler/analyse/roofline.h.
nlohmann::ordered_json roofToJson(const MachineRoof& roof);

}  // namespace lanescope

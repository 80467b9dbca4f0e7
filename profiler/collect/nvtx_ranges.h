#pragma once
// Named ranges for other profilers. NVTX is header-only and costs a branch where none is attached;
// without the toolkit's headers these do nothing.

namespace lanescope::profiler {

bool nvtxBuiltIn();
void nvtxPush(const char* name);
void nvtxPop();

}  // namespace lanescope::profiler

#pragma once
// Function keywords and the place of a thread in its launch.
//   SIMT_KERNEL(256) void addKernel(AddArgs args) { … }   at most 256 threads a block; a second
//   number asks for registers to be limited so that as many blocks fit a multiprocessor
//   SIMT_DEVICE float half(float x) { … }                  called by kernels (and, on g++, by
//   tests)
// SIMT_SITE ends the parameter list of a primitive that the emulator checks: it passes on where the
// caller is, for reports.

#include <cstdint>

#if defined(__CUDACC__)
#define SIMT_ON_GPU 1
#define SIMT_KERNEL(...) __global__ __launch_bounds__(__VA_ARGS__)
#define SIMT_DEVICE __device__ __forceinline__
#define SIMT_SITE
#else
#include "kernels/simt/emulator.h"
#define SIMT_ON_GPU 0
#define SIMT_KERNEL(...) inline
#define SIMT_DEVICE inline
#define SIMT_SITE \
    , const ::lanescope::kernels::simt::Site& site = ::lanescope::kernels::simt::Site::current()
#endif
#define SIMT_HOST inline

namespace lanescope::kernels::cuda {

inline constexpr int kWarp = 32;
inline constexpr std::uint32_t kFullMask = 0xFFFFFFFFU;

#if SIMT_ON_GPU
#define SIMT_PLACE(name, gpu, cpu)    \
    SIMT_DEVICE int name() {          \
        return static_cast<int>(gpu); \
    }
#else
#define SIMT_PLACE(name, gpu, cpu)                       \
    SIMT_DEVICE int name() {                             \
        return static_cast<int>(simt::currentLane->cpu); \
    }
#endif
SIMT_PLACE(threadX, threadIdx.x, thread.x)
SIMT_PLACE(threadY, threadIdx.y, thread.y)
SIMT_PLACE(threadZ, threadIdx.z, thread.z)
SIMT_PLACE(blockX, blockIdx.x, block.x)
SIMT_PLACE(blockY, blockIdx.y, block.y)
SIMT_PLACE(blockZ, blockIdx.z, block.z)
SIMT_PLACE(blockSizeX, blockDim.x, blockDim.x)
SIMT_PLACE(blockSizeY, blockDim.y, blockDim.y)
SIMT_PLACE(blockSizeZ, blockDim.z, blockDim.z)
SIMT_PLACE(gridSizeX, gridDim.x, gridDim.x)
SIMT_PLACE(gridSizeY, gridDim.y, gridDim.y)
SIMT_PLACE(gridSizeZ, gridDim.z, gridDim.z)
#undef SIMT_PLACE

/// Lane and warp of a thread. Precondition: blocks are one-dimensional.
SIMT_DEVICE int laneId() {
    return threadX() % kWarp;
}
SIMT_DEVICE int warpId() {
    return threadX() / kWarp;
}

}  // namespace lanescope::kernels::cuda

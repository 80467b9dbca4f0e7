#pragma once
// Starting kernels, on a GPU or in the emulator: what the .cu files call. Plain C++ may include
// stream.h instead, which has the types only.

#include <cstddef>
#include <utility>

#include "kernels/cuda/language/keywords.h"
#include "kernels/cuda/stream.h"
#if SIMT_ON_GPU
#include <cuda_runtime_api.h>
#else
#include "kernels/simt/launch.h"
#endif

namespace lanescope::kernels::cuda {

/// Extents of a grid or a block.
struct Extent {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
};

/// Runs kernel(args...) over the grid; an empty grid does nothing. On a GPU the kernel is only
/// queued. In the emulator it is done when this returns, a broken rule throws simt::Error, and the
/// options are those of simt::ScopedOptions.
template <class... Params, class... Args>
Status launch(Stream stream, Extent grid, Extent block, std::size_t sharedBytes,
              void (*kernel)(Params...), Args&&... args) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return kSuccess;
#if SIMT_ON_GPU
    if (sharedBytes > 48 * 1024) {
        const cudaError_t status = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                        static_cast<int>(sharedBytes));
        if (status != cudaSuccess) return status;
    }
    kernel<<<dim3(grid.x, grid.y, grid.z), dim3(block.x, block.y, block.z), sharedBytes, stream>>>(
        Params(std::forward<Args>(args))...);
    return cudaGetLastError();
#else
    static_cast<void>(stream);
    simt::ScopedOptions::note(
        simt::launch({{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, sharedBytes},
                     simt::ScopedOptions::current(), kernel, std::forward<Args>(args)...));
    return kSuccess;
#endif
}

}  // namespace lanescope::kernels::cuda

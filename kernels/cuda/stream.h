#pragma once
// The two types of the CUDA runtime that the declarations of ops need, without its headers.

struct CUstream_st;

namespace lanescope::kernels::cuda {

/// cudaStream_t: work queued on one runs in order. Null: the default one.
using Stream = CUstream_st*;
/// cudaError_t as a number.
using Status = int;
inline constexpr Status kSuccess = 0;

}  // namespace lanescope::kernels::cuda

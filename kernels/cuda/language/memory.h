#pragma once
// Vectors of memory accesses and the loads and stores of global memory that say how they are
// cached. A vector's address is a multiple of its size (the emulator checks that).

#include <cstdint>

#include "kernels/cuda/language/keywords.h"

namespace lanescope::kernels::cuda {

#if SIMT_ON_GPU
using Float2 = ::float2;
using Float4 = ::float4;
using Int2 = ::int2;
using Int4 = ::int4;
using Uint2 = ::uint2;
using Uint4 = ::uint4;
#else
template <class T>
struct alignas(2 * sizeof(T)) Vector2 {
    T x, y;
};
template <class T>
struct alignas(4 * sizeof(T)) Vector4 {
    T x, y, z, w;
};
using Float2 = Vector2<float>;
using Float4 = Vector4<float>;
using Int2 = Vector2<std::int32_t>;
using Int4 = Vector4<std::int32_t>;
using Uint2 = Vector2<std::uint32_t>;
using Uint4 = Vector4<std::uint32_t>;
#endif

/// Reads a T (a scalar or one of the vectors) at any address of the right alignment.
template <class T>
SIMT_DEVICE T load(const void* at SIMT_SITE) {
#if !SIMT_ON_GPU
    simt::checkAligned(at, sizeof(T), site);
#endif
    return *static_cast<const T*>(at);
}

/// The same through the read-only cache: nothing may write there while the kernel runs.
template <class T>
SIMT_DEVICE T loadConstant(const void* at SIMT_SITE) {
#if SIMT_ON_GPU
    return __ldg(static_cast<const T*>(at));
#else
    simt::checkAligned(at, sizeof(T), site);
    return *static_cast<const T*>(at);
#endif
}

/// The same for what is read once: weights that should not drive others out of the caches.
template <class T>
SIMT_DEVICE T loadOnce(const void* at SIMT_SITE) {
#if SIMT_ON_GPU
    return __ldcs(static_cast<const T*>(at));
#else
    simt::checkAligned(at, sizeof(T), site);
    return *static_cast<const T*>(at);
#endif
}

template <class T>
SIMT_DEVICE void store(void* at, T value SIMT_SITE) {
#if !SIMT_ON_GPU
    simt::checkAligned(at, sizeof(T), site);
#endif
    *static_cast<T*>(at) = value;
}

}  // namespace lanescope::kernels::cuda

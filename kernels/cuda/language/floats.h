#pragma once
// Narrow floats as they lie in memory, and their conversions: to float exactly, from float to
// nearest even. Halves overflow to infinity; 8-bit formats saturate at their largest number.
// Sources: kernels/types/float16.h; OCP OFP8 1.0 for E4M3 (no infinity, NaN 0x7F) and E5M2.

#include <bit>
#include <cstdint>

#include "kernels/cuda/language/keywords.h"
#if SIMT_ON_GPU
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#else
#include "kernels/types/float16.h"
#include "kernels/types/float8.h"
#endif

namespace lanescope::kernels::cuda {

struct Half {
    std::uint16_t bits;
};
struct BFloat16 {
    std::uint16_t bits;
};
struct Fp8E4M3 {
    std::uint8_t bits;
};
struct Fp8E5M2 {
    std::uint8_t bits;
};

SIMT_DEVICE float toFloat(float x) {
    return x;
}
SIMT_DEVICE float toFloat(Half x) {
#if SIMT_ON_GPU
    return __half2float(__ushort_as_half(x.bits));
#else
    return halfToF32(x.bits);
#endif
}
SIMT_DEVICE float toFloat(BFloat16 x) {
#if SIMT_ON_GPU
    return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
#else
    return bf16ToF32(x.bits);
#endif
}
SIMT_DEVICE float toFloat(Fp8E4M3 x) {
#if SIMT_ON_GPU
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E4M3)));
#else
    return e4m3ToF32(x.bits);
#endif
}
SIMT_DEVICE float toFloat(Fp8E5M2 x) {
#if SIMT_ON_GPU
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E5M2)));
#else
    return e5m2ToF32(x.bits);
#endif
}

/// fromFloat<Half>(x) and so on.
template <class T>
SIMT_DEVICE T fromFloat(float x);
template <>
SIMT_DEVICE float fromFloat<float>(float x) {
    return x;
}
template <>
SIMT_DEVICE Half fromFloat<Half>(float x) {
#if SIMT_ON_GPU
    return {__half_as_ushort(__float2half_rn(x))};
#else
    return {f32ToHalf(x)};
#endif
}
template <>
SIMT_DEVICE BFloat16 fromFloat<BFloat16>(float x) {
#if SIMT_ON_GPU
    return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
#else
    return {f32ToBf16(x)};
#endif
}
template <>
SIMT_DEVICE Fp8E4M3 fromFloat<Fp8E4M3>(float x) {
#if SIMT_ON_GPU
    return {__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)};
#else
    return {f32ToE4m3(x)};
#endif
}
template <>
SIMT_DEVICE Fp8E5M2 fromFloat<Fp8E5M2>(float x) {
#if SIMT_ON_GPU
    return {__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)};
#else
    return {f32ToE5m2(x)};
#endif
}

/// Two 16-bit floats as tensor cores take them: the first in the low half of the word.
template <class T>
SIMT_DEVICE std::uint32_t packPair(float first, float second) {
    static_assert(sizeof(T) == 2);
    return fromFloat<T>(first).bits | static_cast<std::uint32_t>(fromFloat<T>(second).bits) << 16;
}

SIMT_DEVICE std::uint32_t bitsOf(float x) {
#if SIMT_ON_GPU
    return __float_as_uint(x);
#else
    return std::bit_cast<std::uint32_t>(x);
#endif
}
SIMT_DEVICE float floatOf(std::uint32_t bits) {
#if SIMT_ON_GPU
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
}

}  // namespace lanescope::kernels::cuda

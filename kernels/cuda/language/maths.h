#pragma once
// Arithmetic that has an instruction of its own. Names with `fast` are approximations (their errors
// are a GPU's; the emulator is exact), the others are correctly rounded or, for expf and the like
// from <cmath>, within a few units in the last place on both.

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/cuda/language/floats.h"
#include "kernels/cuda/language/keywords.h"

namespace lanescope::kernels::cuda {

#if SIMT_ON_GPU
#define SIMT_EITHER(gpu, cpu) return gpu
#else
#define SIMT_EITHER(gpu, cpu) return cpu
#endif

/// One rounding.
SIMT_DEVICE float fusedMultiplyAdd(float a, float b, float c) {
    SIMT_EITHER(__fmaf_rn(a, b, c), std::fma(a, b, c));
}
/// 1 / sqrt(x), within 2 units in the last place.
SIMT_DEVICE float reciprocalSqrt(float x) {
    SIMT_EITHER(rsqrtf(x), 1.0F / std::sqrt(x));
}
/// Sine and cosine of any angle, within 2 units in the last place.
SIMT_DEVICE void sinCos(float angle, float* sine, float* cosine) {
#if SIMT_ON_GPU
    sincosf(angle, sine, cosine);
#else
    *sine = std::sin(angle);
    *cosine = std::cos(angle);
#endif
}
/// e^x, relative error about 2^-21 + 2^-24 |x|.
SIMT_DEVICE float fastExp(float x) {
    SIMT_EITHER(__expf(x), std::exp(x));
}
/// 2^x, within 2 units in the last place; results below 2^-126 are zero.
SIMT_DEVICE float fastExp2(float x) {
#if SIMT_ON_GPU
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    const float y = std::exp2(x);
    return y < 0x1p-126F ? 0.0F : y;
#endif
}
/// log2 x, absolute error about 2^-22 near 1, otherwise relative.
SIMT_DEVICE float fastLog2(float x) {
    SIMT_EITHER(__log2f(x), std::log2(x));
}
/// 1 / x, within 1 unit in the last place; tiny numbers count as zero.
SIMT_DEVICE float fastReciprocal(float x) {
#if SIMT_ON_GPU
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1.0F / x;
#endif
}
/// a / b, within 2 units in the last place; 0 for |b| above 2^126.
SIMT_DEVICE float fastDivide(float a, float b) {
    SIMT_EITHER(__fdividef(a, b), a / b);
}
/// To the nearest integer, ties to even; saturates, NaN gives 0.
SIMT_DEVICE std::int32_t roundToInt(float x) {
#if SIMT_ON_GPU
    return __float2int_rn(x);
#else
    if (!(x == x)) return 0;
    if (x >= 0x1p31F) return INT32_MAX;
    if (x < -0x1p31F) return INT32_MIN;
    return static_cast<std::int32_t>(std::nearbyint(x));
#endif
}

/// Number of set bits.
SIMT_DEVICE int popCount(std::uint32_t x) {
    SIMT_EITHER(__popc(x), std::popcount(x));
}
/// Zeros above the highest set bit; 32 for 0.
SIMT_DEVICE int leadingZeros(std::uint32_t x) {
    SIMT_EITHER(__clz(static_cast<int>(x)), std::countl_zero(x));
}
/// One more than the index of the lowest set bit; 0 for 0.
SIMT_DEVICE int findFirstSet(std::uint32_t x) {
    SIMT_EITHER(__ffs(static_cast<int>(x)), x == 0 ? 0 : std::countr_zero(x) + 1);
}
SIMT_DEVICE std::uint32_t reverseBits(std::uint32_t x) {
#if SIMT_ON_GPU
    return __brev(x);
#else
    std::uint32_t y = 0;
    for (int i = 0; i < 32; ++i) y |= (x >> i & 1U) << (31 - i);
    return y;
#endif
}
/// Byte i of the result: byte (nibble i of the selector) of b:a; bit 3 of the nibble repeats that
/// byte's sign instead.
SIMT_DEVICE std::uint32_t bytePermute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
#if SIMT_ON_GPU
    std::uint32_t out;  // __byte_perm lacks the sign mode
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(selector));
    return out;
#else
    const std::uint64_t both = a | static_cast<std::uint64_t>(b) << 32;
    std::uint32_t out = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t nibble = selector >> (4 * i) & 15U;
        auto byte = static_cast<std::uint32_t>(both >> (8 * (nibble & 7U)) & 255U);
        if ((nibble & 8U) != 0) byte = (byte & 128U) != 0 ? 255U : 0U;
        out |= byte << (8 * i);
    }
    return out;
#endif
}
/// The high word of high:low shifted left by shift % 32.
SIMT_DEVICE std::uint32_t funnelShiftLeft(std::uint32_t low, std::uint32_t high,
                                          std::uint32_t shift) {
    SIMT_EITHER(__funnelshift_l(low, high, shift),
                static_cast<std::uint32_t>(
                    (static_cast<std::uint64_t>(high) << 32 | low) << (shift % 32) >> 32));
}
/// The low word of high:low shifted right by shift % 32.
SIMT_DEVICE std::uint32_t funnelShiftRight(std::uint32_t low, std::uint32_t high,
                                           std::uint32_t shift) {
    SIMT_EITHER(
        __funnelshift_r(low, high, shift),
        static_cast<std::uint32_t>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift % 32)));
}

#if !SIMT_ON_GPU
template <class A, class B>
inline std::uint32_t dotBytes(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
    for (int i = 0; i < 32; i += 8)
        sum += static_cast<std::uint32_t>(static_cast<A>(a >> i) * static_cast<B>(b >> i));
    return sum;
}
#endif
/// sum + the four products of signed bytes.
SIMT_DEVICE std::int32_t dot4(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
    SIMT_EITHER(__dp4a(static_cast<int>(a), static_cast<int>(b), sum),
                static_cast<std::int32_t>(
                    (dotBytes<std::int8_t, std::int8_t>(a, b, static_cast<std::uint32_t>(sum)))));
}
/// The same with the bytes of a unsigned.
SIMT_DEVICE std::int32_t dot4UnsignedSigned(std::uint32_t a, std::uint32_t b, std::int32_t sum) {
#if SIMT_ON_GPU
    std::int32_t out;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(sum));
    return out;
#else
    return static_cast<std::int32_t>(
        dotBytes<std::uint8_t, std::int8_t>(a, b, static_cast<std::uint32_t>(sum)));
#endif
}
#undef SIMT_EITHER

}  // namespace lanescope::kernels::cuda

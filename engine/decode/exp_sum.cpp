#include "engine/decode/exp_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lanescope {

namespace {

// Eight lanes whatever the instruction set: two SSE registers or one AVX register hold them.
constexpr int kLanes = 8;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));

// A float's partial sums are moved into doubles after this many vectors.
constexpr std::size_t kFlush = 128;

#define LANESCOPE_INLINE __attribute__((always_inline)) inline

/// x becomes exp(x), for x <= 0; the weights of the polynomial are Cephes' expf.
LANESCOPE_INLINE void expInPlace(Floats& x) {
    const Floats clamped = x < -87.0F ? Floats{} - 87.0F : x;
    const Floats rounder = Floats{} + 12582912.0F;  // 1.5 · 2^23: adding it rounds to an integer
    const Floats n = (clamped * 1.44269504088896341F + rounder) - rounder;
    const Floats r = (clamped - n * 0.693359375F) - n * -2.12194440e-4F;
    Floats p = Floats{} + 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + r + 1.0F;
    const Ints exponent = (__builtin_convertvector(n, Ints) + 127) << 23;
    Floats power;
    std::memcpy(&power, &exponent, sizeof(power));
    p = p * power;
    x = x < -87.0F ? Floats{} : p;
}

/// Loads eight logits as (x - maximum) · scale; what is not finite becomes -100 (exp 0).
LANESCOPE_INLINE void loadShifted(const float* source, float maximum, float scale, Floats& x) {
    std::memcpy(&x, source, sizeof(x));
    const Floats difference = x - maximum;
    const Ints finite = (difference - difference) == 0.0F;
    x = finite ? difference * scale : Floats{} - 100.0F;
    x = x < -100.0F ? Floats{} - 100.0F : x;
}

struct Totals {
    double sum = 0.0;
    double weighted = 0.0;
};

LANESCOPE_INLINE Totals sweep(const float* logits, std::size_t n, float maximum, float scale,
                              float* out) {
    Totals totals;
    Floats sum{};
    Floats weighted{};
    const auto flush = [&] {
        for (int lane = 0; lane < kLanes; ++lane) {
            totals.sum += static_cast<double>(sum[lane]);
            totals.weighted += static_cast<double>(weighted[lane]);
        }
        sum = Floats{};
        weighted = Floats{};
    };
    for (std::size_t i = 0, vectors = 0; i < n; i += kLanes) {
        float tail[kLanes];
        const float* source = logits + i;
        const std::size_t left = n - i;
        if (left < kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                tail[lane] = lane < left ? source[lane] : -HUGE_VALF;
            source = tail;
        }
        Floats x;
        loadShifted(source, maximum, scale, x);
        Floats e = x;
        expInPlace(e);
        sum += e;
        weighted += e * (x < -87.0F ? Floats{} : x);
        if (out != nullptr) std::memcpy(out + i, &e, std::min<std::size_t>(left, kLanes) * 4);
        if (++vectors == kFlush) {
            flush();
            vectors = 0;
        }
    }
    flush();
    return totals;
}

/// Whether any lane is set.
LANESCOPE_INLINE bool any(const Ints& mask) {
    std::uint64_t parts[kLanes / 2];
    std::memcpy(parts, &mask, sizeof(parts));
    return (parts[0] | parts[1] | parts[2] | parts[3]) != 0;
}

LANESCOPE_INLINE std::size_t firstAboveIn(const float* x, std::size_t from, std::size_t n,
                                          float threshold) {
    constexpr std::size_t kAtOnce = 4;
    std::size_t i = from;
    for (; i + kAtOnce * kLanes <= n; i += kAtOnce * kLanes) {
        Ints above{};
        for (std::size_t k = 0; k < kAtOnce; ++k) {
            Floats v;
            std::memcpy(&v, x + i + k * kLanes, sizeof(v));
            above |= v > threshold;
        }
        if (any(above)) break;
    }
    while (i < n && !(x[i] > threshold)) ++i;
    return i;
}

/// All of a scan but the argmax; maximum is -Inf when nothing is finite.
LANESCOPE_INLINE LogitScan scanIn(const float* x, std::size_t n) {
    LogitScan scan;
    scan.maximum = -HUGE_VALF;
    Floats best = Floats{} - HUGE_VALF;
    Ints finite{};
    Ints plusInf{};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Floats v;
        std::memcpy(&v, x + i, sizeof(v));
        const Ints ok = (v - v) == 0.0F;
        finite -= ok;  // true is -1
        plusInf -= v == HUGE_VALF;
        best = (ok & (v > best)) ? v : best;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        scan.maximum = std::max(scan.maximum, best[lane]);
        scan.nFinite += finite[lane];
        scan.nPlusInf += plusInf[lane];
    }
    for (; i < n; ++i) {
        if (std::isfinite(x[i])) {
            ++scan.nFinite;
            scan.maximum = std::max(scan.maximum, x[i]);
        } else if (x[i] > 0.0F) {
            ++scan.nPlusInf;
        }
    }
    return scan;
}

#if defined(__x86_64__)
#define LANESCOPE_AVX2 __attribute__((target("avx2")))
LANESCOPE_AVX2 Totals sweepAvx2(const float* logits, std::size_t n, float maximum, float scale,
                                float* out) {
    return sweep(logits, n, maximum, scale, out);
}
LANESCOPE_AVX2 std::size_t firstAboveAvx2(const float* x, std::size_t from, std::size_t n,
                                          float threshold) {
    return firstAboveIn(x, from, n, threshold);
}
LANESCOPE_AVX2 LogitScan scanAvx2(const float* x, std::size_t n) {
    return scanIn(x, n);
}
bool hasAvx2() {
    static const bool kHas = __builtin_cpu_supports("avx2") != 0;
    return kHas;
}
#endif

Totals sweepBest(const float* logits, std::size_t n, float maximum, float scale, float* out) {
#if defined(__x86_64__)
    if (hasAvx2()) return sweepAvx2(logits, n, maximum, scale, out);
#endif
    return sweep(logits, n, maximum, scale, out);
}

}  // namespace

std::size_t firstAbove(std::span<const float> logits, std::size_t from, float threshold) {
#if defined(__x86_64__)
    if (hasAvx2()) return firstAboveAvx2(logits.data(), from, logits.size(), threshold);
#endif
    return firstAboveIn(logits.data(), from, logits.size(), threshold);
}

LogitScan scanLogits(std::span<const float> logits) {
    const float* x = logits.data();
#if defined(__x86_64__)
    LogitScan scan = hasAvx2() ? scanAvx2(x, logits.size()) : scanIn(x, logits.size());
#else
    LogitScan scan = scanIn(x, logits.size());
#endif
    if (scan.nFinite == 0) return scan;
    // The first that is not below the maximum: just below it is the next smaller float. +Inf is
    // above too.
    const float below = std::nextafter(scan.maximum, -HUGE_VALF);
    std::size_t at = firstAbove(logits, 0, below);
    while (!std::isfinite(x[at])) at = firstAbove(logits, at + 1, below);
    scan.argmax = static_cast<std::int32_t>(at);
    return scan;
}

ExpSums expSums(std::span<const float> logits, float maximum) {
    const Totals totals = sweepBest(logits.data(), logits.size(), maximum, 1.0F, nullptr);
    return {totals.sum, totals.weighted};
}

double expAll(std::span<const float> logits, float maximum, float scale, float* out) {
    return sweepBest(logits.data(), logits.size(), maximum, scale, out).sum;
}

float expNegative(float x) {
    float out[1];
    sweep(&x, 1, 0.0F, 1.0F, out);
    return out[0];
}

}  // namespace lanescope

#pragma once
// Kernels of one instruction each: a lane reads its words, does it, writes its words. nvcc turns
// them into PTX, in which the tests see what g++ never does: the operands of the instruction.
// All have one signature: kProbeIn words a lane in, kProbeOut words a lane out; one warp.

#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda::probes {

inline constexpr int kProbeIn = 10;
inline constexpr int kProbeOut = 4;

#define PROBE(name) \
    extern "C" SIMT_KERNEL(32) void name(const std::uint32_t* words, std::uint32_t* results)
#define PROBE_BEGIN                                 \
    const int t = threadX();                        \
    const std::uint32_t* in = words + kProbeIn * t; \
    std::uint32_t* out = results + kProbeOut * t

PROBE(probeMmaF16) {
    PROBE_BEGIN;
    const std::uint32_t a[4] = {in[0], in[1], in[2], in[3]};
    const std::uint32_t b[2] = {in[4], in[5]};
    float d[4] = {floatOf(in[6]), floatOf(in[7]), floatOf(in[8]), floatOf(in[9])};
    multiplyAdd<Half>(d, a, b);
    for (int i = 0; i < 4; ++i) out[i] = bitsOf(d[i]);
}

PROBE(probeMmaBf16) {
    PROBE_BEGIN;
    const std::uint32_t a[4] = {in[0], in[1], in[2], in[3]};
    const std::uint32_t b[2] = {in[4], in[5]};
    float d[4] = {floatOf(in[6]), floatOf(in[7]), floatOf(in[8]), floatOf(in[9])};
    multiplyAdd<BFloat16>(d, a, b);
    for (int i = 0; i < 4; ++i) out[i] = bitsOf(d[i]);
}

PROBE(probeMmaS8) {
    PROBE_BEGIN;
    const std::uint32_t a[4] = {in[0], in[1], in[2], in[3]};
    const std::uint32_t b[2] = {in[4], in[5]};
    std::int32_t d[4];
    for (int i = 0; i < 4; ++i) d[i] = static_cast<std::int32_t>(in[6 + i]);
    multiplyAddInt8(d, a, b);
    for (int i = 0; i < 4; ++i) out[i] = static_cast<std::uint32_t>(d[i]);
}

/// Lane t's row is row 7 t + 3 of the 32 in shared memory, so that rows and lanes are not the same.
#define PROBE_LOAD(name, load, count)                        \
    PROBE(name) {                                            \
        PROBE_BEGIN;                                         \
        SIMT_SHARED(std::uint32_t, tile, [128]);             \
        for (int i = 0; i < 4; ++i) tile[4 * t + i] = in[i]; \
        syncWarp(kFullMask);                                 \
        std::uint32_t loaded[count];                         \
        load(loaded, &tile[4 * ((7 * t + 3) & 31)]);         \
        for (int i = 0; i < count; ++i) out[i] = loaded[i];  \
    }
PROBE_LOAD(probeLoad1, loadMatrices, 1)
PROBE_LOAD(probeLoad2, loadMatrices, 2)
PROBE_LOAD(probeLoad4, loadMatrices, 4)
PROBE_LOAD(probeLoadTransposed1, loadMatricesTransposed, 1)
PROBE_LOAD(probeLoadTransposed2, loadMatricesTransposed, 2)
PROBE_LOAD(probeLoadTransposed4, loadMatricesTransposed, 4)

/// Source bytes 0 … kBytes by lane. The source of lane t is that of lane 32 - t - 1, 16-byte
/// aligned: words 160 and up.
#define PROBE_COPY(name, bytes)                                                      \
    PROBE(name) {                                                                    \
        PROBE_BEGIN;                                                                 \
        SIMT_SHARED(std::uint32_t, tile, [128]);                                     \
        for (int i = 0; i < 4; ++i) tile[4 * t + i] = in[i];                         \
        copyAsync<bytes>(&tile[4 * t], words + 160 + 4 * (31 - t), t % (bytes + 1)); \
        commitAsync();                                                               \
        waitAsync<0>();                                                              \
        for (int i = 0; i < 4; ++i) out[i] = tile[4 * t + i];                        \
    }
PROBE_COPY(probeCopy4, 4)
PROBE_COPY(probeCopy8, 8)
PROBE_COPY(probeCopy16, 16)

PROBE(probeShuffles) {
    PROBE_BEGIN;
    out[0] = shuffle(kFullMask, in[0], static_cast<int>(in[1] & 31U), 16);
    out[1] = shuffleUp(kFullMask, in[0], 5, 8);
    out[2] = shuffleDown(kFullMask, in[0], 5, 16);
    out[3] = shuffleXor(kFullMask, in[0], 13);
}

PROBE(probeVotes) {
    PROBE_BEGIN;
    out[0] = ballot(kFullMask, (in[0] & 1U) != 0);
    out[1] = (anyOf(kFullMask, in[1] == 0) ? 1U : 0U) + (allOf(kFullMask, in[1] != 0) ? 2U : 0U);
    out[2] = matchAny(kFullMask, in[0] & 3U);
    out[3] = matchAll(kFullMask, in[0] & 3U) + matchAll(kFullMask, 5U);
}

PROBE(probeReductions) {
    PROBE_BEGIN;
    const auto x = static_cast<std::int32_t>(in[0]);
    out[0] = static_cast<std::uint32_t>(reduceAdd(kFullMask, x)) ^ reduceXor(kFullMask, in[1]);
    out[1] = static_cast<std::uint32_t>(reduceMin(kFullMask, x)) ^ reduceMax(kFullMask, in[1]);
    out[2] = static_cast<std::uint32_t>(reduceMax(kFullMask, x)) ^ reduceMin(kFullMask, in[1]);
    out[3] = reduceAnd(kFullMask, in[0] | 0xF0U) ^ reduceOr(kFullMask, in[1] & 0xFFFFU);
}

PROBE(probeIntegers) {
    PROBE_BEGIN;
    out[0] = bytePermute(in[0], in[1], in[2]);
    out[1] = static_cast<std::uint32_t>(dot4(in[0], in[1], static_cast<std::int32_t>(in[2])));
    out[2] = static_cast<std::uint32_t>(
        dot4UnsignedSigned(in[0], in[1], static_cast<std::int32_t>(in[2])));
    out[3] = funnelShiftLeft(in[0], in[1], in[2]) ^ funnelShiftRight(in[0], in[1], in[3]);
}

PROBE(probeBits) {
    PROBE_BEGIN;
    out[0] = static_cast<std::uint32_t>(popCount(in[0]));
    out[1] = static_cast<std::uint32_t>(leadingZeros(in[0] >> (in[1] & 31U)));
    out[2] = reverseBits(in[0]);
    out[3] = 0;
}

#undef PROBE
#undef PROBE_BEGIN
#undef PROBE_LOAD
#undef PROBE_COPY

}  // namespace lanescope::kernels::cuda::probes

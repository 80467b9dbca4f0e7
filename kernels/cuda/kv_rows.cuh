#pragma once
// Rows of keys and values in the formats of kernels/ops/kv_format.h: a warp writes one, a lane
// reads eight columns of one. The bits are those of kernels/reference/kv.cpp. The format is the
// same for all threads of a launch: a switch at run time costs one branch a row, where an instance
// a format would multiply the kernels. Used by kernels, not launched.

#include "kernels/cuda/kv_layout.h"
#include "kernels/cuda/simt.h"

namespace lanescope::kernels::cuda {

/// A group's least number and step, as f16 and as the numbers that those are (kv_codes.h,
/// Int4Scale).
struct Int4Group {
    std::uint32_t bits;  ///< step in the low half, least in the high one
    float low, inverse;
};
SIMT_DEVICE Int4Group int4Group(float low, float high) {
    const std::uint32_t step = fromFloat<Half>((high - low) / 15.0F).bits;
    const std::uint32_t least = fromFloat<Half>(low + 0.0F).bits;  // one zero of two
    const float scale = toFloat(Half{static_cast<std::uint16_t>(step)});
    return {step | least << 16, toFloat(Half{static_cast<std::uint16_t>(least)}),
            scale > 0.0F ? 1.0F / scale : 0.0F};
}
SIMT_DEVICE std::uint32_t int4CodeOf(float x, const Int4Group& group) {
    const float code = rintf((x - group.low) * group.inverse);
    return static_cast<std::uint32_t>(code > 15.0F ? 15.0F : code >= 0.0F ? code : 0.0F);
}
SIMT_DEVICE std::int8_t int8CodeOf(float x, float inverse) {
    const float code = rintf(x * inverse);
    return static_cast<std::int8_t>(code > 127.0F ? 127.0F : code >= -127.0F ? code : -127.0F);
}

template <class T>
SIMT_DEVICE void storeFloats(unsigned char* row, const float* x, int n) {
    for (int i = laneId(); i < n; i += kWarp) reinterpret_cast<T*>(row)[i] = fromFloat<T>(x[i]);
}

SIMT_DEVICE void storeInt8(unsigned char* row, unsigned char* scaleAt, const float* x, int n) {
    float largest = 0.0F;
    for (int i = laneId(); i < n; i += kWarp) largest = fmaxf(largest, fabsf(x[i]));
    largest = warpMax(largest);
    const bool zeros = !(largest > 0.0F);
    const float inverse = zeros ? 0.0F : 127.0F / largest;
    if (laneId() == 0) store(scaleAt, zeros ? 0.0F : largest / 127.0F);
    for (int i = laneId(); i < n; i += kWarp)
        reinterpret_cast<std::int8_t*>(row)[i] = int8CodeOf(x[i], inverse);
}

SIMT_DEVICE void storeInt4(unsigned char* row, unsigned char* pairAt, const float* x, int n) {
    float low = x[0];
    float high = low;
    for (int i = laneId(); i < n; i += kWarp) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    const Int4Group group = int4Group(-warpMax(-low), warpMax(high));
    if (laneId() == 0) store(pairAt, group.bits);
    for (int i = laneId(); i < n / 2; i += kWarp)
        row[i] = static_cast<unsigned char>(int4CodeOf(x[2 * i], group) |
                                            int4CodeOf(x[2 * i + 1], group) << 4);
}

/// Writes a token's row x [n], in shared or global memory, into a slice. All lanes of a warp call;
/// lane l has columns l, l + 32, … (Int4: pairs of columns).
SIMT_DEVICE void storeRow(KvFormat format, const KvSlice& layout, unsigned char* slice,
                          std::int64_t slot, const float* x, int n) {
    unsigned char* row = slice + slot * layout.rowBytes;
    unsigned char* scales = slice + layout.scaleOffset + 4 * slot;
    switch (format) {
        case KvFormat::F16:
            return storeFloats<Half>(row, x, n);
        case KvFormat::BF16:
            return storeFloats<BFloat16>(row, x, n);
        case KvFormat::E4M3:
            return storeFloats<Fp8E4M3>(row, x, n);
        case KvFormat::E5M2:
            return storeFloats<Fp8E5M2>(row, x, n);
        case KvFormat::Int8:
            return storeInt8(row, scales, x, n);
        case KvFormat::Int4:
            return storeInt4(row, scales, x, n);
        default:
            return storeFloats<float>(row, x, n);
    }
}

/// Element i of codes in words of 4 bytes.
template <class T>
SIMT_DEVICE float elementOf(const std::uint32_t* words, int i) {
    using Bits = decltype(T::bits);
    constexpr int kPerWord = 4 / static_cast<int>(sizeof(T));
    return toFloat(T{static_cast<Bits>(words[i / kPerWord] >> (32 / kPerWord * (i % kPerWord)))});
}
template <class T>
SIMT_DEVICE void loadFloats(const unsigned char* at, float (&out)[8]) {
    constexpr int kWords = 2 * static_cast<int>(sizeof(T));
    std::uint32_t words[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = load<std::uint32_t>(at + 4 * i);
#pragma unroll
    for (int i = 0; i < 8; ++i) out[i] = elementOf<T>(words, i);
}

/// A pair of step and least number of an Int4 group.
SIMT_DEVICE float int4Number(std::uint32_t code, std::uint32_t pair) {
    return fusedMultiplyAdd(static_cast<float>(code),
                            toFloat(Half{static_cast<std::uint16_t>(pair)}),
                            toFloat(Half{static_cast<std::uint16_t>(pair >> 16)}));
}

/// Columns [column, column + 8) of a token's row. column and n are multiples of 8; words of 4 bytes
/// are read, as no more is aligned in every format. Inlined once a kernel and part.
SIMT_DEVICE void loadEight(KvFormat format, KvPart part, const KvSlice& layout,
                           const unsigned char* slice, std::int64_t slot, int column,
                           float (&out)[8]) {
    const unsigned char* row = slice + slot * layout.rowBytes;
    const unsigned char* scales = slice + layout.scaleOffset;
    switch (format) {
        case KvFormat::F16:
            return loadFloats<Half>(row + 2 * column, out);
        case KvFormat::BF16:
            return loadFloats<BFloat16>(row + 2 * column, out);
        case KvFormat::E4M3:
            return loadFloats<Fp8E4M3>(row + column, out);
        case KvFormat::E5M2:
            return loadFloats<Fp8E5M2>(row + column, out);
        case KvFormat::Int8: {
            const auto scale = load<float>(scales + 4 * slot);
#pragma unroll
            for (int i = 0; i < 8; i += 4) {
                const auto codes = load<std::uint32_t>(row + column + i);
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    out[i + j] =
                        static_cast<float>(static_cast<std::int8_t>(codes >> (8 * j))) * scale;
            }
            return;
        }
        case KvFormat::Int4: {
            const auto codes = load<std::uint32_t>(row + column / 2);
            const unsigned char* pairs = scales + 4 * (part == KvPart::Keys ? column : slot);
            const int step = part == KvPart::Keys ? 4 : 0;
#pragma unroll
            for (int i = 0; i < 8; ++i)
                out[i] = int4Number(codes >> (4 * i) & 15U, load<std::uint32_t>(pairs + i * step));
            return;
        }
        default:
#pragma unroll
            for (int i = 0; i < 8; ++i) out[i] = load<float>(row + 4 * (column + i));
            return;
    }
}

/// A slice of one head in one physical block.
SIMT_DEVICE unsigned char* sliceAt(const PagedKv& kv, KvPart part, const KvSlice& layout,
                                   std::int64_t block, std::int64_t head) {
    void* storage = part == KvPart::Keys ? kv.k : kv.v;
    return static_cast<unsigned char*>(storage) + (block * kv.nKvHeads + head) * layout.bytes;
}
/// Keys of one head as they are, [blockTokens, headDim] f16 (PagedKv::tail).
SIMT_DEVICE unsigned char* tailAt(const PagedKv& kv, std::int64_t tail, std::int64_t head) {
    return static_cast<unsigned char*>(kv.tail) +
           (tail * kv.nKvHeads + head) * kv.blockTokens * kv.headDim * 2;
}
SIMT_DEVICE KvSlice tailSlice(const PagedKv& kv) {
    return {2 * kv.headDim, 0, 0};
}

}  // namespace lanescope::kernels::cuda

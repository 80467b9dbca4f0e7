// Writing keys and values into the cache: rounding and coding eight columns at a time, with the
// bits of kernels/reference/kv.cpp.

#include <bit>

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_kv_rows.h"
#include "kernels/ops/kv_select_loop.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Columns [i, i + 8) of a row; zeros beyond n.
__m256 columns(const float* x, std::int64_t i, std::int64_t n) {
    return n - i >= 8 ? _mm256_loadu_ps(x + i) : _mm256_maskload_ps(x + i, laneMask(n - i));
}

/// The low bytes of eight numbers.
__m128i lowBytes(__m256i v) {
    const __m256i pick =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i bytes = _mm256_shuffle_epi8(v, pick);
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
}

void putBytes(char* out, __m128i bytes, std::int64_t n) {
    const auto word = static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes));
    std::memcpy(out, &word, static_cast<std::size_t>(n >= 8 ? 8 : n));
}

/// To nearest even. kShift: bits of an f32's mantissa that are cut off; the smallest normal number
/// is 2^kSmallest. From `largest` on the code is `largestCode`.
template <int kShift, int kSmallest>
__m256i roundSmallFloat(__m256 x, float largest, int largestCode) {
    const __m256i sign = _mm256_srli_epi32(
        _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(static_cast<int>(0x80000000U))),
        24);
    const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), x);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i bits = _mm256_castps_si256(magnitude);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, kShift), _mm256_set1_epi32(1));
    const __m256i half = _mm256_set1_epi32((1 << (kShift - 1)) - 1);
    constexpr int kBias = (127 + kSmallest - 1) << (23 - kShift);
    const __m256i normal = _mm256_sub_epi32(
        _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(half, odd)), kShift),
        _mm256_set1_epi32(kBias));
    // Subnormals count units of 2^(kSmallest - mantissa bits).
    constexpr int kMantissa = 23 - kShift;
    const __m256 smallest = _mm256_set1_ps(std::bit_cast<float>((127 + kSmallest) << 23));
    const __m256 unit = _mm256_set1_ps(std::bit_cast<float>((127 - kSmallest + kMantissa) << 23));
    const __m256 few = _mm256_min_ps(magnitude, smallest);
    const __m256i subnormal = _mm256_cvtps_epi32(_mm256_mul_ps(few, unit));
    const __m256i isSmall = _mm256_castps_si256(_mm256_cmp_ps(magnitude, smallest, _CMP_LT_OQ));
    const __m256i isLarge =
        _mm256_castps_si256(_mm256_cmp_ps(magnitude, _mm256_set1_ps(largest), _CMP_GE_OQ));
    __m256i code = _mm256_blendv_epi8(normal, subnormal, isSmall);
    code = _mm256_blendv_epi8(code, _mm256_set1_epi32(largestCode), isLarge);
    code = _mm256_blendv_epi8(code, _mm256_set1_epi32(0x7F), nan);
    return _mm256_or_si256(code, sign);
}

void writeSmallFloats(KvFormat format, const float* x, char* row, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += 8) {
        const __m256 v = columns(x, i, n);
        const __m256i codes = format == KvFormat::E4M3
                                  ? roundSmallFloat<20, -6>(v, 448.0F, 0x7E)
                                  : roundSmallFloat<21, -14>(v, 57344.0F, 0x7B);
        putBytes(row + i, lowBytes(codes), n - i);
    }
}

void writeInt8(const float* x, char* row, char* scaleAt, std::int64_t n) {
    __m256 top = _mm256_setzero_ps();
    for (std::int64_t i = 0; i < n; i += 8)
        top = _mm256_max_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0F), columns(x, i, n)), top);
    const float largest = maxLanes(top);
    const float scale = largest > 0.0F ? largest / 127.0F : 0.0F;
    const __m256 inverse = _mm256_set1_ps(largest > 0.0F ? 127.0F / largest : 0.0F);
    std::memcpy(scaleAt, &scale, 4);
    for (std::int64_t i = 0; i < n; i += 8) {
        __m256 v = _mm256_mul_ps(columns(x, i, n), inverse);
        v = _mm256_min_ps(_mm256_max_ps(v, _mm256_set1_ps(-127.0F)), _mm256_set1_ps(127.0F));
        putBytes(row + i, lowBytes(_mm256_cvtps_epi32(v)), n - i);
    }
}

float minLanes(__m256 v) {
    __m128 s = _mm_min_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_min_ps(s, _mm_movehl_ps(s, s));
    s = _mm_min_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}

std::uint16_t halfBits(float x) {
    return static_cast<std::uint16_t>(
        _mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT), 0));
}

/// Codes 0 … 15 of eight numbers.
__m256i int4CodesOf(__m256 x, __m256 low, __m256 inverse) {
    __m256 v = _mm256_mul_ps(_mm256_sub_ps(x, low), inverse);
    v = _mm256_min_ps(_mm256_max_ps(v, _mm256_setzero_ps()), _mm256_set1_ps(15.0F));
    return _mm256_cvtps_epi32(v);
}

/// Eight codes as four bytes, the first in the low half of the first byte.
void putNibbles(char* out, __m256i codes) {
    const auto bytes = static_cast<std::uint64_t>(_mm_cvtsi128_si64(lowBytes(codes)));
    const std::uint64_t pairs = (bytes | bytes >> 4U) & 0x00FF00FF00FF00FFULL;
    const std::uint64_t quads = (pairs | pairs >> 8U) & 0x0000FFFF0000FFFFULL;
    const auto word = static_cast<std::uint32_t>(quads | quads >> 16U);
    std::memcpy(out, &word, 4);
}

void writeInt4(const float* x, char* row, char* pairAt, std::int64_t n) {
    __m256 low = _mm256_loadu_ps(x);
    __m256 high = low;
    for (std::int64_t i = 8; i < n; i += 8) {
        low = _mm256_min_ps(low, _mm256_loadu_ps(x + i));
        high = _mm256_max_ps(high, _mm256_loadu_ps(x + i));
    }
    const float least = minLanes(low) + 0.0F;
    const std::uint16_t bits[2] = {halfBits((maxLanes(high) - least) / 15.0F), halfBits(least)};
    std::memcpy(pairAt, bits, 4);
    const float scale = halfToFloat(bits[0]);
    const __m256 inverse = _mm256_set1_ps(scale > 0.0F ? 1.0F / scale : 0.0F);
    const __m256 from = _mm256_set1_ps(halfToFloat(bits[1]));
    for (std::int64_t i = 0; i < n; i += 8)
        putNibbles(row + i / 2, int4CodesOf(_mm256_loadu_ps(x + i), from, inverse));
}

void writeRow(KvFormat format, const KvSlice& layout, char* slice, std::int64_t slot,
              const float* x, std::int64_t n) {
    char* row = slice + slot * layout.rowBytes;
    char* scales = slice + layout.scaleOffset + 4 * slot;
    switch (format) {
        case KvFormat::F32:
            return fromF32(DType::F32, x, row, n);
        case KvFormat::F16:
            return fromF32(DType::F16, x, row, n);
        case KvFormat::BF16:
            return fromF32(DType::BF16, x, row, n);
        case KvFormat::E4M3:
        case KvFormat::E5M2:
            return writeSmallFloats(format, x, row, n);
        case KvFormat::Int8:
            return writeInt8(x, row, scales, n);
        case KvFormat::Int4:
            return writeInt4(x, row, scales, n);
    }
}

/// Codes columns [i, i + 8) of a block's keys.
void sealColumns(const std::uint16_t* tail, char* slice, const KvSlice& layout,
                 std::int64_t blockTokens, std::int64_t headDim, std::int64_t i) {
    const auto key = [&](std::int64_t t) {
        return _mm256_cvtph_ps(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(tail + t * headDim + i)));
    };
    __m256 low = key(0);
    __m256 high = low;
    for (std::int64_t t = 1; t < blockTokens; ++t) {
        low = _mm256_min_ps(low, key(t));
        high = _mm256_max_ps(high, key(t));
    }
    const __m128i scaleBits = _mm256_cvtps_ph(
        _mm256_div_ps(_mm256_sub_ps(high, low), _mm256_set1_ps(15.0F)), _MM_FROUND_TO_NEAREST_INT);
    const __m128i lowBits =
        _mm256_cvtps_ph(_mm256_add_ps(low, _mm256_setzero_ps()), _MM_FROUND_TO_NEAREST_INT);
    char* pairs = slice + layout.scaleOffset + 4 * i;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(pairs), _mm_unpacklo_epi16(scaleBits, lowBits));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(pairs + 16),
                     _mm_unpackhi_epi16(scaleBits, lowBits));
    const __m256 scale = _mm256_cvtph_ps(scaleBits);
    const __m256 from = _mm256_cvtph_ps(lowBits);
    const __m256 inverse = _mm256_and_ps(_mm256_div_ps(_mm256_set1_ps(1.0F), scale),
                                         _mm256_cmp_ps(scale, _mm256_setzero_ps(), _CMP_GT_OQ));
    for (std::int64_t t = 0; t < blockTokens; ++t)
        putNibbles(slice + t * layout.rowBytes + i / 2, int4CodesOf(key(t), from, inverse));
}

/// Least and largest coded key of every channel.
template <KvFormat kFormat>
void boundBlock(const char* slice, const KvSlice& layout, std::int64_t blockTokens,
                std::int64_t headDim, std::uint16_t* low) {
    const std::int64_t step = codesWholeBlocks(kFormat, KvPart::Keys) ? 0 : 4;
    for (std::int64_t i = 0; i < headDim; i += 8) {
        const auto key = [&](std::int64_t t) {
            return widen<kFormat, KvPart::Keys>(
                {slice + t * layout.rowBytes, slice + layout.scaleOffset + t * step}, i,
                headDim - i);
        };
        __m256 least = key(0);
        __m256 most = least;
        for (std::int64_t t = 1; t < blockTokens; ++t) {
            least = _mm256_min_ps(key(t), least);
            most = _mm256_max_ps(key(t), most);
        }
        alignas(32) float a[8];
        alignas(32) float b[8];
        _mm256_store_ps(a, least);
        _mm256_store_ps(b, most);
        for (std::int64_t u = 0; u < 8 && i + u < headDim; ++u) {
            low[i + u] = bf16Below(a[u]);
            low[headDim + i + u] = bf16Above(b[u]);
        }
    }
}

}  // namespace

void kvWrite(const KvWriteArgs& args) {
    const PagedKv& kv = args.kv;
    const KvSlice keys = kv.keySlice();
    const KvSlice values = kv.valueSlice();
    const bool toTail = codesWholeBlocks(kv.kFormat, KvPart::Keys);
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const std::int64_t index = args.positions[t] / kv.blockTokens;
        const std::int64_t slot = args.positions[t] % kv.blockTokens;
        const std::int64_t first = kv.blockTable[index] * kv.nKvHeads;
        for (std::int64_t h = 0; h < kv.nKvHeads; ++h) {
            const float* k = args.k + t * args.kStride + h * kv.headDim;
            const float* v = args.v + t * args.vStride + h * kv.headDim;
            if (toTail)
                fromF32(DType::F16, k,
                        static_cast<std::uint16_t*>(kv.tail) +
                            ((kv.tailTable[index] * kv.nKvHeads + h) * kv.blockTokens + slot) *
                                kv.headDim,
                        kv.headDim);
            else
                writeRow(kv.kFormat, keys, static_cast<char*>(kv.k) + (first + h) * keys.bytes,
                         slot, k, kv.headDim);
            writeRow(kv.vFormat, values, static_cast<char*>(kv.v) + (first + h) * values.bytes,
                     slot, v, kv.headDim);
        }
    }
}

void kvSeal(const KvSealArgs& args) {
    const PagedKv& kv = args.kv;
    const KvSlice layout = kv.keySlice();
    const bool codes = codesWholeBlocks(kv.kFormat, KvPart::Keys);
    for (std::int64_t b = args.blockBegin; b < args.blockEnd; ++b)
        for (std::int64_t h = args.headBegin; h < args.headEnd; ++h) {
            const std::int64_t index = kv.blockTable[b] * kv.nKvHeads + h;
            char* slice = static_cast<char*>(kv.k) + index * layout.bytes;
            if (codes) {
                const auto* tail =
                    static_cast<const std::uint16_t*>(kv.tail) +
                    (kv.tailTable[b] * kv.nKvHeads + h) * kv.blockTokens * kv.headDim;
                for (std::int64_t i = 0; i < kv.headDim; i += 8)
                    sealColumns(tail, slice, layout, kv.blockTokens, kv.headDim, i);
            }
            if (kv.bounds != nullptr)
                withFormat(kv.kFormat, [&](auto f) {
                    boundBlock<decltype(f)::value>(slice, layout, kv.blockTokens, kv.headDim,
                                                   kv.bounds + index * 2 * kv.headDim);
                });
        }
}

void kvSelect(const KvSelectArgs& args) {
    kvSelectLoop(args);
}

}  // namespace lanescope::kernels::avx2

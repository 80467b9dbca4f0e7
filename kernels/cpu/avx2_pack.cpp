// Repacking: rows are unpacked into a panel in L1 as the product does it (avx2_unpack.h), and the
// panel's codes are squeezed into the packed layout. Scales of super-blocks are taken from the
// stored blocks, since the panel has them multiplied out.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/packed_codes.h"
#include "kernels/cpu/panel_loop.h"
#include "kernels/cpu/sub_scales.h"
#include "kernels/types/packed.h"

namespace lanescope::kernels::avx2 {
namespace {

inline __m256i load(const void* p) {
    return _mm256_load_si256(static_cast<const __m256i*>(p));
}
inline void store(void* p, __m256i v) {
    _mm256_store_si256(static_cast<__m256i*>(p), v);
}

/// Sixteen floats that came from f16 as f16 again.
inline void storeHalves(const float* values, std::uint8_t* out) {
    for (int p = 0; p < 2; ++p)
        _mm_store_si128(reinterpret_cast<__m128i*>(out + 16 * p),
                        _mm256_cvtps_ph(_mm256_load_ps(values + 8 * p), _MM_FROUND_TO_NEAREST_INT));
}

/// Numbers that are all powers of two as bf16.
inline void storeBf16(const float* values, std::uint8_t* out) {
    for (int r = 0; r < kPanelRows; ++r)
        std::memcpy(out + 2 * r, reinterpret_cast<const char*>(values + r) + 2, 2);
}

/// How a format's panel codes become packed numbers, whose upper bits may be anything.
class Coder {
  public:
    explicit Coder(DType type) : m_book(codebook(type)) {
        const CodeRange packed = packedCodes(type);
        m_zero = zeroPoint(panelKind(type)) - (m_book.size > 0 ? 0 : packed.zero);
        if (packed.rowZeros) {  // 8 number + 16 - (7 or 9)
            m_zero = 7;
            m_shift = packed.log2Factor;
        }
    }

    [[nodiscard]] __m256i operator()(__m256i v) const {
        v = _mm256_sub_epi8(v, _mm256_set1_epi8(static_cast<char>(m_zero)));
        if (m_book.size == 0) return _mm256_srl_epi16(v, _mm_cvtsi32_si128(m_shift));
        // A value's number is how many values lie below it.
        __m256i number = _mm256_setzero_si256();
        for (int i = 0; i + 1 < m_book.size; ++i)
            number = _mm256_sub_epi8(
                number,
                _mm256_cmpgt_epi8(v, _mm256_set1_epi8(m_book.values[static_cast<std::size_t>(i)])));
        return number;
    }

  private:
    Codebook m_book;
    int m_zero = 0;
    int m_shift = 0;
};

/// Column groups as fields of kBits a byte.
template <int kBits>
void packFields(const __m256i (&number)[8], std::uint8_t* codes) {
    constexpr int kEach = 8 / kBits;
    const __m256i mask = _mm256_set1_epi8((1 << kBits) - 1);
    for (int j = 0; j < 8 / kEach; ++j) {
        __m256i bytes = _mm256_setzero_si256();
        for (int i = kEach - 1; i >= 0; --i)
            bytes = _mm256_or_si256(_mm256_slli_epi16(bytes, kBits),
                                    _mm256_and_si256(number[kEach * j + i], mask));
        store(codes + 64 * j, bytes);
    }
}

/// Three-bit numbers.
void packThrees(const __m256i (&number)[8], std::uint8_t* codes) {
    const __m256i last = _mm256_or_si256(number[6], _mm256_slli_epi16(number[7], 4));
    for (int j = 0; j < 3; ++j) {
        const __m256i pair =
            _mm256_or_si256(number[2 * j], _mm256_slli_epi16(number[2 * j + 1], 4));
        const __m256i bit = _mm256_and_si256(_mm256_srli_epi16(last, j), _mm256_set1_epi8(0x11));
        store(codes + 64 * j, _mm256_or_si256(pair, _mm256_slli_epi16(bit, 3)));
    }
}

/// Codes and planes of one block.
void packCodes(const Panel& panel, int b, const Coder& coder, PackedShape shape,
               std::uint8_t* codes, std::uint8_t* planes) {
    for (int at = 0; at < 64; at += 32) {
        __m256i number[8];
        for (int g = 0; g < 8; ++g) number[g] = coder(load(panel.w[b][g] + at));
        if (shape.bits == 2) {
            packFields<2>(number, codes + at);
            continue;
        }
        if (shape.bits == 3) {
            packThrees(number, codes + at);
            continue;
        }
        if (shape.bits == 8) {
            for (int g = 0; g < 8; ++g) store(codes + 64 * g + at, number[g]);
            continue;
        }
        packFields<4>(number, codes + at);
        for (__m256i& n : number)
            n = _mm256_and_si256(_mm256_srli_epi16(n, 4), _mm256_set1_epi8(3));
        if (shape.bits == 5) {
            __m256i fifth = number[0];
            for (int g = 1; g < 8; ++g)
                fifth = _mm256_or_si256(fifth, _mm256_sll_epi16(number[g], _mm_cvtsi32_si128(g)));
            store(planes + at, fifth);
        }
        if (shape.bits == 6) packFields<2>(number, planes + at);
    }
}

/// Sub-block s of a K-quant: its 6-bit scale and minimum.
struct SubScales {
    std::uint8_t scale, minimum;
};
inline SubScales subScales(const std::uint8_t* q, int s) {
    if (s < 4)
        return {static_cast<std::uint8_t>(q[s] & 63), static_cast<std::uint8_t>(q[s + 4] & 63)};
    return {static_cast<std::uint8_t>((q[s + 4] & 15) | (q[s - 4] >> 6 << 4)),
            static_cast<std::uint8_t>((q[s + 4] >> 4) | (q[s] >> 6 << 4))};
}

/// Row r's scales of a super-block whose parts have whole ones: at group scales and scales.
template <class Block>
void packSubScales(const std::uint8_t* from, int r, ScaleKind kind, std::uint8_t* scales,
                   std::uint8_t* ends) {
    const auto& block = *reinterpret_cast<const Block*>(from);  // packed: alignment 1
    const HalfBits d = superScale(block);
    std::memcpy(ends + 2 * r, &d, 2);
    for (int i = 0; i < 16; ++i) {
        const auto scale = static_cast<std::uint8_t>(subScale(block, i));
        if (kind == ScaleKind::SuperSub)
            scales[32 * (i / 2) + 2 * r + i % 2] = scale;
        else
            scales[16 * (i / 2) + r] = scale;
    }
}

/// Row r's scales of a super-block.
void packRowScales(DType type, const std::uint8_t* from, int r, std::uint8_t* scales,
                   std::uint8_t* ends) {
    const ScaleKind kind = packedShape(type).scales;
    switch (type) {
        case DType::Q2_K: {
            const auto& block = *reinterpret_cast<const BlockQ2_K*>(from);
            std::memcpy(ends + 2 * r, &block.d, 2);
            std::memcpy(ends + 32 + 2 * r, &block.dmin, 2);
            for (int s = 0; s < 8; ++s)
                std::memcpy(scales + 32 * s + 2 * r, block.scales + 2 * s, 2);
            return;
        }
        case DType::Q4_K:
        case DType::Q5_K:
            std::memcpy(ends + 2 * r, from, 2);
            std::memcpy(ends + 32 + 2 * r, from + 2, 2);
            for (int s = 0; s < 8; ++s) {
                const SubScales sub = subScales(from + 4, s);
                scales[32 * s + r] = sub.scale;
                scales[32 * s + 16 + r] = sub.minimum;
            }
            return;
        case DType::Q6_K:
            std::memcpy(ends + 2 * r, from + offsetof(BlockQ6_K, d), 2);
            for (int s = 0; s < 8; ++s)
                std::memcpy(scales + 32 * s + 2 * r, from + offsetof(BlockQ6_K, scales) + 2 * s, 2);
            return;
        case DType::TQ1_0:
            std::memcpy(ends + 2 * r, from + offsetof(BlockTQ1_0, d), 2);
            return;
        case DType::TQ2_0:
            std::memcpy(ends + 2 * r, from + offsetof(BlockTQ2_0, d), 2);
            return;
        case DType::Q3_K:
            return packSubScales<BlockQ3_K>(from, r, kind, scales, ends);
        case DType::IQ1_S: {
            packSubScales<BlockIQ1_S>(from, r, kind, scales, ends);
            const auto& block = *reinterpret_cast<const BlockIQ1_S*>(from);
            for (int s = 0; s < 8; ++s)
                if ((block.high[s] & 0x8000) != 0)
                    scales[16 * s + r] = static_cast<std::uint8_t>(-scales[16 * s + r]);
            return;
        }
        case DType::IQ1_M:
            return packSubScales<BlockIQ1_M>(from, r, kind, scales, ends);
        case DType::IQ2_XXS:
            return packSubScales<BlockIQ2_XXS>(from, r, kind, scales, ends);
        case DType::IQ2_XS:
            return packSubScales<BlockIQ2_XS>(from, r, kind, scales, ends);
        case DType::IQ2_S:
            return packSubScales<BlockIQ2_S>(from, r, kind, scales, ends);
        case DType::IQ3_XXS:
            return packSubScales<BlockIQ3_XXS>(from, r, kind, scales, ends);
        case DType::IQ3_S:
            return packSubScales<BlockIQ3_S>(from, r, kind, scales, ends);
        case DType::IQ4_XS:
            return packSubScales<BlockIQ4_XS>(from, r, kind, scales, ends);
        default:
            return;
    }
}

/// NVFP4's scales of block i of 32 columns, none with a sign and none of what counts as zero.
void packUe4m3(const std::uint8_t* (&rows)[kPanelRows], int nRows, int i, std::uint8_t* out) {
    for (int r = 0; r < nRows; ++r) {
        const std::uint8_t* d =
            rows[r] + i / 2 * static_cast<int>(sizeof(BlockNVFP4)) + 2 * (i % 2);
        for (int half = 0; half < 2; ++half)
            out[2 * r + half] =
                d[half] == 0x7F ? std::uint8_t{0} : static_cast<std::uint8_t>(d[half] & 0x7F);
    }
}

/// Scales of one block of a simple format.
void packBlockScales(const Panel& panel, int b, ScaleKind kind, std::uint8_t* out) {
    if (kind == ScaleKind::Bf16) return storeBf16(panel.d[b], out);
    storeHalves(panel.d[b], out);
    if (kind == ScaleKind::HalfMin) storeHalves(panel.m[b], out + 32);
}

void packPanel(const PackArgs& args, std::int64_t row, UnpackPanel unpack, std::uint8_t* out) {
    const PackedShape shape = packedShape(args.weightType);
    const Coder coder(args.weightType);
    const std::int64_t stride = rowBytes(args.weightType, args.nCols);
    const std::int64_t chunkBytes = rowBytes(args.weightType, kPanelBlocks * kActsBlock);
    const std::int64_t nBlocks = args.nCols / kActsBlock;
    const int nRows =
        static_cast<int>(args.rowEnd - row < kPanelRows ? args.rowEnd - row : kPanelRows);
    const auto* first = static_cast<const std::uint8_t*>(args.weight) + row * stride;
    Panel panel;
    for (std::int64_t block = 0; block < nBlocks; block += kPanelBlocks) {
        const auto count = static_cast<int>(
            nBlocks - block < kPanelBlocks ? nBlocks - block : std::int64_t{kPanelBlocks});
        const std::int64_t chunkAt = block / kPanelBlocks * chunkBytes;
        panel = Panel{};
        const std::uint8_t* from[kPanelRows] = {};
        for (int r = 0; r < kPanelRows; ++r)
            from[r] = first + (r < nRows ? r : nRows - 1) * stride + chunkAt;
        for (int part = 0; part < nRows; part += kPartRows) {
            PanelRows rows{};
            for (int r = 0; r < kPartRows; ++r) rows.row[r] = from[part + r];
            unpack(rows, count, panel, part);
        }
        if (nRows < kPanelRows) {  // the last row was read again for the missing ones
            for (int b = 0; b < count; ++b) {
                for (auto& group : panel.w[b])
                    std::memset(group + 4 * nRows, 0,
                                4 * static_cast<std::size_t>(kPanelRows - nRows));
                for (int r = nRows; r < kPanelRows; ++r) panel.d[b][r] = panel.m[b][r] = 0.0F;
            }
        }
        for (int b = 0; b < count; b += shape.blocks) {
            std::uint8_t* group = out + (block + b) / shape.blocks * shape.groupBytes();
            std::memset(group + shape.scalesAt(), 0,
                        static_cast<std::size_t>(shape.groupBytes() - shape.scalesAt()));
            // Blocks past the end are zeros of the panel.
            for (int i = 0; i < shape.blocks && b + i < kPanelBlocks; ++i) {
                packCodes(panel, b + i, coder, shape, group + i * shape.codeBytes(),
                          group + shape.planesAt() + i * shape.planeBytes());
                std::uint8_t* scales = group + shape.scalesAt() + i * shape.scaleBytes();
                if (shape.scales == ScaleKind::Ue4m3)
                    packUe4m3(from, nRows, b + i, scales);
                else if (shape.groupScaleBytes() == 0)
                    packBlockScales(panel, b + i, shape.scales, scales);
            }
            if (shape.groupScaleBytes() == 0) continue;
            const std::int64_t at = b / 8 * info(args.weightType).blockBytes;
            for (int r = 0; r < nRows; ++r)
                packRowScales(args.weightType, from[r] + at, r, group + shape.scalesAt(),
                              group + shape.groupScalesAt());
        }
    }
}

}  // namespace

void pack(const PackArgs& args) {
    if (!canPack(args.weightType)) return;
    const UnpackPanel unpack = unpackOf(args.weightType);
    const std::int64_t panelBytes = packedPanelBytes(args.weightType, args.nCols);
    for (std::int64_t row = args.rowBegin; row < args.rowEnd; row += kPanelRows)
        packPanel(args, row, unpack,
                  static_cast<std::uint8_t*>(args.out) + row / kPanelRows * panelBytes);
}

}  // namespace lanescope::kernels::avx2

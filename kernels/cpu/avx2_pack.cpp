// Repacking: rows are unpacked into a panel in L1 as the product does it (avx2_unpack.h), and the
// panel's codes are squeezed into the packed layout. Scales of K-quants are taken from the stored
// blocks, since the panel has them multiplied out.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/panel_loop.h"
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

/// Codes and planes of one block.
void packCodes(const Panel& panel, int b, PackedShape shape, std::uint8_t* codes,
               std::uint8_t* planes) {
    const __m256i four = _mm256_set1_epi8(15);
    for (int at = 0; at < 64; at += 32) {
        if (shape.bits == 8) {
            for (int g = 0; g < 8; ++g) store(codes + 64 * g + at, load(panel.w[b][g] + at));
            continue;
        }
        __m256i fifth = _mm256_setzero_si256();
        __m256i upper[2] = {fifth, fifth};
        for (int g = 0; g < 8; ++g) {
            const __m256i high = _mm256_and_si256(_mm256_srli_epi16(load(panel.w[b][g] + at), 4),
                                                  _mm256_set1_epi8(3));
            fifth = _mm256_or_si256(fifth, _mm256_sll_epi16(high, _mm_cvtsi32_si128(g)));
            upper[g / 4] = _mm256_or_si256(upper[g / 4],
                                           _mm256_sll_epi16(high, _mm_cvtsi32_si128(2 * (g % 4))));
        }
        for (int j = 0; j < 4; ++j) {
            const __m256i low = _mm256_and_si256(load(panel.w[b][2 * j] + at), four);
            const __m256i high = _mm256_and_si256(load(panel.w[b][2 * j + 1] + at), four);
            store(codes + 64 * j + at, _mm256_or_si256(low, _mm256_slli_epi16(high, 4)));
        }
        if (shape.bits == 5) store(planes + at, fifth);
        if (shape.bits == 6)
            for (int v = 0; v < 2; ++v) store(planes + 64 * v + at, upper[v]);
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

/// Scales of a group, row r of nRows from its stored super-block; rows beyond stay zero.
void packSuperScales(PackedShape shape, const std::uint8_t* const (&block)[kPanelRows], int nRows,
                     std::uint8_t* group) {
    std::uint8_t* scales = group + shape.scalesAt();
    std::uint8_t* ends = group + shape.groupScalesAt();
    for (int r = 0; r < nRows; ++r) {
        const std::uint8_t* from = block[r];
        if (shape.scales == ScaleKind::SuperMin) {
            std::memcpy(ends + 2 * r, from, 2);
            std::memcpy(ends + 32 + 2 * r, from + 2, 2);
            for (int s = 0; s < 8; ++s) {
                const SubScales sub = subScales(from + 4, s);
                scales[32 * s + r] = sub.scale;
                scales[32 * s + 16 + r] = sub.minimum;
            }
        } else {
            std::memcpy(ends + 2 * r, from + offsetof(BlockQ6_K, d), 2);
            for (int s = 0; s < 8; ++s)
                std::memcpy(scales + 32 * s + 2 * r, from + offsetof(BlockQ6_K, scales) + 2 * s, 2);
        }
    }
}

void packPanel(const PackArgs& args, std::int64_t row, UnpackPanel unpack, std::uint8_t* out) {
    const PackedShape shape = packedShape(args.weightType);
    const bool super = shape.blocks == 8;
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
                packCodes(panel, b + i, shape, group + i * shape.codeBytes(),
                          group + shape.planesAt() + i * shape.planeBytes());
                std::uint8_t* scales = group + shape.scalesAt() + i * shape.scaleBytes();
                if (!super) storeHalves(panel.d[b + i], scales);
                if (shape.scales == ScaleKind::HalfMin) storeHalves(panel.m[b + i], scales + 32);
            }
            if (super) {
                const std::uint8_t* blocks[kPanelRows];
                const std::int64_t at = b / 8 * info(args.weightType).blockBytes;
                for (int r = 0; r < kPanelRows; ++r) blocks[r] = from[r] + at;
                packSuperScales(shape, blocks, nRows, group);
            }
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

#pragma once
// Weights laid out for reading instead of for storing: the rows of a matrix in panels of sixteen,
// each panel one stream along k. A panel is a row of groups; a group holds one, two or eight blocks
// of 32 columns (whatever ends on a cache line):
//   codes        each block: 256 bytes of low nibbles (or 512 bytes of int8, 192 of three-bit
//   numbers,
//                128 of two-bit ones). Vector j of 64 bytes holds column groups 2j (low nibbles)
//                and 2j + 1 (high nibbles), or 4j … 4j + 3 (two bits each, lowest first); byte 4r +
//                t of a column group g is W[r, 4g + t]: one 32-bit lane a row, as in cpu/panel.h.
//                Three-bit numbers lie as nibbles for six groups; bit j of groups 6 and 7 is the
//                top bit of the low and the high nibble of vector j.
//   planes       each block: the fifth bits (64 bytes; bit g of a byte belongs to column group g),
//                or the upper two bits of 6-bit codes (128 bytes; vector v holds groups 4v … 4v +
//                3)
//   block scales each block, see ScaleKind
//   group scales see ScaleKind
// Codes are what is stored, or numbers of the format's few values (cpu/packed_codes.h): formats
// that draw values from a codebook keep no index into it, but a nibble or three bits for each
// value. Rows beyond the matrix and blocks beyond its columns are of no effect: their scales are
// zeros.

#include <cstdint>

#include "kernels/types/dtype.h"

namespace lanescope::kernels {

inline constexpr int kPackedRows = 16;
inline constexpr int kPackedAlign = 64;

enum class ScaleKind : std::uint8_t {
    Half,         ///< block: d f16 [16]
    HalfMin,      ///< block: d f16 [16], m f16 [16]
    Bf16,         ///< block: d bf16 [16], which any power of two is
    Ue4m3,        ///< block: unsigned e4m3 [16][2 halves]
    SuperMin,     ///< block: scale u8 [16], minimum u8 [16]; group: d f16 [16], dmin f16 [16]
    SuperNibble,  ///< block: scale and minimum nibbles [16][2 halves]; group: d, dmin as above
    SuperByte,    ///< block: scale i8 [16]; group: d f16 [16]
    SuperSub,     ///< block: scale i8 [16][2 halves]; group: d f16 [16]
    Super,        ///< group: d f16 [16]
};

/// Geometry of a packed format.
struct PackedShape {
    int blocks = 0;  ///< of 32 columns in a group; 0: the format is not packed
    int bits = 0;    ///< of a code: 2, 3, 4, 5, 6, or 8 (signed)
    ScaleKind scales = ScaleKind::Half;

    [[nodiscard]] constexpr int codeBytes() const {
        return bits == 8 ? 512 : bits <= 3 ? 64 * bits : 256;
    }
    [[nodiscard]] constexpr int planeBytes() const { return bits == 5 ? 64 : bits == 6 ? 128 : 0; }
    [[nodiscard]] constexpr int scaleBytes() const {
        return scales == ScaleKind::HalfMin     ? 64
               : scales == ScaleKind::SuperByte ? 16
               : scales == ScaleKind::Super     ? 0
                                                : 32;
    }
    [[nodiscard]] constexpr int groupScaleBytes() const {
        switch (scales) {
            case ScaleKind::SuperMin:
            case ScaleKind::SuperNibble:
                return 64;
            case ScaleKind::SuperByte:
            case ScaleKind::SuperSub:
            case ScaleKind::Super:
                return 32;
            default:
                return 0;
        }
    }
    [[nodiscard]] constexpr int planesAt() const { return blocks * codeBytes(); }
    [[nodiscard]] constexpr int scalesAt() const { return planesAt() + blocks * planeBytes(); }
    [[nodiscard]] constexpr int groupScalesAt() const { return scalesAt() + blocks * scaleBytes(); }
    [[nodiscard]] constexpr int groupBytes() const {
        const int used = groupScalesAt() + groupScaleBytes();
        return (used + kPackedAlign - 1) / kPackedAlign * kPackedAlign;
    }
};

constexpr PackedShape packedShape(DType type) {
    switch (type) {
        case DType::Q4_0:
        case DType::IQ4_NL:
            return {2, 4, ScaleKind::Half};
        case DType::Q4_1:
            return {1, 4, ScaleKind::HalfMin};
        case DType::Q5_0:
            return {2, 5, ScaleKind::Half};
        case DType::Q5_1:
            return {1, 5, ScaleKind::HalfMin};
        case DType::Q8_0:
            return {2, 8, ScaleKind::Half};
        case DType::MXFP4:
            return {2, 4, ScaleKind::Bf16};
        case DType::NVFP4:
            return {2, 4, ScaleKind::Ue4m3};
        case DType::Q2_K:
            return {8, 2, ScaleKind::SuperNibble};
        case DType::Q3_K:
            return {8, 3, ScaleKind::SuperSub};
        case DType::Q4_K:
            return {8, 4, ScaleKind::SuperMin};
        case DType::Q5_K:
            return {8, 5, ScaleKind::SuperMin};
        case DType::Q6_K:
            return {8, 6, ScaleKind::SuperSub};
        case DType::TQ1_0:
        case DType::TQ2_0:
            return {8, 2, ScaleKind::Super};
        case DType::IQ1_S:  // a negative scale: an eighth less, not more
            return {8, 2, ScaleKind::SuperByte};
        case DType::IQ2_XXS:
            return {8, 3, ScaleKind::SuperByte};
        case DType::IQ1_M:
        case DType::IQ2_XS:
        case DType::IQ2_S:
            return {8, 3, ScaleKind::SuperSub};
        case DType::IQ3_XXS:
        case DType::IQ3_S:
        case DType::IQ4_XS:
            return {8, 4, ScaleKind::SuperByte};
        default:
            return {};
    }
}

constexpr bool canPack(DType type) {
    return packedShape(type).blocks > 0;
}

/// Bytes of one panel of a matrix with nCols columns. Precondition: canPack(type).
constexpr std::int64_t packedPanelBytes(DType type, std::int64_t nCols) {
    const PackedShape shape = packedShape(type);
    const std::int64_t nBlocks = nCols / 32;
    return (nBlocks + shape.blocks - 1) / shape.blocks * shape.groupBytes();  // NOLINT
}

/// Bytes of a packed matrix.
constexpr std::int64_t packedBytes(DType type, std::int64_t nRows, std::int64_t nCols) {
    return (nRows + kPackedRows - 1) / kPackedRows * packedPanelBytes(type, nCols);
}

static_assert(packedShape(DType::Q4_0).groupBytes() == 576);
static_assert(packedShape(DType::Q4_1).groupBytes() == 320);
static_assert(packedShape(DType::Q5_0).groupBytes() == 704);
static_assert(packedShape(DType::Q5_1).groupBytes() == 384);
static_assert(packedShape(DType::Q8_0).groupBytes() == 1088);
static_assert(packedShape(DType::MXFP4).groupBytes() == 576);
static_assert(packedShape(DType::NVFP4).groupBytes() == 576);
static_assert(packedShape(DType::TQ2_0).groupBytes() == 1088);
static_assert(packedShape(DType::Q2_K).groupBytes() == 1344);
static_assert(packedShape(DType::IQ2_XXS).groupBytes() == 1728);
static_assert(packedShape(DType::Q3_K).groupBytes() == 1856);
static_assert(packedShape(DType::IQ4_XS).groupBytes() == 2240);
static_assert(packedShape(DType::Q4_K).groupBytes() == 2368);
static_assert(packedShape(DType::Q5_K).groupBytes() == 2880);
static_assert(packedShape(DType::Q6_K).groupBytes() == 3392);

}  // namespace lanescope::kernels

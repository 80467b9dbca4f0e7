#pragma once
// What codes mean to a product, in panels and in packed weights (types/packed.h): a dot of values
// is the dot of codes less the zero point times the activations' sum, in integers and so exactly.
// Packed formats whose values are few hold each value's number in an ascending codebook.

#include <array>
#include <cstdint>

#include "kernels/cpu/panel.h"

namespace lanescope::kernels {

/// Bytes that meet activations: value = factor * code - zero.
struct CodeRange {
    bool isSigned = false;  ///< any int8; else 0 … top
    int top = 0;
    int zero = 0;
    int log2Factor = 0;
    bool rowZeros = false;  ///< each row of a block has a zero point of its own: sub() twice over
};

/// The values of a packed format in ascending order, which its codes number.
struct Codebook {
    int size = 0;  ///< 0: codes are values themselves
    std::array<std::int8_t, 16> values{};
};

namespace {  // a file of another instruction set must not be linked to these

/// How many sums of two products with activations (at most 127) fit a signed 16-bit number: column
/// groups that need no widening between them.
constexpr int groupsIn16Bits(int top) {
    return top <= 16 ? 8 : top <= 32 ? 4 : top <= 64 ? 2 : 1;
}

/// Codes in a Panel.
constexpr CodeRange panelCodes(PanelKind kind) {
    switch (kind) {
        case PanelKind::Minimum2:
            return {false, 3, 0};
        case PanelKind::Minimum4:
        case PanelKind::Zero4:
            return {false, 15, zeroPoint(kind)};
        case PanelKind::Minimum5:
        case PanelKind::Zero5:
            return {false, 31, zeroPoint(kind)};
        case PanelKind::Scaled6:
            return {false, 63, zeroPoint(kind)};
        default:
            return {true, 127, 0};
    }
}

constexpr Codebook codebook(DType type) {
    switch (type) {
        case DType::IQ4_NL:
        case DType::IQ4_XS:
            return {16, {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}};
        case DType::MXFP4:
        case DType::NVFP4:  // two zeros of E2M1 are one
            return {15, {-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12}};
        case DType::IQ3_S:
            return {16, {-15, -13, -11, -9, -7, -5, -3, -1, 1, 3, 5, 7, 9, 11, 13, 15}};
        case DType::IQ3_XXS:
            return {16, {-62, -52, -44, -36, -28, -20, -12, -4, 4, 12, 20, 28, 36, 44, 52, 62}};
        case DType::IQ2_XXS:
        case DType::IQ2_XS:
        case DType::IQ2_S:
            return {6, {-43, -25, -8, 8, 25, 43}};
        case DType::IQ1_M:  // eighths: -1, 0, 1 and an eighth more or less
            return {6, {-9, -7, -1, 1, 7, 9}};
        default:
            return {};
    }
}

/// Codes that come out of a packed block.
constexpr CodeRange packedCodes(DType type) {
    const Codebook book = codebook(type);
    if (book.size > 0) {
        const int low = book.values[0];  // NOLINT(bugprone-signed-char-misuse): a number
        const int top = book.values[static_cast<std::size_t>(book.size - 1)] - low;
        if (top > 129) return {true, 127, 0};
        int odd = 0;  // whether some distance is
        for (int i = 1; i < book.size; ++i) odd |= book.values[static_cast<std::size_t>(i)] - low;
        const int log2Factor = odd % 2 == 0 ? 1 : 0;
        return {false, top >> log2Factor, -low, log2Factor};
    }
    if (type == DType::IQ1_S) return {false, 2, 0, 3, true};  // the same in a whole block
    if (type == DType::Q3_K) return {false, 7, 4};
    if (type == DType::TQ1_0 || type == DType::TQ2_0) return {false, 2, 1};
    return panelCodes(panelKind(type));
}

using TableBytes = std::array<std::uint8_t, 64>;

/// A codebook's values as packedCodes(), four times over: one table look-up a 128-bit lane.
/// Three-bit numbers find theirs whatever the fourth bit.
constexpr TableBytes tableBytes(DType type) {
    const Codebook book = codebook(type);
    const CodeRange codes = packedCodes(type);
    const std::size_t period = book.size <= 8 ? 8 : 16;
    TableBytes out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] =
            static_cast<std::uint8_t>((book.values[i % period] + codes.zero) >> codes.log2Factor);
    return out;
}

/// Whether numbers have to be looked up: not where they are codes already.
constexpr bool needsTable(DType type) {
    const TableBytes bytes = tableBytes(type);
    for (std::size_t i = 0; i < 16; ++i)
        if (bytes[i] != i) return codebook(type).size > 0;
    return false;
}

template <DType kType>
struct CodeTable {
    alignas(64) static constexpr TableBytes kBytes = tableBytes(kType);
};

/// What the scales of a super-block's parts, which are whole numbers, are multiples of: d times
/// this.
constexpr float scaleUnit(DType type) {
    switch (type) {
        case DType::IQ1_S:
        case DType::IQ1_M:
        case DType::IQ2_XXS:
        case DType::IQ2_XS:
        case DType::IQ2_S:
            return 0.125F;
        case DType::IQ3_XXS:
            return 0.25F;
        default:
            return 1.0F;
    }
}

}  // namespace
}  // namespace lanescope::kernels

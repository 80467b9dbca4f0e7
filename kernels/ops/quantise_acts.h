#pragma once
// Activations rounded to int8 with one scale per 32 elements, done once per input and shared by
// every matrix that reads it. Rounding: nearest even on x / d, d = amax / 127; a block of zeros has
// d = 0.

#include <cstdint>

namespace lanescope::kernels {

inline constexpr std::int64_t kActsBlock = 32;

/// View of quantised activations [nTokens, nCols]; nCols is a multiple of 32. The caller owns the
/// memory.
struct ActsQ8 {
    std::int8_t* q = nullptr;  ///< [nTokens, nCols]
    float* scale = nullptr;    ///< [nTokens, nCols / 32]
    std::int16_t* sum16 =
        nullptr;  ///< [nTokens, nCols / 16] sums of q over 16, for minima and zero points
    std::int64_t nCols = 0;
};

/// Quantises tokens [tokenBegin, tokenEnd) of x into out.
struct QuantiseActsArgs {
    const float* x = nullptr;  ///< [nTokens, nCols] f32
    ActsQ8 out;
    std::int64_t nCols = 0;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
    /// A second term, where asked for: what the rounding left over, x - q · d, rounded the same
    /// way; both together hold x to about 15 bits. q null: not made.
    ActsQ8 rest = {};
};

}  // namespace lanescope::kernels

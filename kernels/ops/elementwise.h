#pragma once
// The small ops between the matrices: norms, rotary embedding, activation (gated or not), residual
// add, gather, soft-cap. Every one is split over tokens: a call handles [tokenBegin, tokenEnd).

#include <cstdint>

#include "kernels/types/dtype.h"

namespace lanescope::kernels {

/// y[t] = x[t] / sqrt(mean(x[t]²) + eps) · weight (arXiv 1910.07467). In place allowed (y == x).
struct RmsNormArgs {
    const float* x = nullptr;       ///< [nTokens, dim] f32
    const float* weight = nullptr;  ///< [dim] f32
    float* y = nullptr;             ///< [nTokens, dim] f32
    std::int64_t dim = 0;
    float eps = 1e-5F;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// y[t] = (x[t] - mean) / sqrt(variance + eps) · weight + bias (arXiv 1607.06450). In place
/// allowed.
struct LayerNormArgs {
    const float* x = nullptr;       ///< [nTokens, dim] f32
    const float* weight = nullptr;  ///< [dim] f32
    const float* bias = nullptr;    ///< [dim] f32 or null
    float* y = nullptr;             ///< [nTokens, dim] f32
    std::int64_t dim = 0;
    float eps = 1e-5F;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// Which two elements of a head rotate together.
enum class RopeLayout : std::uint8_t {
    HalfSplit,    ///< i with i + rotaryDim / 2 (Hugging Face "rotate_half"; GGUF "neox")
    Interleaved,  ///< 2i with 2i + 1 (the original paper; GGUF llama, whose q and k rows are
                  ///< permuted for it)
};

/// Rotates heads in place (arXiv 2104.09864): angle = positions[t] · invFreq[i]; results are
/// multiplied by mscale.
struct RopeArgs {
    float* x = nullptr;  ///< [nTokens, stride] f32; head h at offset h * headDim
    std::int64_t stride = 0;
    std::int64_t nHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t rotaryDim = 0;               ///< <= headDim, even; the rest is left as it is
    const float* invFreq = nullptr;           ///< [rotaryDim / 2]
    const std::int32_t* positions = nullptr;  ///< [nTokens]
    RopeLayout layout = RopeLayout::HalfSplit;
    float mscale = 1.0F;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// Non-linearities of the MLP.
enum class Activation : std::uint8_t {
    Silu,      ///< x / (1 + e^-x)
    GeluTanh,  ///< x / 2 · (1 + tanh(sqrt(2 / pi) · (x + 0.044715 x³))), arXiv 1606.08415
    GeluErf,   ///< x / 2 · (1 + erf(x / sqrt(2)))
};

/// y[t, i] = act(gate[t, i]) · up[t, i] (arXiv 2002.05202), or act(gate[t, i]) without up.
struct ActivateArgs {
    const float* gate = nullptr;  ///< [nTokens, gateStride] f32
    const float* up = nullptr;    ///< [nTokens, upStride] f32, or null: not gated
    float* y = nullptr;           ///< [nTokens, dim] f32; may be gate when gateStride == dim
    std::int64_t gateStride = 0;
    std::int64_t upStride = 0;
    std::int64_t dim = 0;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
    Activation kind = Activation::Silu;
};

/// x[t] += scale · delta[t], one rounding an element.
struct AddArgs {
    float* x = nullptr;            ///< [nTokens, dim] f32
    const float* delta = nullptr;  ///< [nTokens, dim] f32
    std::int64_t dim = 0;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
    float scale = 1.0F;
};

/// Every head of every token times H / sqrt(n), in place: H the Walsh-Hadamard matrix of n rows, n
/// the greatest power of two in headDim, block by block where a head has several. Its own inverse;
/// dot products of two turned heads stay as they were.
struct HadamardArgs {
    float* x = nullptr;  ///< [nTokens, nHeads * headDim] f32
    std::int64_t nHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// x[t] = cap · tanh(x[t] / cap), in place (arXiv 2408.00118, section 2).
struct SoftcapArgs {
    float* x = nullptr;  ///< [nTokens, dim] f32
    float cap = 0.0F;    ///< above 0
    std::int64_t dim = 0;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// y[t] = scale · table[ids[t]] as f32. Precondition: ids are inside the table (the engine has
/// checked).
struct EmbedArgs {
    DType tableType = DType::F32;
    const void* table = nullptr;  ///< [vocab, dim] tableType
    const std::int32_t* ids = nullptr;
    float* y = nullptr;  ///< [nTokens, dim] f32
    std::int64_t dim = 0;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
    float scale = 1.0F;
};

}  // namespace lanescope::kernels

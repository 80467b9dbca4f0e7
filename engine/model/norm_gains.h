#pragma once
// How evenly a norm spreads what it passes on.

#include <span>

namespace lanescope {

/// Whether int8 activations behind a norm with these gains lose more than usual. Blocks of 32 share
/// a scale that the greatest of them sets, so with normed values of one size the error grows with
/// sqrt(mean over blocks of max² / mean of all squares): 1.2 to 1.7 in most layers of SmolLM2 and
/// Qwen 2.5, 2.3 to 4.1 in most of Gemma 3 270M, whose KLD to the exact path was 0.0024 with one
/// term everywhere and fell by 0.0011 with two in its head and q, k and v. Uneven: 1.7 or more.
bool unevenGains(std::span<const float> gains);

}  // namespace lanescope

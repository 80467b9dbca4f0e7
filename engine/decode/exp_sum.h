#pragma once
// Sweeps over the logits of a vocabulary, the only costly maths of sampling (150 000 exponentials a
// token). Fixed lanes and no fused multiply-add, so that every machine gets the same bits and a
// seed the same tokens. Not a kernel: nothing here touches weights.

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope {

/// Highest finite value of logits and what was not finite.
struct LogitScan {
    float maximum = 0.0F;      ///< over the finite ones; undefined when nFinite = 0
    std::int32_t argmax = -1;  ///< lowest id of the maximum
    std::int32_t nFinite = 0;
    std::int32_t nPlusInf = 0;
};
LogitScan scanLogits(std::span<const float> logits);

/// The first index from `from` on whose logit is above the threshold (NaN never is); size() if
/// none.
std::size_t firstAbove(std::span<const float> logits, std::size_t from, float threshold);

/// sum = Σ exp((x - maximum) · scale), weighted = Σ exp(…) · (x - maximum) · scale over the finite
/// x.
struct ExpSums {
    double sum = 0.0;
    double weighted = 0.0;
};
ExpSums expSums(std::span<const float> logits, float maximum);

/// out[i] = exp((logits[i] - maximum) · scale); 0 where logits[i] is not finite. Returns the sum.
double expAll(std::span<const float> logits, float maximum, float scale, float* out);

/// exp(x) for x <= 0 within 2 ulp, the same bits everywhere; 0 below -87.
float expNegative(float x);

}  // namespace lanescope

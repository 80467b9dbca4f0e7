#pragma once
// Bytes and FLOPs that a prefill or a stretch of decoding must at least do, from the model's own
// tensors: what `bench` divides by the measured time. Closed form; caches are not modelled.

#include <cstdint>

#include "engine/model/model.h"

namespace lanescope::cli {

struct Work {
    double bytes = 0.0;  ///< weights and KV read, KV written
    double flops = 0.0;  ///< 2 · multiply-accumulates of matrices and attention
};

/// nTokens from an empty cache, `chunk` tokens a pass: weights are read once a pass, the head is
/// needed for the last position only.
Work prefillWork(const Model& model, std::int64_t nTokens, std::int64_t chunk,
                 std::uint64_t kvBytesPerToken);
/// nTokens steps of one token a sequence, each after `depth` tokens of context: weights are read
/// once a step.
Work decodeWork(const Model& model, std::int64_t nTokens, std::int64_t depth,
                std::int64_t nSequences, std::uint64_t kvBytesPerToken);

}  // namespace lanescope::cli

#pragma once
// The two halves of a synthetic checkpoint: which tensors a config asks for, and random bytes of a
// format. Used by synthetic.cpp only.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "kernels/types/dtype.h"

namespace lanescope {

struct SyntheticTensor {
    std::string name;
    std::vector<std::int64_t> shape;  ///< outermost first; one dimension: a norm or a bias
};

/// The tensors of a decoder with this config.json, in transformers' names.
Result<std::vector<SyntheticTensor>> syntheticTensors(const nlohmann::json& config,
                                                      const std::string& path);

/// Random weights of mean about 0 and standard deviation about 0.02: whole blocks, at least
/// nElements. Deterministic in seed and type.
std::vector<std::byte> randomBlocks(kernels::DType type, std::int64_t nElements,
                                    std::uint64_t seed);

/// A small, good mixing of two numbers (SplitMix64).
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace lanescope

#pragma once
// Attention of a device against the reference: sequences whose pages lie mixed in one pool, as a
// backend has them. For op_suite.cpp and self_test.cpp.

#include <span>
#include <vector>

#include "engine/backend/cuda/op_check.h"

namespace lanescope {

/// A sequence of `context` tokens of which the last nTokens are attended.
struct AttendedSequence {
    std::int32_t context;
    std::int32_t nTokens;
};

struct AttentionShape {
    std::int64_t nHeads, nKvHeads, headDim;
    std::vector<AttendedSequence> sequences;
    std::int64_t window = 0;
    float softcap = 0.0F;
    std::int64_t nSplits = 1;
    std::int64_t blockTokens = 16;
    std::int64_t sinks = 0;      ///< beside a window
    std::int64_t maskGroup = 0;  ///< above 0: every third group of so many keys is seen
};

/// How keys and values are stored.
struct CheckedCache {
    kernels::KvFormat keys, values;
};

/// A row named "attention <keys>[ / <values>]<form>".
void checkAttention(OpCheck& check, const CheckedCache& cache, const std::string& form,
                    std::span<const AttentionShape> shapes);

}  // namespace lanescope

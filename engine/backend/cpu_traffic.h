#pragma once
// What the CPU backend's operations count as moved and computed, and when a second thread pays.

#include <cstdint>

#include "engine/backend/span_series.h"

namespace lanescope {

/// Multiply-accumulates under which a second thread costs more than it saves.
inline constexpr std::int64_t kSmallWork = 32 * 1024;

inline std::uint64_t bytesOf(std::int64_t nFloats) {
    return static_cast<std::uint64_t>(nFloats) * 4;
}

/// nValues activations were read and their int8 form, with scales and sums, written.
inline void markQuantised(SpanSeries& spans, std::int64_t nValues) {
    const auto int8Bytes = static_cast<std::uint64_t>(nValues + nValues / 4);
    spans.mark(trace::Op::QuantiseActs, bytesOf(nValues) + int8Bytes,
               static_cast<std::uint64_t>(2 * nValues));
}

}  // namespace lanescope

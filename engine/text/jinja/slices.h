#pragma once
// Python's indexing: negative positions count from the end, slices clamp.

#include <optional>

#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

/// The item of a string, list, tuple or range; absent if out of range or not indexable.
std::optional<Value> itemAt(const Value& object, Int index);
/// object[start:stop:step]; undefined if the object cannot be sliced.
Value sliceValue(const Value& object, std::optional<Int> start, std::optional<Int> stop,
                 std::optional<Int> step);

/// Positions of str.find and slices without step: clamped to 0 … length.
Int clampIndex(std::optional<Int> index, Int length, Int fallback);

}  // namespace lanescope::jinja

#pragma once
// Which layers see only the last keys, and how many: out of config.json or GGUF keys, with a
// family's rule for files that do not list the layers.

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"

namespace lanescope {

/// A family's habit. Layers before firstWindowed see everything; of the others every fullEvery-th
/// (0: none).
struct WindowRule {
    std::int64_t fullEvery = 0;
    std::int64_t firstWindowed = 0;
    std::int64_t defaultWindow = 0;  ///< where config.json has no sliding_window; 0: no window
};

/// config.json: sliding_window, and layer_types where it is there. Errors: BadInput with key and
/// numbers.
Result<void> applyWindowFromConfig(const Checkpoint& checkpoint, const WindowRule& rule,
                                   ModelSpec& spec);

/// GGUF: ARCH.attention.sliding_window, and sliding_window_pattern (a period, or a flag a layer).
Result<void> applyWindowFromGguf(const Checkpoint& checkpoint, const WindowRule& rule,
                                 ModelSpec& spec);

}  // namespace lanescope

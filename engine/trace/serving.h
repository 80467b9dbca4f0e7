#pragma once
// What serving many requests together leaves behind, as plain data: one record a pass and one a
// request.

#include <cstdint>

#include "engine/trace/run_record.h"

namespace lanescope::trace {

/// One pass over tokens of several requests, and how things stood when it began.
struct BatchStep {
    std::int64_t tStartNs = 0;
    std::int64_t tEndNs = 0;
    std::int16_t lane = -1;
    std::int32_t waiting = 0;       ///< requests that have arrived and not begun
    std::int32_t running = 0;       ///< requests that hold blocks
    std::int32_t sequences = 0;     ///< requests with tokens in this pass
    std::int32_t promptTokens = 0;  ///< computed in this pass
    std::int32_t decodeTokens = 0;  ///< the same, of steps of decoding
    std::int32_t blocks = 0;        ///< of the pool
    std::int32_t blocksInUse = 0;   ///< held by requests
    std::int32_t blocksRead = 0;    ///< by running requests, a shared one once for each
    std::int32_t blocksShared = 0;  ///< of them, by two or more
    std::int32_t blocksKept = 0;    ///< held by none, content known
    std::int64_t tokensHeld = 0;    ///< of running requests in the cache, shared ones once for each
    std::int32_t preemptions = 0;   ///< so far
    std::int32_t maxRunning = 0;    ///< requests that may run at once
};

/// One request that was served. Times are nowNs(); 0: it did not come to that.
struct ServedRecord {
    std::int32_t request = 0;
    std::int16_t lane = -1;
    std::int32_t priority = 0;
    std::int64_t tArrivalNs = 0;
    std::int64_t tAdmittedNs = 0;  ///< first time that it had blocks
    std::int64_t tFirstTokenNs = 0;
    std::int64_t tEndNs = 0;
    std::int32_t promptTokens = 0;
    std::int32_t reusedTokens = 0;  ///< of the prompt, found in the cache
    std::int32_t outputTokens = 0;
    std::int32_t preemptions = 0;
    FinishReason finish = FinishReason::None;
};

}  // namespace lanescope::trace

#pragma once
// Serves requests as they arrive, many sequences in one pass, over the parts of an engine that
// stands still meanwhile: the scheduler says what a pass computes, the token loops what comes of
// it. A request gets the tokens it would get alone, whatever runs beside it. Not thread-safe.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/cancel.h"
#include "engine/decode/engine.h"
#include "engine/schedule/arrivals.h"
#include "engine/schedule/scheduler.h"
#include "engine/trace/serving.h"

namespace lanescope {

struct ServeRequest {
    GenerateRequest generate;
    double arrivalSeconds = 0.0;  ///< after the start
    int priority = 0;
    std::string client;
    double cancelAfterSeconds = -1.0;     ///< given up so long after its arrival; < 0: never
    const CancelToken* cancel = nullptr;  ///< this request's own
};

/// Arrivals as requests: each gets as many tokens as its arrival says, whatever they are.
std::vector<ServeRequest> serveRequests(std::vector<Arrival> arrivals,
                                        const SamplingSettings& sampling);
/// Tokens of the longest of them, prompt and answer: what a context must hold.
std::int64_t longestText(const std::vector<ServeRequest>& requests);

struct ServedRequest {
    trace::ServedRecord record;
    GenerateResult result;
    std::string error;  ///< finish = Error: why
};

struct ServeResult {
    std::vector<ServedRequest> requests;  ///< in the order they were given
    std::vector<trace::BatchStep> steps;
    std::int64_t tStartNs = 0, tEndNs = 0;
};

/// Serves all requests and returns when the last has ended. Their ids are cursor.request + their
/// index (request < 0: their index). The sink gets tokens, spans, KV events, a BatchStep a pass and
/// a ServedRecord a request. Cancelled: what was not finished has finish = Cancelled. Errors: Usage
/// for settings that make no sense; what a device says. settings.maxRunning and tokenBudget are
/// bounded by what the engine was built for.
Result<ServeResult> serve(Engine& engine, const std::vector<ServeRequest>& requests,
                          BatchSettings settings, const trace::Cursor& cursor,
                          const CancelToken& cancel);

}  // namespace lanescope

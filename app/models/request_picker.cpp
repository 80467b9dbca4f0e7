#include "app/models/request_picker.h"

namespace lanescope::app {

const profiler::RequestData* pickRequest(const profiler::RunData& run, int lane, int prompt,
                                         int repetition) {
    const profiler::RequestData* best = nullptr;
    for (const auto& request : run.requests) {
        const auto& r = request.record;
        if (r.lane != lane) continue;
        if (prompt >= 0 && r.prompt != prompt) continue;
        if (repetition >= 0 && (r.repetition != repetition || r.warmup)) continue;
        if (r.warmup && best != nullptr && !best->record.warmup) continue;
        best = &request;
    }
    return best;
}

const profiler::RequestData* counterpart(const profiler::RunData& run,
                                         const profiler::RequestData& request, int lane) {
    for (const auto& other : run.requests) {
        if (other.record.lane == lane && other.record.prompt == request.record.prompt &&
            other.record.repetition == request.record.repetition &&
            other.record.warmup == request.record.warmup)
            return &other;
    }
    return nullptr;
}

const profiler::RequestData* requestById(const profiler::RunData& run, int id) {
    for (const auto& request : run.requests)
        if (request.record.id == id) return &request;
    return nullptr;
}

}  // namespace lanescope::app

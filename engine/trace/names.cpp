#include <array>
#include <string_view>

#include "engine/trace/events.h"
#include "engine/trace/run_record.h"

namespace lanescope::trace {

std::string_view opName(Op op) {
    static constexpr std::array<std::string_view, kOpCount> kNames{
        "embed",      "norm",           "quantise activations",
        "qkv",        "rope",           "kv write",
        "attention",  "out projection", "gate+up",
        "activation", "down",           "residual",
        "head",       "sample",         "detokenise",
        "prefill",    "decode step",    "load",
        "warm-up"};
    return kNames[static_cast<std::size_t>(op)];
}

std::string_view runStatusName(RunStatus status) {
    switch (status) {
        case RunStatus::Running:
            return "running";
        case RunStatus::Finished:
            return "finished";
        case RunStatus::Cancelled:
            return "cancelled";
        case RunStatus::Failed:
            return "failed";
        case RunStatus::Interrupted:
            return "interrupted";
    }
    return "";
}

std::string_view finishReasonName(FinishReason reason) {
    switch (reason) {
        case FinishReason::None:
            return "";
        case FinishReason::EndOfText:
            return "stop";
        case FinishReason::MaxTokens:
            return "length";
        case FinishReason::StopString:
            return "stop-string";
        case FinishReason::ContextFull:
            return "context";
        case FinishReason::Cancelled:
            return "cancelled";
        case FinishReason::Error:
            return "error";
    }
    return "";
}

}  // namespace lanescope::trace

#pragma once
// What a run consists of, as plain data: written by the engine while it happens, stored, shown,
// exported. One Run has lanes; each (lane, prompt, repetition) is a Request; each request has
// Tokens.

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::trace {

enum class RunStatus : std::uint8_t { Running, Finished, Cancelled, Failed, Interrupted };
/// Why a request ended. Error: see RequestRecord::error.
enum class FinishReason : std::uint8_t {
    None,
    EndOfText,
    MaxTokens,
    StopString,
    ContextFull,
    Cancelled,
    Error
};

std::string_view runStatusName(RunStatus status);  ///< "running", "finished" …
std::string_view finishReasonName(
    FinishReason
        reason);  ///< "stop", "length", "stop-string", "context", "cancelled", "error"; "" for None

/// Everything known when a run starts. JSON fields hold complete documents, so a stored run
/// regenerates itself.
struct RunHeader {
    std::string id;  ///< 128-bit random hex
    std::string name;
    std::int64_t startedUnixMs = 0;
    std::string version;      ///< of Lanescope
    std::string planJson;     ///< canonical plan (schema 1)
    std::string machineJson;  ///< cpu, cores, isa, memory, os
    std::string command;      ///< shell command that makes this run again
    std::int64_t epochNs =
        0;  ///< nowNs() at the start; all other times of the run are relative to it after storing
};

/// Bytes of a lane: what the estimate said beside what was measured.
struct MemoryFigures {
    std::uint64_t weightBytes = 0;       ///< mapped tensor data
    std::uint64_t kvBytesEstimated = 0;  ///< closed form, for the context asked for
    std::uint64_t kvBytes = 0;           ///< really allocated
    std::uint64_t scratchBytesEstimated = 0;
    std::uint64_t scratchBytes = 0;   ///< really allocated activations and work space
    std::uint64_t residentBytes = 0;  ///< growth of the process's resident set from before loading
                                      ///< to after the first request; 0 = not measured
};

struct LaneRecord {
    std::int32_t index = 0;
    std::string name;          ///< "A", "B" …
    std::string model;         ///< as the plan names it
    std::string modelPath;     ///< resolved
    std::string settingsJson;  ///< effective settings, with reasons where they differ from the
                               ///< requested ones
    MemoryFigures memory;
    double loadMs = 0.0;
    std::int64_t nParameters = 0;
    std::int64_t nLayers = 0;
    std::uint64_t kvBytesPerToken = 0;
    std::string error;  ///< why the lane could not run; empty = fine
};

struct RequestRecord {
    std::int32_t id = 0;  ///< within the run
    std::int32_t lane = 0;
    std::int32_t prompt = 0;  ///< index in the plan
    std::int32_t repetition = 0;
    bool warmup = false;
    std::string promptText;  ///< rendered text that was tokenised
    std::vector<std::int32_t> promptTokens;
    std::int64_t tStartNs = 0;  ///< request start
    std::int64_t tPrefillEndNs = 0;
    std::int64_t tEndNs = 0;
    FinishReason finish = FinishReason::None;
    std::string text;  ///< whole answer
    std::string error;
};

struct TopCandidate {
    std::int32_t token = 0;
    float probability = 0.0F;  ///< softmax of the raw logits at temperature 1
    std::string piece;
};

struct TokenRecord {
    std::int32_t request = 0;
    std::int32_t index = 0;  ///< 0 = first output token
    std::int32_t token = 0;
    std::string piece;  ///< text this token added to the stream (may be empty while a character is
                        ///< incomplete)
    std::int64_t tNs = 0;  ///< emitted; ITL is the difference of neighbours, TTFT is tokens[0].tNs
                           ///< - request.tStartNs
    float logProbability = 0.0F;     ///< natural log under the raw logits, temperature 1
    float entropy = 0.0F;            ///< nats, of the same distribution
    std::int32_t contextTokens = 0;  ///< tokens in the KV cache after this step
    std::uint64_t kvBytes = 0;       ///< bytes of the blocks the sequence holds
    std::vector<TopCandidate> top;   ///< best candidates, most probable first
};

}  // namespace lanescope::trace

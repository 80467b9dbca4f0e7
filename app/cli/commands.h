#pragma once
// The commands as plain functions on plain arguments; arguments.cpp turns words into these, so that
// the library that parses words is included in one file only. Every command returns the exit status
// to use when nothing failed.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/cancel.h"
#include "engine/base/result.h"
#include "engine/decode/sampler.h"
#include "engine/lane/plan.h"
#include "engine/schedule/arrivals.h"

namespace lanescope::cli {

enum class OutputKind : std::uint8_t { Text, Json };

struct InfoArgs {
    std::string model;
    std::string kv = "fp16";  ///< for kvBytesPerToken
    OutputKind output = OutputKind::Text;
};
Result<int> runInfo(const InfoArgs& args);

struct TokenizeArgs {
    std::string source;  ///< MODEL, tokenizer.json or tokenizer.model
    std::string text;
    std::string file;  ///< used when not empty; "-" is standard input
    bool parseSpecial = true;
    bool addBos = true;
    OutputKind output = OutputKind::Text;
};
Result<int> runTokenize(const TokenizeArgs& args);

struct DetokenizeArgs {
    std::string source;
    std::vector<TokenId> tokens;
    bool skipSpecial = false;
    OutputKind output = OutputKind::Text;
};
Result<int> runDetokenize(const DetokenizeArgs& args);

struct TemplateArgs {
    std::string model;         ///< or
    std::string templateFile;  ///< one of both
    std::string messagesFile;
    bool addGenerationPrompt = false;  ///< in addition to what the file says
    OutputKind output = OutputKind::Text;
};
Result<int> runTemplate(const TemplateArgs& args);

struct GpuArgs {
    int device = 0;
    bool bench = false;
    bool ops = false;  ///< hold every op against the processor's
    OutputKind output = OutputKind::Text;
};
Result<int> runGpu(const GpuArgs& args, const CancelToken& cancel);

struct LogitsArgs {
    LaneSpec lane;
    std::vector<TokenId> tokens;
    std::string out;
    OutputKind output = OutputKind::Text;
};
Result<int> runLogits(const LogitsArgs& args, const CancelToken& cancel);

struct GenerateArgs {
    LaneSpec lane;
    PromptSpec prompt;
    std::string templateFile;  ///< instead of the model's own
    SamplingSpec sampling;
    OutputKind output = OutputKind::Text;
};
Result<int> runGenerate(const GenerateArgs& args, const CancelToken& cancel);

struct ConvertArgs {
    std::string model;
    std::string out;
    std::string type;  ///< "f32", "f16", "bf16"; empty: as each tensor is
    OutputKind output = OutputKind::Text;
};
Result<int> runConvert(const ConvertArgs& args, const CancelToken& cancel);

struct PerplexityArgs {
    LaneSpec lane;
    std::string file;
    std::string against;  ///< the reference, on the exact path; empty: none
    /// The same lane as the reference, but for its cache or attention; empty: not asked for.
    std::string againstKv, againstAttention;
    std::string saveLogits;  ///< where the reference's predictions go; empty: nowhere
    std::int64_t window = 512;
    std::vector<std::int64_t> depths;  ///< figures apart up to each position; then all are scored
    OutputKind output = OutputKind::Text;
};
Result<int> runPerplexity(const PerplexityArgs& args, const CancelToken& cancel);

struct BenchArgs {
    LaneSpec lane;
    std::vector<std::int64_t> prefill{512};
    std::vector<std::int64_t> decode{128};
    std::vector<std::int64_t> batch{1};
    std::vector<std::int64_t> depth{0};
    int repetitions = 5;
    int warmup = 1;
    bool probe = false;  ///< measure the machine's roof anew
    bool ops = false;    ///< also: time by op, and what tracing costs
    OutputKind output = OutputKind::Text;
};
Result<int> runBench(const BenchArgs& args, const CancelToken& cancel);

struct KvMemoryArgs {
    std::string model;  ///< or the shape:
    std::int64_t layers = 0, kvHeads = 0, headDim = 0;
    std::int64_t context = 4096, batch = 1, blockTokens = 16;
    std::string format = "fp16";
    std::string valueFormat;  ///< empty: as format
    OutputKind output = OutputKind::Text;
};
Result<int> runKvMemory(const KvMemoryArgs& args);

struct ServeArgs {
    LaneSpec lane;
    std::string arrivals;      ///< poisson:RATE, burst:N[@SECONDS] or a file
    std::string saveArrivals;  ///< write them to a file and serve nothing; empty: serve
    std::string promptTokens = "8-64", outputTokens = "16-256";
    LoadSettings load;
    std::vector<std::string> policies{"continuous"};
    std::int64_t maxRunning = 32;
    std::int64_t budget = 256;  ///< tokens a pass
    std::int64_t blocks = 0;    ///< of the KV cache; 0: room for every sequence's context
    bool chunked = true;
    bool reusePrefixes = true;
    std::string fairness = "client";
    double goalTtftMs = 2000.0, goalTpotMs = 200.0;
    SamplingSettings sampling;
    OutputKind output = OutputKind::Text;
};
Result<int> runServeSim(const ServeArgs& args, const CancelToken& cancel);

/// Where runs are kept and what files they leave.
struct StoreArgs {
    std::string db;  ///< empty: the default path
    bool noStore = false;
};

struct RunArgs {
    std::string plan;  ///< file; "-" is standard input
    std::string out;   ///< folder of the reports; empty: none
    std::string report;
    StoreArgs store;
    bool exact = false;
    OutputKind output = OutputKind::Text;
};
Result<int> runPlanFile(const RunArgs& args, const CancelToken& cancel);
Result<int> runDemo(const RunArgs& args, const CancelToken& cancel);

struct CompareArgs {
    std::string before, after;  ///< run id, prefix of one, or an exported file
    StoreArgs store;
    OutputKind output = OutputKind::Text;
};
Result<int> runCompare(const CompareArgs& args);

enum class RunsAction : std::uint8_t { List, Show, Export, Rename, Delete, Import };
struct RunsArgs {
    RunsAction action = RunsAction::List;
    std::string id;
    std::string value;  ///< path or new name
    StoreArgs store;
    OutputKind output = OutputKind::Text;
};
Result<int> runRuns(const RunsArgs& args);

}  // namespace lanescope::cli

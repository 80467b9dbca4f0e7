#pragma once
// Carries out a Plan: loads each model once, warms up, interleaves lanes (A B B A …), reports
// everything to a trace::Sink. The one entry point that the command line and the app share.
// Blocking; call it on an engine thread.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/base/cancel.h"
#include "engine/base/result.h"
#include "engine/lane/plan.h"
#include "engine/trace/gpu_info.h"
#include "engine/trace/sink.h"

namespace lanescope {

/// Resolves MODEL names (paths, "smollm2" …) and keeps loaded models so that lanes and runs share
/// them. Thread-safe.
class ModelStore {
  public:
    /// Path of a MODEL argument: an existing path as it is; a known name looked up in
    /// LANESCOPE_MODELS, then the cache folder that `dev models` fills
    /// ($XDG_CACHE_HOME/lanescope/models). Error: BadInput listing the known names and where they
    /// were looked for.
    static Result<std::string> resolve(const std::string& model);
    /// Known names with their resolved paths (empty if absent), for menus.
    static std::vector<std::pair<std::string, std::string>> knownModels();

    /// Loads or returns the loaded one (same path, size and modification time).
    Result<std::shared_ptr<const Model>> get(const std::string& model);
    /// Drops models nobody else holds.
    void trim();

  private:
    std::mutex m_mutex;
    std::map<std::string, std::shared_ptr<const Model>> m_models;
};

/// A prompt turned into ids for one model (chat template applied, BOS decided once).
struct PreparedPrompt {
    std::string text;
    std::vector<TokenId> tokens;
};
/// chatTemplate: used instead of the model's own when not null.
Result<PreparedPrompt> preparePrompt(const PromptSpec& prompt, const Model& model,
                                     const std::string& baseDir,
                                     const ChatTemplate* chatTemplate = nullptr);

/// Engine::create; a context whose KV cache alone is more than the machine has free is refused with
/// both numbers (OutOfMemory), however long it is.
Result<std::unique_ptr<Engine>> createEngine(std::shared_ptr<const Model> model,
                                             const EngineSettings& settings);

/// Whether a run is stored with what its machine can do at most (machine_roof.h).
enum class RoofPolicy : std::uint8_t { LeaveOut, Measure };

struct RunOptions {
    std::string baseDir = ".";  ///< relative prompt files and models
    std::string command;        ///< stored with the run; empty = made from the plan
    /// Measure: one roof for each number of threads that the lanes use, from the cache or, before
    /// the run starts, measured: about a second each.
    RoofPolicy roof = RoofPolicy::LeaveOut;
    std::function<void(int threads)> beforeRoof;  ///< called before each that has to be measured
    /// Called before the first lane loads, with the GPUs that lanes ask for and that there are.
    std::function<void(const std::vector<GpuInfo>&)> beforeGpus;
};

/// Runs the plan. A lane that fails (bad model, no memory) is reported through laneReady with its
/// error and the others go on. The status reported through runFinished is also returned. Errors:
/// the plan itself is not valid, or no lane could run.
Result<trace::RunStatus> executePlan(const Plan& plan, ModelStore& models, trace::Sink& sink,
                                     const CancelToken& cancel, const RunOptions& options = {});

/// Where things are kept that can be had again (models, measurements): $XDG_CACHE_HOME/lanescope or
/// ~/.cache/lanescope; may not exist yet.
std::string cacheFolder();

/// {cpu, cores, threads, isa, memoryBytes, os, kernel}: what is stored with every run.
nlohmann::ordered_json describeMachine();

}  // namespace lanescope

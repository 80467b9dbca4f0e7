// The real source of lanes: checkpoints from the model store, engines from decode/.

#include "engine/lane/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/backend/cuda/plugin_source.h"
#include "engine/base/format.h"
#include "engine/checkpoint/synthetic.h"
#include "engine/decode/settings.h"
#include "engine/lane/executor.h"
#include "engine/lane/gpu_bench.h"
#include "engine/lane/int8_products.h"
#include "engine/text/chat_template.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

/// A model named by a relative path is looked for beside the plan first.
std::string beside(const std::string& model, const std::string& baseDir) {
    if (model.starts_with(kSyntheticPrefix)) {
        const std::string config = model.substr(kSyntheticPrefix.size());
        return std::string(kSyntheticPrefix) + beside(config, baseDir);
    }
    if (model.empty() || fs::path(model).is_absolute()) return model;
    std::error_code ec;
    const fs::path path = fs::path(baseDir) / model;
    return fs::exists(path, ec) ? path.string() : model;
}

class StoredModels : public LaneSource {
  public:
    StoredModels(ModelStore& store, std::string baseDir)
        : m_store(store), m_baseDir(std::move(baseDir)) {}

    Result<void> load(std::int32_t lane, const LaneSpec& spec, trace::LaneRecord& record) override {
        const std::string name = beside(spec.model, m_baseDir);
        auto path = ModelStore::resolve(name);
        if (!path) return path.error();
        record.modelPath = *path;
        auto model = m_store.get(name);
        if (!model) return model.error();
        record.loadMs = (*model)->loadMs();
        record.nParameters = (*model)->parameters().total();
        record.nLayers = (*model)->spec().nLayers;
        record.memory.weightBytes = (*model)->weightBytes();
        m_models[lane] = *model;
        m_templates.erase(lane);
        if (spec.chatTemplate.empty()) return {};
        auto parsed = ChatTemplate::parse(spec.chatTemplate, "chat template of the lane");
        if (!parsed) return parsed.error();
        m_templates[lane] = *parsed;
        return {};
    }

    Result<PreparedPrompt> prepare(std::int32_t lane, const PromptSpec& prompt) override {
        const auto own = m_templates.find(lane);
        return preparePrompt(prompt, *m_models.at(lane), m_baseDir,
                             own == m_templates.end() ? nullptr : own->second.get());
    }

    Result<std::unique_ptr<Engine>> build(std::int32_t lane,
                                          const EngineSettings& settings) override {
        return createEngine(m_models.at(lane), settings);
    }

    std::vector<trace::Op> int8Products(std::int32_t lane, bool noInt8) override {
        return lanescope::int8Products(*m_models.at(lane), noInt8);
    }

    Result<void> check(std::int32_t lane) override {
        return m_models.at(lane)->checkpoint().checkUnchanged();
    }

  private:
    ModelStore& m_store;
    std::string m_baseDir;
    std::map<std::int32_t, std::shared_ptr<const Model>> m_models;
    std::map<std::int32_t, std::shared_ptr<const ChatTemplate>> m_templates;  ///< chosen by hand
};

/// Those that lanes ask for; a lane whose GPU is not there says so when it loads.
std::vector<GpuInfo> gpusOf(const Plan& plan) {
    std::set<int> wanted;
    for (const LaneSpec& lane : plan.lanes)
        if (const auto device = cudaDevice(lane.backend)) wanted.insert(*device);
    if (wanted.empty()) return {};
    const auto plugin = cudaPlugin();
    if (!plugin) return {};
    auto gpus = devicesOf(**plugin);
    if (!gpus) return {};
    std::erase_if(*gpus, [&wanted](const GpuInfo& gpu) { return !wanted.contains(gpu.index); });
    return *std::move(gpus);
}

/// The bandwidth that the kernels of a run are held against; it stays 0 where it cannot be had.
void measureCopies(std::vector<GpuInfo>& gpus, const CancelToken& cancel) {
    constexpr std::uint64_t kCopied = std::uint64_t{128} << 20;  // more than any cache
    for (GpuInfo& gpu : gpus) {
        auto device = pluginSource().open(gpu.index);
        if (!device) continue;
        if (const auto gbps = measureCopyGbps(**device, kCopied, 5, cancel)) gpu.copyGBps = *gbps;
    }
}

}  // namespace

Result<std::unique_ptr<Engine>> createEngine(std::shared_ptr<const Model> model,
                                             const EngineSettings& settings) {
    EngineSettings asked = settings;
    if (asked.exact) asked.kvKeys = asked.kvValues = kernels::KvFormat::F32;
    const std::uint64_t need =
        kvLayout(model->spec(), asked).bytesPerToken() *
        static_cast<std::uint64_t>(std::max<std::int64_t>(asked.contextTokens, 0));
    const std::uint64_t available = availableMemoryBytes();
    if (available > 0 && need > available) {
        return outOfMemory(
            "the KV cache of " + std::to_string(settings.contextTokens) + " tokens needs " +
                formatBytes(need) + ", " + formatBytes(available) + " free",
            model->checkpoint().path(), "choose a shorter context or a smaller KV format");
    }
    return Engine::create(std::move(model), settings);
}

Result<trace::RunStatus> executePlan(const Plan& plan, ModelStore& models, trace::Sink& sink,
                                     const CancelToken& cancel, const RunOptions& options) {
    if (options.beforeGpus) {
        auto gpus = gpusOf(plan);
        if (options.roof == RoofPolicy::Measure) measureCopies(gpus, cancel);
        if (!gpus.empty()) options.beforeGpus(gpus);
    }
    StoredModels source(models, options.baseDir);
    Executor executor(plan, source, sink, cancel, options);
    return executor.run();
}

}  // namespace lanescope

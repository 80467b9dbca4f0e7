#include "app/bridge/model_inspection.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/decode/settings.h"
#include "engine/lane/run.h"
#include "kernels/types/dtype.h"

namespace lanescope::app {

QString architectureName(const Checkpoint& checkpoint) {
    if (checkpoint.format() == CheckpointFormat::Gguf) {
        const auto name = checkpoint.metadata().text("general.architecture");
        return name ? QString::fromUtf8(name->data(), static_cast<qsizetype>(name->size()))
                    : QString();
    }
    const nlohmann::json& config = checkpoint.config();
    if (!config.is_object()) return {};
    if (const auto type = config.find("model_type"); type != config.end() && type->is_string())
        return QString::fromStdString(type->get<std::string>());
    const auto list = config.find("architectures");
    if (list != config.end() && list->is_array() && !list->empty() && list->front().is_string())
        return QString::fromStdString(list->front().get<std::string>());
    return {};
}

std::vector<TypeTotal> typeTotals(const Checkpoint& checkpoint) {
    std::map<kernels::DType, TypeTotal> byType;
    for (const TensorView& tensor : checkpoint.tensors()) {
        TypeTotal& total = byType[tensor.dtype];
        total.bytes += tensor.sizeBytes;
        total.nElements += tensor.nElements();
        total.nTensors += 1;
    }
    std::vector<TypeTotal> out;
    for (auto& [type, total] : byType) {
        const auto name = kernels::info(type).name;
        total.type = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        out.push_back(total);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const TypeTotal& a, const TypeTotal& b) { return a.bytes > b.bytes; });
    return out;
}

ModelInspection inspectModel(const std::string& model) {
    ModelInspection out;
    out.name = model;
    const auto path = ModelStore::resolve(model);
    if (!path) {
        out.error = path.error();
        return out;
    }
    out.path = QString::fromStdString(*path);
    // A store of its own: what is only looked at must not stay in memory with the models that run.
    ModelStore store;
    auto loaded = store.get(model);
    if (loaded) {
        out.model = *loaded;
        // Shares ownership of the model, which keeps its checkpoint.
        out.checkpoint = std::shared_ptr<const Checkpoint>(*loaded, &(*loaded)->checkpoint());
    } else {
        out.error = loaded.error();
        if (auto opened = Checkpoint::open(*path)) out.checkpoint = *opened;
    }
    if (out.checkpoint == nullptr) return out;
    out.architecture = out.model ? QString::fromStdString(out.model->spec().architecture)
                                 : architectureName(*out.checkpoint);
    out.types = typeTotals(*out.checkpoint);
    for (const TypeTotal& total : out.types) out.tensorBytes += total.bytes;
    return out;
}

Result<MemoryFit> fitMemory(const ModelSpec& spec, const WeightBytes& weights, const LaneSpec& lane,
                            std::uint64_t freeBytes) {
    auto settings = engineSettings(lane);
    if (!settings) return settings.error();
    auto resolved = resolveSettings(spec, *settings);
    if (!resolved) return resolved.error();
    EngineSettings tried = *settings;
    MemoryFit fit;
    fit.freeBytes = freeBytes;
    fit.contextTokens = tried.contextTokens = resolved->settings.contextTokens;
    fit.estimate = estimateMemory(spec, weights, tried);
    fit.fits = freeBytes == 0 || fit.estimate.total() <= freeBytes;
    const auto fits = [&](std::int64_t context) {
        tried.contextTokens = context;
        return freeBytes == 0 || estimateMemory(spec, weights, tried).total() <= freeBytes;
    };
    std::int64_t low = 0;
    std::int64_t high = std::max<std::int64_t>(spec.contextLength, 1);
    if (fits(high)) low = high;
    while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    fit.largestContext = low;
    return fit;
}

}  // namespace lanescope::app

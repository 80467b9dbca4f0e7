#include "app/bridge/divergence_controller.h"

#include <algorithm>

#include "engine/cache/kv_memory.h"
#include "engine/decode/settings.h"
#include "engine/decode/text_windows.h"
#include "engine/lane/run.h"

namespace lanescope::app {

namespace {

std::vector<DepthFigure> figuresOf(const DepthScores& scores) {
    std::vector<DepthFigure> figures;
    for (std::size_t i = 0; i < scores.depths.size(); ++i) {
        const TextQuality& quality = scores.byDepth[i];
        if (quality.nTokens() == 0) continue;
        const DivergenceSummary kld = quality.divergence();
        figures.push_back({scores.from(i), scores.depths[i], quality.nTokens(),
                           quality.perplexity(), quality.perplexityError(), kld.mean, kld.median,
                           kld.p99, quality.sameBest()});
    }
    return figures;
}

LaneSpec withFormat(LaneSpec lane, const std::string& format, std::int64_t context) {
    lane.kv = format;
    lane.kvValues.clear();
    lane.kvRotate = false;
    lane.context = context;
    return lane;
}

Result<std::unique_ptr<Engine>> engineOf(const std::shared_ptr<const Model>& model,
                                         const LaneSpec& lane) {
    auto settings = engineSettings(lane);
    if (!settings) return settings.error();
    return createEngine(model, *settings);
}

}  // namespace

void DivergenceController::start(const DivergenceSpec& spec) {
    if (running()) return;
    m_run = {};
    m_run.spec = spec;
    launch([spec, this](const CancelToken& cancel, const Post& post) {
        return work(spec, cancel, post, this);
    });
    emit changed();
}

/// self: only inside what is posted.
Result<void> DivergenceController::work(const DivergenceSpec& spec, const CancelToken& cancel,
                                        const Post& post, DivergenceController* self) {
    if (spec.formats.empty()) return usageError("no format is chosen", "tick one or more");
    if (spec.depths.empty() || spec.depths.back() < 2)
        return usageError("no depth is given", "write 128, 256, 512");
    ModelStore models;
    auto model = models.get(spec.lane.model);
    if (!model) return model.error();
    const std::int64_t length = spec.depths.back();
    auto windows = TextWindows::create(**model, spec.text, length, spec.textName);
    if (!windows) return windows.error();
    const auto nWindows = std::min(std::max<std::int64_t>(spec.windows, 1),
                                   static_cast<std::int64_t>(windows->count()));
    auto reference = engineOf(*model, withFormat(spec.lane, spec.reference, length));
    if (!reference) return reference.error();
    post([self, nWindows] { self->m_run.windows = nWindows; });

    for (std::size_t f = 0; f < spec.formats.size(); ++f) {
        FormatDivergence figures;
        figures.format = spec.formats[f];
        auto engine = engineOf(*model, withFormat(spec.lane, figures.format, length));
        if (!engine) {
            figures.error = QString::fromStdString(engine.error().toString());
            post([self, f, figures] { self->take(f, figures); });
            continue;
        }
        figures.bytesPerToken = static_cast<double>((*engine)->kvBytesPerToken());
        DepthScores scores(spec.depths);
        for (std::int64_t w = 0; w < nWindows; ++w) {
            ScoreHooks hooks;
            hooks.progress = [&, f, w](std::int64_t nTokens) {
                const double window = (static_cast<double>(w) +
                                       static_cast<double>(nTokens) / static_cast<double>(length)) /
                                      static_cast<double>(nWindows);
                const double all =
                    (static_cast<double>(f) + window) / static_cast<double>(spec.formats.size());
                post([self, all, w, nWindows, format = figures.format] {
                    self->tell(all, tr("%1: window %2 of %3")
                                        .arg(QString::fromStdString(format))
                                        .arg(w + 1)
                                        .arg(nWindows));
                });
            };
            const auto window = windows->at(static_cast<std::size_t>(w));
            if (auto ok = scoreWindow(**engine, reference->get(), window, scores, hooks, cancel);
                !ok)
                return ok;
            figures.windowsDone = w + 1;
            figures.finished = w + 1 == nWindows;
            figures.depths = figuresOf(scores);
            post([self, f, figures] { self->take(f, figures); });
        }
    }
    return {};
}

void DivergenceController::take(std::size_t index, const FormatDivergence& figures) {
    if (m_run.formats.size() <= index) m_run.formats.resize(index + 1);
    m_run.formats[index] = figures;
    emit changed();
}

}  // namespace lanescope::app

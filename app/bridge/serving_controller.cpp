#include "app/bridge/serving_controller.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/base/clock.h"
#include "engine/decode/engine_parts.h"
#include "engine/decode/settings.h"
#include "engine/lane/run.h"
#include "engine/schedule/batch_engine.h"

namespace lanescope::app {

namespace {

constexpr std::int64_t kFrameNs = 33'000'000;
constexpr std::int32_t kWarmupTokens = 4;

/// The spec's arrivals, on the model.
Result<std::vector<Arrival>> arrivalsOf(const ServingSpec& spec, const Model& model) {
    LoadSettings load;
    auto pattern = parseArrivals(spec.arrivals);
    if (!pattern) return pattern.error();
    load.pattern = *std::move(pattern);
    if (load.pattern.kind == ArrivalPattern::Kind::File)
        load.pattern.path = (std::filesystem::path(spec.baseDir) / load.pattern.path).string();
    auto prompts = parseLengths(spec.promptTokens);
    if (!prompts) return prompts.error();
    auto outputs = parseLengths(spec.outputTokens);
    if (!outputs) return outputs.error();
    load.promptTokens = *prompts;
    load.outputTokens = *outputs;
    load.nRequests = spec.nRequests;
    load.sharedPrefix = spec.sharedPrefix;
    load.seed = spec.seed;
    return makeArrivals(model, load);
}

/// So that the first policy does not pay for pages that nobody has touched yet.
Result<void> warmUp(Engine& engine, const ServeRequest& like, const CancelToken& cancel) {
    GenerateRequest request = like.generate;
    request.maxTokens = std::min(request.maxTokens, kWarmupTokens);
    auto done = engine.generate(request, {}, cancel);
    if (!done) return done.error();
    return {};
}

}  // namespace

/// What became known since the last batch.
struct ServingController::Batch {
    struct Token {
        std::int32_t request = 0;
        std::int32_t token = 0;
        std::int64_t tNs = 0;
    };
    std::vector<Token> tokens;
    std::vector<trace::BatchStep> steps;
    std::vector<trace::ServedRecord> served;
};

/// On the engine thread.
class ServingController::Collector : public trace::Sink {
  public:
    explicit Collector(std::function<void(std::shared_ptr<const Batch>)> deliver)
        : m_deliver(std::move(deliver)) {}
    void token(const trace::TokenRecord& t) override {
        m_batch->tokens.push_back({t.request, t.token, t.tNs});
    }
    void batchStep(const trace::BatchStep& step) override {
        m_batch->steps.push_back(step);
        if (nowNs() - m_lastNs >= kFrameNs) flush();
    }
    void served(const trace::ServedRecord& record) override { m_batch->served.push_back(record); }
    void flush() {
        m_lastNs = nowNs();
        m_deliver(std::move(m_batch));
        m_batch = std::make_shared<Batch>();
    }

  private:
    std::function<void(std::shared_ptr<const Batch>)> m_deliver;
    std::shared_ptr<Batch> m_batch = std::make_shared<Batch>();
    std::int64_t m_lastNs = 0;
};

void ServingController::start(const ServingSpec& spec) {
    if (running()) return;
    m_run = {};
    m_run.spec = spec;
    m_current = 0;
    launch([spec, this](const CancelToken& cancel, const Post& post) {
        return work(spec, cancel, post, this);
    });
    emit changed();
}

/// self: only inside what is posted.
Result<void> ServingController::work(const ServingSpec& spec, const CancelToken& cancel,
                                     const Post& post, ServingController* self) {
    if (spec.policies.empty()) return usageError("no policy is chosen", "tick one or more");
    ModelStore models;
    auto model = models.get(spec.lane.model);
    if (!model) return model.error();
    auto arrivals = arrivalsOf(spec, **model);
    if (!arrivals) return arrivals.error();
    ServingRun run;
    run.spec = spec;
    for (const Arrival& arrival : *arrivals) {
        run.arrivalSeconds.push_back(arrival.seconds);
        run.promptTokens.push_back(static_cast<std::int32_t>(arrival.prompt.size()));
        run.maxTokens.push_back(arrival.maxTokens);
    }
    const auto requests = serveRequests(*std::move(arrivals), spec.sampling);

    LaneSpec lane = spec.lane;
    lane.context = longestText(requests);
    auto settings = engineSettings(lane);
    if (!settings) return settings.error();
    settings->maxSequences = spec.maxRunning;
    settings->poolBlocks = spec.poolBlocks;
    settings->prefillChunk = spec.tokenBudget;
    auto engine = createEngine(*model, *settings);
    if (!engine) return engine.error();
    const EngineParts& parts = (*engine)->parts();
    const EngineSettings& effective = (*engine)->effective().settings;
    run.blockTokens = effective.kvBlockTokens;
    run.blockBytes = parts.pool->layout().blockBytes();
    run.poolBlocks = parts.pool->nBlocks();
    run.tokenBudget = std::max(effective.prefillChunk, effective.maxSequences);
    for (const std::string& note : (*engine)->effective().notes)
        run.notes << QString::fromStdString(note);
    for (const BatchPolicy policy : spec.policies) {
        PolicyRun& one = run.policies.emplace_back();
        one.policy = policy;
        one.requests.resize(requests.size());
        one.tokenNs.resize(requests.size());
        one.tokens.resize(requests.size());
    }
    post([self, run] { self->setUp(run); });
    if (auto warm = warmUp(**engine, requests.front(), cancel); !warm) return warm;

    for (std::size_t i = 0; i < spec.policies.size() && !cancel.requested(); ++i) {
        Collector collector([post, self, i](std::shared_ptr<const Batch> batch) {
            post([self, i, batch = std::move(batch)] { self->take(i, *batch); });
        });
        CacheTap tap(
            &collector,
            [post, self](CacheBatchPtr batch) {
                post([self, batch = std::move(batch)] { emit self->cacheChanged(batch); });
            },
            static_cast<int>(i));
        tap.lane({spec.laneIndex, spec.lane.name,
                  CachePool{run.poolBlocks, run.blockTokens, run.blockBytes}});
        BatchSettings batching;
        batching.policy = spec.policies[i];
        batching.maxRunning = spec.maxRunning;
        batching.tokenBudget = spec.tokenBudget;
        post([self, i, start = nowNs()] { self->beginPolicy(i, start); });
        trace::Cursor cursor;
        cursor.sink = &tap;
        cursor.lane = spec.laneIndex;
        auto served = serve(**engine, requests, batching, cursor, cancel);
        collector.flush();
        tap.flush();
        std::set<std::string> errors;
        if (served)
            for (const ServedRequest& request : served->requests)
                if (!request.error.empty()) errors.insert(request.error);
        QStringList told;
        for (const std::string& error : errors) told << QString::fromStdString(error);
        const PolicyState state = !served              ? PolicyState::Failed
                                  : cancel.requested() ? PolicyState::Cancelled
                                                       : PolicyState::Finished;
        const std::int64_t start = served ? served->tStartNs : 0;
        post([self, i, start, state, told] { self->endPolicy(i, start, state, told); });
        if (!served) return served.error();
    }
    return {};
}

void ServingController::setUp(const ServingRun& run) {
    m_run = run;
    tell(0.0, tr("Warming up…"));
    emit cacheBegan();
    emit changed();
}

void ServingController::beginPolicy(std::size_t index, std::int64_t tStartNs) {
    m_current = index;
    m_run.policies[index].state = PolicyState::Running;
    m_run.policies[index].tStartNs = tStartNs;
    tellProgress();
    emit changed();
}

void ServingController::take(std::size_t index, const Batch& batch) {
    PolicyRun& policy = m_run.policies[index];
    policy.steps.insert(policy.steps.end(), batch.steps.begin(), batch.steps.end());
    for (const Batch::Token& token : batch.tokens) {
        const auto at = static_cast<std::size_t>(token.request);
        if (at >= policy.tokens.size()) continue;
        policy.tokens[at].push_back(token.token);
        policy.tokenNs[at].push_back(token.tNs);
    }
    for (const trace::ServedRecord& record : batch.served) {
        const auto at = static_cast<std::size_t>(record.request);
        if (at < policy.requests.size()) policy.requests[at] = record;
    }
    tellProgress();
    emit changed();
}

void ServingController::endPolicy(std::size_t index, std::int64_t tStartNs, PolicyState state,
                                  const QStringList& errors) {
    PolicyRun& policy = m_run.policies[index];
    if (tStartNs > 0) policy.tStartNs = tStartNs;
    policy.state = state;
    policy.errors = errors;
    emit changed();
}

void ServingController::tellProgress() {
    // A request counts by its tokens until it has ended, then as all of them.
    std::int64_t all = 0, done = 0;
    for (const PolicyRun& policy : m_run.policies)
        for (std::size_t i = 0; i < policy.requests.size(); ++i) {
            all += m_run.maxTokens[i];
            done += policy.requests[i].finish != trace::FinishReason::None
                        ? m_run.maxTokens[i]
                        : std::ssize(policy.tokens[i]);
        }
    const PolicyRun& now = m_run.policies[m_current];
    tell(all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0.0,
         tr("Policy %1 of %2: %3 of %4 requests ended")
             .arg(m_current + 1)
             .arg(m_run.policies.size())
             .arg(now.nEnded())
             .arg(now.requests.size()));
}

void ServingController::ended() {
    for (PolicyRun& policy : m_run.policies)
        if (policy.state == PolicyState::Running) policy.state = PolicyState::Cancelled;
    emit changed();
}

}  // namespace lanescope::app

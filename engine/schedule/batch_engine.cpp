#include "engine/schedule/batch_engine.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "engine/decode/engine_parts.h"
#include "engine/decode/forward.h"
#include "engine/decode/sequence.h"
#include "engine/decode/token_loop.h"

namespace lanescope {

using trace::FinishReason;

namespace {

/// How long nothing may be looked at while nothing runs: a cancellation is noticed after that.
constexpr std::int64_t kIdleNs = 10'000'000;

/// One call of serve().
class Server {
  public:
    Server(EngineParts& parts, const std::vector<ServeRequest>& requests,
           const BatchSettings& settings, const trace::Cursor& cursor)
        : m_parts(parts),
          m_settings(settings),
          m_requests(requests),
          m_cursor(cursor),
          m_firstId(std::max(cursor.request, 0)),
          m_heavy(requests.size()),
          m_scheduler(*parts.pool, withSettle(settings), cursor),
          m_live(requests.size()) {
        m_out.requests.resize(requests.size());
        m_order.resize(requests.size());
        for (std::size_t i = 0; i < m_order.size(); ++i) m_order[i] = i;
        std::ranges::stable_sort(m_order, {},
                                 [&](std::size_t i) { return requests[i].arrivalSeconds; });
        const auto nRows = static_cast<std::size_t>(settings.maxRunning);
        m_views.resize(nRows);
        m_logits.resize(nRows * static_cast<std::size_t>(parts.model->spec().vocab));
        m_cursor.request = -1;  // a pass belongs to several
    }

    Result<ServeResult> run(const CancelToken& cancel) {
        m_out.tStartNs = nowNs();
        Result<void> ran;
        while (m_nEnded < m_requests.size() && ran) {
            if (cancel.requested()) {
                endAll();
                break;
            }
            const std::int64_t now = nowNs();
            arrive(now);
            giveUp(now);
            const std::span<const BatchShare> plan = m_scheduler.next(now);
            if (const auto id = m_scheduler.starved())
                end(indexOf(*id), FinishReason::ContextFull);
            else if (plan.empty())
                idle(now);
            else
                ran = step(plan, cancel);
        }
        m_scheduler.clear();
        m_out.tEndNs = nowNs();
        if (!ran && ran.error().code != ErrorCode::Cancelled) return ran.error();
        if (!ran) endAll();
        return std::move(m_out);
    }

  private:
    /// What is to be given up is known here.
    BatchSettings withSettle(BatchSettings settings) {
        settings.settle = [this](std::int32_t id, BlockTable& table, std::int64_t nTokens) {
            settle(*m_parts.pool, table, nTokens, m_parts.model->spec(),
                   m_parts.effective.settings.pattern, m_heavy[indexOf(id)], m_cursor);
        };
        return settings;
    }
    [[nodiscard]] std::size_t indexOf(std::int32_t id) const {
        return static_cast<std::size_t>(id - m_firstId);
    }
    [[nodiscard]] std::int64_t arrivalNs(std::size_t index) const {
        return m_out.tStartNs + static_cast<std::int64_t>(m_requests[index].arrivalSeconds * 1e9);
    }
    [[nodiscard]] trace::Cursor labelsOf(std::size_t index) const {
        trace::Cursor labels = m_cursor;
        labels.request = m_firstId + static_cast<std::int32_t>(index);
        return labels;
    }

    void arrive(std::int64_t now) {
        for (; m_nArrived < m_order.size() && arrivalNs(m_order[m_nArrived]) <= now; ++m_nArrived) {
            const std::size_t i = m_order[m_nArrived];
            const GenerateRequest& request = m_requests[i].generate;
            trace::ServedRecord& record = m_out.requests[i].record;
            record.request = labelsOf(i).request;
            record.lane = m_cursor.lane;
            record.priority = m_requests[i].priority;
            record.tArrivalNs = arrivalNs(i);
            record.promptTokens = static_cast<std::int32_t>(request.prompt.size());
            const EngineSettings& settings = m_parts.effective.settings;
            auto valid = checkRequest(*m_parts.model, settings, request);
            if (valid)
                valid = m_scheduler.submit(
                    {record.request, request.prompt, m_requests[i].priority, m_requests[i].client},
                    record.tArrivalNs);
            if (!valid) {
                m_out.requests[i].error = valid.error().toString();
                end(i, FinishReason::Error);
                continue;
            }
            // A device chooses for one request a pass; here the host does.
            EngineSettings onHost = settings;
            onHost.sampleOn = SampleOn::Host;
            m_live[i] = std::make_unique<TokenLoop>(*m_parts.model, onHost, request, m_cursor.sink);
            m_live[i]->result().tStartNs = record.tArrivalNs;
            if (m_live[i]->ended()) end(i, FinishReason::MaxTokens);  // no token is wanted
        }
    }

    /// Requests whose person has gone.
    void giveUp(std::int64_t now) {
        for (std::size_t k = 0; k < m_nArrived; ++k) {
            const std::size_t i = m_order[k];
            if (m_live[i] == nullptr) continue;
            const ServeRequest& request = m_requests[i];
            const bool late =
                request.cancelAfterSeconds >= 0.0 &&
                static_cast<double>(now - arrivalNs(i)) / 1e9 >= request.cancelAfterSeconds;
            if (late || (request.cancel != nullptr && request.cancel->requested()))
                end(i, FinishReason::Cancelled);
        }
    }

    void idle(std::int64_t now) const {
        std::int64_t until = now + kIdleNs;
        if (m_nArrived < m_order.size()) until = std::min(until, arrivalNs(m_order[m_nArrived]));
        if (until > now) std::this_thread::sleep_for(std::chrono::nanoseconds(until - now));
    }

    Result<void> step(std::span<const BatchShare> plan, const CancelToken& cancel) {
        trace::BatchStep record = beginStep(plan);
        m_ids.clear();
        m_segments.clear();
        m_tables.clear();
        m_wanted.clear();
        for (const BatchShare& share : plan) {
            const std::size_t i = indexOf(share.id);
            const std::int64_t nPrompt = std::ssize(m_requests[i].generate.prompt);
            m_ids.insert(m_ids.end(), share.tokens.begin(), share.tokens.end());
            HeavyHitters& heavy = m_heavy[i];
            heavy.nPrompt = nPrompt;
            if (share.begin == 0) heavy.mass.clear();  // it may be computed again
            m_segments.push_back({share.nTokens, static_cast<std::int32_t>(share.begin),
                                  share.begin < nPrompt ? nPrompt : 0, nPrompt,
                                  heavyOf(m_parts.effective.settings.pattern, heavy)});
            m_tables.push_back(share.table);
            if (share.decides) m_wanted.push_back(static_cast<std::int32_t>(m_ids.size()) - 1);
        }
        ForwardPass pass;
        pass.tokens = m_ids;
        pass.segments = m_segments;
        pass.tables = m_tables;
        pass.views = std::span(m_views).first(plan.size());
        pass.wanted = m_wanted;
        pass.logits = m_logits.data();
        m_cursor.step = static_cast<std::int32_t>(m_out.steps.size());
        {
            const trace::ScopedSpan span(
                m_cursor, record.promptTokens > 0 ? trace::Op::Prefill : trace::Op::DecodeStep, -1);
            if (auto ran = forward(*m_parts.model, *m_parts.backend, *m_parts.pool, pass, m_cursor,
                                   cancel);
                !ran)
                return ran;
        }
        m_scheduler.computed();
        if (auto chosen = choose(plan); !chosen) return chosen;
        record.tEndNs = nowNs();
        m_out.steps.push_back(record);
        if (m_cursor.sink != nullptr) m_cursor.sink->batchStep(record);
        return {};
    }

    trace::BatchStep beginStep(std::span<const BatchShare> plan) const {
        trace::BatchStep step;
        step.tStartNs = nowNs();
        step.lane = m_cursor.lane;
        step.waiting = static_cast<std::int32_t>(m_scheduler.nWaiting());
        step.running = static_cast<std::int32_t>(m_scheduler.nRunning());
        step.sequences = static_cast<std::int32_t>(plan.size());
        for (const BatchShare& share : plan)
            (share.prompt ? step.promptTokens : step.decodeTokens) +=
                static_cast<std::int32_t>(share.nTokens);
        const BlockPool& pool = *m_parts.pool;
        step.blocks = pool.nBlocks();
        step.blocksInUse = pool.nInUse();
        step.blocksRead = static_cast<std::int32_t>(m_scheduler.blocksRead());
        step.blocksShared = pool.nShared();
        step.blocksKept = pool.nKept();
        step.tokensHeld = m_scheduler.tokensHeld();
        step.preemptions = m_scheduler.preemptions();
        step.maxRunning = static_cast<std::int32_t>(m_settings.maxRunning);
        return step;
    }

    /// What came of the pass: a token for every share that decides, in their order.
    Result<void> choose(std::span<const BatchShare> plan) {
        // Retiring changes the plan.
        m_deciding.clear();
        for (const BatchShare& share : plan)
            if (share.decides) m_deciding.push_back({share.id, share.begin + share.nTokens});
        const auto vocab = static_cast<std::size_t>(m_parts.model->spec().vocab);
        {
            const trace::ScopedSpan span(
                m_cursor, trace::Op::Sample, -1,
                m_deciding.size() * static_cast<std::size_t>(m_parts.model->usableVocab()) *
                    sizeof(float));
            m_parts.backend->parallel(std::ssize(m_deciding), [&](std::int64_t row) {
                const auto at = static_cast<std::size_t>(row);
                if (const auto& loop = m_live[indexOf(m_deciding[at].first)])
                    loop->choose(std::span(m_logits).subspan(at * vocab, vocab));
            });
        }
        for (std::size_t row = 0; row < m_deciding.size(); ++row) {
            const auto [id, inCache] = m_deciding[row];
            const std::size_t i = indexOf(id);
            if (m_live[i] == nullptr) continue;  // a row that only fills its batch
            TokenLoop& loop = *m_live[i];
            const auto info = m_scheduler.info(id);
            const auto kvBytes =
                static_cast<std::uint64_t>(info.blocks) * m_parts.pool->layout().blockBytes();
            trace::Cursor labels = labelsOf(i);
            const bool first = loop.result().tokens.empty();
            if (first) loop.result().tPrefillEndNs = nowNs();
            loop.result().kvBytes = kvBytes;
            loop.result().kvBlocks = info.blocks;
            const auto goesOn = loop.take(std::span(m_logits).subspan(row * vocab, vocab), inCache,
                                          kvBytes, labels);
            if (!goesOn) {
                m_out.requests[i].error = goesOn.error().toString();
                end(i, FinishReason::Error);
                continue;
            }
            if (*goesOn)
                m_scheduler.append(id, loop.history().back());
            else
                end(i, loop.result().finish);
        }
        return {};
    }

    void end(std::size_t index, FinishReason reason) {
        ServedRequest& served = m_out.requests[index];
        trace::ServedRecord& record = served.record;
        const auto info = m_scheduler.info(record.request);
        m_scheduler.finish(record.request);
        record.tAdmittedNs = info.admittedNs.value_or(0);
        record.preemptions = info.preemptions;
        record.reusedTokens = static_cast<std::int32_t>(info.reusedTokens);
        if (m_live[index] != nullptr) {
            m_live[index]->end(reason);
            served.result = m_live[index]->finish();
            m_live[index].reset();
        }
        served.result.finish = reason;
        record.finish = reason;
        record.tEndNs = nowNs();
        record.outputTokens = static_cast<std::int32_t>(served.result.tokens.size());
        if (!served.result.tokenNs.empty()) record.tFirstTokenNs = served.result.tokenNs.front();
        ++m_nEnded;
        if (m_cursor.sink != nullptr) m_cursor.sink->served(record);
    }

    void endAll() {
        for (std::size_t i = 0; i < m_requests.size(); ++i) {
            if (m_out.requests[i].record.finish != FinishReason::None) continue;
            m_out.requests[i].record.request = labelsOf(i).request;
            end(i, FinishReason::Cancelled);
        }
    }

    EngineParts& m_parts;
    BatchSettings m_settings;
    const std::vector<ServeRequest>& m_requests;
    trace::Cursor m_cursor;
    std::int32_t m_firstId;
    std::vector<HeavyHitters> m_heavy;  ///< [requests], where the lane evicts by weight
    Scheduler m_scheduler;
    std::vector<std::size_t> m_order;  ///< requests by arrival
    std::size_t m_nArrived = 0;        ///< of them
    std::size_t m_nEnded = 0;
    std::vector<std::unique_ptr<TokenLoop>> m_live;  ///< [requests]; null: not here, or ended
    ServeResult m_out;

    // Of the present pass.
    std::vector<TokenId> m_ids;
    std::vector<Segment> m_segments;
    std::vector<const BlockTable*> m_tables;
    std::vector<std::int32_t> m_wanted;
    std::vector<std::pair<std::int32_t, std::int64_t>> m_deciding;  ///< id, tokens in the cache
    std::vector<kernels::PagedKv> m_views;                          ///< [maxRunning]
    std::vector<float> m_logits;                                    ///< [maxRunning, vocab]
};

}  // namespace

std::vector<ServeRequest> serveRequests(std::vector<Arrival> arrivals,
                                        const SamplingSettings& sampling) {
    std::vector<ServeRequest> requests;
    for (Arrival& arrival : arrivals) {
        ServeRequest request;
        request.generate.prompt = std::move(arrival.prompt);
        request.generate.maxTokens = arrival.maxTokens;
        request.generate.sampling = sampling;
        request.generate.ignoreEos = true;  // so many tokens as the load says
        request.arrivalSeconds = arrival.seconds;
        request.priority = arrival.priority;
        request.client = std::move(arrival.client);
        request.cancelAfterSeconds = arrival.cancelAfterSeconds;
        requests.push_back(std::move(request));
    }
    return requests;
}

std::int64_t longestText(const std::vector<ServeRequest>& requests) {
    std::int64_t most = 1;
    for (const ServeRequest& request : requests)
        most = std::max<std::int64_t>(
            most, std::ssize(request.generate.prompt) + request.generate.maxTokens);
    return most;
}

Result<ServeResult> serve(Engine& engine, const std::vector<ServeRequest>& requests,
                          BatchSettings settings, const trace::Cursor& cursor,
                          const CancelToken& cancel) {
    EngineParts& parts = engine.parts();
    const EngineSettings& s = parts.effective.settings;
    if (settings.maxRunning < 1 || settings.tokenBudget < 1)
        return usageError("serving needs at least one request at a time and one token a pass");
    settings.maxRunning = std::min(settings.maxRunning, s.maxSequences);
    if (settings.policy == BatchPolicy::Sequential) settings.maxRunning = 1;
    if (settings.policy == BatchPolicy::Static) settings.mixing = PromptMixing::PrefillFirst;
    const std::int64_t mostTokens = std::max(s.prefillChunk, s.maxSequences);
    settings.tokenBudget = std::clamp(settings.tokenBudget, settings.maxRunning, mostTokens);
    if (parts.model->spec().dynamicNtk.factor > 0.0) {
        settings.reusePrefixes = false;  // a beginning looks different in a longer text
        settings.singleStepsAfterPrompt = true;
    }
    if (s.pattern.kind == AttentionPattern::Kind::HeavyHitters) {
        settings.reusePrefixes = false;  // the weights of all queries count
        settings.singleStepsAfterPrompt = true;
    }
    Server server(parts, requests, settings, cursor);
    auto served = server.run(cancel);
    parts.pool->forgetKept(cursor);
    return served;
}

}  // namespace lanescope

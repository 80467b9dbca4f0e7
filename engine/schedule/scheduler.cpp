#include "engine/schedule/scheduler.h"

#include <algorithm>
#include <utility>

namespace lanescope {

namespace {

/// arXiv 2401.00588, section 4: what a token costs that is given out, in tokens that are read.
constexpr double kOutputWeight = 2.0;

}  // namespace

Scheduler::Scheduler(BlockPool& pool, const BatchSettings& settings, const trace::Cursor& labels)
    : m_pool(pool), m_settings(settings), m_labels(labels) {
    if (m_settings.policy == BatchPolicy::Sequential) m_settings.maxRunning = 1;
    m_settings.maxRunning = std::max<std::int64_t>(m_settings.maxRunning, 1);
    m_settings.tokenBudget = std::max(m_settings.tokenBudget, m_settings.maxRunning);
}

Scheduler::~Scheduler() {
    for (const auto& ticket : m_running) m_pool.shrink(ticket->table, 0, labelsOf(*ticket));
}

trace::Cursor Scheduler::labelsOf(const Ticket& ticket) const {
    trace::Cursor labels = m_labels;
    labels.request = ticket.job.id;
    return labels;
}

Result<void> Scheduler::submit(BatchJob job, std::int64_t nowNs) {
    const std::int64_t needed = m_pool.layout().blocksFor(std::ssize(job.prompt) + 1);
    if (needed > m_pool.nBlocks())
        return outOfMemory("a prompt of " + std::to_string(job.prompt.size()) + " tokens needs " +
                               std::to_string(needed) + " blocks, the KV cache has " +
                               std::to_string(m_pool.nBlocks()),
                           "KV cache", "shorten the prompt or give the cache more blocks");
    auto ticket = std::make_unique<Ticket>();
    ticket->tokens = job.prompt;
    ticket->arrivedNs = nowNs;
    ticket->order = m_arrivals++;
    liftClient(job.client);
    ticket->job = std::move(job);
    m_waiting.push_back(std::move(ticket));
    return {};
}

void Scheduler::liftClient(const std::string& client) {
    // Whoever comes back starts level with those that are being served: no credit for idling.
    double least = -1.0;
    bool here = false;
    for (const Tickets* tickets : {&m_waiting, &m_running})
        for (const auto& ticket : *tickets) {
            here = here || ticket->job.client == client;
            const double served = m_served[ticket->job.client];
            if (least < 0.0 || served < least) least = served;
        }
    if (!here && least > m_served[client]) m_served[client] = least;
}

std::span<const BatchShare> Scheduler::next(std::int64_t nowNs) {
    m_plan.clear();
    m_starved.reset();
    m_preempted = false;
    dropEndedBatch();  // the rest of it may have had to go
    m_batchOpen = m_running.empty();
    std::int64_t budget = m_settings.tokenBudget;
    const bool promptsRun = std::ranges::any_of(
        m_running, [](const auto& ticket) { return !ticket->ended && ticket->missing() > 1; });
    if (m_settings.mixing == PromptMixing::Chunked || !promptsRun) continueRunning(budget, false);
    if (promptsRun) continueRunning(budget, true);
    admit(nowNs, budget);
    if (m_settings.mixing == PromptMixing::PrefillFirst &&
        std::ranges::any_of(m_plan, [](const BatchShare& s) { return s.prompt; }))
        std::erase_if(m_plan, [](const BatchShare& s) { return !s.prompt; });
    if (!m_running.empty() && !m_starved &&
        std::ranges::all_of(m_running, [](const auto& ticket) { return ticket->ended; })) {
        dropEndedBatch();  // whoever was left of it had to go
        return next(nowNs);
    }
    for (BatchShare& share : m_plan) {  // tables and tokens may have moved
        const Ticket& ticket = *find(share.id);
        share.table = &ticket.table;
        share.tokens = std::span(ticket.tokens)
                           .subspan(static_cast<std::size_t>(share.begin),
                                    static_cast<std::size_t>(share.nTokens));
    }
    return m_plan;
}

std::int64_t Scheduler::chunk(const Ticket& ticket, std::int64_t budget) const {
    std::int64_t n = std::min(ticket.missing(), budget);
    const std::int64_t nPrompt = std::ssize(ticket.job.prompt);
    if (m_settings.singleStepsAfterPrompt && n > 1)
        n = ticket.nComputed < nPrompt ? std::min(n, nPrompt - ticket.nComputed) : 1;
    return n;
}

void Scheduler::continueRunning(std::int64_t& budget, bool prompts) {
    // By index: who has to go is behind the one that needs room.
    for (std::size_t i = 0; i < m_running.size() && budget > 0 && !m_starved;) {
        Ticket& ticket = *m_running[i];
        if (ticket.ended) {  // its last token once more
            if (!prompts)
                m_plan.push_back({.id = ticket.job.id,
                                  .begin = ticket.nComputed - 1,
                                  .nTokens = 1,
                                  .decides = true,
                                  .prompt = false,
                                  .filler = true,
                                  .table = nullptr,
                                  .tokens = {}});
            if (!prompts) --budget;
            ++i;
            continue;
        }
        if ((ticket.missing() > 1) != prompts) {
            ++i;
            continue;
        }
        const std::int64_t n = chunk(ticket, budget);
        if (!makeRoom(ticket, n, budget)) continue;  // it went: the next one is at its place
        if (m_starved) return;
        plan(ticket, n, budget);
        ++i;
    }
}

bool Scheduler::makeRoom(Ticket& ticket, std::int64_t nTokens, std::int64_t& budget) {
    while (!m_pool.grow(ticket.table, ticket.nComputed, ticket.nComputed + nTokens,
                        labelsOf(ticket))) {
        Ticket& last = *m_running.back();
        if (&last == &ticket && m_running.size() == 1) {
            m_starved = ticket.job.id;
            return true;
        }
        const bool itself = &last == &ticket;
        if (last.ended)
            retire(last.job.id);
        else
            preempt(last, budget);
        if (itself) return false;
    }
    return true;
}

void Scheduler::plan(Ticket& ticket, std::int64_t nTokens, std::int64_t& budget) {
    m_plan.push_back({.id = ticket.job.id,
                      .begin = ticket.nComputed,
                      .nTokens = nTokens,
                      .decides = nTokens == ticket.missing(),
                      .prompt = ticket.missing() > 1 || ticket.nComputed == 0,
                      .filler = false,
                      .table = nullptr,
                      .tokens = {}});
    budget -= nTokens;
}

void Scheduler::preempt(Ticket& ticket, std::int64_t& budget) {
    std::erase_if(m_plan, [&](const BatchShare& share) {
        if (share.id != ticket.job.id) return false;
        budget += share.nTokens;
        return true;
    });
    m_pool.shrink(ticket.table, 0, labelsOf(ticket));
    ticket.nComputed = 0;
    ++ticket.info.preemptions;
    ++m_preemptions;
    m_preempted = true;
    const auto at =
        std::ranges::find_if(m_running, [&](const auto& other) { return other.get() == &ticket; });
    auto moved = std::move(*at);
    m_running.erase(at);
    const auto behind = std::ranges::find_if(
        m_waiting, [&](const auto& other) { return other->order > moved->order; });
    m_waiting.insert(behind, std::move(moved));
}

int Scheduler::rank(const Ticket& ticket, std::int64_t nowNs) const {
    if (m_settings.agingSeconds <= 0.0) return ticket.job.priority;
    const double waited = static_cast<double>(nowNs - ticket.arrivedNs) / 1e9;
    return ticket.job.priority + static_cast<int>(waited / m_settings.agingSeconds);
}

std::size_t Scheduler::pickWaiting(std::int64_t nowNs) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < m_waiting.size(); ++i) {
        const Ticket& a = *m_waiting[i];
        const Ticket& b = *m_waiting[best];
        const int rankA = rank(a, nowNs);
        const int rankB = rank(b, nowNs);
        if (rankA != rankB) {
            if (rankA > rankB) best = i;
            continue;
        }
        // Arrival is the order of the list already.
        if (m_settings.fairness == Fairness::ByClient &&
            m_served.at(a.job.client) < m_served.at(b.job.client))
            best = i;
    }
    return best;
}

bool Scheduler::mayAdmit() const {
    if (m_waiting.empty() || m_preempted || m_starved) return false;
    if (nRunning() >= m_settings.maxRunning) return false;
    return m_settings.policy == BatchPolicy::Continuous || m_batchOpen;
}

std::int64_t Scheduler::blocksToCome() const {
    std::int64_t n = 0;
    for (const auto& ticket : m_running)
        n += std::max<std::int64_t>(
            m_pool.layout().blocksFor(std::ssize(ticket->tokens) + 1) - ticket->table.nBlocks(), 0);
    return n;
}

bool Scheduler::start(std::size_t index, std::int64_t nowNs) {
    Ticket& ticket = *m_waiting[index];
    const trace::Cursor labels = labelsOf(ticket);
    const std::int64_t length = std::ssize(ticket.tokens);
    if (m_settings.reusePrefixes)
        ticket.nComputed = m_pool.adopt(ticket.table, ticket.tokens, length - 1, labels);
    // All of it has to fit, with a token to come: who starts is not to be the next to go.
    const std::int64_t needed = m_pool.layout().blocksFor(length + 1) - ticket.table.nBlocks();
    if (needed + blocksToCome() > m_pool.nFree()) {
        if (m_running.empty()) m_starved = ticket.job.id;
        m_pool.shrink(ticket.table, 0, labels);
        ticket.nComputed = 0;
        return false;
    }
    ticket.rank = rank(ticket, nowNs);
    if (!ticket.info.admittedNs) {
        ticket.info.admittedNs = nowNs;
        ticket.info.reusedTokens = ticket.nComputed;
    }
    auto moved = std::move(m_waiting[index]);
    m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(index));
    const auto behind = std::ranges::find_if(
        m_running, [&](const auto& other) { return other->rank < ticket.rank; });
    m_running.insert(behind, std::move(moved));
    return true;
}

void Scheduler::admit(std::int64_t nowNs, std::int64_t& budget) {
    // A static batch is filled whatever the budget of its first pass.
    while ((budget > 0 || m_settings.policy == BatchPolicy::Static) && mayAdmit()) {
        const std::size_t index = pickWaiting(nowNs);
        Ticket& ticket = *m_waiting[index];
        if (!start(index, nowNs)) return;
        const std::int64_t n = chunk(ticket, budget);
        if (n == 0) continue;
        if (!makeRoom(ticket, n, budget) || m_starved) return;  // cannot be: there was room
        plan(ticket, n, budget);
    }
}

void Scheduler::computed() {
    for (const BatchShare& share : m_plan) {
        if (share.filler) continue;
        Ticket& ticket = *find(share.id);
        ticket.nComputed += share.nTokens;
        if (m_settings.settle) m_settings.settle(share.id, ticket.table, ticket.nComputed);
        m_served[ticket.job.client] +=
            static_cast<double>(share.nTokens) + (share.decides ? kOutputWeight : 0.0);
        if (m_settings.reusePrefixes)
            m_pool.publish(
                ticket.table,
                std::span(ticket.tokens).first(static_cast<std::size_t>(ticket.nComputed)),
                labelsOf(ticket));
    }
}

void Scheduler::append(std::int32_t id, BlockPool::Token token) {
    if (Ticket* ticket = find(id)) ticket->tokens.push_back(token);
}

void Scheduler::finish(std::int32_t id) {
    Ticket* ticket = find(id);
    if (ticket == nullptr) return;
    const bool running = std::ranges::any_of(
        m_running, [ticket](const auto& other) { return other.get() == ticket; });
    if (m_settings.policy != BatchPolicy::Static || !running || ticket->nComputed == 0)
        return retire(id);
    ticket->ended = true;
    dropEndedBatch();
}

void Scheduler::dropEndedBatch() {
    if (!std::ranges::all_of(m_running, [](const auto& ticket) { return ticket->ended; })) return;
    while (!m_running.empty()) retire(m_running.back()->job.id);
}

void Scheduler::clear() {
    while (!m_running.empty()) retire(m_running.back()->job.id);
    while (!m_waiting.empty()) retire(m_waiting.back()->job.id);
}

void Scheduler::retire(std::int32_t id) {
    Ticket* ticket = find(id);
    if (ticket == nullptr) return;
    m_pool.shrink(ticket->table, 0, labelsOf(*ticket));
    const auto isIt = [ticket](const auto& other) { return other.get() == ticket; };
    std::erase_if(m_plan, [id](const BatchShare& share) { return share.id == id; });
    if (std::erase_if(m_running, isIt) == 0) std::erase_if(m_waiting, isIt);
}

BatchTicketInfo Scheduler::info(std::int32_t id) const {
    const Ticket* ticket = find(id);
    if (ticket == nullptr) return {};
    BatchTicketInfo info = ticket->info;
    info.blocks = ticket->table.nHeld();
    return info;
}

std::int64_t Scheduler::tokensHeld() const {
    std::int64_t n = 0;
    for (const auto& ticket : m_running) n += ticket->nComputed;
    return n;
}

std::int64_t Scheduler::blocksRead() const {
    std::int64_t n = 0;
    for (const auto& ticket : m_running) n += ticket->table.nHeld();
    return n;
}

Scheduler::Ticket* Scheduler::find(std::int32_t id) const {
    for (const Tickets* tickets : {&m_running, &m_waiting})
        for (const auto& ticket : *tickets)
            if (ticket->job.id == id) return ticket.get();
    return nullptr;
}

}  // namespace lanescope

#include "profiler/collect/run_builder.h"

#include <algorithm>

#include "engine/base/clock.h"

namespace lanescope::profiler {

namespace {

/// Order of RunData::spans.
bool earlier(const trace::Span& a, const trace::Span& b) {
    if (a.tStartNs != b.tStartNs) return a.tStartNs < b.tStartNs;
    return a.tEndNs > b.tEndNs;
}

}  // namespace

RunBuilder::RunBuilder(std::size_t maxSpans, double spanCostNs) : m_maxSpans(maxSpans) {
    m_run.spanCostNs = spanCostNs;
}

void RunBuilder::apply(Event event) {
    std::visit([this](auto&& e) { on(std::forward<decltype(e)>(e)); }, std::move(event));
}

void RunBuilder::on(trace::RunHeader header) {
    m_run.header = std::move(header);
    if (m_run.header.epochNs == 0) m_run.header.epochNs = nowNs();
    m_started = true;
}

void RunBuilder::on(trace::LaneRecord lane) {
    for (auto& known : m_run.lanes) {
        if (known.index == lane.index) {
            known = std::move(lane);
            return;
        }
    }
    const auto place =
        std::find_if(m_run.lanes.begin(), m_run.lanes.end(),
                     [&](const trace::LaneRecord& l) { return l.index > lane.index; });
    m_run.lanes.insert(place, std::move(lane));
}

void RunBuilder::ensureLane(std::int32_t index) {
    for (const auto& lane : m_run.lanes) {
        if (lane.index == index) return;
    }
    trace::LaneRecord lane;
    lane.index = index;
    on(std::move(lane));
}

void RunBuilder::makeRelative(trace::RequestRecord& record) const {
    // 0 means "has not happened".
    for (std::int64_t* t : {&record.tStartNs, &record.tPrefillEndNs, &record.tEndNs}) {
        if (*t != 0) *t = relative(*t);
    }
}

void RunBuilder::on(RequestStarted started) {
    ensureLane(started.record.lane);
    makeRelative(started.record);
    Open open;
    open.index = m_run.requests.size();
    open.data.record = std::move(started.record);
    m_run.requests.push_back(open.data);
    const std::int32_t id = open.data.record.id;
    m_open.insert_or_assign(id, std::move(open));
}

void RunBuilder::on(const PrefillProgress& progress) {
    const auto it = m_open.find(progress.request);
    if (it == m_open.end()) {
        ++m_unknown;
        return;
    }
    it->second.data.prefillDone = progress.done;
    it->second.dirty = true;
}

void RunBuilder::on(trace::TokenRecord token) {
    const auto it = m_open.find(token.request);
    if (it == m_open.end()) {
        ++m_unknown;
        return;
    }
    token.tNs = relative(token.tNs);
    it->second.data.tokens.push_back(std::move(token));
    it->second.dirty = true;
}

void RunBuilder::on(RequestFinished finished) {
    const std::int32_t id = finished.record.id;
    if (!m_open.contains(id)) {
        // Refused before it started: keep it, so that its error is shown.
        on(RequestStarted{finished.record});
    }
    const auto it = m_open.find(id);
    makeRelative(finished.record);
    it->second.data.record = std::move(finished.record);
    it->second.dirty = true;
    publish(it->second);
    m_open.erase(it);
}

void RunBuilder::on(trace::KvEvent event) {
    event.tNs = relative(event.tNs);
    m_run.kvEvents.push_back(event);
}

void RunBuilder::on(RunFinished finished) {
    m_run.status = finished.status;
    m_run.error = std::move(finished.error);
}

void RunBuilder::publish(Open& open) {
    if (!open.dirty) return;
    m_run.requests.replace(open.index, open.data);
    open.dirty = false;
}

void RunBuilder::addSpans(std::vector<trace::Span>& batch) {
    const std::size_t room = m_maxSpans - std::min(m_maxSpans, m_run.spans.size());
    if (batch.size() > room) {
        m_overLimit += batch.size() - room;
        batch.resize(room);
    }
    if (batch.empty()) return;
    for (auto& span : batch) {
        span.tStartNs = relative(span.tStartNs);
        span.tEndNs = relative(span.tEndNs);
    }
    std::sort(batch.begin(), batch.end(), earlier);
    // Spans arrive when they end, so an enclosing one comes after those inside it: the tail that
    // starts later than the batch is taken off and merged back.
    const auto from =
        std::upper_bound(m_run.spans.begin(), m_run.spans.end(), batch.front(), earlier);
    const auto keep = static_cast<std::size_t>(from - m_run.spans.begin());
    const std::vector<trace::Span> tail(from, m_run.spans.end());
    m_run.spans.truncate(keep);
    std::size_t t = 0;
    for (const auto& span : batch) {
        while (t < tail.size() && earlier(tail[t], span)) m_run.spans.push_back(tail[t++]);
        m_run.spans.push_back(span);
    }
    while (t < tail.size()) m_run.spans.push_back(tail[t++]);
}

void RunBuilder::setDropped(std::uint64_t ringDrops, std::uint64_t queueDrops) {
    m_ringDrops = ringDrops;
    m_queueDrops = queueDrops;
}

RunSnapshot RunBuilder::snapshot() {
    for (auto& [id, open] : m_open) publish(open);
    m_run.droppedSpans = m_ringDrops + m_overLimit;
    m_run.droppedEvents = m_queueDrops + m_unknown;
    m_run.overheadNs = static_cast<std::uint64_t>(
        m_run.spanCostNs * static_cast<double>(m_run.spans.size() + m_run.droppedSpans));
    return std::make_shared<const RunData>(m_run);
}

}  // namespace lanescope::profiler

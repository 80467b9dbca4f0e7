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

/// Merges a batch into a list in order. What comes late is usually not very late, so the tail that
/// starts later than the batch is taken off and merged back.
template <class List, class Batch>
void mergeInOrder(List& list, Batch& batch) {
    using Item = typename Batch::value_type;
    auto before = [](const Item& a, const Item& b) { return earlier(a, b); };
    std::stable_sort(batch.begin(), batch.end(), before);
    const auto from = std::upper_bound(list.begin(), list.end(), batch.front(), before);
    const auto keep = static_cast<std::size_t>(from - list.begin());
    const std::vector<Item> tail(from, list.end());
    list.truncate(keep);
    std::size_t t = 0;
    for (const Item& item : batch) {
        while (t < tail.size() && before(tail[t], item)) list.push_back(tail[t++]);
        list.push_back(item);
    }
    while (t < tail.size()) list.push_back(tail[t++]);
}

/// What the newer facts do not know is kept from the older ones.
void completeFacts(DeviceFacts& newer, const DeviceFacts& older) {
    if (newer.name.empty()) newer.name = older.name;
    if (newer.computeMajor == 0) {
        newer.computeMajor = older.computeMajor;
        newer.computeMinor = older.computeMinor;
    }
    if (newer.nSms == 0) newer.nSms = older.nSms;
    if (newer.memoryBytes == 0) newer.memoryBytes = older.memoryBytes;
    if (newer.copyGBps == 0.0) newer.copyGBps = older.copyGBps;
    if (newer.uuid.empty()) newer.uuid = older.uuid;
}

}  // namespace

RunBuilder::RunBuilder(const RunLimits& limits, double spanCostNs) : m_limits(limits) {
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
    const std::size_t room = m_limits.spans - std::min(m_limits.spans, m_run.spans.size());
    if (batch.size() > room) {
        m_overLimit += batch.size() - room;
        batch.resize(room);
    }
    if (batch.empty()) return;
    for (auto& span : batch) {
        span.tStartNs = relative(span.tStartNs);
        span.tEndNs = relative(span.tEndNs);
    }
    // Spans arrive when they end, so an enclosing one comes after those inside it.
    mergeInOrder(m_run.spans, batch);
}

std::int32_t RunBuilder::deviceName(const std::string& name) {
    const auto known = m_deviceNames.find(name);
    if (known != m_deviceNames.end()) return known->second;
    if (m_run.deviceNames.size() >= m_limits.deviceNames) return -1;
    const auto index = static_cast<std::int32_t>(m_run.deviceNames.size());
    m_run.deviceNames.push_back(name);
    m_deviceNames.emplace(name, index);
    return index;
}

void RunBuilder::on(DeviceActivityBatch batch) {
    auto& items = batch.activities;
    if (!m_started) {  // the zero of time is unknown
        m_deviceDrops += items.size();
        return;
    }
    const std::size_t room = m_limits.deviceActivities -
                             std::min(m_limits.deviceActivities, m_run.deviceActivities.size());
    if (items.size() > room) {
        m_deviceDrops += items.size() - room;
        items.resize(room);
    }
    if (items.empty()) return;
    std::vector<std::int32_t> places;
    places.reserve(batch.names.size());
    for (const auto& name : batch.names) places.push_back(deviceName(name));
    for (auto& item : items) {
        item.tStartNs = relative(item.tStartNs);
        item.tEndNs = relative(item.tEndNs);
        if (item.tSpanNs != kUnknownNs) item.tSpanNs = relative(item.tSpanNs);
        const auto i = static_cast<std::size_t>(item.name);
        item.name = item.name >= 0 && i < places.size() ? places[i] : -1;
    }
    mergeInOrder(m_run.deviceActivities, items);
}

void RunBuilder::on(DeviceFacts facts) {
    auto& devices = m_run.devices;
    const auto place =
        std::lower_bound(devices.begin(), devices.end(), facts.device,
                         [](const DeviceFacts& d, std::int32_t n) { return d.device < n; });
    if (place != devices.end() && place->device == facts.device) {
        completeFacts(facts, *place);
        *place = std::move(facts);
    } else {
        devices.insert(place, std::move(facts));
    }
}

void RunBuilder::on(DeviceTiming timing) {
    m_reportedDrops = timing.droppedRecords;
    m_run.deviceTiming = std::move(timing);
}

void RunBuilder::on(DeviceSample sample) {
    if (!m_started || m_run.deviceSamples.size() >= m_limits.deviceSamples) return;
    sample.tNs = relative(sample.tNs);
    m_run.deviceSamples.push_back(sample);
}

void RunBuilder::setDropped(std::uint64_t ringDrops, std::uint64_t queueDrops,
                            std::uint64_t deviceDrops) {
    m_ringDrops = ringDrops;
    m_queueDrops = queueDrops;
    m_deviceQueueDrops = deviceDrops;
}

RunSnapshot RunBuilder::snapshot() {
    for (auto& [id, open] : m_open) publish(open);
    m_run.droppedSpans = m_ringDrops + m_overLimit;
    m_run.droppedEvents = m_queueDrops + m_unknown;
    m_run.deviceTiming.droppedRecords = m_reportedDrops + m_deviceDrops + m_deviceQueueDrops;
    m_run.overheadNs = static_cast<std::uint64_t>(
        m_run.spanCostNs * static_cast<double>(m_run.spans.size() + m_run.droppedSpans));
    return std::make_shared<const RunData>(m_run);
}

}  // namespace lanescope::profiler

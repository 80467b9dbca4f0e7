#include "profiler/collect/cupti_correlator.h"

#include <bit>
#include <utility>

namespace lanescope::profiler::cupti {

Correlator::Correlator(const CorrelatorLimits& limits)
    : m_limits(limits),
      m_labels(std::bit_ceil(limits.spans < 2 ? std::size_t{2} : limits.spans)),
      m_launches(limits.launches),
      m_nodes(limits.graphNodes) {}

std::uint64_t Correlator::push(const trace::Span& span) {
    const std::lock_guard lock(m_mutex);
    const std::uint64_t id = ++m_lastId;
    Label& label = m_labels[id & (m_labels.size() - 1)];
    label.id = id;
    label.tSpanNs = span.tStartNs;
    label.request = span.request;
    label.step = span.step;
    label.op = static_cast<std::int16_t>(span.op);
    label.layer = span.layer;
    label.lane = span.lane;
    return id;
}

std::uint64_t Correlator::pushed() const {
    const std::lock_guard lock(m_mutex);
    return m_lastId;
}

const Correlator::Label* Correlator::labelOf(std::uint64_t id) const {
    const Label& label = m_labels[id & (m_labels.size() - 1)];
    return id != 0 && label.id == id ? &label : nullptr;
}

void Correlator::nodeCaptured(std::uint64_t node, std::uint64_t spanId) {
    const std::lock_guard lock(m_mutex);
    const Label* label = labelOf(spanId);
    if (label != nullptr) m_nodes.put(node, {label->op, label->layer});
}

void Correlator::nodeCloned(std::uint64_t node, std::uint64_t original) {
    const std::lock_guard lock(m_mutex);
    const NodeLabel* label = m_nodes.find(original);
    if (label == nullptr) return;
    const NodeLabel copy = *label;  // put() may drop the original
    m_nodes.put(node, copy);
}

bool Correlator::label(ParsedActivity& parsed) {
    DeviceActivity& a = parsed.activity;
    const std::uint64_t* spanId = m_launches.find(a.correlation);
    if (spanId == nullptr) return false;
    const Label* label = labelOf(*spanId);
    if (label == nullptr) {  // pushed too long ago
        ++m_unmatched;
        return true;
    }
    a.tSpanNs = label->tSpanNs;
    a.request = label->request;
    a.step = label->step;
    a.op = label->op;
    a.layer = label->layer;
    a.lane = label->lane;
    if (a.graphNode == 0) return true;
    if (const NodeLabel* node = m_nodes.find(a.graphNode)) {
        a.op = node->op;
        a.layer = node->layer;
    }
    return true;
}

void Correlator::giveUp(ParsedActivity parsed, std::vector<ParsedActivity>& out) {
    ++m_unmatched;
    out.push_back(parsed);
}

std::vector<ParsedActivity> Correlator::add(std::span<const ExternalId> externalIds,
                                            std::vector<ParsedActivity> activities) {
    const std::lock_guard lock(m_mutex);
    ++m_buffers;
    for (const ExternalId& e : externalIds) m_launches.put(e.correlation, e.external);
    std::vector<ParsedActivity> out;
    out.reserve(activities.size());
    if (!externalIds.empty()) {
        std::deque<Waiting> stillWaiting;
        for (Waiting& w : m_waiting) {
            if (label(w.parsed)) {
                out.push_back(w.parsed);
            } else {
                stillWaiting.push_back(w);
            }
        }
        m_waiting = std::move(stillWaiting);
    }
    for (ParsedActivity& parsed : activities) {
        // The profiler's own overhead belongs to no span.
        const bool final = parsed.activity.kind == DeviceActivityKind::Overhead || label(parsed);
        if (final) {
            out.push_back(parsed);
        } else if (parsed.activity.correlation == 0) {
            giveUp(parsed, out);
        } else {
            m_waiting.push_back({parsed, m_buffers});
        }
    }
    while (!m_waiting.empty() && (m_waiting.size() > m_limits.waiting ||
                                  m_buffers - m_waiting.front().sinceBuffer >= m_limits.buffers)) {
        giveUp(m_waiting.front().parsed, out);
        m_waiting.pop_front();
    }
    return out;
}

std::vector<ParsedActivity> Correlator::finish() {
    const std::lock_guard lock(m_mutex);
    std::vector<ParsedActivity> out;
    for (const Waiting& w : m_waiting) giveUp(w.parsed, out);
    m_waiting.clear();
    return out;
}

std::uint64_t Correlator::unmatched() const {
    const std::lock_guard lock(m_mutex);
    return m_unmatched;
}

std::size_t Correlator::waiting() const {
    const std::lock_guard lock(m_mutex);
    return m_waiting.size();
}

}  // namespace lanescope::profiler::cupti

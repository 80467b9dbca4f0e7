#include "profiler/analyse/group_stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "profiler/analyse/group_sums.h"

namespace lanescope::profiler {

void GroupSum::add(const Sample& s, bool keepDuration) {
    ++count;
    ns += static_cast<double>(s.ns);
    bytes += s.bytes;
    flops += s.flops;
    phase = s.phase;
    if (s.occupancy >= 0.0F) {
        occupiedNs += static_cast<double>(s.occupancy) * static_cast<double>(s.ns);
        occupancyNs += static_cast<double>(s.ns);
    }
    if (keepDuration) us.push_back(static_cast<float>(static_cast<double>(s.ns) / 1e3));
}

GroupSum& GroupSums::of(const GroupKey& key) {
    if (m_last == nullptr || key != m_lastKey) {
        m_last = &m_groups[key];  // stays where it is when others come
        m_lastKey = key;
    }
    return *m_last;
}

const GroupSum* GroupSums::find(const GroupKey& key) const {
    const auto at = m_groups.find(key);
    return at != m_groups.end() ? &at->second : nullptr;
}

std::vector<std::pair<GroupKey, GroupSum*>> GroupSums::sorted() {
    std::vector<std::pair<GroupKey, GroupSum*>> all;
    all.reserve(m_groups.size());
    for (auto& [key, sum] : m_groups) all.emplace_back(key, &sum);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        const auto order = [](const GroupKey& k) {
            return std::tuple(k.lane, k.timedBy, k.request, k.key);
        };
        return order(a.first) < order(b.first);
    });
    return all;
}

double quantile(std::vector<float>& values, double q) {
    if (values.empty()) return 0.0;
    const double rank = q * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(rank);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(low);
    std::nth_element(values.begin(), at, values.end());
    const double below = *at;
    if (low + 1 == values.size()) return below;
    const double above = *std::min_element(at + 1, values.end());
    return below + (rank - static_cast<double>(low)) * (above - below);
}

namespace {

bool isOf(StepKind kind, std::int32_t step) {
    if (kind == StepKind::All) return true;
    return kind == StepKind::Prefill ? step == 0 : step > 0;
}

bool atLeastHalfIn(std::int64_t start, std::int64_t end, const ItemFilter& f) {
    if (f.tStartNs < 0 || f.tEndNs <= f.tStartNs) return true;
    const std::int64_t inside = std::min(end, f.tEndNs) - std::max(start, f.tStartNs);
    if (end == start) return start >= f.tStartNs && start < f.tEndNs;
    return inside > 0 && 2 * inside >= end - start;
}

/// The walk over one run.
class Walk {
  public:
    Walk(const RunData& run, GroupBy by, const ItemFilter& filter, GroupingProgress* progress)
        : m_run(run), m_by(by), m_filter(filter), m_progress(progress) {
        m_total = groupedItems(run);
        for (const auto& lane : run.lanes)
            for (const RequestData* timed : timedRequests(run, lane.index))
                m_timed.insert(timed->record.id);
        m_opSums.resize(static_cast<std::size_t>(maxLane()) + 2);
        m_deviceOpSums.resize(m_opSums.size());
        for (const DeviceFacts& device : run.devices)
            m_copyGBps = std::max(m_copyGBps, device.copyGBps);
    }

    std::optional<GroupTable> run() {
        if (!spans() || !device() || !events()) return std::nullopt;
        GroupTable table;
        table.by = m_by;
        table.items = m_items;
        finishOps(table);
        finishGroups(table);
        return table;
    }

  private:
    using OpSums = std::array<GroupSum, trace::kOpCount>;

    [[nodiscard]] std::int32_t maxLane() const {
        std::int32_t most = -1;
        for (const auto& lane : m_run.lanes) most = std::max(most, lane.index);
        return most;
    }

    /// False: cancelled.
    bool step() {
        if ((++m_done & 0xFFFFU) != 0 || m_progress == nullptr) return true;
        m_progress->fraction.store(static_cast<double>(m_done) /
                                   static_cast<double>(std::max<std::size_t>(m_total, 1)));
        return !m_progress->cancel.load();
    }

    bool wantedRequest(std::int32_t request) {
        if (m_filter.request >= 0) return request == m_filter.request;
        if (request < 0) return true;
        if (request != m_lastRequest) {
            m_lastRequest = request;
            m_lastWanted = m_timed.contains(request);
        }
        return m_lastWanted;
    }

    bool passes(const trace::Span& s) {
        if (m_filter.lane >= 0 && s.lane != m_filter.lane) return false;
        if (!isOf(m_filter.steps, s.step)) return false;
        if (m_filter.stepFirst >= 0 && (s.step < m_filter.stepFirst || s.step >= m_filter.stepEnd))
            return false;
        if (m_filter.op >= 0 && static_cast<std::int32_t>(s.op) != m_filter.op) return false;
        if (m_filter.layer >= 0 && s.layer != m_filter.layer) return false;
        return atLeastHalfIn(s.tStartNs, s.tEndNs, m_filter) && wantedRequest(s.request);
    }

    [[nodiscard]] GroupKey keyOf(const trace::Span& s) const {
        switch (m_by) {
            case GroupBy::Layer:
                return {s.layer, s.lane, -1, TimedBy::Host};
            case GroupBy::Step:
                return {s.step, s.lane, s.request, TimedBy::Host};
            case GroupBy::Op:
            case GroupBy::Kernel:
                break;
        }
        return {static_cast<std::int64_t>(s.op), s.lane, -1, TimedBy::Host};
    }

    bool spans() {
        for (const trace::Span& s : m_run.spans) {
            if (!step()) return false;
            if (s.tEndNs < s.tStartNs || !passes(s)) continue;
            ++m_items;
            const bool phase = isPhase(s.op);
            const Sample sample{s.tEndNs - s.tStartNs, s.bytes, s.flops, -1.0F, phase};
            const auto lane = static_cast<std::size_t>(s.lane) + 1;
            if (lane < m_opSums.size())
                m_opSums[lane][static_cast<std::size_t>(s.op)].add(sample, false);
            if (phase && m_by != GroupBy::Op) continue;  // they enclose what is summed
            m_sums.of(keyOf(s)).add(sample, true);
            if (m_by == GroupBy::Layer || m_by == GroupBy::Step) addParts(keyOf(s), s);
        }
        return true;
    }

    /// By layer and by step: what each op needs at least, since ops have roofs and layers have not.
    void addParts(const GroupKey& key, const trace::Span& s) {
        GroupSum& sum = m_sums.of(key);
        const LaneRoof& lane = roofOf(s.lane);
        if (!lane.roof.known()) return;
        const double memoryMs = static_cast<double>(s.bytes) / (lane.roof.readGBps * 1e6);
        const double arithmeticMs =
            static_cast<double>(s.flops) / (peakGflops(lane.roof, lane.peakOf(s.op)) * 1e6);
        sum.roofMs += std::max(memoryMs, arithmeticMs);
        if (memoryMs >= arithmeticMs) sum.memoryMs += memoryMs;
    }

    const LaneRoof& roofOf(std::int32_t lane) {
        const auto known = m_roofs.find(lane);
        if (known != m_roofs.end()) return known->second;
        return m_roofs.emplace(lane, laneRoof(m_run, lane)).first->second;
    }

    bool passes(const DeviceActivity& a) {
        if (a.tEndNs < a.tStartNs || a.kind == DeviceActivityKind::Overhead) return false;
        if (m_filter.lane >= 0 && a.lane != m_filter.lane) return false;
        if (!isOf(m_filter.steps, a.step)) return false;
        if (m_filter.stepFirst >= 0 && (a.step < m_filter.stepFirst || a.step >= m_filter.stepEnd))
            return false;
        if (m_filter.op >= 0 && a.op != m_filter.op) return false;
        if (m_filter.layer >= 0 && a.layer != m_filter.layer) return false;
        const bool launched = m_filter.launchedIn && a.tSpanNs != kUnknownNs &&
                              a.tSpanNs >= m_filter.tStartNs && a.tSpanNs < m_filter.tEndNs;
        return (launched || atLeastHalfIn(a.tStartNs, a.tEndNs, m_filter)) &&
               wantedRequest(a.request);
    }

    [[nodiscard]] GroupKey keyOf(const DeviceActivity& a) const {
        switch (m_by) {
            case GroupBy::Op:
                return {a.op, a.lane, -1, TimedBy::Device};
            case GroupBy::Layer:
                return {a.layer, a.lane, -1, TimedBy::Device};
            case GroupBy::Step:
                return {a.step, a.lane, a.request, TimedBy::Device};
            case GroupBy::Kernel:
                break;
        }
        return {a.name >= 0 ? a.name : -1 - static_cast<std::int64_t>(a.kind), a.lane, -1,
                TimedBy::Device};
    }

    bool device() {
        for (const DeviceActivity& a : m_run.deviceActivities) {
            if (!step()) return false;
            if (!passes(a)) continue;
            ++m_items;
            const Sample sample{a.tEndNs - a.tStartNs, a.bytes, 0,
                                a.occupancy > 0.0F ? a.occupancy : -1.0F, false};
            m_sums.of(keyOf(a)).add(sample, true);
            m_laneMs[{a.lane, TimedBy::Device}] += static_cast<double>(sample.ns) / 1e6;
            const auto lane = static_cast<std::size_t>(a.lane) + 1;
            if (lane < m_deviceOpSums.size() && a.op >= 0 && a.op < trace::kOpCount)
                m_deviceOpSums[lane][static_cast<std::size_t>(a.op)].add(sample, false);
        }
        return true;
    }

    /// What a device did for an op is what the op counts: kernels do not count bytes.
    static OpWork deviceWork(const GroupSum& device, const GroupSum* host) {
        OpWork work{device.bytes, 0, device.ns / 1e6};
        if (host != nullptr && host->bytes + host->flops > 0) {
            work.bytes = host->bytes;
            work.flops = host->flops;
        }
        return work;
    }

    /// Held against the bandwidth alone: the arithmetic of a device was not measured.
    [[nodiscard]] RooflinePoint devicePoint(const OpWork& work) const {
        RooflinePoint point = rooflinePoint(work, {}, Peak::Fp32);
        if (!(m_copyGBps > 0.0) || work.bytes == 0 || !(work.ms > 0.0)) return point;
        point.limit = Limit::Memory;
        point.attainableGflopPerS = point.intensity * m_copyGBps;
        point.ofRoof = point.gbPerS / m_copyGBps;
        point.fromCache = point.ofRoof > 1.0;
        return point;
    }

    bool events() {
        if (m_run.imported == nullptr) return true;
        const ImportedTrace& trace = *m_run.imported;
        for (const TraceEvent& e : trace.events) {
            if (!step()) return false;
            if (!atLeastHalfIn(e.tStartNs, e.tEndNs, m_filter)) continue;
            if (m_filter.layer >= 0 && e.layer != m_filter.layer) continue;
            ++m_items;
            std::int64_t key = e.name;
            if (m_by == GroupBy::Op) key = e.category;
            if (m_by == GroupBy::Layer) key = e.layer;
            if (m_by == GroupBy::Step) key = e.step;
            if (key < 0) continue;  // not of any layer or step
            const auto process = static_cast<std::int32_t>(trace.tracks[e.track].process);
            const GroupKey group{key, process, m_by == GroupBy::Step ? e.request : -1,
                                 e.device ? TimedBy::Device : TimedBy::Host};
            m_sums.of(group).add({e.tEndNs - e.tStartNs, e.bytes, e.flops, e.occupancy, false},
                                 true);
        }
        return true;
    }

    static GroupStats statsOf(const GroupKey& key, GroupSum& sum) {
        GroupStats out;
        out.timedBy = key.timedBy;
        out.lane = key.lane;
        out.request = key.request;
        out.key = key.key;
        out.count = sum.count;
        out.totalMs = sum.ns / 1e6;
        out.meanUs = sum.count > 0 ? sum.ns / 1e3 / static_cast<double>(sum.count) : 0.0;
        out.p95Us = quantile(sum.us, 0.95);
        out.phase = sum.phase;
        if (sum.occupancyNs > 0.0) out.occupancy = sum.occupiedNs / sum.occupancyNs;
        return out;
    }

    void finishOps(GroupTable& table) {
        for (std::size_t l = 0; l < m_opSums.size(); ++l) {
            const auto lane = static_cast<std::int32_t>(l) - 1;
            bool any = false;
            double total = 0.0;
            for (int op = 0; op < trace::kOpCount; ++op) {
                const GroupSum& sum = m_opSums[l][static_cast<std::size_t>(op)];
                any = any || sum.count > 0;
                if (!sum.phase) total += sum.ns / 1e6;
            }
            if (!any) continue;
            if (!roofOf(lane).roof.known()) table.lanesWithoutRoof.push_back(lane);
            m_laneMs[{lane, TimedBy::Host}] = total;
            for (int op = 0; op < trace::kOpCount; ++op) {
                GroupSum& sum = m_opSums[l][static_cast<std::size_t>(op)];
                if (sum.count == 0) continue;
                GroupStats stats = statsOf({op, lane, -1, TimedBy::Host}, sum);
                finishPoint(stats, sum, GroupBy::Op);
                table.ops.push_back(stats);
            }
            finishDeviceOps(lane, table);
        }
    }

    void finishDeviceOps(std::int32_t lane, GroupTable& table) {
        const auto l = static_cast<std::size_t>(lane) + 1;
        for (int op = 0; op < trace::kOpCount; ++op) {
            GroupSum& sum = m_deviceOpSums[l][static_cast<std::size_t>(op)];
            if (sum.count == 0) continue;
            GroupStats stats = statsOf({op, lane, -1, TimedBy::Device}, sum);
            stats.share = stats.totalMs / m_laneMs[{lane, TimedBy::Device}];
            stats.point = devicePoint(deviceWork(sum, &m_opSums[l][static_cast<std::size_t>(op)]));
            table.ops.push_back(stats);
        }
    }

    void finishGroups(GroupTable& table) {
        for (auto& [key, sum] : m_sums.sorted()) {
            GroupStats stats = statsOf(key, *sum);
            if (key.timedBy == TimedBy::Device && m_run.imported == nullptr) {
                const double total = m_laneMs[{key.lane, TimedBy::Device}];
                if (total > 0.0) stats.share = stats.totalMs / total;
                stats.point = devicePoint(deviceWork(*sum, hostOf(key)));
            } else {
                finishPoint(stats, *sum, m_by);
            }
            table.groups.push_back(stats);
        }
    }

    /// The engine's sums for the same op, layer or step; null for a kernel's name, which no span
    /// has.
    const GroupSum* hostOf(GroupKey key) {
        if (m_by == GroupBy::Kernel) return nullptr;
        key.timedBy = TimedBy::Host;
        return m_sums.find(key);
    }

    void finishPoint(GroupStats& stats, const GroupSum& sum, GroupBy by) {
        const OpWork work{sum.bytes, sum.flops, stats.totalMs};
        if (m_run.imported != nullptr) {
            stats.point = rooflinePoint(work, {}, Peak::Fp32);
            return;
        }
        const LaneRoof& lane = roofOf(stats.lane);
        const bool op = by == GroupBy::Op || by == GroupBy::Kernel;
        if (!stats.phase) {
            const double total = m_laneMs[{stats.lane, stats.timedBy}];
            if (total > 0.0) stats.share = stats.totalMs / total;
        }
        stats.point =
            rooflinePoint(work, op && !stats.phase ? lane.roof : Roof{},
                          op ? lane.peakOf(static_cast<trace::Op>(stats.key)) : Peak::Fp32);
        if (op || sum.roofMs <= 0.0 || stats.totalMs <= 0.0) return;
        stats.point.ofRoof = sum.roofMs / stats.totalMs;
        stats.point.limit = 2.0 * sum.memoryMs >= sum.roofMs ? Limit::Memory : Limit::Arithmetic;
        stats.point.fromCache = stats.point.limit == Limit::Memory && stats.point.ofRoof > 1.0;
    }

    const RunData& m_run;
    GroupBy m_by;
    const ItemFilter& m_filter;
    GroupingProgress* m_progress;
    std::set<std::int32_t> m_timed;
    std::int32_t m_lastRequest = -1;
    bool m_lastWanted = true;
    GroupSums m_sums;
    std::vector<OpSums> m_opSums, m_deviceOpSums;  ///< by lane + 1
    double m_copyGBps = 0.0;                       ///< of the fastest device; 0: not measured
    std::map<std::int32_t, LaneRoof> m_roofs;
    std::map<std::pair<std::int32_t, TimedBy>, double> m_laneMs;
    std::uint64_t m_items = 0;
    std::size_t m_done = 0, m_total = 0;
};

}  // namespace

std::size_t groupedItems(const RunData& run) {
    return run.spans.size() + run.deviceActivities.size() +
           (run.imported != nullptr ? run.imported->events.size() : 0);
}

std::optional<GroupTable> groupStats(const RunData& run, GroupBy by, const ItemFilter& filter,
                                     GroupingProgress* progress) {
    return Walk(run, by, filter, progress).run();
}

}  // namespace lanescope::profiler

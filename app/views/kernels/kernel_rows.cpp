#include "app/views/kernels/kernel_rows.h"

#include <QCoreApplication>
#include <algorithm>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/item_style.h"
#include "app/timeline/op_style.h"

namespace lanescope::app {

namespace {

using profiler::GroupBy;
using profiler::GroupStats;
using profiler::TimedBy;

struct RowWords {
    Q_DECLARE_TR_FUNCTIONS(OpRows)
};

enum class Column : std::uint8_t {
    Lane,
    Name,
    TimedBy,
    Count,
    Total,
    Share,
    Mean,
    P95,
    GBps,
    Gflops,
    Intensity,
    OfRoof,
    Limit,
    Occupancy
};

Cell noNumber(const QString& toolTip = {}) {
    return numberCell(QStringLiteral("–"), -1.0, toolTip);
}

Cell positiveCell(double value, const QString& text) {
    return value > 0 ? numberCell(text, value) : noNumber();
}

Cell shareCell(double share) {
    return share >= 0.0 ? numberCell(fixedNumber(share * 100, 1) + QStringLiteral(" %"), share)
                        : noNumber();
}

const trace::LaneRecord* laneOf(const profiler::RunData& run, int index) {
    for (const auto& lane : run.lanes)
        if (lane.index == index) return &lane;
    return nullptr;
}

/// Turns groups of one run into cells.
class Writer {
  public:
    Writer(const profiler::RunData& run, const profiler::GroupTable& table)
        : m_run(run), m_table(table) {
        const bool trace = run.imported != nullptr;
        bool device = false, occupancy = false;
        for (const GroupStats& group : table.groups) {
            device = device || group.timedBy == TimedBy::Device;
            occupancy = occupancy || group.occupancy >= 0.0;
        }
        m_columns = {Column::Lane, Column::Name};
        if (device) m_columns.push_back(Column::TimedBy);
        m_columns.insert(m_columns.end(), {Column::Count, Column::Total});
        if (!trace) m_columns.push_back(Column::Share);
        m_columns.insert(m_columns.end(),
                         {Column::Mean, Column::P95, Column::GBps, Column::Gflops});
        if (occupancy) m_columns.push_back(Column::Occupancy);
        if (!trace)
            m_columns.insert(m_columns.end(), {Column::Intensity, Column::OfRoof, Column::Limit});
    }

    [[nodiscard]] QStringList headers() const {
        QStringList out;
        for (const Column c : m_columns) out << header(c);
        return out;
    }
    [[nodiscard]] QStringList tips() const {
        QStringList out;
        for (const Column c : m_columns) out << tip(c);
        return out;
    }
    [[nodiscard]] std::vector<Cell> row(const GroupStats& group) const {
        std::vector<Cell> cells;
        cells.reserve(m_columns.size());
        for (const Column c : m_columns) cells.push_back(cell(c, group));
        return cells;
    }

  private:
    [[nodiscard]] QString nameHeader() const {
        const bool trace = m_run.imported != nullptr;
        switch (m_table.by) {
            case GroupBy::Op:
                return trace ? RowWords::tr("Category") : RowWords::tr("Op");
            case GroupBy::Layer:
                return RowWords::tr("Layer");
            case GroupBy::Kernel:
                return trace ? RowWords::tr("Name") : RowWords::tr("Kernel");
            case GroupBy::Step:
                break;
        }
        return RowWords::tr("Token");
    }

    [[nodiscard]] QString header(Column c) const {
        switch (c) {
            case Column::Lane:
                return m_run.imported != nullptr ? RowWords::tr("Process") : RowWords::tr("Lane");
            case Column::Name:
                return nameHeader();
            case Column::TimedBy:
                return RowWords::tr("Timed by");
            case Column::Count:
                return RowWords::tr("Count");
            case Column::Total:
                return RowWords::tr("Total");
            case Column::Share:
                return RowWords::tr("Share");
            case Column::Mean:
                return RowWords::tr("Mean");
            case Column::P95:
                return RowWords::tr("p95");
            case Column::GBps:
                return RowWords::tr("GB/s");
            case Column::Gflops:
                return RowWords::tr("GFLOP/s");
            case Column::Intensity:
                return RowWords::tr("Intensity");
            case Column::OfRoof:
                return RowWords::tr("% of roof");
            case Column::Limit:
                return RowWords::tr("Limit");
            case Column::Occupancy:
                break;
        }
        return RowWords::tr("Occupancy");
    }

    [[nodiscard]] QString tip(Column c) const {
        switch (c) {
            case Column::Lane:
                return m_run.imported != nullptr ? RowWords::tr("Process of the trace")
                                                 : RowWords::tr("Lane of the run");
            case Column::Name:
                return m_table.by == GroupBy::Op ? RowWords::tr("What the engine was doing")
                                                 : RowWords::tr("What the time is summed by");
            case Column::TimedBy:
                return RowWords::tr(
                    "CPU: the engine's own clock readings. GPU: the device's. The two "
                    "are never added up.");
            case Column::Count:
                return m_run.imported != nullptr ? RowWords::tr("Events of the trace")
                                                 : RowWords::tr("Spans of the timed requests");
            case Column::Total:
                return RowWords::tr("Sum of their durations");
            case Column::Share:
                return RowWords::tr("Part of the sum over all ops of the lane; phases are not ops");
            case Column::Mean:
                return RowWords::tr("Mean duration");
            case Column::P95:
                return RowWords::tr("95th percentile of the durations");
            case Column::GBps:
                return RowWords::tr("Bytes the op must move, divided by its time");
            case Column::Gflops:
                return RowWords::tr("Floating-point operations divided by time");
            case Column::Intensity:
                return RowWords::tr(
                    "Arithmetic intensity in FLOP/byte: floating-point operations for each byte "
                    "that must be moved");
            case Column::OfRoof:
                return RowWords::tr(
                    "Time the machine's roof would need, max(bytes / read bandwidth, operations "
                    "/ peak), divided by the time measured");
            case Column::Limit:
                return RowWords::tr(
                    "The roof the op meets first: reading from memory, or arithmetic");
            case Column::Occupancy:
                break;
        }
        return RowWords::tr(
            "Warps that can be resident on a multiprocessor, as a part of the most it can hold; "
            "mean by time");
    }

    [[nodiscard]] Cell laneCell(const GroupStats& group) const {
        if (m_run.imported != nullptr) {
            const auto& process = m_run.imported->processes[static_cast<std::size_t>(group.lane)];
            return textCell(
                QString::fromStdString(process.name.empty() ? process.id : process.name));
        }
        const auto* lane = laneOf(m_run, group.lane);
        if (lane == nullptr) return textCell(QStringLiteral("–"));
        Cell cell = textCell(QString::fromStdString(lane->name));
        cell.decoration = laneColor(lane->index);
        return cell;
    }

    [[nodiscard]] Cell nameCell(const GroupStats& group) const {
        Cell cell = textCell(groupName(m_run, m_table.by, group));
        const bool named = m_table.by == GroupBy::Op || m_table.by == GroupBy::Kernel;
        if (m_run.imported != nullptr) {
            if (named)
                cell.decoration =
                    nameColor(m_run.imported->names[static_cast<std::size_t>(group.key)]);
        } else if (named && isOp(group)) {
            cell.decoration = opColor(static_cast<trace::Op>(group.key));
            cell.sortBy = static_cast<int>(group.key);
        } else if (named) {
            cell.decoration = nameColor(cell.text.toStdString());
        }
        if (!named)
            cell.sortBy = static_cast<double>(group.request) * 1e7 + static_cast<double>(group.key);
        if (cell.text.size() > 60) {
            cell.toolTip = cell.text.left(1000);
            cell.text = cell.text.left(59) + QChar(0x2026);
        }
        return cell;
    }

    [[nodiscard]] bool isOp(const GroupStats& group) const {
        return group.key >= 0 && group.key < trace::kOpCount &&
               (m_table.by == GroupBy::Op || group.timedBy == TimedBy::Host);
    }

    [[nodiscard]] QString roofTip(const GroupStats& group) const {
        const profiler::RooflinePoint& p = group.point;
        if (p.limit == profiler::Limit::Unknown) {
            if (group.phase) return RowWords::tr("Phases enclose ops and have no roof");
            const auto& without = m_table.lanesWithoutRoof;
            if (std::find(without.begin(), without.end(), group.lane) != without.end())
                return roofMissingText();
            return RowWords::tr("This op counts no bytes and no arithmetic");
        }
        QStringList lines;
        if (group.timedBy == TimedBy::Device) {
            lines << RowWords::tr(
                "Bytes that the ops count, against the measured bandwidth of the "
                "device; its arithmetic was not measured");
        } else if (p.attainableGflopPerS > 0.0) {
            lines << RowWords::tr("At most %1 GFLOP/s at this intensity")
                         .arg(shortNumber(p.attainableGflopPerS))
                  << (p.peak == profiler::Peak::Int8
                          ? RowWords::tr("Arithmetic roof: int8 (int8 activations meet "
                                         "block-quantised weights)")
                      : p.peak == profiler::Peak::Bf16
                          ? RowWords::tr("Arithmetic roof: bf16 (all operands are bf16 numbers)")
                          : RowWords::tr("Arithmetic roof: fp32"));
        } else {
            lines << RowWords::tr("Sum of what the roof of each op would need");
        }
        if (p.fromCache)
            lines << RowWords::tr(
                "Cache: above 100 %, since the data came from the caches, which are "
                "faster than memory");
        return lines.join(QLatin1Char('\n'));
    }

    [[nodiscard]] Cell cell(Column c, const GroupStats& group) const {
        const profiler::RooflinePoint& p = group.point;
        switch (c) {
            case Column::Lane:
                return laneCell(group);
            case Column::Name:
                return nameCell(group);
            case Column::TimedBy:
                return textCell(group.timedBy == TimedBy::Device ? RowWords::tr("GPU")
                                                                 : RowWords::tr("CPU"));
            case Column::Count:
                return numberCell(QString::number(group.count), static_cast<double>(group.count));
            case Column::Total:
                return numberCell(durationText(group.totalMs), group.totalMs);
            case Column::Share:
                return shareCell(group.share);
            case Column::Mean:
                return numberCell(durationText(group.meanUs / 1e3), group.meanUs);
            case Column::P95:
                return numberCell(durationText(group.p95Us / 1e3), group.p95Us);
            case Column::GBps:
                return positiveCell(p.gbPerS, fixedNumber(p.gbPerS, 1));
            case Column::Gflops:
                return positiveCell(p.gflopPerS, fixedNumber(p.gflopPerS, 1));
            case Column::Intensity:
                return positiveCell(p.intensity, shortNumber(p.intensity));
            case Column::OfRoof:
                if (p.limit == profiler::Limit::Unknown) return noNumber(roofTip(group));
                return numberCell(ofRoofText(p), p.ofRoof, roofTip(group));
            case Column::Limit: {
                Cell limit = textCell(p.limit == profiler::Limit::Unknown ? QStringLiteral("–")
                                                                          : limitText(p.limit));
                limit.toolTip = roofTip(group);
                return limit;
            }
            case Column::Occupancy:
                break;
        }
        return group.occupancy >= 0.0
                   ? numberCell(fixedNumber(100.0 * group.occupancy, 0) + QStringLiteral(" %"),
                                group.occupancy)
                   : noNumber();
    }

    const profiler::RunData& m_run;
    const profiler::GroupTable& m_table;
    std::vector<Column> m_columns;
};

QString stepName(const profiler::RunData& run, const GroupStats& group) {
    if (group.key < 0) return RowWords::tr("outside requests");
    QString name = QString::number(group.key);
    std::size_t inLane = 0;
    for (const auto& request : run.requests) {
        inLane += request.record.lane == group.lane ? 1 : 0;
        if (request.record.id != group.request) continue;
        const auto token = static_cast<std::size_t>(group.key);
        if (token < request.tokens.size()) {
            QString piece = QString::fromStdString(request.tokens[token].piece).simplified();
            if (!piece.isEmpty()) name += QStringLiteral(" · ") + piece.left(24);
        }
    }
    if (inLane > 1) name += QStringLiteral(" · ") + RowWords::tr("request %1").arg(group.request);
    return name;
}

/// The longest, in their order.
std::vector<const GroupStats*> shownGroups(const profiler::GroupTable& table) {
    std::vector<const GroupStats*> shown;
    for (const GroupStats& group : table.groups) shown.push_back(&group);
    if (shown.size() <= kMaxRowsShown) return shown;
    std::nth_element(shown.begin(), shown.begin() + kMaxRowsShown, shown.end(),
                     [](const auto* a, const auto* b) { return a->totalMs > b->totalMs; });
    shown.resize(kMaxRowsShown);
    std::sort(shown.begin(), shown.end());  // as in the table
    return shown;
}

void addMarks(const profiler::RunData& run, const profiler::GroupTable& table, KernelRows& out) {
    for (const GroupStats& op : table.ops) {
        const auto* lane = laneOf(run, op.lane);
        if (lane == nullptr) continue;
        out.fromCache = out.fromCache || op.point.fromCache;
        out.roofTooLow = out.roofTooLow || op.point.roofTooLow;
        if (op.phase || op.point.intensity <= 0.0 || op.point.gflopPerS <= 0.0) continue;
        out.marks.push_back({op.lane, QString::fromStdString(lane->name),
                             static_cast<trace::Op>(op.key), op.totalMs, op.share, op.point,
                             op.timedBy == TimedBy::Device});
    }
    for (const auto& device : run.devices)
        if (device.copyGBps > 0.0)
            out.deviceRoofs.push_back({0, device.name, device.copyGBps, 0.0, 0.0, 0.0});
    for (const auto& lane : run.lanes) {
        const bool any = std::any_of(table.ops.begin(), table.ops.end(),
                                     [&](const GroupStats& g) { return g.lane == lane.index; });
        if (!any) continue;
        const profiler::Roof roof = profiler::laneRoof(run, lane.index).roof;
        out.roofMissing = out.roofMissing || !roof.known();
        if (roof.known() && std::find(out.roofs.begin(), out.roofs.end(), roof) == out.roofs.end())
            out.roofs.push_back(roof);
    }
}

}  // namespace

QString groupName(const profiler::RunData& run, GroupBy by, const GroupStats& group) {
    const bool named = by == GroupBy::Op || by == GroupBy::Kernel;
    if (run.imported != nullptr && named) {
        const QString name =
            QString::fromStdString(run.imported->names[static_cast<std::size_t>(group.key)]);
        return name.isEmpty() ? QStringLiteral("–") : name;
    }
    if (named && (by == GroupBy::Op || group.timedBy == TimedBy::Host))
        return group.key >= 0 && group.key < trace::kOpCount
                   ? opLabel(static_cast<trace::Op>(group.key))
                   : RowWords::tr("no op");
    if (named) {
        const auto at = static_cast<std::size_t>(group.key);
        if (group.key >= 0 && at < run.deviceNames.size())
            return QString::fromStdString(run.deviceNames[at]);
        return QString::fromLatin1(profiler::deviceActivityKindName(
            static_cast<profiler::DeviceActivityKind>(-1 - group.key)));
    }
    if (by == GroupBy::Layer)
        return group.key < 0 ? RowWords::tr("outside the layers")
                             : RowWords::tr("layer %1").arg(group.key);
    return stepName(run, group);
}

QVariant rowId(GroupBy by, const GroupStats& group) {
    if (by == GroupBy::Op && group.timedBy == TimedBy::Host)
        return opRowId(group.lane, static_cast<trace::Op>(group.key));
    return QStringLiteral("%1/%2/%3/%4/%5")
        .arg(static_cast<int>(by))
        .arg(static_cast<int>(group.timedBy))
        .arg(group.lane)
        .arg(group.request)
        .arg(group.key);
}

KernelRows kernelRows(const profiler::RunData& run, const profiler::GroupTable& table) {
    KernelRows out;
    const Writer writer(run, table);
    out.headers = writer.headers();
    out.headerTips = writer.tips();
    out.items = table.items;
    for (const GroupStats* group : shownGroups(table)) {
        out.cells.push_back(writer.row(*group));
        out.ids.push_back(rowId(table.by, *group));
        out.groups.push_back(*group);
    }
    out.hidden = table.groups.size() - out.groups.size();
    addMarks(run, table, out);
    return out;
}

}  // namespace lanescope::app

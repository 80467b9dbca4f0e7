#include "app/views/kernels/op_rows.h"

#include <QCoreApplication>
#include <algorithm>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"

namespace lanescope::app {

namespace {

constexpr int kOpsALane = 1000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(OpRows)
};

Cell noNumber(const QString& toolTip = {}) {
    return numberCell(QStringLiteral("–"), -1.0, toolTip);
}

Cell positiveCell(double value, const QString& text) {
    return value > 0 ? numberCell(text, value) : noNumber();
}

QString roofTip(const profiler::RooflinePoint& p) {
    const QString peak = p.peak == profiler::Peak::Int8
                             ? Words::tr(
                                   "Arithmetic roof: int8 (int8 activations meet "
                                   "block-quantised weights)")
                         : p.peak == profiler::Peak::Bf16
                             ? Words::tr("Arithmetic roof: bf16 (all operands are bf16 numbers)")
                             : Words::tr("Arithmetic roof: fp32");
    QString tip =
        Words::tr("At most %1 GFLOP/s at this intensity").arg(shortNumber(p.attainableGflopPerS)) +
        QLatin1Char('\n') + peak;
    if (p.fromCache)
        tip += QLatin1Char('\n') +
               Words::tr(
                   "Cache: above 100 %, since the data came from the caches, which are "
                   "faster than memory");
    return tip;
}

/// Intensity, share of the roof, limit.
void addRoofCells(std::vector<Cell>& row, const profiler::RooflinePoint& p, bool phase,
                  bool roofKnown) {
    row.push_back(positiveCell(p.intensity, shortNumber(p.intensity)));
    if (p.limit == profiler::Limit::Unknown) {
        const QString tip = phase        ? Words::tr("Phases enclose ops and have no roof")
                            : !roofKnown ? roofMissingText()
                                         : Words::tr("This op counts no bytes and no arithmetic");
        row.push_back(noNumber(tip));
        Cell limit = textCell(QStringLiteral("–"));
        limit.toolTip = tip;
        row.push_back(limit);
        return;
    }
    const QString tip = roofTip(p);
    row.push_back(numberCell(ofRoofText(p), p.ofRoof, tip));
    Cell limit = textCell(limitText(p.limit));
    limit.toolTip = tip;
    row.push_back(limit);
}

std::vector<Cell> rowOf(const trace::LaneRecord& lane, const profiler::OpStats& op,
                        const profiler::RooflinePoint& point, bool roofKnown) {
    Cell laneCell = textCell(QString::fromStdString(lane.name));
    laneCell.decoration = laneColor(lane.index);
    Cell opCell = textCell(opLabel(op.op));
    opCell.sortBy = static_cast<int>(op.op);
    opCell.decoration = opColor(op.op);
    const bool phase = profiler::isPhase(op.op);
    std::vector<Cell> row{
        laneCell,
        opCell,
        numberCell(QString::number(op.count), static_cast<double>(op.count)),
        numberCell(durationText(op.totalMs), op.totalMs),
        phase ? noNumber()
              : numberCell(fixedNumber(op.share * 100, 1) + QStringLiteral(" %"), op.share),
        numberCell(durationText(op.meanUs / 1e3), op.meanUs),
        numberCell(durationText(op.p95Us / 1e3), op.p95Us),
        positiveCell(op.gbPerS, fixedNumber(op.gbPerS, 1)),
        positiveCell(op.gflopPerS, fixedNumber(op.gflopPerS, 1))};
    addRoofCells(row, point, phase, roofKnown);
    return row;
}

}  // namespace

int opRowId(int lane, trace::Op op) {
    return lane * kOpsALane + static_cast<int>(op);
}
int laneOfRow(int id) {
    return id / kOpsALane;
}
int opOfRow(int id) {
    return id % kOpsALane;
}

QString limitText(profiler::Limit limit) {
    switch (limit) {
        case profiler::Limit::Memory:
            return Words::tr("Memory");
        case profiler::Limit::Arithmetic:
            return Words::tr("Arithmetic");
        case profiler::Limit::Unknown:
            break;
    }
    return {};
}

QString ofRoofText(const profiler::RooflinePoint& point) {
    if (point.limit == profiler::Limit::Unknown) return QStringLiteral("–");
    const double percent = 100.0 * point.ofRoof;
    return fixedNumber(percent, percent < 9.95 ? 1 : 0) + QStringLiteral(" %");
}

QString roofMissingText() {
    return Words::tr("The roof of the machine was not measured with this run.");
}

QStringList opColumns() {
    return {Words::tr("Lane"),      Words::tr("Op"),        Words::tr("Count"),
            Words::tr("Total"),     Words::tr("Share"),     Words::tr("Mean"),
            Words::tr("p95"),       Words::tr("GB/s"),      Words::tr("GFLOP/s"),
            Words::tr("Intensity"), Words::tr("% of roof"), Words::tr("Limit")};
}

QStringList opColumnTips() {
    return {Words::tr("Lane of the run"),
            Words::tr("What the engine was doing"),
            Words::tr("Spans of the timed requests"),
            Words::tr("Sum of their durations"),
            Words::tr("Part of the sum over all ops of the lane; phases are not ops"),
            Words::tr("Mean duration"),
            Words::tr("95th percentile of the durations"),
            Words::tr("Bytes the op must move, divided by its time"),
            Words::tr("Floating-point operations divided by time"),
            Words::tr("Arithmetic intensity in FLOP/byte: floating-point operations for each byte "
                      "that must be "
                      "moved"),
            Words::tr("Time the machine's roof would need, max(bytes / read bandwidth, operations "
                      "/ peak), divided by the time measured"),
            Words::tr("The roof the op meets first: reading from memory, or arithmetic")};
}

OpRows opRows(const profiler::RunData& run, profiler::StepKind steps) {
    OpRows out;
    for (const auto& lane : run.lanes) {
        const auto all = profiler::opStats(run, lane.index, -1, -1, steps);
        if (all.empty()) continue;
        const profiler::LaneRoof roof = profiler::laneRoof(run, lane.index);
        const bool known = roof.roof.known();
        out.roofMissing = out.roofMissing || !known;
        if (known && std::find(out.roofs.begin(), out.roofs.end(), roof.roof) == out.roofs.end())
            out.roofs.push_back(roof.roof);
        for (const auto& op : all) {
            const auto point = profiler::rooflinePoint(op, roof);
            out.cells.push_back(rowOf(lane, op, point, known));
            out.ids.emplace_back(opRowId(lane.index, op.op));
            out.fromCache = out.fromCache || point.fromCache;
            out.roofTooLow = out.roofTooLow || point.roofTooLow;
            if (point.intensity > 0.0 && point.gflopPerS > 0.0)
                out.marks.push_back({lane.index, QString::fromStdString(lane.name), op.op,
                                     op.totalMs, op.share, point});
        }
    }
    return out;
}

}  // namespace lanescope::app

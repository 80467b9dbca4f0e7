#include "app/models/stats_cells.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/models/number_text.h"

namespace lanescope::app {

namespace {

using profiler::Delta;
using profiler::Distribution;

struct Stats {
    Q_DECLARE_TR_FUNCTIONS(StatCells)
};

/// How a metric is written: ms scale themselves, the others carry a fixed unit.
enum class Unit : std::uint8_t { Ms, PerSecond, Bytes };

QString valueText(Unit unit, double value) {
    switch (unit) {
        case Unit::Ms:
            return durationText(value);
        case Unit::PerSecond:
            return shortNumber(value);
        case Unit::Bytes:
            return bytesText(static_cast<std::uint64_t>(std::max(0.0, value)));
    }
    return {};
}

QString signedValue(Unit unit, double value) {
    const QString sign = value > 0   ? QStringLiteral("+")
                         : value < 0 ? QStringLiteral("−")
                                     : QString();
    return sign + valueText(unit, std::abs(value));
}

QString spreadText(Unit unit, const Distribution& d) {
    if (d.n == 0) return QStringLiteral("–");
    if (d.n < 2) return valueText(unit, d.mean);
    if (unit == Unit::Ms && d.mean >= 1.0 && d.mean < 999.5)
        return QStringLiteral("%1 ± %2 ms").arg(shortNumber(d.mean), shortNumber(d.sd));
    return QStringLiteral("%1 ± %2").arg(valueText(unit, d.mean), valueText(unit, d.sd));
}

const Delta* find(const std::vector<Delta>& deltas, const char* metric) {
    for (const auto& delta : deltas)
        if (delta.metric == metric) return &delta;
    return nullptr;
}

QString deltaText(const Delta& delta, Unit unit) {
    if (delta.beforeN == 0 || delta.afterN == 0) return {};
    if (delta.absolute == 0.0) return Stats::tr("= baseline");
    const QString arrow = delta.absolute > 0 ? QStringLiteral("▲") : QStringLiteral("▼");
    return QStringLiteral("%1 %2 (%3)")
        .arg(arrow, signedValue(unit, delta.absolute), percentText(delta.percent));
}

QString noiseTip(const Delta& delta) {
    switch (delta.verdict) {
        case Delta::Verdict::Better:
            return Stats::tr("Better than the baseline (Welch's t-test, 95 %).");
        case Delta::Verdict::Worse:
            return Stats::tr("Worse than the baseline (Welch's t-test, 95 %).");
        case Delta::Verdict::WithinNoise:
            return Stats::tr("Within the noise of the repetitions (Welch's t-test, 95 %).");
        case Delta::Verdict::NotComparable:
            return Stats::tr("Noise is not known for this figure: more repetitions would tell.");
    }
    return {};
}

}  // namespace

std::vector<StatCell> statCells(const profiler::LaneStats& stats,
                                const profiler::LaneStats* baseline) {
    std::vector<Delta> deltas;
    if (baseline != nullptr) deltas = profiler::compareLanes(*baseline, stats);
    std::vector<StatCell> cells;
    const auto add = [&](const char* key, const QString& label, const QString& value,
                         const char* metric, Unit unit, const QString& definition, std::int64_t n) {
        StatCell cell;
        cell.key = QString::fromLatin1(key);
        cell.label = label;
        cell.value = value;
        cell.tip = definition;
        cell.tip += QLatin1Char('\n') + Stats::tr("n = %1").arg(n);
        if (const Delta* delta = find(deltas, metric)) {
            cell.delta = deltaText(*delta, unit);
            cell.shortDelta =
                delta->absolute == 0.0 ? cell.delta
                : cell.delta.isEmpty()
                    ? QString()
                    : QStringLiteral("%1 %2").arg(
                          delta->absolute > 0 ? QStringLiteral("▲") : QStringLiteral("▼"),
                          percentText(delta->percent));
            cell.verdict = delta->verdict;
            if (!cell.delta.isEmpty()) cell.tip += QLatin1Char('\n') + noiseTip(*delta);
        }
        cells.push_back(cell);
    };
    const auto quantile = [](const Distribution& d, double value) {
        return d.n == 0 ? QStringLiteral("–") : durationText(value);
    };
    add("ttft", Stats::tr("TTFT"), spreadText(Unit::Ms, stats.ttftMs), "TTFT", Unit::Ms,
        Stats::tr("Time to first token: from the start of the request to its first token, mean "
                  "over requests."),
        stats.ttftMs.n);
    const QString itl =
        Stats::tr("Inter-token latency: time between two neighbouring tokens; %1 of all gaps.");
    add("itl-p50", Stats::tr("ITL p50"), quantile(stats.itlMs, stats.itlMs.p50), "ITL p50",
        Unit::Ms, itl.arg(Stats::tr("median")), stats.itlMs.n);
    add("tpot", Stats::tr("TPOT"), spreadText(Unit::Ms, stats.tpotMs), "TPOT", Unit::Ms,
        Stats::tr("Time per output token: (end-to-end − TTFT) / (tokens − 1), mean over requests."),
        stats.tpotMs.n);
    add("decode", Stats::tr("tok/s"), spreadText(Unit::PerSecond, stats.decodeTps), "decode",
        Unit::PerSecond, Stats::tr("Decoding speed of one request: 1000 / TPOT in ms."),
        stats.decodeTps.n);
    add("kv", Stats::tr("KV"),
        stats.kvBytesPeak == 0 ? QStringLiteral("–") : bytesText(stats.kvBytesPeak), "KV peak",
        Unit::Bytes,
        Stats::tr("Largest KV cache a request held: bytes of its blocks, K and V, all layers."),
        stats.requests);
    add("prefill", Stats::tr("prefill tok/s"), spreadText(Unit::PerSecond, stats.prefillTps),
        "prefill", Unit::PerSecond,
        Stats::tr("Prompt tokens / time from the start of the request to the end of prefill."),
        stats.prefillTps.n);
    add("itl-p95", Stats::tr("ITL p95"), quantile(stats.itlMs, stats.itlMs.p95), "ITL p95",
        Unit::Ms, itl.arg(Stats::tr("95th percentile")), stats.itlMs.n);
    add("itl-p99", Stats::tr("ITL p99"), quantile(stats.itlMs, stats.itlMs.p99), "ITL p99",
        Unit::Ms, itl.arg(Stats::tr("99th percentile")), stats.itlMs.n);
    return cells;
}

QString speedSentence(const profiler::LaneStats& stats, const profiler::LaneStats& baseline,
                      const QString& baselineName) {
    const auto deltas = profiler::compareLanes(baseline, stats);
    const Delta* decode = find(deltas, "decode");
    if (decode == nullptr || decode->beforeN == 0 || decode->afterN == 0) return {};
    const QString percent = shortNumber(std::abs(decode->percent)) + QStringLiteral(" %");
    switch (decode->verdict) {
        case Delta::Verdict::WithinNoise:
            return Stats::tr("Speed within the noise of baseline %1").arg(baselineName);
        case Delta::Verdict::Better:
            return Stats::tr("Faster than baseline %1: %2 more tok/s").arg(baselineName, percent);
        case Delta::Verdict::Worse:
            return Stats::tr("Slower than baseline %1: %2 less tok/s").arg(baselineName, percent);
        case Delta::Verdict::NotComparable:
            break;
    }
    if (decode->absolute == 0.0) return {};
    return decode->absolute > 0
               ? Stats::tr("Faster than baseline %1: %2 more tok/s (one repetition)")
                     .arg(baselineName, percent)
               : Stats::tr("Slower than baseline %1: %2 less tok/s (one repetition)")
                     .arg(baselineName, percent);
}

}  // namespace lanescope::app

#include "app/cli/bench_ops.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/format.h"
#include "engine/lane/int8_products.h"
#include "profiler/collect/recorder.h"

namespace lanescope::cli {

namespace {

using nlohmann::ordered_json;

/// Traces benchmarks into a recorder of its own while it lives.
class Tracing {
  public:
    explicit Tracing(Engine& engine)
        : m_engine(engine), m_recorder(profiler::Recorder::create({})) {
        trace::RunHeader header;
        header.id = "bench";
        header.epochNs = nowNs();
        m_recorder->runStarted(header);
        m_recorder->laneReady({});
        m_engine.traceBenchmarks({m_recorder.get(), 0, -1, -1});
    }
    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;
    ~Tracing() { m_engine.traceBenchmarks({}); }
    [[nodiscard]] profiler::RunSnapshot snapshot() const {
        m_recorder->flush();
        return m_recorder->snapshot();
    }

  private:
    Engine& m_engine;
    std::unique_ptr<profiler::Recorder> m_recorder;
};

profiler::LaneRoof laneRoof(const Engine& engine, const MachineRoof& roof) {
    profiler::LaneRoof out;
    out.roof = {roof.threads,  roof.isa,        roof.readGBps,
                roof.int8Gops, roof.fp32Gflops, roof.bf16Gflops};
    const EngineSettings& settings = engine.effective().settings;
    for (const trace::Op op : int8Products(engine.model(), !settings.int8()))
        out.int8Ops.set(static_cast<std::size_t>(op));
    if (!settings.exact && settings.acts == ActsFormat::Bf16) out.bf16Ops = profiler::productOps();
    return out;
}

/// "–" where the op counts no bytes or no flops.
std::string known(double value, int decimals) {
    return value > 0.0 ? formatNumber(value, decimals) : "–";
}

}  // namespace

Result<TestOps> traceOps(Engine& engine, const Repetition& repetition, const MachineRoof& roof) {
    const Tracing tracing(engine);
    if (auto ns = repetition(); !ns) return ns.error();
    const profiler::RunSnapshot run = tracing.snapshot();
    const profiler::LaneRoof lane = laneRoof(engine, roof);
    TestOps out;
    out.droppedSpans = run->droppedSpans;
    for (const profiler::OpStats& stats : profiler::opStats(*run, 0)) {
        if (!profiler::isPhase(stats.op))
            out.rows.push_back({stats, profiler::rooflinePoint(stats, lane)});
    }
    return out;
}

Result<TracePrice> tracePrice(Engine& engine, const Repetition& repetition, int n) {
    std::vector<double> traced, untraced;
    for (int i = -1; i < n; ++i) {
        // The first of a pair is now the one, now the other, so that drift hits both alike.
        for (const bool withTrace : {i % 2 == 0, i % 2 != 0}) {
            Result<std::int64_t> ns = 0;
            if (withTrace) {
                const Tracing tracing(engine);
                ns = repetition();
            } else {
                ns = repetition();
            }
            if (!ns) return ns.error();
            if (i >= 0) (withTrace ? traced : untraced).push_back(static_cast<double>(*ns) / 1e6);
        }
    }
    TracePrice price;
    price.n = n;
    price.tracedMs = profiler::distribution(traced).p50;
    price.untracedMs = profiler::distribution(untraced).p50;
    std::vector<double> percent;
    for (std::size_t i = 0; i < traced.size(); ++i)
        percent.push_back(100.0 * (traced[i] - untraced[i]) / untraced[i]);
    price.percent = profiler::distribution(percent).p50;
    return price;
}

ordered_json opsJson(const TestOps& ops) {
    ordered_json out = ordered_json::array();
    for (const OpRow& row : ops.rows) {
        out.push_back({{"op", trace::opName(row.stats.op)},
                       {"count", row.stats.count},
                       {"totalMs", row.stats.totalMs},
                       {"share", row.stats.share},
                       {"gbps", row.point.gbPerS},
                       {"gflops", row.point.gflopPerS},
                       {"intensity", row.point.intensity},
                       {"ofRoof", row.point.ofRoof},
                       {"limit", profiler::limitName(row.point.limit)},
                       {"peak", profiler::peakName(row.point.peak)},
                       {"fromCache", row.point.fromCache}});
    }
    return out;
}

ordered_json priceJson(const TracePrice& price) {
    return {{"percent", price.percent},
            {"tracedMs", price.tracedMs},
            {"untracedMs", price.untracedMs},
            {"n", price.n}};
}

std::string opsMarkdown(const std::string& test, const TestOps& ops) {
    std::string out = "\n" + test +
                      ", one traced repetition:\n\n"
                      "| op | count | ms | share | GB/s | GFLOP/s | of roof | limit |\n"
                      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    bool fromCache = false, roofTooLow = false;
    for (const OpRow& row : ops.rows) {
        const profiler::RooflinePoint& p = row.point;
        const std::string limit = profiler::limitName(p.limit);
        fromCache = fromCache || p.fromCache;
        roofTooLow = roofTooLow || p.roofTooLow;
        out += "| " + std::string(trace::opName(row.stats.op)) + " | " +
               std::to_string(row.stats.count) + " | " + formatNumber(row.stats.totalMs, 2) +
               " | " + formatNumber(100.0 * row.stats.share, 1) + " % | " + known(p.gbPerS, 2) +
               " | " + known(p.gflopPerS, 1) + " | " +
               (p.ofRoof > 0.0 ? formatNumber(100.0 * p.ofRoof, 0) + " %" : "–") + " | " +
               (limit.empty() ? "–" : limit) + (p.fromCache ? " (cache)" : "") + " |\n";
    }
    if (fromCache) {
        out +=
            "\ncache: above the roof, since the data came from the caches and not from "
            "memory\n";
    }
    if (roofTooLow) {
        out +=
            "\nabove the arithmetic roof: something else ran while it was measured; --probe "
            "measures it anew\n";
    }
    if (ops.droppedSpans > 0) {
        out += "\n" + std::to_string(ops.droppedSpans) +
               " spans were dropped (rings full): totals are too low\n";
    }
    return out;
}

std::string priceText(const std::string& test, const TracePrice& price) {
    return "\ntrace costs " + formatNumber(price.percent, 1) + " % of decode time (" + test +
           ": median " + formatNumber(price.tracedMs, 2) + " ms traced, " +
           formatNumber(price.untracedMs, 2) + " ms untraced, n = " + std::to_string(price.n) +
           " each)\n";
}

}  // namespace lanescope::cli

#include "profiler/analyse/stats.h"
#include "profiler/export/csv_row.h"
#include "profiler/export/export.h"

namespace lanescope::profiler {

namespace {

const trace::LaneRecord* laneOf(const RunData& run, std::int32_t index) {
    for (const auto& lane : run.lanes) {
        if (lane.index == index) return &lane;
    }
    return nullptr;
}

void addDistribution(CsvRow& row, const Distribution& d) {
    const bool any = d.n > 0;
    row.raw(any ? text::csvNumber(d.mean) : "").raw(d.n > 1 ? text::csvNumber(d.sd) : "");
}

}  // namespace

std::string exportCsv(const RunData& run) {
    std::string out =
        "run,lane,model,request,prompt,repetition,warmup,index,token,piece,time_ms,itl_ms,"
        "log_probability,entropy_nats,context_tokens,kv_bytes\r\n";
    for (const auto& request : run.requests) {
        const auto& record = request.record;
        const auto* lane = laneOf(run, record.lane);
        for (std::size_t i = 0; i < request.tokens.size(); ++i) {
            const auto& token = request.tokens[i];
            CsvRow row;
            row.text(run.header.id).text(lane ? lane->name : "").text(lane ? lane->model : "");
            row.number(record.id).number(record.prompt).number(record.repetition);
            row.number(record.warmup ? 1 : 0).number(token.index).number(token.token);
            row.text(token.piece);
            row.number(static_cast<double>(token.tNs - record.tStartNs) / 1e6);
            if (i == 0) {
                row.raw("");
            } else {
                row.number(static_cast<double>(token.tNs - request.tokens[i - 1].tNs) / 1e6);
            }
            row.number(token.logProbability).number(token.entropy);
            row.number(token.contextTokens).number(token.kvBytes);
            out += row.end();
        }
    }
    return out;
}

std::string exportSummaryCsv(const RunData& run) {
    std::string out =
        "run,run_name,lane,model,requests,failed,prompt_tokens,output_tokens,ttft_ms,ttft_ms_sd,"
        "itl_ms,itl_ms_sd,itl_p50_ms,itl_p95_ms,itl_p99_ms,tpot_ms,tpot_ms_sd,prefill_tok_per_s,"
        "prefill_tok_per_s_sd,decode_tok_per_s,decode_tok_per_s_sd,end_to_end_ms,"
        "end_to_end_ms_sd,kv_peak_bytes,weight_bytes,resident_bytes,mean_log_probability,"
        "error\r\n";
    for (const auto& stats : laneStats(run)) {
        const auto* lane = laneOf(run, stats.lane);
        CsvRow row;
        row.text(run.header.id).text(run.header.name);
        row.text(lane ? lane->name : "").text(lane ? lane->model : "");
        row.number(stats.requests).number(stats.failed);
        row.number(stats.promptTokens).number(stats.outputTokens);
        addDistribution(row, stats.ttftMs);
        addDistribution(row, stats.itlMs);
        for (const double v : {stats.itlMs.p50, stats.itlMs.p95, stats.itlMs.p99}) {
            row.raw(stats.itlMs.n > 0 ? text::csvNumber(v) : "");
        }
        addDistribution(row, stats.tpotMs);
        addDistribution(row, stats.prefillTps);
        addDistribution(row, stats.decodeTps);
        addDistribution(row, stats.endToEndMs);
        row.number(stats.kvBytesPeak).number(stats.memory.weightBytes);
        row.number(stats.memory.residentBytes).number(stats.meanLogProbability);
        row.text(lane ? lane->error : "");
        out += row.end();
    }
    return out;
}

}  // namespace lanescope::profiler

#include "profiler/store/codec.h"

#include <set>
#include <utility>

#include "profiler/store/blob.h"

namespace lanescope::profiler::codec {

namespace {

/// What a head holds behind the fields of schema 1: each a tag and the section's bytes. A run that
/// does not use one lacks it.
enum class Section : std::uint64_t { Devices = 1 };

bool usesDevices(const RunData& run) {
    const auto& timing = run.deviceTiming;
    return timing.on() || !timing.unavailable.empty() || timing.droppedRecords != 0 ||
           !run.devices.empty() || !run.deviceActivities.empty() || !run.deviceNames.empty() ||
           !run.deviceSamples.empty();
}

void writeLane(ByteWriter& w, const trace::LaneRecord& lane) {
    w.i64(lane.index);
    for (const auto* s : {&lane.name, &lane.model, &lane.modelPath, &lane.settingsJson}) w.str(*s);
    const auto& m = lane.memory;
    for (const std::uint64_t v : {m.weightBytes, m.kvBytesEstimated, m.kvBytes,
                                  m.scratchBytesEstimated, m.scratchBytes, m.residentBytes}) {
        w.u64(v);
    }
    w.f64(lane.loadMs);
    w.i64(lane.nParameters);
    w.i64(lane.nLayers);
    w.u64(lane.kvBytesPerToken);
    w.str(lane.error);
}

trace::LaneRecord readLane(ByteReader& r) {
    trace::LaneRecord lane;
    lane.index = r.within<std::int32_t>(0, kMaxLane);
    for (auto* s : {&lane.name, &lane.model, &lane.modelPath, &lane.settingsJson}) *s = r.str();
    auto& m = lane.memory;
    for (std::uint64_t* v : {&m.weightBytes, &m.kvBytesEstimated, &m.kvBytes,
                             &m.scratchBytesEstimated, &m.scratchBytes, &m.residentBytes}) {
        *v = r.u64();
    }
    lane.loadMs = r.f64();
    lane.nParameters = r.i64();
    lane.nLayers = r.i64();
    lane.kvBytesPerToken = r.u64();
    lane.error = r.str();
    return lane;
}

}  // namespace

std::string encodeHead(const RunData& run) {
    ByteWriter w;
    const auto& h = run.header;
    for (const auto* s : {&h.id, &h.name, &h.version, &h.planJson, &h.machineJson, &h.command}) {
        w.str(*s);
    }
    w.i64(h.startedUnixMs);
    w.i64(h.epochNs);
    w.i64(static_cast<std::int64_t>(run.status));
    w.str(run.error);
    w.u64(run.lanes.size());
    for (const auto& lane : run.lanes) writeLane(w, lane);
    for (const std::uint64_t v : {run.droppedSpans, run.droppedEvents, run.overheadNs}) w.u64(v);
    w.f64(run.spanCostNs);
    for (const std::size_t n : {run.requests.size(), run.spans.size(), run.kvEvents.size()}) {
        w.u64(n);
    }
    if (usesDevices(run)) {
        w.u64(static_cast<std::uint64_t>(Section::Devices));
        w.str(encodeDeviceSection(run));
    }
    return sealed(w);
}

Result<RunHead> decodeHead(std::string_view blob) {
    const auto body = unsealed(blob, "the header of the run");
    if (!body) return body.error();
    ByteReader r(*body);
    RunHead head;
    RunData& run = head.run;
    auto& h = run.header;
    for (auto* s : {&h.id, &h.name, &h.version, &h.planJson, &h.machineJson, &h.command}) {
        *s = r.str();
    }
    h.startedUnixMs = r.i64();
    h.epochNs = r.i64();
    run.status =
        r.within<trace::RunStatus>(0, static_cast<std::int64_t>(trace::RunStatus::Interrupted));
    run.error = r.str();
    const std::size_t nLanes = r.count(20);
    std::set<std::int32_t> indices;
    for (std::size_t i = 0; i < nLanes && r.ok(); ++i) {
        run.lanes.push_back(readLane(r));
        if (!indices.insert(run.lanes.back().index).second) {
            return badInput("is damaged: lane " + std::to_string(run.lanes.back().index) +
                            " is there twice");
        }
    }
    for (std::uint64_t* v : {&run.droppedSpans, &run.droppedEvents, &run.overheadNs}) *v = r.u64();
    run.spanCostNs = r.f64();
    for (std::uint64_t* n : {&head.nRequests, &head.nSpans, &head.nKvEvents}) *n = r.u64();
    std::uint64_t last = 0;
    while (r.ok() && !r.atEnd()) {
        const std::uint64_t tag = r.u64();
        const std::string section = r.str();
        if (tag <= last || tag != static_cast<std::uint64_t>(Section::Devices)) {
            return badInput("is damaged: section " + std::to_string(tag) +
                            " of the run's header is unknown");
        }
        last = tag;
        if (auto ok = decodeDeviceSection(section, head); !ok) return ok.error();
    }
    if (auto ok = finish(r, "the header of the run"); !ok) return ok.error();
    return head;
}

std::string encodeRequest(const RequestData& request) {
    ByteWriter w;
    const auto& q = request.record;
    for (const std::int32_t v : {q.id, q.lane, q.prompt, q.repetition, q.warmup ? 1 : 0}) w.i64(v);
    w.str(q.promptText);
    w.u64(q.promptTokens.size());
    for (const std::int32_t token : q.promptTokens) w.i64(token);
    for (const std::int64_t t : {q.tStartNs, q.tPrefillEndNs, q.tEndNs}) w.i64(t);
    w.i64(static_cast<std::int64_t>(q.finish));
    w.str(q.text);
    w.str(q.error);
    w.i64(request.prefillDone);
    w.u64(request.tokens.size());
    return sealed(w);
}

Result<RequestHead> decodeRequest(std::string_view blob) {
    const auto body = unsealed(blob, "a request");
    if (!body) return body.error();
    ByteReader r(*body);
    RequestHead head;
    auto& q = head.record;
    q.id = r.i32();
    q.lane = r.within<std::int32_t>(0, kMaxLane);
    q.prompt = r.within<std::int32_t>(0, kMaxI32);
    q.repetition = r.within<std::int32_t>(0, kMaxI32);
    q.warmup = r.within<std::int32_t>(0, 1) == 1;
    q.promptText = r.str();
    q.promptTokens.resize(r.count(1));
    for (auto& token : q.promptTokens) token = r.i32();
    for (std::int64_t* t : {&q.tStartNs, &q.tPrefillEndNs, &q.tEndNs})
        *t = r.within<std::int64_t>(-kMaxTimeNs, kMaxTimeNs);
    q.finish =
        r.within<trace::FinishReason>(0, static_cast<std::int64_t>(trace::FinishReason::Error));
    q.text = r.str();
    q.error = r.str();
    head.prefillDone = r.within<std::int32_t>(0, kMaxI32);
    head.nTokens = r.u64();
    if (auto ok = finish(r, "a request"); !ok) return ok.error();
    return head;
}

std::string encodeTokens(const TokenList& tokens, std::size_t chunk) {
    ByteWriter w;
    const std::size_t first = chunk * TokenList::kItemsPerChunk;
    const std::size_t n = tokens.itemsIn(chunk);
    w.u64(n);
    Deltas times;
    for (std::size_t i = first; i < first + n; ++i) {
        const auto& t = tokens[i];
        for (const std::int32_t v : {t.request, t.index, t.token}) w.i64(v);
        w.str(t.piece);
        w.i64(times.to(t.tNs));
        w.f32(t.logProbability);
        w.f32(t.entropy);
        w.i64(t.contextTokens);
        w.u64(t.kvBytes);
        w.u64(t.top.size());
        for (const auto& candidate : t.top) {
            w.i64(candidate.token);
            w.f32(candidate.probability);
            w.str(candidate.piece);
        }
    }
    return sealed(w);
}

Result<void> decodeTokens(std::string_view blob, TokenList& tokens) {
    const auto body = unsealed(blob, "a block of tokens");
    if (!body) return body.error();
    ByteReader r(*body);
    const std::size_t n = r.count(15);
    Deltas times;
    for (std::size_t i = 0; i < n && r.ok(); ++i) {
        trace::TokenRecord t;
        for (std::int32_t* v : {&t.request, &t.index, &t.token}) *v = r.i32();
        t.piece = r.str();
        t.tNs = times.from(r.i64());
        t.logProbability = r.f32();
        t.entropy = r.f32();
        t.contextTokens = r.within<std::int32_t>(0, kMaxI32);
        t.kvBytes = r.u64();
        t.top.resize(r.count(6));
        for (auto& candidate : t.top) {
            candidate.token = r.i32();
            candidate.probability = r.f32();
            candidate.piece = r.str();
        }
        if (!isTime(t.tNs)) return badInput("is damaged: a token's time is out of range");
        tokens.push_back(std::move(t));
    }
    return finish(r, "a block of tokens");
}

std::string encodeSpans(const SpanList& spans, std::size_t chunk) {
    ByteWriter w;
    const std::size_t first = chunk * SpanList::kItemsPerChunk;
    const std::size_t n = spans.itemsIn(chunk);
    w.u64(n);
    Deltas starts, requests, steps;
    for (std::size_t i = first; i < first + n; ++i) {
        const auto& s = spans[i];
        w.i64(starts.to(s.tStartNs));
        w.i64(difference(s.tEndNs, s.tStartNs));
        w.u64(s.bytes);
        w.u64(s.flops);
        w.i64(requests.to(s.request));
        w.i64(steps.to(s.step));
        w.i64(s.layer);
        w.i64(s.lane);
        w.fixed(static_cast<std::uint64_t>(s.op), 1);
    }
    return sealed(w);
}

Result<void> decodeSpans(std::string_view blob, SpanList& spans) {
    const auto body = unsealed(blob, "a block of spans");
    if (!body) return body.error();
    ByteReader r(*body);
    const std::size_t n = r.count(9);
    Deltas starts, requests, steps;
    auto small = [&r](std::int64_t v, std::int64_t low, std::int64_t high, bool& fine) {
        fine = fine && v >= low && v <= high && r.ok();
        return fine ? v : low;
    };
    bool fine = true;
    for (std::size_t i = 0; i < n && r.ok() && fine; ++i) {
        trace::Span s;
        s.tStartNs = starts.from(r.i64());
        s.tEndNs = added(s.tStartNs, r.i64());
        fine = fine && isTime(s.tStartNs) && isTime(s.tEndNs);
        s.bytes = r.u64();
        s.flops = r.u64();
        s.request = static_cast<std::int32_t>(
            small(requests.from(r.i64()), std::numeric_limits<std::int32_t>::min(), kMaxI32, fine));
        s.step = static_cast<std::int32_t>(small(steps.from(r.i64()), -1, kMaxI32, fine));
        s.layer = r.within<std::int16_t>(-1, std::numeric_limits<std::int16_t>::max());
        s.lane = r.within<std::int16_t>(-1, kMaxLane);
        const std::uint64_t op = r.fixed(1);
        fine = fine && op < static_cast<std::uint64_t>(trace::kOpCount);
        if (!fine || !r.ok()) break;
        s.op = static_cast<trace::Op>(op);
        spans.push_back(s);
    }
    if (!fine) return badInput("is damaged: a span has a value out of range");
    return finish(r, "a block of spans");
}

std::string encodeKvEvents(const KvEventList& events, std::size_t chunk) {
    ByteWriter w;
    const std::size_t first = chunk * KvEventList::kItemsPerChunk;
    const std::size_t n = events.itemsIn(chunk);
    w.u64(n);
    Deltas times;
    for (std::size_t i = first; i < first + n; ++i) {
        const auto& e = events[i];
        w.i64(times.to(e.tNs));
        w.i64(e.request);
        w.i64(e.lane);
        w.i64(static_cast<std::int64_t>(e.action));
        w.i64(e.blocks);
        w.i64(e.blocksInUse);
        w.u64(e.bytesInUse);
    }
    return sealed(w);
}

Result<void> decodeKvEvents(std::string_view blob, KvEventList& events) {
    const auto body = unsealed(blob, "a block of KV events");
    if (!body) return body.error();
    ByteReader r(*body);
    const std::size_t n = r.count(7);
    Deltas times;
    for (std::size_t i = 0; i < n && r.ok(); ++i) {
        trace::KvEvent e;
        e.tNs = times.from(r.i64());
        e.request = r.i32();
        e.lane = r.within<std::int16_t>(-1, kMaxLane);
        e.action = r.within<trace::KvAction>(0, static_cast<std::int64_t>(trace::KvAction::Evict));
        e.blocks = r.within<std::int32_t>(0, kMaxI32);
        e.blocksInUse = r.within<std::int32_t>(0, kMaxI32);
        e.bytesInUse = r.u64();
        if (!isTime(e.tNs)) return badInput("is damaged: a KV event's time is out of range");
        events.push_back(e);
    }
    return finish(r, "a block of KV events");
}

}  // namespace lanescope::profiler::codec

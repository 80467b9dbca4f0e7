#include "tests/ui/fake_run.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/json.h"

namespace lanescope::app {

namespace {

const std::vector<std::string>& words() {
    static const std::vector<std::string> kWords{" the", " sky",     " is", " blue",
                                                 ",",    " because", " 光", "的",
                                                 " air", ".\n",      " It", " scatters"};
    return kWords;
}

/// About what the ops of a small model do on two threads.
struct Work {
    std::uint64_t bytes;
    std::uint64_t flopsAByte;
    std::int64_t ns;
};

const Work& workOf(trace::Op op) {
    using trace::Op;
    static constexpr Work kProduct{40'000, 3, 2'400}, kLarge{90'000, 3, 4'700};
    static constexpr Work kAttention{12'000, 1, 1'900}, kSmall{4'096, 1, 900};
    static constexpr Work kCached{8'000, 1, 260}, kMove{2'048, 0, 400}, kHead{600'000, 3, 27'000};
    switch (op) {
        case Op::Qkv:
        case Op::OutProj:
            return kProduct;
        case Op::GateUp:
        case Op::Down:
            return kLarge;
        case Op::Attention:
            return kAttention;
        case Op::Residual:
            return kCached;
        case Op::Embed:
        case Op::KvWrite:
            return kMove;
        case Op::Head:
            return kHead;
        default:
            return kSmall;
    }
}

class FakeRun {
  public:
    FakeRun(const Plan& plan, trace::Sink& sink, const CancelToken& cancel, FakeSpeed speed)
        : m_plan(plan), m_sink(sink), m_cancel(cancel), m_speed(speed) {}

    trace::RunStatus run() {
        start();
        std::vector<trace::RequestRecord> requests;
        for (std::size_t lane = 0; lane < m_plan.lanes.size(); ++lane)
            if (!m_plan.lanes[lane].muted) requests.push_back(request(static_cast<int>(lane)));
        if (m_speed.together) {
            for (auto& r : requests) begin(r);
            for (int i = 0; i < m_speed.tokens && !m_cancel.requested(); ++i) {
                for (auto& r : requests) token(r, i);
                pause();
            }
            for (auto& r : requests) end(r);
        } else {
            for (auto& r : requests) {
                if (m_cancel.requested()) break;
                begin(r);
                for (int i = 0; i < m_speed.tokens && !m_cancel.requested(); ++i) {
                    token(r, i);
                    pause();
                }
                end(r);
            }
        }
        const auto status =
            m_cancel.requested() ? trace::RunStatus::Cancelled : trace::RunStatus::Finished;
        m_sink.runFinished(status, {});
        return status;
    }

  private:
    void start() {
        static int count = 0;
        trace::RunHeader header;
        header.id = "fake" + std::to_string(++count) + "-" + std::to_string(nowNs());
        header.name = m_plan.name;
        header.startedUnixMs = unixTimeMs();
        header.planJson = dumpJson(planToJson(m_plan));
        header.machineJson =
            R"({"cpu":"made up","roofs":[{"threads":2,"isa":"avx2","readGBps":24.0,)"
            R"("int8Gops":480.0,"fp32Gflops":120.0}]})";
        header.epochNs = nowNs();
        m_sink.runStarted(header);
        for (std::size_t i = 0; i < m_plan.lanes.size(); ++i) {
            trace::LaneRecord lane;
            lane.index = static_cast<int>(i);
            lane.name = m_plan.lanes[i].name;
            lane.model = m_plan.lanes[i].model;
            lane.settingsJson =
                R"({"threads":2,"int8":["qkv","out projection","gate+up","down","head"]})";
            lane.memory.weightBytes = 100 << 20;
            lane.memory.kvBytes = 20 << 20;
            lane.nLayers = 4;
            m_sink.laneReady(lane);
        }
    }

    trace::RequestRecord request(int lane) {
        trace::RequestRecord r;
        r.id = lane;
        r.lane = lane;
        r.promptTokens = {1, 2, 3};
        return r;
    }

    void begin(trace::RequestRecord& r) {
        r.tStartNs = nowNs();
        m_sink.requestStarted(r);
        r.tPrefillEndNs = nowNs();
    }

    void token(trace::RequestRecord& r, int index) {
        const std::int64_t stepStart = nowNs();
        std::int64_t at = stepStart;  // ops follow each other
        for (int s = 0; s < m_speed.spansPerToken; ++s) {
            trace::Span span;
            span.tStartNs = at;
            span.op = static_cast<trace::Op>(s % 14);
            span.layer = static_cast<std::int16_t>(s / 10);
            span.lane = static_cast<std::int16_t>(r.lane);
            span.request = r.id;
            span.step = index;
            const Work& work = workOf(span.op);
            span.bytes = work.bytes;
            span.flops = work.flopsAByte * work.bytes;
            span.tEndNs = span.tStartNs + work.ns * (10 + r.lane) / 10;
            at = span.tEndNs;
            m_sink.span(span);
        }
        trace::TokenRecord t;
        t.request = r.id;
        t.index = index;
        // Lane 1 and up say something else now and then.
        const auto word = static_cast<std::size_t>(index + (r.lane > 0 && index % 17 == 9 ? 1 : 0));
        t.token = static_cast<int>(word % words().size());
        t.piece = words()[word % words().size()];
        t.tNs = nowNs();
        t.logProbability = -0.1F * static_cast<float>(index % 20);
        t.contextTokens = 3 + index;
        t.kvBytes = static_cast<std::uint64_t>(index) * 1024;
        for (int c = 0; c < 10; ++c)
            t.top.push_back(
                {c, 0.5F / static_cast<float>(c + 1), words()[static_cast<std::size_t>(c)]});
        r.text += t.piece;
        m_sink.token(t);
        trace::Span step;
        step.tStartNs = stepStart;
        step.tEndNs = std::max(nowNs(), at);
        step.op = trace::Op::DecodeStep;
        step.lane = static_cast<std::int16_t>(r.lane);
        step.request = r.id;
        step.step = index;
        m_sink.span(step);
    }

    void end(trace::RequestRecord& r) {
        r.tEndNs = nowNs();
        r.finish =
            m_cancel.requested() ? trace::FinishReason::Cancelled : trace::FinishReason::MaxTokens;
        m_sink.requestFinished(r);
    }

    void pause() const {
        if (m_speed.tokenMicros > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(m_speed.tokenMicros));
    }

    const Plan& m_plan;
    trace::Sink& m_sink;
    const CancelToken& m_cancel;
    FakeSpeed m_speed;
};

}  // namespace

RunController::Executor fakeExecutor(FakeSpeed speed) {
    return [speed](const Plan& plan, ModelStore&, trace::Sink& sink, const CancelToken& cancel,
                   const RunOptions&) -> Result<trace::RunStatus> {
        return FakeRun(plan, sink, cancel, speed).run();
    };
}

}  // namespace lanescope::app

#include "app/views/kernels/kernel_summary.h"

#include "engine/base/clock.h"

namespace lanescope::app {

profiler::ItemFilter filterFor(const Selection::State& state, profiler::GroupBy by,
                               profiler::StepKind steps) {
    profiler::ItemFilter filter;
    filter.steps = steps;
    const bool ofTime = state.tStartNs >= 0 && state.tEndNs > state.tStartNs;
    const bool byStep = by == profiler::GroupBy::Step;
    if (state.request >= 0 || state.token >= 0) filter.lane = state.lane;
    filter.request = state.request;
    if (state.token >= 0 && !byStep) {
        filter.stepFirst = state.token;
        filter.stepEnd = state.tokenEnd > state.token ? state.tokenEnd : state.token + 1;
    }
    if (ofTime && !(byStep && state.token >= 0)) {
        filter.tStartNs = state.tStartNs;
        filter.tEndNs = state.tEndNs;
        filter.launchedIn = state.token >= 0;  // it is a span that was selected
    }
    if (by != profiler::GroupBy::Layer) filter.layer = state.layer;
    if (by != profiler::GroupBy::Op) filter.op = state.op;
    return filter;
}

KernelSummary::KernelSummary(QObject* parent)
    : QObject(parent), m_task(this, [this](const Outcome& outcome) { deliver(outcome); }) {
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &KernelSummary::progressed);
}

KernelSummary::~KernelSummary() {
    if (m_progress != nullptr) m_progress->cancel = true;
}

double KernelSummary::fraction() const {
    return m_progress != nullptr ? m_progress->fraction.load() : 0.0;
}

KernelSummary::Outcome KernelSummary::work(const profiler::RunData& run, profiler::GroupBy by,
                                           const profiler::ItemFilter& filter,
                                           profiler::GroupingProgress* progress) {
    const std::int64_t start = nowNs();
    const auto table = profiler::groupStats(run, by, filter, progress);
    if (!table) return {};
    return {std::make_shared<KernelRows>(kernelRows(run, *table)), nowNs() - start};
}

void KernelSummary::clear() {
    if (m_progress != nullptr) m_progress->cancel = true;
    m_task.drop();
    m_timer.stop();
}

void KernelSummary::start(profiler::RunSnapshot run, profiler::GroupBy by,
                          const profiler::ItemFilter& filter) {
    clear();
    // Thousands of tokens are many rows to write out.
    if (profiler::groupedItems(*run) <= kAtOnce && by != profiler::GroupBy::Step) {
        deliver(work(*run, by, filter, nullptr));
        return;
    }
    m_progress = std::make_shared<profiler::GroupingProgress>();
    m_timer.start();
    m_task.start([run = std::move(run), by, filter, progress = m_progress] {
        return work(*run, by, filter, progress.get());
    });
}

void KernelSummary::deliver(const Outcome& outcome) {
    m_timer.stop();
    if (outcome.rows == nullptr) return;
    m_lastCostNs = outcome.costNs;
    emit ready(*outcome.rows);
}

}  // namespace lanescope::app

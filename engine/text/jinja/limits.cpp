#include "engine/text/jinja/limits.h"

#include "engine/base/clock.h"
#include "engine/base/format.h"

namespace lanescope::jinja {

namespace {
thread_local Budget* tBudget = nullptr;
constexpr std::uint64_t kCheckEvery = 4096;
}  // namespace

Budget::Budget(const Limits& limits)
    : m_limits(limits), m_nextCheck(kCheckEvery), m_startNs(nowNs()) {}

void Budget::checkSteps() {
    if (m_steps > m_limits.steps) {
        throw Failure{"step limit reached: the template needs more than " +
                      std::to_string(m_limits.steps) + " steps"};
    }
    if (nowNs() - m_startNs > m_limits.timeNs) {
        throw Failure{"time limit reached: the template ran for more than " +
                      std::to_string(m_limits.timeNs / 1'000'000'000) + " s"};
    }
    m_nextCheck = m_steps + kCheckEvery;
}

void Budget::iteration() {
    step();
    if (++m_iterations > m_limits.iterations) {
        throw Failure{"loop limit reached: the template's loops take more than " +
                      std::to_string(m_limits.iterations) + " turns"};
    }
}

void Budget::charge(std::size_t bytes) {
    if (bytes > m_limits.memoryBytes || m_memory > m_limits.memoryBytes - bytes) {
        throw Failure{"memory limit reached: the template's values need more than " +
                      formatBytes(m_limits.memoryBytes)};
    }
    m_memory += bytes;
}

void Budget::checkText(std::size_t bytes) const {
    if (bytes > m_limits.textBytes) {
        throw Failure{"text limit reached: a string of the template would be longer than " +
                      formatBytes(m_limits.textBytes)};
    }
}

Budget* currentBudget() {
    return tBudget;
}

void chargeWork(std::size_t bytes) {
    if (tBudget != nullptr) tBudget->copied(bytes);
}

BudgetScope::BudgetScope(Budget* budget) : m_previous(tBudget) {
    tBudget = budget;
}
BudgetScope::~BudgetScope() {
    tBudget = m_previous;
}

DepthGuard::DepthGuard(Budget& budget) : m_budget(budget) {
    if (budget.depth >= budget.limits().evalDepth) {
        throw Failure{"recursion limit reached: the template nests deeper than " +
                      std::to_string(budget.limits().evalDepth) + " levels"};
    }
    ++budget.depth;
}

}  // namespace lanescope::jinja

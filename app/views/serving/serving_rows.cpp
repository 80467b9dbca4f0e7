#include "app/views/serving/serving_rows.h"

#include <QCoreApplication>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/policy_words.h"

namespace lanescope::app {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ServingTable)
};

struct Column {
    QString name;
    QString tip;
};

std::vector<Column> columns(const profiler::ServingGoal& goal) {
    const QString goalText = Words::tr("first token within %1 ms and %2 ms a token after it")
                                 .arg(shortNumber(goal.ttftMs), shortNumber(goal.tpotMs));
    return {
        {Words::tr("Policy"), {}},
        {Words::tr("State"), {}},
        {Words::tr("Ended"), Words::tr("Requests that ended well, of all")},
        {Words::tr("tok/s"), Words::tr("Tokens given out / time from first arrival to last end")},
        {Words::tr("× sequential"), Words::tr("tok/s of this policy / tok/s of Sequential")},
        {Words::tr("Goodput"),
         Words::tr("Requests a second that kept the goal: %1 (arXiv 2401.09670)").arg(goalText)},
        {Words::tr("Goal kept %"), Words::tr("Of all requests: %1").arg(goalText)},
        {Words::tr("TTFT p50 ms"), Words::tr("Arrival to first token, of a request")},
        {Words::tr("TTFT p95 ms"), Words::tr("Arrival to first token, of a request")},
        {Words::tr("ITL p50 ms"), Words::tr("Every gap between two tokens of a request")},
        {Words::tr("ITL p95 ms"), Words::tr("Every gap between two tokens of a request")},
        {Words::tr("ITL p99 ms"), Words::tr("Every gap between two tokens of a request")},
        {Words::tr("TPOT p50 ms"), Words::tr("(end − first token) / (tokens − 1), of a request")},
        {Words::tr("Queue p95 ms"), Words::tr("Arrival to the first KV blocks, of a request")},
        {Words::tr("Batch %"),
         Words::tr("Requests in a pass / most at once, mean over the passes' time")},
        {Words::tr("KV %"), Words::tr("KV blocks held / all blocks, mean over the passes' time")},
        {Words::tr("Preempted"),
         Words::tr("Times that a request had to give its blocks back and was computed again")},
        {Words::tr("Reused"), Words::tr("Prompt tokens whose KV blocks were in the cache already")},
        {Words::tr("Seconds"), Words::tr("First arrival to last end")}};
}

Cell number(double value, int decimals, bool known = true) {
    return known ? numberCell(fixedNumber(value, decimals), value)
                 : numberCell(QStringLiteral("–"), -1.0);
}

}  // namespace

profiler::ServingStats ServingStatsCache::stats(const ServingRun& run, std::size_t policy,
                                                const profiler::ServingGoal& goal) {
    const PolicyRun& one = run.policies[policy];
    if (!one.over()) return statsOf(one, run.blockTokens, goal);
    if (m_entries.size() <= policy) m_entries.resize(policy + 1);
    Entry& entry = m_entries[policy];
    if (entry.tStartNs != one.tStartNs || entry.goal.ttftMs != goal.ttftMs ||
        entry.goal.tpotMs != goal.tpotMs)
        entry = {one.tStartNs, goal, statsOf(one, run.blockTokens, goal)};
    return entry.stats;
}

ServingTable servingTable(const ServingRun& run, const profiler::ServingGoal& goal,
                          ServingStatsCache* cache) {
    ServingTable table;
    for (const Column& column : columns(goal)) {
        table.headers << column.name;
        table.headerTips << column.tip;
    }
    double sequential = 0.0;
    std::vector<const PolicyRun*> shown;
    ServingStatsCache none;
    if (cache == nullptr) cache = &none;
    for (std::size_t i = 0; i < run.policies.size(); ++i) {
        const PolicyRun& policy = run.policies[i];
        if (policy.state == PolicyState::Waiting) continue;
        shown.push_back(&policy);
        table.stats.push_back(cache->stats(run, i, goal));
        if (policy.policy == BatchPolicy::Sequential && policy.state == PolicyState::Finished)
            sequential = table.stats.back().tps;
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const PolicyRun& policy = *shown[i];
        const profiler::ServingStats& s = table.stats[i];
        const bool some = s.finished > 0;
        const bool ratio = sequential > 0.0 && policy.state == PolicyState::Finished;
        Cell name = textCell(policyName(policy.policy));
        name.decoration = policyColor(policy.policy);
        name.toolTip = policyTip(policy.policy);
        const QString ended = QStringLiteral("%1/%2").arg(s.finished).arg(policy.requests.size());
        table.cells.push_back(
            {name, textCell(policyStateText(policy)),
             numberCell(ended, static_cast<qlonglong>(s.finished)), number(s.tps, 1, some),
             number(ratio ? s.tps / sequential : 0.0, 2, ratio), number(s.goodput, 2, some),
             number(100.0 * s.goodShare, 0, some), number(s.ttftMs.p50, 1, s.ttftMs.n > 0),
             number(s.ttftMs.p95, 1, s.ttftMs.n > 0), number(s.itlMs.p50, 2, s.itlMs.n > 0),
             number(s.itlMs.p95, 2, s.itlMs.n > 0), number(s.itlMs.p99, 2, s.itlMs.n > 0),
             number(s.tpotMs.p50, 2, s.tpotMs.n > 0), number(s.queueMs.p95, 1, s.queueMs.n > 0),
             number(100.0 * s.occupancy, 0, !policy.steps.empty()),
             number(100.0 * s.kvUse, 0, !policy.steps.empty()),
             number(static_cast<double>(s.preemptions), 0),
             number(static_cast<double>(s.reusedTokens), 0), number(s.seconds, 2, some)});
    }
    return table;
}

QString servingWords(const ServingRun& run) {
    QStringList words;
    const TokenAgreement agreement = tokenAgreement(run);
    if (agreement.compared > 1 && agreement.same)
        words << Words::tr("All %1 policies gave the same tokens: %2 in %3 requests.")
                     .arg(agreement.compared)
                     .arg(agreement.tokens)
                     .arg(run.arrivalSeconds.size());
    else if (agreement.compared > 1)
        words << Words::tr("The policies gave different tokens: first in request %1, token %2.")
                     .arg(agreement.request)
                     .arg(agreement.position);
    for (const PolicyRun& policy : run.policies)
        for (const QString& error : policy.errors)
            words << Words::tr("%1: %2.").arg(policyName(policy.policy), error);
    for (const QString& note : run.notes) words << Words::tr("Note: %1.").arg(note);
    return words.join(QLatin1Char(' '));
}

}  // namespace lanescope::app

#pragma once
// Policies side by side as rows of a table, and what can be said of them in words. Pure but for the
// language.

#include <vector>

#include "app/bridge/serving_run.h"
#include "app/widgets/data_table.h"

namespace lanescope::app {

struct ServingTable {
    QStringList headers, headerTips;
    std::vector<std::vector<Cell>> cells;
    std::vector<profiler::ServingStats> stats;  ///< one a row: policies that have begun
};
/// Figures of policies that are over, so that they are not worked out again while others run.
class ServingStatsCache {
  public:
    profiler::ServingStats stats(const ServingRun& run, std::size_t policy,
                                 const profiler::ServingGoal& goal);

  private:
    struct Entry {
        std::int64_t tStartNs = 0;  ///< of the policy; tells measurements apart
        profiler::ServingGoal goal;
        profiler::ServingStats stats;
    };
    std::vector<Entry> m_entries;  ///< by policy
};
/// cache: may be null.
ServingTable servingTable(const ServingRun& run, const profiler::ServingGoal& goal,
                          ServingStatsCache* cache = nullptr);

/// Whether the policies' tokens agree; what went wrong with requests; settings that differ.
QString servingWords(const ServingRun& run);

}  // namespace lanescope::app

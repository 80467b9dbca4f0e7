#pragma once
// Runs a plan with a recorder on it, writes its reports and sums it up: what `run` and `demo`
// share.

#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "profiler/store/run_store.h"

namespace lanescope::cli {

/// The store that the options name; null with --no-store.
Result<std::shared_ptr<profiler::RunStore>> openStore(const StoreArgs& args);

struct RecordedRun {
    Plan plan;
    std::string baseDir;
    std::string command;
    RunArgs args;
};
/// Exit status: 0, or 1 when some lanes could not run. Errors: nothing ran, cancelled (reports are
/// written all the same), or a report or the store could not be written.
Result<int> recordRun(const RecordedRun& run, const CancelToken& cancel);

}  // namespace lanescope::cli

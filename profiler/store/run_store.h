#pragma once
// Runs on disk: one SQLite database (WAL), written while the run happens so that a crash loses at
// most the last second. Damaged, locked or foreign files are reported, never overwritten.

#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/store/run_data.h"

namespace lanescope::profiler {

/// One open database. Thread-safe (calls are serialised).
class RunStore {
  public:
    /// Opens or creates. Errors: Io "is locked by another program", BadInput "is damaged" / "is not
    /// a Lanescope database" / "was written by a newer version".
    static Result<std::shared_ptr<RunStore>> open(const std::string& path);
    /// $XDG_DATA_HOME/lanescope/runs.db (LANESCOPE_RUNS overrides); the folder is made.
    static std::string defaultPath();
    virtual ~RunStore() = default;

    [[nodiscard]] virtual Result<std::vector<RunSummary>>
    list() = 0;  ///< newest first; runs whose writer died are Interrupted
    [[nodiscard]] virtual Result<RunSnapshot> load(const std::string& idOrPrefix) = 0;
    virtual Result<void> remove(const std::string& id) = 0;
    virtual Result<void> rename(const std::string& id, const std::string& name) = 0;

    /// Brings the stored form of a run up to this snapshot: new requests, tokens, spans and changed
    /// states only. One transaction.
    virtual Result<void> save(const RunData& run) = 0;
    /// Writes a finished run as a file of its own (the same schema), and reads one back.
    virtual Result<void> exportRun(const std::string& id, const std::string& path) = 0;
    virtual Result<std::string> importRun(const std::string& path) = 0;
};

}  // namespace lanescope::profiler

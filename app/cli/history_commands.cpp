// `compare OLD NEW` and `runs …`: what was stored.

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/recorded_run.h"
#include "engine/base/mapped_file.h"
#include "profiler/export/export.h"

namespace lanescope::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using profiler::RunSnapshot;
using profiler::RunStore;

/// A store in a folder of its own that goes away again: reading an exported run leaves the history
/// as it is.
class ScratchStore {
  public:
    ScratchStore() {
        std::string name = (fs::temp_directory_path() / "lanescope-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) m_dir = name;
    }
    ScratchStore(const ScratchStore&) = delete;
    ScratchStore& operator=(const ScratchStore&) = delete;
    ~ScratchStore() {
        std::error_code ec;
        if (!m_dir.empty()) fs::remove_all(m_dir, ec);
    }
    Result<RunSnapshot> load(const std::string& path) {
        if (m_dir.empty()) return ioError("no temporary folder can be made");
        auto store = RunStore::open(m_dir + "/runs.db");
        if (!store) return store.error();
        auto id = (*store)->importRun(path);
        if (!id) return id.error();
        return (*store)->load(*id);
    }

  private:
    std::string m_dir;
};

Result<RunSnapshot> loadRun(const std::string& name, const StoreArgs& args) {
    std::error_code ec;
    if (fs::is_regular_file(name, ec)) {
        ScratchStore scratch;
        return scratch.load(name);
    }
    auto store = openStore(args);
    if (!store) return store.error();
    return (*store)->load(name);
}

std::string dateTime(std::int64_t unixMs) {
    const auto seconds = static_cast<std::time_t>(unixMs / 1000);
    struct tm parts {};
    char buffer[32];
    if (::localtime_r(&seconds, &parts) == nullptr) return "";
    std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
    return buffer;
}

Result<int> listRuns(RunStore& store, OutputKind output) {
    auto runs = store.list();
    if (!runs) return runs.error();
    ordered_json json = ordered_json::array();
    std::string text;
    for (const profiler::RunSummary& run : *runs) {
        json.push_back({{"id", run.id},
                        {"name", run.name},
                        {"startedUnixMs", run.startedUnixMs},
                        {"status", trace::runStatusName(run.status)},
                        {"lanes", run.nLanes},
                        {"requests", run.nRequests},
                        {"description", run.lanes}});
        text += run.id.substr(0, 8) + "  " + dateTime(run.startedUnixMs) + "  " +
                std::string(trace::runStatusName(run.status)) + "  " +
                std::to_string(run.nRequests) + " requests  " + run.name + "  [" + run.lanes +
                "]\n";
    }
    auto ok = output == OutputKind::Json ? printJson(json) : print(forTerminal(text));
    if (!ok) return ok.error();
    if (runs->empty()) note("no runs are stored");
    return 0;
}

std::string answers(const profiler::RunData& run) {
    std::string out;
    for (const profiler::RequestData& request : run.requests) {
        const trace::RequestRecord& r = request.record;
        std::string lane = std::to_string(r.lane);
        for (const auto& l : run.lanes) {
            if (l.index == r.lane) lane = l.name;
        }
        // A run that was broken off has tokens, but no whole answer yet.
        std::string text = r.text;
        if (text.empty()) {
            for (const trace::TokenRecord& t : request.tokens) text += t.piece;
        }
        out += "\n## lane " + lane + ", prompt " + std::to_string(r.prompt + 1) + ", repetition " +
               std::to_string(r.repetition + 1) + (r.warmup ? ", warm-up" : "") + ": " +
               std::to_string(request.tokens.size()) + " tokens" +
               (r.finish == trace::FinishReason::None
                    ? ", unfinished"
                    : ", " + std::string(trace::finishReasonName(r.finish))) +
               "\n\n" + (r.error.empty() ? text : r.error) + "\n";
    }
    return out;
}

Result<int> showRun(RunStore& store, const RunsArgs& args) {
    auto run = store.load(args.id);
    if (!run) return run.error();
    const auto& header = (*run)->header;
    auto ok =
        args.output == OutputKind::Json
            ? print(profiler::exportJson(**run) + "\n")
            : print(forTerminal("run " + header.id + ": " + header.name + ", " +
                                std::string(trace::runStatusName((*run)->status)) + ", " +
                                dateTime(header.startedUnixMs) + "\nagain: " + header.command +
                                "\n\n" + profiler::exportMarkdown(**run) + answers(**run)));
    if (!ok) return ok.error();
    return 0;
}

/// The whole id of a run named by a prefix.
Result<std::string> wholeId(RunStore& store, const std::string& prefix) {
    auto run = store.load(prefix);
    if (!run) return run.error();
    return (*run)->header.id;
}

Result<int> exportRun(RunStore& store, const std::string& id, const std::string& path) {
    if (!path.ends_with(".json")) {
        if (auto ok = store.exportRun(id, path); !ok) return ok.error();
    } else {
        auto run = store.load(id);
        if (!run) return run.error();
        if (auto ok = writeFileAtomically(path, profiler::exportJson(**run)); !ok) {
            return ok.error();
        }
    }
    note("wrote " + path);
    return 0;
}

Result<int> done(const Result<void>& result, const std::string& message) {
    if (!result) return result.error();
    note(message);
    return 0;
}

}  // namespace

Result<int> runCompare(const CompareArgs& args) {
    auto before = loadRun(args.before, args.store);
    if (!before) return before.error();
    auto after = loadRun(args.after, args.store);
    if (!after) return after.error();
    auto ok = args.output == OutputKind::Json
                  ? print(profiler::compareJson(**before, **after) + "\n")
                  : print(profiler::compareMarkdown(**before, **after));
    if (!ok) return ok.error();
    return 0;
}

Result<int> runRuns(const RunsArgs& args) {
    auto store = openStore(args.store);
    if (!store) return store.error();
    if (args.action == RunsAction::List) return listRuns(**store, args.output);
    if (args.action == RunsAction::Show) return showRun(**store, args);
    if (args.action == RunsAction::Import) {
        auto id = (*store)->importRun(args.value);
        if (!id) return id.error();
        auto ok = args.output == OutputKind::Json ? printJson({{"id", *id}}) : print(*id + "\n");
        if (!ok) return ok.error();
        return 0;
    }
    auto id = wholeId(**store, args.id);
    if (!id) return id.error();
    switch (args.action) {
        case RunsAction::Export:
            return exportRun(**store, *id, args.value);
        case RunsAction::Rename:
            return done((*store)->rename(*id, args.value), "renamed " + *id);
        default:
            return done((*store)->remove(*id), "deleted " + *id);
    }
}

}  // namespace lanescope::cli

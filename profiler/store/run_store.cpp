#include "profiler/store/run_store.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "engine/base/clock.h"
#include "profiler/store/codec.h"
#include "profiler/store/database.h"
#include "profiler/store/lanes_text.h"
#include "profiler/store/schema.h"
#include "profiler/store/writer_identity.h"

namespace lanescope::profiler {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kStaleHeartbeatMs = 10'000;

/// Everything in the part table that belongs to one run.
enum class Part : std::int64_t {
    Request = 0,
    Tokens = 1,
    Spans = 2,
    KvEvents = 3,
    DeviceActivities = 4,
    DeviceNames = 5,
    DeviceSamples = 6
};

class RunStoreImpl final : public RunStore {
  public:
    explicit RunStoreImpl(Database db) : m_db(std::move(db)) {}

    Result<std::vector<RunSummary>> list() override;
    Result<RunSnapshot> load(const std::string& idOrPrefix) override;
    Result<void> remove(const std::string& id) override;
    Result<void> rename(const std::string& id, const std::string& name) override;
    Result<void> save(const RunData& run) override;
    Result<void> exportRun(const std::string& id, const std::string& path) override;
    Result<std::string> importRun(const std::string& path) override;

  private:
    struct Row {
        std::int64_t key = 0;
        std::string id, name, writer, head;
        std::int64_t heartbeatMs = 0;
    };
    Result<Row> find(const std::string& idOrPrefix);
    Result<std::int64_t> keyOf(const std::string& id);  ///< 0: none
    Result<RunSnapshot> loadLocked(const std::string& idOrPrefix);
    Result<void> loadParts(std::int64_t key, const codec::RunHead& head, RunData& run);
    Result<void> loadRequests(std::int64_t key, std::uint64_t n, RunData& run);
    Result<void> writeHead(std::int64_t key, const RunData& run);
    Result<void> writeParts(std::int64_t key, const RunData& run, const RunData& last);
    Error located(Error error) const {
        if (error.context.empty()) error.context = m_db.path();
        return error;
    }

    std::mutex m_mutex;
    Database m_db;
    std::map<std::string, RunData> m_saved;  ///< running runs as last stored; shares their memory
};

/// What a stored status means now: a run that says "running" may have lost its writer.
trace::RunStatus effectiveStatus(trace::RunStatus stored, const std::string& writer,
                                 std::int64_t heartbeatMs) {
    if (stored != trace::RunStatus::Running) return stored;
    const WriterState state = writerState(writer);
    const bool stale = unixTimeMs() - heartbeatMs > kStaleHeartbeatMs;
    const bool dead = state == WriterState::Dead || (state == WriterState::Unknown && stale);
    return dead ? trace::RunStatus::Interrupted : trace::RunStatus::Running;
}

Result<std::vector<RunSummary>> RunStoreImpl::list() {
    const std::lock_guard lock(m_mutex);
    Statement rows(m_db,
                   "SELECT id, name, startedUnixMs, status, nLanes, nRequests, lanes, writer, "
                   "heartbeatMs FROM runs ORDER BY startedUnixMs DESC, key DESC");
    std::vector<RunSummary> all;
    while (true) {
        const auto row = rows.step();
        if (!row) return row.error();
        if (!*row) return all;
        RunSummary summary;
        summary.id = rows.columnText(0);
        summary.name = rows.columnText(1);
        summary.startedUnixMs = rows.columnInt(2);
        const std::int64_t status = rows.columnInt(3);
        if (status < 0 || status > static_cast<std::int64_t>(trace::RunStatus::Interrupted)) {
            return badInput(
                "is damaged: run " + summary.id + " has status " + std::to_string(status),
                m_db.path(), "restore a copy");
        }
        summary.status = effectiveStatus(static_cast<trace::RunStatus>(status), rows.columnText(7),
                                         rows.columnInt(8));
        summary.nLanes = static_cast<std::int32_t>(rows.columnInt(4));
        summary.nRequests = static_cast<std::int32_t>(rows.columnInt(5));
        summary.lanes = rows.columnText(6);
        all.push_back(std::move(summary));
    }
}

Result<RunStoreImpl::Row> RunStoreImpl::find(const std::string& idOrPrefix) {
    if (idOrPrefix.empty()) return usageError("the run's id is empty");
    Statement rows(m_db,
                   "SELECT key, id, name, writer, heartbeatMs, head FROM runs "
                   "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC LIMIT 2");
    rows.bind(idOrPrefix);
    Row found;
    for (int n = 0; n < 2; ++n) {
        const auto row = rows.step();
        if (!row) return row.error();
        if (!*row) {
            if (n == 1) return found;
            return usageError("there is no run " + idOrPrefix,
                              "the run history lists the ids there are");
        }
        if (n == 1) break;
        found = {rows.columnInt(0),  rows.columnText(1), rows.columnText(2),
                 rows.columnText(3), rows.columnText(5), rows.columnInt(4)};
        if (found.id == idOrPrefix) return found;
    }
    return usageError("more than one run starts with " + idOrPrefix, "give more of the id");
}

Result<std::int64_t> RunStoreImpl::keyOf(const std::string& id) {
    Statement row(m_db, "SELECT key FROM runs WHERE id = ?");
    const auto there = row.bind(id).step();
    if (!there) return there.error();
    return *there ? row.columnInt(0) : 0;
}

Result<RunSnapshot> RunStoreImpl::load(const std::string& idOrPrefix) {
    const std::lock_guard lock(m_mutex);
    auto loaded = loadLocked(idOrPrefix);
    if (!loaded) return located(loaded.error());
    return loaded;
}

Result<RunSnapshot> RunStoreImpl::loadLocked(const std::string& idOrPrefix) {
    // One read transaction: a writer in another process must not come between the parts.
    if (auto begun = m_db.exec("BEGIN"); !begun) return begun.error();
    auto result = [&]() -> Result<RunSnapshot> {
        const auto row = find(idOrPrefix);
        if (!row) return row.error();
        auto head = codec::decodeHead(row->head);
        if (!head) return head.error();
        if (head->run.header.id != row->id) {
            return badInput("is damaged: run " + row->id + " holds run " + head->run.header.id);
        }
        auto run = std::make_shared<RunData>(head->run);
        if (auto ok = loadParts(row->key, *head, *run); !ok) return ok.error();
        run->header.name = row->name;
        const auto status = effectiveStatus(run->status, row->writer, row->heartbeatMs);
        if (status != run->status) {
            run->status = status;
            run->error = "the program that made this run ended before the run did";
        }
        return RunSnapshot(run);
    }();
    (void)m_db.exec("COMMIT");
    return result;
}

Result<void> RunStoreImpl::loadRequests(std::int64_t key, std::uint64_t n, RunData& run) {
    Statement rows(m_db, "SELECT idx, data FROM part WHERE run = ? AND kind = ? ORDER BY idx");
    rows.bind(key).bind(static_cast<std::int64_t>(Part::Request));
    std::vector<RequestData> requests;
    std::vector<std::uint64_t> nTokens;
    while (true) {
        const auto row = rows.step();
        if (!row) return row.error();
        if (!*row) break;
        auto head = codec::decodeRequest(rows.columnBlob(1));
        if (!head) return head.error();
        const std::int32_t lane = head->record.lane;
        const bool known = std::any_of(run.lanes.begin(), run.lanes.end(),
                                       [&](const auto& l) { return l.index == lane; });
        if (!known || rows.columnInt(0) != static_cast<std::int64_t>(requests.size())) {
            return badInput("is damaged: request " + std::to_string(rows.columnInt(0)) +
                            " of lane " + std::to_string(lane) + " does not fit the run");
        }
        RequestData request;
        request.record = std::move(head->record);
        request.prefillDone = head->prefillDone;
        requests.push_back(std::move(request));
        nTokens.push_back(head->nTokens);
    }
    if (requests.size() != n) return badInput("is damaged: requests are missing");
    Statement blocks(m_db,
                     "SELECT owner, idx, data FROM part WHERE run = ? AND kind = ? "
                     "ORDER BY owner, idx");
    blocks.bind(key).bind(static_cast<std::int64_t>(Part::Tokens));
    while (true) {
        const auto row = blocks.step();
        if (!row) return row.error();
        if (!*row) break;
        const std::int64_t owner = blocks.columnInt(0);
        if (owner < 0 || owner >= static_cast<std::int64_t>(requests.size())) {
            return badInput("is damaged: tokens of a request that is not there");
        }
        RequestData& request = requests[static_cast<std::size_t>(owner)];
        if (auto ok = codec::decodeTokens(blocks.columnBlob(2), request.tokens); !ok) return ok;
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (requests[i].tokens.size() != nTokens[i]) {
            return badInput("is damaged: request " + std::to_string(i) + " has " +
                            std::to_string(requests[i].tokens.size()) + " tokens instead of " +
                            std::to_string(nTokens[i]));
        }
        run.requests.push_back(std::move(requests[i]));
    }
    return {};
}

Result<void> RunStoreImpl::loadParts(std::int64_t key, const codec::RunHead& head, RunData& run) {
    if (auto ok = loadRequests(key, head.nRequests, run); !ok) return ok;
    auto loadList = [&](Part kind, auto& list, std::uint64_t n, auto&& decode) -> Result<void> {
        Statement rows(m_db, "SELECT data FROM part WHERE run = ? AND kind = ? ORDER BY idx");
        rows.bind(key).bind(static_cast<std::int64_t>(kind));
        while (true) {
            const auto row = rows.step();
            if (!row) return row.error();
            if (!*row) break;
            if (auto ok = decode(rows.columnBlob(0), list); !ok) return ok;
        }
        if (list.size() == n) return {};
        return badInput("is damaged: " + std::to_string(list.size()) + " of " + std::to_string(n) +
                        " records of kind " + std::to_string(static_cast<int>(kind)) +
                        " are there");
    };
    if (auto ok = loadList(Part::Spans, run.spans, head.nSpans, codec::decodeSpans); !ok) return ok;
    if (auto ok = loadList(Part::KvEvents, run.kvEvents, head.nKvEvents, codec::decodeKvEvents);
        !ok) {
        return ok;
    }
    if (auto ok = loadList(Part::DeviceActivities, run.deviceActivities, head.nDeviceActivities,
                           codec::decodeDeviceActivities);
        !ok) {
        return ok;
    }
    if (auto ok = loadList(Part::DeviceNames, run.deviceNames, head.nDeviceNames,
                           codec::decodeDeviceNames);
        !ok) {
        return ok;
    }
    if (auto ok = loadList(Part::DeviceSamples, run.deviceSamples, head.nDeviceSamples,
                           codec::decodeDeviceSamples);
        !ok) {
        return ok;
    }
    for (const auto& activity : run.deviceActivities) {
        if (activity.name < static_cast<std::int64_t>(run.deviceNames.size())) continue;
        return badInput("is damaged: a device activity has name " + std::to_string(activity.name) +
                        " of " + std::to_string(run.deviceNames.size()));
    }
    return {};
}

Result<void> RunStoreImpl::remove(const std::string& id) {
    const std::lock_guard lock(m_mutex);
    Transaction transaction(m_db);
    if (auto ok = transaction.begin(); !ok) return ok;
    const auto key = keyOf(id);
    if (!key) return key.error();
    if (*key == 0) return usageError("there is no run " + id);
    for (const char* sql : {"DELETE FROM part WHERE run = ?", "DELETE FROM runs WHERE key = ?"}) {
        if (auto ok = Statement(m_db, sql).bind(*key).run(); !ok) return ok;
    }
    m_saved.erase(id);
    return transaction.commit();
}

Result<void> RunStoreImpl::rename(const std::string& id, const std::string& name) {
    const std::lock_guard lock(m_mutex);
    const auto key = keyOf(id);
    if (!key) return key.error();
    if (*key == 0) return usageError("there is no run " + id);
    return Statement(m_db, "UPDATE runs SET name = ? WHERE key = ?").bind(name).bind(*key).run();
}

Result<void> RunStoreImpl::writeHead(std::int64_t key, const RunData& run) {
    const std::string head = codec::encodeHead(run);
    const bool running = run.status == trace::RunStatus::Running;
    return Statement(m_db,
                     "UPDATE runs SET status = ?, nLanes = ?, nRequests = ?, lanes = ?, "
                     "writer = ?, heartbeatMs = ?, head = ? WHERE key = ?")
        .bind(static_cast<std::int64_t>(run.status))
        .bind(static_cast<std::int64_t>(run.lanes.size()))
        .bind(static_cast<std::int64_t>(run.requests.size()))
        .bind(lanesText(run.lanes))
        .bind(running ? writerIdentity() : std::string())
        .bind(unixTimeMs())
        .bindBlob(head)
        .bind(key)
        .run();
}

/// Writes the chunks that are not the same memory as last time, drops those that are gone.
Result<void> RunStoreImpl::writeParts(std::int64_t key, const RunData& run, const RunData& last) {
    Statement put(
        m_db, "INSERT OR REPLACE INTO part (run, kind, owner, idx, data) VALUES (?, ?, ?, ?, ?)");
    Statement drop(m_db, "DELETE FROM part WHERE run = ? AND kind = ? AND owner = ? AND idx >= ?");
    auto writeList = [&](Part kind, std::size_t owner, const auto& list, const auto& before,
                         auto&& encode) -> Result<void> {
        for (std::size_t i = 0; i < list.chunkCount(); ++i) {
            if (list.sharesChunk(before, i)) continue;
            const std::string blob = encode(list, i);
            put.bind(key)
                .bind(static_cast<std::int64_t>(kind))
                .bind(static_cast<std::int64_t>(owner))
                .bind(static_cast<std::int64_t>(i))
                .bindBlob(blob);
            if (auto ok = put.run(); !ok) return ok;
        }
        if (before.chunkCount() <= list.chunkCount()) return {};
        drop.bind(key)
            .bind(static_cast<std::int64_t>(kind))
            .bind(static_cast<std::int64_t>(owner))
            .bind(static_cast<std::int64_t>(list.chunkCount()));
        return drop.run();
    };
    auto encodeRequest = [](const RequestList& list, std::size_t i) {
        return codec::encodeRequest(list[i]);
    };
    if (auto ok = writeList(Part::Request, 0, run.requests, last.requests, encodeRequest); !ok) {
        return ok;
    }
    static const TokenList kNoTokens;
    const std::size_t nOwners = std::max(run.requests.size(), last.requests.size());
    for (std::size_t i = 0; i < nOwners; ++i) {
        if (run.requests.sharesChunk(last.requests, i)) continue;
        const TokenList& tokens = i < run.requests.size() ? run.requests[i].tokens : kNoTokens;
        const TokenList& before = i < last.requests.size() ? last.requests[i].tokens : kNoTokens;
        if (auto ok = writeList(Part::Tokens, i, tokens, before, codec::encodeTokens); !ok) {
            return ok;
        }
    }
    if (auto ok = writeList(Part::Spans, 0, run.spans, last.spans, codec::encodeSpans); !ok) {
        return ok;
    }
    if (auto ok = writeList(Part::KvEvents, 0, run.kvEvents, last.kvEvents, codec::encodeKvEvents);
        !ok) {
        return ok;
    }
    if (auto ok = writeList(Part::DeviceActivities, 0, run.deviceActivities, last.deviceActivities,
                            codec::encodeDeviceActivities);
        !ok) {
        return ok;
    }
    if (auto ok = writeList(Part::DeviceNames, 0, run.deviceNames, last.deviceNames,
                            codec::encodeDeviceNames);
        !ok) {
        return ok;
    }
    return writeList(Part::DeviceSamples, 0, run.deviceSamples, last.deviceSamples,
                     codec::encodeDeviceSamples);
}

Result<void> RunStoreImpl::save(const RunData& run) {
    if (run.header.id.empty()) return usageError("a run without an id cannot be stored");
    const std::lock_guard lock(m_mutex);
    Transaction transaction(m_db);
    if (auto ok = transaction.begin(); !ok) return ok;
    if (auto ok = upgradeSchema(m_db); !ok) return ok;
    auto key = keyOf(run.header.id);
    if (!key) return key.error();
    const RunData nothing;
    const auto saved = m_saved.find(run.header.id);
    const RunData* last = saved == m_saved.end() ? &nothing : &saved->second;
    if (*key == 0) {
        last = &nothing;
        Statement insert(m_db,
                         "INSERT INTO runs (id, name, startedUnixMs, status, nLanes, nRequests, "
                         "lanes, writer, heartbeatMs, head) VALUES (?, ?, ?, 0, 0, 0, '', '', 0, "
                         "zeroblob(0))");
        insert.bind(run.header.id).bind(run.header.name).bind(run.header.startedUnixMs);
        if (auto ok = insert.run(); !ok) return ok;
        *key = sqlite3_last_insert_rowid(m_db.handle());
    } else if (last == &nothing) {
        // Stored by someone else or long ago: what is there is not known, so it is written anew.
        if (auto ok = Statement(m_db, "DELETE FROM part WHERE run = ?").bind(*key).run(); !ok) {
            return ok;
        }
    }
    if (auto ok = writeParts(*key, run, *last); !ok) return ok;
    if (auto ok = writeHead(*key, run); !ok) return ok;
    if (auto ok = transaction.commit(); !ok) return ok;
    if (run.status == trace::RunStatus::Running) {
        m_saved.insert_or_assign(run.header.id, run);
    } else {
        m_saved.erase(run.header.id);
    }
    return {};
}

Result<void> RunStoreImpl::exportRun(const std::string& id, const std::string& path) {
    auto run = load(id);
    if (!run) return run.error();
    if ((*run)->status == trace::RunStatus::Running) {
        return usageError("the run is still going on", "wait for its end or stop it");
    }
    std::error_code ignored;
    if (fs::equivalent(path, m_db.path(), ignored)) {
        return usageError("this file is the run database itself", "choose another name");
    }
    if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
        return usageError(path + " is not a regular file", "choose another name");
    }
    const std::string temp = path + ".part";
    auto removeTemp = [&temp] {
        for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
            ::unlink((temp + suffix).c_str());
        }
    };
    removeTemp();
    auto written = [&]() -> Result<void> {
        auto db = openSchema(temp, SchemaUse::SingleFile);
        if (!db) return db.error();
        return RunStoreImpl(std::move(*db)).save(**run);
    }();
    if (written && std::rename(temp.c_str(), path.c_str()) != 0) {
        written = ioError("cannot be written", path, "choose another folder");
    }
    if (!written) {
        removeTemp();
        Error error = written.error();
        error.context = path;
        return error;
    }
    return {};
}

Result<std::string> RunStoreImpl::importRun(const std::string& path) {
    auto db = openSchema(path, SchemaUse::ReadOnly);
    if (!db) return db.error();
    RunStoreImpl source(std::move(*db));
    const auto runs = source.list();
    if (!runs) return runs.error();
    if (runs->empty()) return badInput("holds no run", path);
    for (const auto& summary : *runs) {
        {
            const std::lock_guard lock(m_mutex);
            const auto key = keyOf(summary.id);
            if (!key) return key.error();
            if (*key != 0) continue;  // already here, and what is here is kept
        }
        const auto run = source.load(summary.id);
        if (!run) return run.error();
        if (auto ok = save(**run); !ok) return ok.error();
    }
    return runs->front().id;
}

}  // namespace

Result<std::shared_ptr<RunStore>> RunStore::open(const std::string& path) {
    auto db = openSchema(path, SchemaUse::History);
    if (!db) return db.error();
    return std::shared_ptr<RunStore>(std::make_shared<RunStoreImpl>(std::move(*db)));
}

std::string RunStore::defaultPath() {
    if (const char* given = std::getenv("LANESCOPE_RUNS"); given != nullptr && *given != '\0') {
        return given;
    }
    fs::path base;
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') {
        base = data;
    } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
        base = fs::path(home) / ".local" / "share";
    } else {
        base = fs::temp_directory_path();
    }
    std::error_code ignored;  // open() reports a folder that could not be made
    fs::create_directories(base / "lanescope", ignored);
    return (base / "lanescope" / "runs.db").string();
}

}  // namespace lanescope::profiler

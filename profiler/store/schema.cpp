#include "profiler/store/schema.h"

namespace lanescope::profiler {

namespace {

// part.kind: 0 requests, 1 tokens (owner = place of the request), 2 spans, 3 KV events, 4 device
// activities, 5 names of them, 6 device samples; idx counts the chunks of that list. The blobs are
// described in codec.h.
constexpr const char* kCreate = R"(
CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    startedUnixMs INTEGER NOT NULL,
    status INTEGER NOT NULL,
    nLanes INTEGER NOT NULL,
    nRequests INTEGER NOT NULL,
    lanes TEXT NOT NULL,
    writer TEXT NOT NULL,
    heartbeatMs INTEGER NOT NULL,
    head BLOB NOT NULL);
CREATE TABLE part (
    run INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run, kind, owner, idx));
)";

Result<void> create(Database& db) {
    Transaction transaction(db);
    if (auto ok = transaction.begin(); !ok) return ok;
    const auto made = db.queryInt("PRAGMA application_id");  // another program may have been first
    if (!made) return made.error();
    if (*made == kApplicationId) return transaction.commit();
    if (auto ok = db.exec(kCreate); !ok) return ok;
    const std::string marks = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                              "; PRAGMA user_version = " + std::to_string(kSchemaVersion);
    if (auto ok = db.exec(marks.c_str()); !ok) return ok;
    return transaction.commit();
}

Result<void> check(Database& db) {
    const auto application = db.queryInt("PRAGMA application_id");
    if (!application) return application.error();
    if (*application != kApplicationId) {
        return badInput("is not a Lanescope database", db.path(), "choose another file");
    }
    const auto version = db.queryInt("PRAGMA user_version");
    if (!version) return version.error();
    if (*version > kSchemaVersion) {
        return badInput("was written by a newer version (schema " + std::to_string(*version) +
                            ", this one knows " + std::to_string(kSchemaVersion) + ")",
                        db.path(), "update Lanescope");
    }
    if (*version < 1) {
        return badInput("is damaged: schema " + std::to_string(*version), db.path(),
                        "restore a copy");
    }
    const auto tables = db.queryInt(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('runs', 'part')");
    if (!tables) return tables.error();
    if (*tables != 2) {
        return badInput("is damaged: tables are missing", db.path(), "restore a copy");
    }
    return {};
}

}  // namespace

Result<void> upgradeSchema(Database& db) {
    const auto version = db.queryInt("PRAGMA user_version");
    if (!version) return version.error();
    if (*version >= kSchemaVersion) return {};
    return db.exec(("PRAGMA user_version = " + std::to_string(kSchemaVersion)).c_str());
}

Result<Database> openSchema(const std::string& path, SchemaUse use) {
    auto db = Database::open(path, use == SchemaUse::ReadOnly ? Database::Mode::ReadOnly
                                                              : Database::Mode::ReadWriteCreate);
    if (!db) return db.error();
    const auto pages = db->queryInt("PRAGMA page_count");
    if (!pages) return pages.error();
    if (*pages == 0 && use != SchemaUse::ReadOnly) {
        if (auto ok = create(*db); !ok) return ok.error();
        if (use == SchemaUse::History) {
            if (auto ok = db->exec("PRAGMA journal_mode = WAL"); !ok) return ok.error();
        }
    }
    if (auto ok = check(*db); !ok) return ok.error();
    if (auto ok = db->exec("PRAGMA synchronous = NORMAL"); !ok) return ok.error();
    return db;
}

}  // namespace lanescope::profiler

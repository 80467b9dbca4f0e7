#include "profiler/store/database.h"

namespace lanescope::profiler {

namespace {

constexpr int kBusyMs = 2000;
constexpr int kMaxBlobBytes = 256 << 20;

}  // namespace

Result<Database> Database::open(const std::string& path, Mode mode) {
    Database db;
    db.m_path = path;
    if (path.empty()) return usageError("the path of the run database is empty");
    // A name that starts with ':' would mean a database in memory.
    const std::string name = path.front() == ':' ? "./" + path : path;
    const int flags =
        mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
    db.m_db.reset(raw);
    if (code != SQLITE_OK) return db.error(code);
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, kBusyMs);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, kMaxBlobBytes);
    // The file may come from anyone: nothing in its schema may run.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    return db;
}

Error Database::error(int code) const {
    const std::string detail = m_db ? sqlite3_errmsg(m_db.get()) : sqlite3_errstr(code);
    switch (code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return ioError("is locked by another program", m_path,
                           "close the other program that uses it, or try again");
        case SQLITE_NOTADB:
            return badInput("is damaged or not a run database", m_path,
                            "move the file away and start a new one, or restore a copy");
        case SQLITE_CORRUPT:
        case SQLITE_ERROR:
        case SQLITE_SCHEMA:
        case SQLITE_MISMATCH:
        case SQLITE_TOOBIG:
            return badInput("is damaged: " + detail, m_path,
                            "restore a copy, or move the file away and start a new one");
        case SQLITE_FULL:
            return ioError("cannot grow: the disk is full", m_path, "free some space");
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return ioError("cannot be written: " + detail, m_path,
                           "check the permissions of the file and its folder");
        case SQLITE_CANTOPEN:
            return ioError("cannot be opened: " + detail, m_path,
                           "check that the folder exists and can be written");
        case SQLITE_IOERR:
            return ioError("cannot be read or written: " + detail, m_path,
                           "check the disk and the space left on it");
        case SQLITE_NOMEM:
            return outOfMemory("needs more memory than there is", m_path);
        default:
            return ioError("cannot be used: " + detail, m_path);
    }
}

Result<void> Database::exec(const char* sql) {
    const int code = sqlite3_exec(m_db.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error(code);
    return {};
}

Result<std::int64_t> Database::queryInt(const char* sql) {
    Statement statement(*this, sql);
    const auto row = statement.step();
    if (!row) return row.error();
    return *row ? statement.columnInt(0) : 0;
}

Statement::Statement(Database& db, std::string_view sql) : m_db(db) {
    sqlite3_stmt* raw = nullptr;
    m_code =
        sqlite3_prepare_v2(db.handle(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    m_statement.reset(raw);
}

Statement& Statement::bind(std::int64_t value) {
    if (m_code == SQLITE_OK) m_code = sqlite3_bind_int64(m_statement.get(), ++m_bound, value);
    return *this;
}

Statement& Statement::bind(std::string_view text) {
    if (m_code == SQLITE_OK) {
        m_code = sqlite3_bind_text64(m_statement.get(), ++m_bound, text.data(), text.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return *this;
}

Statement& Statement::bindBlob(std::string_view bytes) {
    if (m_code == SQLITE_OK) {
        m_code = sqlite3_bind_blob64(m_statement.get(), ++m_bound, bytes.data(), bytes.size(),
                                     SQLITE_STATIC);
    }
    return *this;
}

Result<bool> Statement::step() {
    if (m_code != SQLITE_OK) return m_db.error(m_code);
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    m_code = code;
    return m_db.error(code);
}

Result<void> Statement::run() {
    const auto stepped = step();
    if (!stepped) return stepped.error();
    sqlite3_reset(m_statement.get());
    sqlite3_clear_bindings(m_statement.get());
    m_bound = 0;
    return {};
}

std::int64_t Statement::columnInt(int i) const {
    return sqlite3_column_int64(m_statement.get(), i);
}

std::string Statement::columnText(int i) const {
    return std::string(columnBlob(i));
}

std::string_view Statement::columnBlob(int i) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(m_statement.get(), i));
    const int size = sqlite3_column_bytes(m_statement.get(), i);
    if (data == nullptr || size <= 0) return {};
    return {data, static_cast<std::size_t>(size)};
}

Transaction::~Transaction() {
    if (m_open) (void)m_db.exec("ROLLBACK");
}

Result<void> Transaction::begin() {
    auto begun = m_db.exec("BEGIN IMMEDIATE");
    m_open = begun.ok();
    return begun;
}

Result<void> Transaction::commit() {
    auto done = m_db.exec("COMMIT");
    if (done) m_open = false;
    return done;
}

}  // namespace lanescope::profiler

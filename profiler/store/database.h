#pragma once
// The little of SQLite this layer uses, with its error codes turned into errors a person can act
// on. Statements are prepared once per use and finalised by their owner.

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lanescope::profiler {

/// One connection. Not thread-safe.
class Database {
  public:
    enum class Mode { ReadWriteCreate, ReadOnly };
    static Result<Database> open(const std::string& path, Mode mode);

    [[nodiscard]] sqlite3* handle() const { return m_db.get(); }
    [[nodiscard]] const std::string& path() const { return m_path; }
    Result<void> exec(const char* sql);
    Result<std::int64_t> queryInt(const char* sql);
    /// The error for a result code of the last call.
    [[nodiscard]] Error error(int code) const;

  private:
    struct Closer {
        void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
    };
    std::unique_ptr<sqlite3, Closer> m_db;
    std::string m_path;
};

/// A prepared statement: bind in order, then step. The first failure sticks and step() reports it.
class Statement {
  public:
    Statement(Database& db, std::string_view sql);

    Statement& bind(std::int64_t value);
    Statement& bind(std::string_view text);
    Statement& bindBlob(std::string_view bytes);  ///< must stay valid until after step()
    /// True: a row is there. False: done.
    Result<bool> step();
    /// Steps once and forgets the bindings, for the next round.
    Result<void> run();

    [[nodiscard]] std::int64_t columnInt(int i) const;
    [[nodiscard]] std::string columnText(int i) const;
    [[nodiscard]] std::string_view columnBlob(int i) const;  ///< valid until the next step

  private:
    struct Finaliser {
        void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
    };
    Database& m_db;
    std::unique_ptr<sqlite3_stmt, Finaliser> m_statement;
    int m_code = SQLITE_OK;
    int m_bound = 0;
};

/// BEGIN IMMEDIATE … COMMIT; rolled back unless committed.
class Transaction {
  public:
    explicit Transaction(Database& db) : m_db(db) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    Result<void> begin();
    Result<void> commit();

  private:
    Database& m_db;
    bool m_open = false;
};

}  // namespace lanescope::profiler

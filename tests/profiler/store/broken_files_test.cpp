// Files that are not what they should be: refused with a reason, never changed, never a crash.

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "profiler/store/run_store.h"
#include "tests/profiler/make_run.h"
#include "tests/profiler/same_run.h"
#include "tests/profiler/scratch_folder.h"

namespace lanescope::profiler {

namespace {

void sql(const std::string& path, const std::string& statements) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
}

/// A good file with one run, without companions.
std::string goodFile(const test::ScratchFolder& folder) {
    const std::string path = folder.file("good.lanescope");
    auto store = RunStore::open(folder.file("source.db"));
    EXPECT_TRUE((*store)->save(test::makeRun(2, 60)));
    EXPECT_TRUE((*store)->exportRun(test::makeRun().header.id, path));
    return path;
}

void expectRefused(const std::string& path, ErrorCode code, const std::string& words) {
    const std::string before = test::readAll(path);
    const auto store = RunStore::open(path);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, code);
    EXPECT_NE(store.error().message.find(words), std::string::npos) << store.error().toString();
    EXPECT_NE(store.error().toString().find(path), std::string::npos) << "names the file";
    EXPECT_EQ(test::readAll(path), before) << "the file is left as it is";
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
}

}  // namespace

TEST(BrokenFiles, RandomBytesAreRefused) {
    const test::ScratchFolder folder;
    std::mt19937 random(7);
    std::string bytes(50'000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    test::writeAll(folder.file("x.db"), bytes);
    expectRefused(folder.file("x.db"), ErrorCode::BadInput, "is damaged");
}

TEST(BrokenFiles, AForeignDatabaseIsRefused) {
    const test::ScratchFolder folder;
    sql(folder.file("x.db"), "CREATE TABLE runs(a); INSERT INTO runs VALUES (1)");
    expectRefused(folder.file("x.db"), ErrorCode::BadInput, "is not a Lanescope database");
}

TEST(BrokenFiles, ANewerSchemaIsRefusedByNumber) {
    const test::ScratchFolder folder;
    const std::string path = goodFile(folder);
    sql(path, "PRAGMA user_version = 7");
    expectRefused(path, ErrorCode::BadInput, "was written by a newer version (schema 7");
}

TEST(BrokenFiles, AnEmptyFileBecomesANewHistory) {
    const test::ScratchFolder folder;
    test::writeAll(folder.file("x.db"), "");
    const auto store = RunStore::open(folder.file("x.db"));
    ASSERT_TRUE(store);
    EXPECT_TRUE((*store)->list()->empty());
}

TEST(BrokenFiles, CutAtTenPlacesIsRefused) {
    const test::ScratchFolder folder;
    const std::string bytes = test::readAll(goodFile(folder));
    ASSERT_GT(bytes.size(), 20'000U);
    for (std::size_t i = 1; i <= 10; ++i) {
        const std::string path = folder.file("cut" + std::to_string(i));
        test::writeAll(path, bytes.substr(0, bytes.size() * i / 11));
        expectRefused(path, ErrorCode::BadInput, "is damaged");
    }
}

TEST(BrokenFiles, AByteFlippedAtTwoHundredPlacesNeverGivesAWrongRun) {
    const test::ScratchFolder folder;
    const std::string bytes = test::readAll(goodFile(folder));
    const RunData good = test::makeRun(2, 60);
    std::mt19937 random(11);
    int refused = 0;
    for (int i = 0; i < 200; ++i) {
        std::string broken = bytes;
        // Half of them in the first pages, where the structure is.
        const std::size_t range = i % 2 == 0 ? std::size_t{8192} : bytes.size();
        const std::size_t at = random() % range;
        broken[at] = static_cast<char>(broken[at] ^ (1 + random() % 255));
        const std::string path = folder.file("flip");
        test::writeAll(path, broken);
        const auto store = RunStore::open(path);
        if (!store) {
            ++refused;
            EXPECT_FALSE(store.error().message.empty());
            EXPECT_EQ(test::readAll(path), broken);
            continue;
        }
        (void)(*store)->list();
        const auto run = (*store)->load(good.header.id);
        if (!run) {
            ++refused;
            EXPECT_FALSE(run.error().message.empty());
        } else {
            RunData renamed = **run;
            renamed.header.name = good.header.name;  // a plain column, not under the checksum
            test::expectSame(good, renamed);
        }
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "byte " << at;
            break;
        }
        EXPECT_EQ(test::readAll(path), broken) << "reading changes nothing";
    }
    EXPECT_GT(refused, 20);
}

TEST(BrokenFiles, MissingPartsAreNoticed) {
    const test::ScratchFolder folder;
    const std::string path = goodFile(folder);
    for (const char* statement :
         {"DELETE FROM part WHERE kind = 3", "DELETE FROM part WHERE kind = 2 AND idx = 0",
          "DELETE FROM part WHERE kind = 1 AND owner = 2",
          "DELETE FROM part WHERE kind = 0 AND idx = 1",
          "UPDATE part SET owner = 90 + owner WHERE kind = 1", "UPDATE part SET data = 'text'",
          "UPDATE runs SET head = zeroblob(0)", "UPDATE runs SET id = 'other'"}) {
        const std::string copy = folder.file("copy");
        test::writeAll(copy, test::readAll(path));
        sql(copy, statement);
        auto store = RunStore::open(copy);
        ASSERT_TRUE(store) << store.error().toString();
        const auto runs = (*store)->list();
        ASSERT_TRUE(runs);
        const auto run = (*store)->load(runs->front().id);
        ASSERT_FALSE(run) << statement;
        EXPECT_EQ(run.error().code, ErrorCode::BadInput);
        EXPECT_NE(run.error().message.find("is damaged"), std::string::npos);
        auto other = RunStore::open(folder.file("other.db"));
        EXPECT_FALSE((*other)->importRun(copy)) << "nothing damaged comes into the history";
        EXPECT_TRUE((*other)->list()->empty());
    }
}

TEST(BrokenFiles, ALockedFileIsReportedAsLocked) {
    const test::ScratchFolder folder;
    const std::string path = goodFile(folder);
    int ready[2], done[2];
    ASSERT_EQ(::pipe(ready), 0);
    ASSERT_EQ(::pipe(done), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        sqlite3* db = nullptr;
        sqlite3_open(path.c_str(), &db);
        sqlite3_exec(db, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr);
        char byte = 1;
        if (::write(ready[1], &byte, 1) == 1) (void)!::read(done[0], &byte, 1);
        ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    expectRefused(path, ErrorCode::Io, "is locked by another program");
    ASSERT_EQ(::write(done[1], &byte, 1), 1);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(RunStore::open(path)) << "and opens once the other is gone";
}

TEST(BrokenFiles, AFolderThatCannotBeWrittenIsReported) {
    const test::ScratchFolder folder;
    const std::string inner = folder.file("inner");
    std::filesystem::create_directory(inner);
    ::chmod(folder.path().c_str(), 0755);
    ::chmod(inner.c_str(), 0555);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(7);
        const auto store = RunStore::open(inner + "/runs.db");
        if (store) ::_exit(1);
        ::_exit(store.error().code == ErrorCode::Io &&
                        store.error().message.find("cannot be opened") != std::string::npos
                    ? 0
                    : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    ::chmod(inner.c_str(), 0755);
    const auto missing = RunStore::open(folder.file("no/such/folder/runs.db"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::Io);
    EXPECT_FALSE(RunStore::open(folder.path())) << "a folder is no database";
    EXPECT_FALSE(RunStore::open(""));
}

}  // namespace lanescope::profiler

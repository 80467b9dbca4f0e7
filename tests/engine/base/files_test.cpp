#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/base/mapped_file.h"
#include "engine/base/mapping_guard.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
  protected:
    void SetUp() override {
        m_dir = fs::temp_directory_path() / ("lanescope-files-" + std::to_string(::getpid()));
        fs::create_directories(m_dir);
    }
    void TearDown() override { fs::remove_all(m_dir); }
    std::string path(const char* name) const { return (m_dir / name).string(); }
    fs::path m_dir;
};

TEST_F(Files, MappingOutlivesTheDeletedFile) {
    std::ofstream(path("a")) << "hello";
    auto file = MappedFile::open(path("a"));
    ASSERT_TRUE(file);
    fs::remove(path("a"));
    EXPECT_EQ(std::memcmp((*file)->bytes().data(), "hello", 5), 0);
}

TEST_F(Files, AShortenedFileReadsAsZerosAndSaysSo) {
    installMappingGuard();
    std::ofstream(path("long")) << std::string(40'000, 'x');
    auto file = MappedFile::open(path("long"));
    ASSERT_TRUE(file);
    EXPECT_FALSE(mappingWasLost());
    fs::resize_file(path("long"), 5000);
    const auto bytes = (*file)->bytes();
    EXPECT_EQ(bytes[4000], std::byte{'x'});
    EXPECT_EQ(bytes[30'000], std::byte{0});
    EXPECT_TRUE(mappingWasLost());
    const auto same = (*file)->checkUnchanged();
    ASSERT_FALSE(same);
    EXPECT_NE(same.error().toString().find("40000 bytes"), std::string::npos);
}

TEST_F(Files, EmptyMissingAndFoldersAreRefusedWithExitCode3) {
    std::ofstream(path("empty")).flush();
    for (const auto& p : {path("empty"), path("missing"), m_dir.string()}) {
        auto file = MappedFile::open(p);
        ASSERT_FALSE(file) << p;
        EXPECT_EQ(file.error().exitCode(), 3);
        EXPECT_EQ(file.error().context, p);
    }
}

TEST_F(Files, AtomicWriteReplacesAndLeavesNothingOnFailure) {
    ASSERT_TRUE(writeFileAtomically(path("out"), "one"));
    ASSERT_TRUE(writeFileAtomically(path("out"), "two"));
    EXPECT_EQ(*readTextFile(path("out"), 100), "two");
    EXPECT_FALSE(readTextFile(path("out"), 2));
    EXPECT_FALSE(writeFileAtomically(path("no/such/folder/x"), "x"));
    EXPECT_FALSE(writeFileAtomically("/dev/full/x", "x"));
    EXPECT_FALSE(writeFileAtomically(m_dir.string(), "x"));
    EXPECT_FALSE(writeFileAtomically("/dev/null", "x"));  // must stay a device
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace lanescope

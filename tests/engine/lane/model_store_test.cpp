#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "engine/lane/run.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;

/// A models folder of its own, with the environment pointing at it.
class ModelNames : public testing::Test {
  protected:
    void SetUp() override {
        const std::string unique = "lanescope-models-" + std::to_string(::getpid());
        m_dir = fs::temp_directory_path() / unique;
        fs::create_directories(m_dir / "set");
        fs::create_directories(m_dir / "cache/lanescope/models");
        keep("LANESCOPE_MODELS", (m_dir / "set").string());
        keep("XDG_CACHE_HOME", (m_dir / "cache").string());
    }
    void TearDown() override {
        fs::remove_all(m_dir);
        for (const auto& [name, value] : m_saved) {
            if (value) {
                ::setenv(name.c_str(), value->c_str(), 1);
            } else {
                ::unsetenv(name.c_str());
            }
        }
    }
    void keep(const std::string& name, const std::string& value) {
        const char* old = std::getenv(name.c_str());
        m_saved.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    static void touch(const fs::path& path) { std::ofstream(path) << "x"; }

    fs::path m_dir;
    std::vector<std::pair<std::string, std::optional<std::string>>> m_saved;
};

TEST_F(ModelNames, AreLookedForInTheSetFolderFirst) {
    const std::string file = "SmolLM2-135M-Instruct.Q4_1.gguf";
    auto path = ModelStore::resolve("smollm2");
    ASSERT_FALSE(path.ok());
    EXPECT_EQ(path.error().code, ErrorCode::BadInput);
    EXPECT_NE(path.error().toString().find((m_dir / "set").string()), std::string::npos);
    EXPECT_NE(path.error().toString().find("cache/lanescope/models"), std::string::npos);

    touch(m_dir / "cache/lanescope/models" / file);
    path = ModelStore::resolve("smollm2");
    ASSERT_TRUE(path.ok());
    EXPECT_EQ(*path, (m_dir / "cache/lanescope/models" / file).string());

    touch(m_dir / "set" / file);
    path = ModelStore::resolve("smollm2");
    ASSERT_TRUE(path.ok());
    EXPECT_EQ(*path, (m_dir / "set" / file).string());

    const auto known = ModelStore::knownModels();
    ASSERT_EQ(known.size(), 2U);
    EXPECT_EQ(known[0].first, "smollm2");
    EXPECT_EQ(known[0].second, *path);
    EXPECT_EQ(known[1].first, "qwen2.5-coder-0.5b");
    EXPECT_EQ(known[1].second, "");
}

TEST_F(ModelNames, AnExistingPathIsTakenAsItIs) {
    const std::string file = (m_dir / "set/own.gguf").string();
    touch(file);
    auto path = ModelStore::resolve(file);
    ASSERT_TRUE(path.ok());
    EXPECT_EQ(*path, file);
}

TEST_F(ModelNames, UnknownNamesListTheKnownOnes) {
    auto path = ModelStore::resolve("llama9");
    ASSERT_FALSE(path.ok());
    EXPECT_EQ(path.error().code, ErrorCode::BadInput);
    EXPECT_NE(path.error().toString().find("smollm2, qwen2.5-coder-0.5b"), std::string::npos);

    path = ModelStore::resolve("dir/absent.gguf");
    ASSERT_FALSE(path.ok());
    EXPECT_EQ(path.error().toString().find("dir/absent.gguf: no such file"), 0U);
}

TEST_F(ModelNames, SyntheticModelsNeedTheirConfig) {
    auto path = ModelStore::resolve("synthetic:dir/big.json?format=q4_0");
    ASSERT_FALSE(path.ok());
    EXPECT_EQ(path.error().toString().find("dir/big.json: no such file"), 0U)
        << path.error().toString();
}

TEST_F(ModelNames, ModelsOfLaterVersionsSaySo) {
    for (const char* name : {"demo", "demo-draft"}) {
        auto path = ModelStore::resolve(name);
        ASSERT_FALSE(path.ok()) << name;
        EXPECT_EQ(path.error().code, ErrorCode::Unsupported);
        EXPECT_NE(path.error().toString().find("not in this version"), std::string::npos);
    }
}

}  // namespace
}  // namespace lanescope

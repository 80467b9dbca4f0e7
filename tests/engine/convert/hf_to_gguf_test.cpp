// Folders converted to GGUF against the files that gguf-py wrote from the same folders: the same
// tensors, byte for byte, the same keys, and a vocabulary that cuts text the same way.

#include "engine/convert/hf_to_gguf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/text/tokenizer.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

namespace fs = std::filesystem;
using kernels::DType;

/// A golden folder with another tokenizer_config.json.
fs::path withTokenizerConfig(const fs::path& folder, const std::string& json) {
    fs::copy(test::goldenDir() + "/checkpoints/llama_gqa", folder, fs::copy_options::recursive);
    fs::remove(folder / "tokenizer_config.json");
    std::ofstream(folder / "tokenizer_config.json") << json;
    return folder;
}

class Conversion : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "lanescope-convert-XXXXXX").string();
        m_folder = mkdtemp(pattern.data());
    }
    void TearDown() override {
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }

    std::shared_ptr<const Checkpoint> converted(const std::string& model,
                                                std::optional<DType> type) {
        auto source = Checkpoint::open(test::goldenDir() + "/checkpoints/" + model);
        EXPECT_TRUE(source) << source.error().toString();
        auto writer = ggufFromHuggingFace(**source, type);
        EXPECT_TRUE(writer) << writer.error().toString();
        if (!writer) return nullptr;
        const std::string path = (m_folder / (model + ".gguf")).string();
        auto written = writer->write(path);
        EXPECT_TRUE(written) << written.error().toString();
        auto opened = Checkpoint::open(path);
        EXPECT_TRUE(opened) << opened.error().toString();
        return opened ? *opened : nullptr;
    }

    static void expectSameTensors(const Checkpoint& actual, const Checkpoint& expected) {
        EXPECT_EQ(actual.tensors().size(), expected.tensors().size());
        for (const TensorView& want : expected.tensors()) {
            const TensorView* have = actual.find(want.name);
            ASSERT_NE(have, nullptr) << want.name;
            EXPECT_EQ(have->shape, want.shape) << want.name;
            EXPECT_EQ(have->dtype, want.dtype) << want.name;
            ASSERT_EQ(have->sizeBytes, want.sizeBytes) << want.name;
            EXPECT_EQ(std::memcmp(have->data, want.data, want.sizeBytes), 0) << want.name;
        }
    }

    fs::path m_folder;
};

void expectSameKeys(const Metadata& actual, const Metadata& expected) {
    for (std::size_t i = 0; i < expected.items().size(); ++i) {
        const std::string& key = expected.items()[i].first;
        // Names differ; block formats only; scores say the same in other numbers.
        if (key == "general.name" || key == "general.quantization_version" ||
            key == "tokenizer.ggml.scores")
            continue;
        bool found = false;
        for (std::size_t j = 0; j < actual.items().size(); ++j) {
            if (actual.items()[j].first != key) continue;
            found = true;
            EXPECT_TRUE(actual.stored(j) == expected.stored(i)) << key;
        }
        EXPECT_TRUE(found) << key;
    }
}

void expectSameWords(const Checkpoint& actual, const Checkpoint& expected) {
    auto mine = Tokenizer::fromCheckpoint(actual);
    auto theirs = Tokenizer::fromCheckpoint(expected);
    if (!theirs) return;  // a kind that this build does not read
    ASSERT_TRUE(mine) << mine.error().toString();
    for (const char* text :
         {"The helper said: \"three 333 words\".", "  a  b\n\n", "caf\xC3\xA9 \xE5\xA4\xA7",
          "def f(x):\n    return x**2", "<s>[INST] hi [/INST]"}) {
        const auto a = (*mine)->encode(text, AddSpecial::Yes, SpecialTokens::Parse);
        const auto b = (*theirs)->encode(text, AddSpecial::Yes, SpecialTokens::Parse);
        ASSERT_TRUE(a && b);
        EXPECT_EQ(*a, *b) << text;
    }
}

struct Pair {
    const char* folder;
    const char* gguf;
    DType type;
};

TEST_F(Conversion, GivesTheFileThatGgufPyWrites) {
    for (const Pair& pair : {Pair{"llama_gqa", "llama_gqa.F16", DType::F16},
                             Pair{"llama_gqa", "llama_gqa.BF16", DType::BF16},
                             Pair{"llama_tied", "llama_tied.F32", DType::F32},
                             Pair{"qwen2", "qwen2.F16", DType::F16}}) {
        SCOPED_TRACE(pair.gguf);
        const auto actual = converted(pair.folder, pair.type);
        ASSERT_NE(actual, nullptr);
        auto expected =
            Checkpoint::open(test::goldenDir() + "/gguf/" + pair.gguf + std::string(".gguf"));
        ASSERT_TRUE(expected);
        expectSameTensors(*actual, **expected);
        expectSameKeys(actual->metadata(), (*expected)->metadata());
        expectSameWords(*actual, **expected);
    }
}

TEST_F(Conversion, KeepsEachTensorsTypeWhenNoneIsGiven) {
    const auto file = converted("llama_gqa_bf16", std::nullopt);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->find("blk.0.ffn_up.weight")->dtype, DType::BF16);
    EXPECT_EQ(file->find("blk.0.ffn_norm.weight")->dtype, DType::F32);
}

TEST_F(Conversion, TakesTheDefaultOfSeveralChatTemplates) {
    const auto folder = withTokenizerConfig(m_folder / "named", R"({"chat_template": [
        {"name": "tool_use", "template": "tools"}, {"name": "default", "template": "plain"}]})");
    auto source = Checkpoint::open(folder.string());
    ASSERT_TRUE(source) << source.error().toString();
    auto writer = ggufFromHuggingFace(**source, std::nullopt);
    ASSERT_TRUE(writer) << writer.error().toString();
    const std::string path = (m_folder / "named.gguf").string();
    ASSERT_TRUE(writer->write(path));
    auto written = Checkpoint::open(path);
    ASSERT_TRUE(written);
    EXPECT_EQ((*written)->metadata().text("tokenizer.chat_template"), "plain");
}

TEST_F(Conversion, RefusesWhatHasNoFormByName) {
    const std::string source = test::goldenDir() + "/checkpoints/llama_gqa";
    const fs::path folder = m_folder / "odd";
    fs::create_directory(folder);
    fs::copy(source + "/model.safetensors", folder / "model.safetensors");
    const auto refused = [&](const std::string& from, const std::string& to, const char* words) {
        std::string config = test::readFile(source + "/config.json");
        const auto at = config.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        config.replace(at, from.size(), to);
        std::ofstream(folder / "config.json") << config;
        auto opened = Checkpoint::open(folder.string());
        ASSERT_TRUE(opened) << opened.error().toString();
        auto writer = ggufFromHuggingFace(**opened, std::nullopt);
        ASSERT_FALSE(writer) << words;
        EXPECT_NE(writer.error().toString().find(words), std::string::npos)
            << writer.error().toString();
    };
    refused("\"model_type\": \"llama\"", "\"model_type\": \"gpt2\"", "\"gpt2\"");
    refused("\"rope_type\": \"default\"", "\"rope_type\": \"yarn\"", "\"yarn\"");
    refused("\"num_hidden_layers\": 3", "\"num_hidden_layers\": 4", "model.layers.3");
    refused("\"num_hidden_layers\": 3", "\"num_hidden_layers\": -3", "num_hidden_layers");
}

}  // namespace
}  // namespace lanescope

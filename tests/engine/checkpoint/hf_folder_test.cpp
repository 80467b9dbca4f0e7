// Hugging Face folders: golden ones, and crafted ones with one fault each. Also split GGUF models
// and what Checkpoint::open says about files that are something else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/checkpoint/checkpoint.h"
#include "tests/support/checkpoint_writer.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

void expectSameTensors(const Checkpoint& checkpoint,
                       const std::map<std::string, test::GoldenTensor>& golden) {
    EXPECT_EQ(checkpoint.tensors().size(), golden.size());
    for (const auto& [name, expected] : golden) {
        const TensorView* tensor = checkpoint.find(name);
        ASSERT_NE(tensor, nullptr) << name;
        EXPECT_EQ(tensor->shape, expected.shape) << name;
        ASSERT_EQ(tensor->sizeBytes, expected.bytes.size()) << name;
        EXPECT_EQ(std::memcmp(tensor->data, expected.bytes.data(), tensor->sizeBytes), 0) << name;
    }
}

TEST(GoldenFolder, SingleFilesOfEveryFloatTypeOpen) {
    const std::vector<std::pair<std::string, kernels::DType>> folders{
        {"llama_gqa", kernels::DType::F32},       {"llama_gqa_f16", kernels::DType::F16},
        {"llama_gqa_bf16", kernels::DType::BF16}, {"llama_tied", kernels::DType::F32},
        {"llama_wide", kernels::DType::F32},      {"qwen2", kernels::DType::F32},
    };
    for (const auto& [name, dtype] : folders) {
        SCOPED_TRACE(name);
        const std::string folder = test::goldenDir() + "/checkpoints/" + name;
        auto opened = Checkpoint::open(folder);
        ASSERT_TRUE(opened) << opened.error().toString();
        const Checkpoint& checkpoint = **opened;
        EXPECT_EQ(checkpoint.format(), CheckpointFormat::HuggingFace);
        EXPECT_EQ(checkpoint.path(), folder);
        EXPECT_EQ(checkpoint.fileBytes(), fs::file_size(folder + "/model.safetensors"));
        EXPECT_EQ(checkpoint.tensors().front().dtype, dtype);
        EXPECT_TRUE(checkpoint.config().contains("hidden_size"));
        EXPECT_TRUE(checkpoint.tokenizerConfig().is_object());
        EXPECT_TRUE(checkpoint.generationConfig().is_object());
        EXPECT_TRUE(fs::exists(checkpoint.tokenizerJsonPath()));
        EXPECT_EQ(checkpoint.chatTemplatePath().empty(), name != "llama_tied");
        EXPECT_TRUE(checkpoint.metadata().items().empty());
        expectSameTensors(checkpoint, test::loadGolden(folder + "/model.safetensors"));
    }
}

TEST(GoldenFolder, ShardsHoldTheSameTensorsAsTheWholeModel) {
    const std::string base = test::goldenDir() + "/checkpoints/";
    const auto golden = test::loadGolden(base + "llama_gqa/model.safetensors");
    const std::string sharded = base + "llama_gqa_sharded";
    for (const std::string& path :
         {sharded, sharded + "/", sharded + "/model-00001-of-00002.safetensors"}) {
        auto opened = Checkpoint::open(path);
        ASSERT_TRUE(opened) << opened.error().toString();
        expectSameTensors(**opened, golden);
        EXPECT_EQ((*opened)->fileBytes(),
                  fs::file_size(sharded + "/model-00001-of-00002.safetensors") +
                      fs::file_size(sharded + "/model-00002-of-00002.safetensors"));
    }
}

TEST(GoldenFolder, AFileWithItsConfigBesideItOpens) {
    const std::string file = test::goldenDir() + "/checkpoints/qwen2/model.safetensors";
    auto opened = Checkpoint::open(file);
    ASSERT_TRUE(opened) << opened.error().toString();
    EXPECT_EQ((*opened)->config()["model_type"], "qwen2");
}

class CraftedFolder : public testing::Test {
  protected:
    void SetUp() override {
        m_dir = fs::temp_directory_path() / ("lanescope-hf-" + std::to_string(::getpid()));
        fs::create_directories(m_dir);
    }
    void TearDown() override { fs::remove_all(m_dir); }
    void write(const std::string& name, const std::string& content) const {
        std::ofstream(m_dir / name, std::ios::binary) << content;
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (m_dir / name).string();
    }
    [[nodiscard]] std::string refusal(const std::string& name = "") const {
        const auto opened = Checkpoint::open(name.empty() ? m_dir.string() : path(name));
        if (opened) return "was not refused";
        EXPECT_EQ(opened.error().exitCode(), 3) << opened.error().toString();
        return opened.error().toString();
    }
    /// One F32 tensor of two elements.
    static std::string weights(const std::string& name) {
        return test::safetensorsBytes(
            R"({")" + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "abcdefgh");
    }
    fs::path m_dir;
};

TEST_F(CraftedFolder, WhatIsNotThereIsNamed) {
    EXPECT_THAT(refusal(), HasSubstr("no config.json"));
    write("model.gguf", "GGUF");
    EXPECT_THAT(refusal(), HasSubstr("it holds model.gguf (open the .gguf file itself)"));
    write("config.json", "{}");
    EXPECT_THAT(refusal(), HasSubstr("model.safetensors and model.safetensors.index.json were"));
    write("pytorch_model.bin", "x");
    EXPECT_THAT(refusal(), HasSubstr("only as pytorch_model.bin (PyTorch); only safetensors"));
    write("model.safetensors", "");
    EXPECT_THAT(refusal(), HasSubstr("is empty (0 bytes)"));
    write("model.safetensors", weights("w"));
    EXPECT_EQ(refusal(), "was not refused");
}

TEST_F(CraftedFolder, TheOnlyWeightFileIsTakenUnderAnyName) {
    write("config.json", "{}");
    write("consolidated.safetensors", weights("w"));
    EXPECT_EQ(refusal(), "was not refused");
    write("another.safetensors", weights("v"));
    EXPECT_THAT(refusal(), HasSubstr("has 2 .safetensors files"));
}

TEST_F(CraftedFolder, AWeightFileAloneSaysThatItsConfigIsMissing) {
    write("w.safetensors", weights("w"));
    EXPECT_THAT(refusal("w.safetensors"), HasSubstr("config.json was looked for beside it"));
}

TEST_F(CraftedFolder, BrokenConfigsAreNamed) {
    write("model.safetensors", weights("w"));
    for (const char* name : {"config.json", "tokenizer_config.json", "generation_config.json"}) {
        write("config.json", "{}");
        write(name, "{\"a\": ");
        EXPECT_THAT(refusal(), HasSubstr(std::string(name) + ": is not valid JSON"));
        write(name, "[1]");
        EXPECT_THAT(refusal(), HasSubstr(std::string(name) + ": must hold a JSON object"));
        write(name, std::string(100000, '['));
        EXPECT_THAT(refusal(), HasSubstr("nested more than"));
        write(name, "version https://git-lfs.github.com/spec/v1\nsize 5\n");
        EXPECT_THAT(refusal(), HasSubstr("is a Git LFS pointer"));
        write(name, "{}");
    }
}

TEST_F(CraftedFolder, TheIndexAndTheShardsMustFit) {
    const std::string index = "model.safetensors.index.json";
    write("config.json", "{}");
    write("1.safetensors", weights("a"));
    write("2.safetensors", weights("b"));
    write(index, R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
    EXPECT_EQ(refusal(), "was not refused");
    write(index, R"({"weight_map":{"a":"1.safetensors","b":"3.safetensors"}})");
    EXPECT_THAT(refusal(), HasSubstr("1 of 2 weight files named by " + index +
                                     " are missing, the first is 3.safetensors"));
    write(index, R"({"weight_map":{"a":"1.safetensors","c":"2.safetensors"}})");
    EXPECT_THAT(refusal(), HasSubstr("2.safetensors: does not hold tensor 'c'"));
    write("2.safetensors", weights("a"));
    write(index, R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
    EXPECT_THAT(refusal(), HasSubstr("does not hold tensor 'b'"));
    write("2.safetensors",
          test::safetensorsBytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                 R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                 "abcdefgh"));
    EXPECT_THAT(refusal(), HasSubstr("tensor 'a' is in two files"));
    write(index, "{}");
    EXPECT_THAT(refusal(), HasSubstr("has no weight_map"));
    write(index, R"({"weight_map":{"a":7}})");
    EXPECT_THAT(refusal(), HasSubstr("gives no file for tensor 'a'"));
    for (const char* outside : {"../1.safetensors", "/etc/passwd", "..", ""}) {
        write(index, R"({"weight_map":{"a":")" + std::string(outside) + "\"}}");
        EXPECT_THAT(refusal(), HasSubstr("a file outside the folder")) << outside;
    }
}

TEST_F(CraftedFolder, LegalTypesWithoutAReaderAreSkippedAndListed) {
    write("config.json", "{}");
    write("model.safetensors",
          test::safetensorsBytes(R"({"mask":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]},)"
                                 R"("w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                                 R"("q":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[8,10]}})",
                                 "abcdefghij"));
    auto opened = Checkpoint::open(m_dir.string());
    ASSERT_TRUE(opened) << opened.error().toString();
    EXPECT_EQ((*opened)->tensors().size(), 1U);
    ASSERT_EQ((*opened)->skipped().size(), 2U);
    EXPECT_EQ((*opened)->skipped()[0].name, "mask");
    EXPECT_EQ((*opened)->skipped()[1].typeName, "F8_E4M3");
}

TEST_F(CraftedFolder, SafetensorsHeadersAreChecked) {
    write("config.json", "{}");
    const auto message = [&](const std::string& header, const std::string& data = "abcdefgh") {
        write("model.safetensors", test::safetensorsBytes(header, data));
        return refusal();
    };
    const std::string good = R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
    EXPECT_EQ(message("{" + good + "}  "), "was not refused");
    EXPECT_THAT(message("{" + good + "} x"), HasSubstr("invalid JSON at byte"));
    EXPECT_THAT(message("{" + good + "," + good + "}"), HasSubstr("'w' is there twice"));
    EXPECT_THAT(message(R"({"w":{"dtype":"F32","shape":[2]}})"), HasSubstr("'w': dtype, shape"));
    EXPECT_THAT(message(R"({"w":{"dtype":"F32","dtype":"F32"}})"),
                HasSubstr("dtype is there twice"));
    EXPECT_THAT(message(R"({"w":{"type":"F32"}})"), HasSubstr("'w': unknown field 'type'"));
    EXPECT_THAT(message(R"({"w":{"dtype":4}})"), HasSubstr("'w': dtype is the number 4"));
    EXPECT_THAT(message(R"({"w":{"shape":{}}})"), HasSubstr("'w': shape is an object"));
    EXPECT_THAT(message(R"({"w":{"shape":[true]}})"), HasSubstr("'w': shape holds a boolean"));
    EXPECT_THAT(message(R"({"w":{"shape":[99999999999999999999]}})"), HasSubstr("invalid size"));
    EXPECT_THAT(message(R"({"w":{"shape":[1,1,1,1,1,1,1,1,1]}})"), HasSubstr("8 dimensions"));
    EXPECT_THAT(message(R"({"w":{"data_offsets":[1]}})"), HasSubstr("two numbers, found 1"));
    EXPECT_THAT(message(R"({"w":5})"), HasSubstr("the entry 'w' is the number 5"));
    EXPECT_THAT(message(R"({"__metadata__":{"a":{}}})"), HasSubstr("only texts are allowed"));
    EXPECT_THAT(message("{" + good + "}", "abcdefg"),
                HasSubstr("'w': data_offsets [0, 8] reach 1 bytes beyond the end of the file"));
    EXPECT_THAT(message(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
                HasSubstr("a hole of 4 unused bytes before tensor 'w'"));
    write("model.safetensors", std::string("\xff\xff\xff\x7f\0\0\0\0{}", 10));
    EXPECT_THAT(refusal(), HasSubstr("the limit is 100000000 bytes"));
}

std::string ggufPart(int part, int count, int nTensorsSaid) {
    test::GgufWriter writer;
    if (part == 0) writer.text("general.architecture", "llama");
    writer.u32("split.no", static_cast<std::uint32_t>(part));
    writer.u32("split.count", static_cast<std::uint32_t>(count));
    writer.u32("split.tensors.count", static_cast<std::uint32_t>(nTensorsSaid));
    writer.tensor("t" + std::to_string(part), {1}, 0, "abcd");
    return writer.bytes();
}

TEST_F(CraftedFolder, AllPartsOfASplitGgufOpenTogether) {
    for (int i = 0; i < 3; ++i) {
        write("m-0000" + std::to_string(i + 1) + "-of-00003.gguf", ggufPart(i, 3, 3));
    }
    for (const char* given : {"m-00001-of-00003.gguf", "m-00003-of-00003.gguf"}) {
        auto opened = Checkpoint::open(path(given));
        ASSERT_TRUE(opened) << opened.error().toString();
        EXPECT_EQ((*opened)->tensors().size(), 3U);
        EXPECT_NE((*opened)->find("t2"), nullptr);
        EXPECT_EQ((*opened)->metadata().text("general.architecture"), "llama");
    }
    write("m-00002-of-00003.gguf", ggufPart(0, 3, 3));
    EXPECT_THAT(refusal("m-00001-of-00003.gguf"),
                HasSubstr("should be part 2 of 3, but says it is part 1 of 3"));
    fs::remove(m_dir / "m-00002-of-00003.gguf");
    EXPECT_THAT(refusal("m-00001-of-00003.gguf"),
                HasSubstr("1 of them are missing: m-00002-of-00003.gguf"));
    write("renamed.gguf", ggufPart(0, 3, 3));
    EXPECT_THAT(refusal("renamed.gguf"), HasSubstr("is one of 3 parts of a split model"));
    write("n-00001-of-00002.gguf", ggufPart(0, 2, 9));
    write("n-00002-of-00002.gguf", ggufPart(1, 2, 9));
    EXPECT_THAT(refusal("n-00001-of-00002.gguf"), HasSubstr("hold 2 tensors, the first says 9"));
}

TEST_F(CraftedFolder, FilesThatAreSomethingElseAreRecognised) {
    write("a.gguf", "  <!doctype HTML><p>");
    EXPECT_THAT(refusal("a.gguf"), HasSubstr("is an HTML page"));
    write("b.safetensors", "version https://git-lfs.github.com/spec/v1\nsize 99\n");
    EXPECT_THAT(refusal("b.safetensors"), HasSubstr("the real file has 99"));
    write("c.bin", "PK\x03\x04zip");
    EXPECT_THAT(refusal("c.bin"), HasSubstr("ZIP archive (PyTorch"));
    write("d.txt", "hello");
    EXPECT_THAT(refusal("d.txt"), HasSubstr("neither a GGUF nor a safetensors file"));
    write("config.json", "{\n\"a\": 1\n}");
    EXPECT_THAT(refusal("config.json"), HasSubstr("open the folder that it lies in"));
    write("e.gguf", weights("w"));
    EXPECT_THAT(refusal("e.gguf"), HasSubstr("it looks like a safetensors file"));
    write("f.safetensors", test::GgufWriter().text("general.architecture", "llama").bytes());
    EXPECT_EQ(refusal("f.safetensors"), "was not refused") << "its content says GGUF";
    EXPECT_THAT(refusal("absent.gguf"), HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace lanescope

// `convert`, and models that are made up: synthetic:CONFIG.json.

#include <filesystem>

#include "tests/app/cli/process.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;

class CliConvert : public CliTest {};

TEST_F(CliConvert, ACopyIsTheSameFile) {
    const std::string model = golden("llama_wide.Q4_K_M.llama_quantize.gguf");
    const auto result = cli({"convert", model, "--out", path("copy.gguf"), "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json()["fileBytes"], fs::file_size(model));
    EXPECT_TRUE(readFile(path("copy.gguf")) == readFile(model));
}

TEST_F(CliConvert, AFolderBecomesAGgufThatAnswersAlike) {
    // Padded rows of the embedding have words ("[PAD…]") in a GGUF, and still are never sampled.
    const std::string folder = goldenDir() + "/checkpoints/llama_tied";
    const auto made = cli({"convert", folder, "--out", path("q.gguf"), "--type", "f32"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto answer = [&](const std::string& model) {
        return cli({"generate", model, "--tokens", "1,2,3", "-n", "12", "--temp", "0",
                    "--ignore-eos", "--exact", "--json"})
            .json()["tokens"];
    };
    EXPECT_EQ(answer(path("q.gguf")), answer(folder));
}

TEST_F(CliConvert, WhatCannotBeWrittenSaysWhy) {
    const std::string model = golden("llama_gqa.F16.gguf");
    EXPECT_TRUE(failsWith(cli({"convert", model}), 2, "--out"));
    EXPECT_TRUE(failsWith(cli({"convert", model, "--out", model}), 2, "the model itself"));
    EXPECT_TRUE(failsWith(cli({"convert", model, "--out", path("no/x.gguf")}), 1, "no/x.gguf"));
    EXPECT_TRUE(
        failsWith(cli({"convert", path("none.gguf"), "--out", path("x.gguf")}), 3, "none.gguf"));
    EXPECT_FALSE(fs::exists(path("x.gguf")));
}

class CliSynthetic : public CliTest {
  protected:
    std::string shape(const std::string& more = "") {
        write("shape.json",
              R"({"model_type": "llama", "hidden_size": 128, "intermediate_size": 256,
                  "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
                  "vocab_size": 320, "rms_norm_eps": 1e-5, "max_position_embeddings": 256)" +
                  more + "}");
        return "synthetic:" + path("shape.json");
    }
};

TEST_F(CliSynthetic, RunsOnTokensAndIsRefusedTextInWords) {
    const std::string model = shape(R"(, "lanescope": {"format": "q4_0", "seed": 1})");
    const auto info = cli({"info", model, "--json"});
    ASSERT_EQ(info.status, 0) << info.err;
    EXPECT_EQ(info.json()["layers"], 2);
    EXPECT_EQ(info.json()["tensorTypes"]["q4_0"], 16);
    EXPECT_TRUE(info.json()["tokenizer"].is_null());

    const std::vector<std::string> args{"generate", model,    "--tokens", "1,2,3",        "-n",
                                        "8",        "--temp", "0",        "--ignore-eos", "--json"};
    const auto first = cli(args);
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.json()["tokens"].size(), 8U);
    EXPECT_EQ(cli(args).json()["tokens"], first.json()["tokens"]) << "the seed decides";

    const auto bench = cli({"bench", model + "?format=q6_K", "-p", "16", "-n", "4", "-r", "1"});
    EXPECT_EQ(bench.status, 0) << bench.err;
    EXPECT_TRUE(
        failsWith(cli({"generate", model, "--prompt", "hello", "-n", "1"}), 3, "no tokenizer"));
    EXPECT_TRUE(failsWith(cli({"info", model + "?format=q9"}), 2, "q9"));
}

TEST_F(CliSynthetic, AShapeOverTheMemoryIsShownAndRefusedToRun) {
    write("large.json",
          R"({"model_type": "llama", "hidden_size": 16384, "intermediate_size": 53248,
              "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8,
              "vocab_size": 128256, "rms_norm_eps": 1e-5, "max_position_embeddings": 4096})");
    const std::string model = "synthetic:" + path("large.json") + "?format=f32";
    const auto info = cli({"info", model, "--json"});
    ASSERT_EQ(info.status, 0) << info.err;
    EXPECT_GT(info.json()["parameters"], 400'000'000'000);
    EXPECT_TRUE(failsWith(cli({"generate", model, "--tokens", "1", "-n", "1"}), 4, "TiB"));
}

}  // namespace
}  // namespace lanescope::test

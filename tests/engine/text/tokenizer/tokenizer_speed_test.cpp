// Nothing about a text makes encoding quadratic: a megabyte of one word, of spaces, of broken bytes
// takes seconds of processor time at the very most.

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>

#include "tests/engine/text/tokenizer/tokenizer_data.h"

namespace lanescope::test {
namespace {

/// Processor time, so that a busy machine neither fails the test nor spoils the figures.
double secondsOf(const std::function<void()>& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

constexpr double kLimitSeconds = 10.0;  // quadratic work on a megabyte takes minutes

TEST(TokenizerSpeed, AMegabyteOfAnythingIsNotQuadratic) {
    for (const char* name : {"bbpe_gpt2", "bbpe_llama3", "bbpe_qwen2", "bbpe_smollm",
                             "spbpe_llama2", "spbpe_gemma", "spuni_t5", "spuni_bytes"}) {
        const auto tokenizer = loadTokenizer(goldenDir() + "/tokenizers/" + name);
        ASSERT_NE(tokenizer, nullptr);
        const std::size_t n = 1 << 20;
        std::string mixed;
        while (mixed.size() < n) mixed += "the theory \u00e9\u6f22 12345 \n\t ";
        const std::vector<std::pair<std::string, std::string>> texts = {
            {"one word", std::string(n, 'e')},        {"spaces", std::string(n, ' ')},
            {"broken bytes", std::string(n, '\xFF')}, {"digits", std::string(n, '7')},
            {"marks", std::string(n, '<')},           {"mixed", mixed},
        };
        for (const auto& [what, text] : texts) {
            SCOPED_TRACE(std::string(name) + ", " + what);
            std::vector<TokenId> ids;
            const double seconds = secondsOf([&] {
                ids = encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::Parse);
            });
            EXPECT_LT(seconds, kLimitSeconds);
            // T5 takes white space off, and what is no character counts as such.
            if (std::string(name) != "spuni_t5") {
                EXPECT_FALSE(ids.empty());
            }
            if (what == "mixed" || what == "one word") {
                const bool lossless = std::string(name) != "spuni_t5";
                if (lossless) {
                    EXPECT_EQ(tokenizer->decode(ids, SkipSpecial::No), text);
                }
                std::cout << name << ", " << what << ": " << 1.048576 / seconds << " MB/s\n";
            }
        }
    }
}

TEST(TokenizerSpeed, AStreamOfBrokenBytesEnds) {
    const auto tokenizer = loadTokenizer(goldenDir() + "/tokenizers/bbpe_gpt2");
    ASSERT_NE(tokenizer, nullptr);
    StreamDecoder stream(tokenizer);
    const std::vector<TokenId> ids(2000, 185);
    std::string joined;
    for (const TokenId id : ids) joined += stream.push(id);
    joined += stream.finish();
    EXPECT_EQ(joined, tokenizer->decode(ids, SkipSpecial::Yes));
}

void expectRealModel(const std::string& name) {
    LANESCOPE_NEEDS_MODEL(path, name);
    const auto checkpoint = Checkpoint::open(path);
    ASSERT_TRUE(checkpoint) << checkpoint.error().toString();
    std::shared_ptr<const Tokenizer> tokenizer;
    const double load = secondsOf([&] {
        auto result = Tokenizer::fromCheckpoint(**checkpoint);
        ASSERT_TRUE(result) << result.error().toString();
        tokenizer = *result;
    });
    ASSERT_NE(tokenizer, nullptr);
    std::string text;
    for (const char* file :
         {"/engine/text/tokenizer/bpe.cpp", "/engine/text/tokenizer/regex.cpp"}) {
        text += readFile(std::string(LANESCOPE_SOURCE_DIR) + file);
    }
    while (text.size() < (4u << 20)) text += text;
    std::size_t nIds = 0;
    const double encode = secondsOf([&] {
        nIds = encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::AsText).size();
    });
    std::cout << name << ": " << tokenizer->vocabSize() << " tokens loaded in " << load * 1e3
              << " ms; " << text.size() << " bytes, " << nIds << " ids, "
              << static_cast<double>(text.size()) / encode / 1e6 << " MB/s\n";
    EXPECT_LT(load, kLimitSeconds);
    EXPECT_LT(encode, kLimitSeconds);
}

/// LANESCOPE_TOKENIZE_MODEL: a model or tokenizer file; LANESCOPE_TOKENIZE_TEXT: a text file.
/// Prints the speed and, with LANESCOPE_TOKENIZE_OUT, writes the ids as 32-bit numbers to compare
/// elsewhere.
TEST(TokenizerSpeed, AFileOfOnesOwn) {
    const char* model = std::getenv("LANESCOPE_TOKENIZE_MODEL");
    const char* file = std::getenv("LANESCOPE_TOKENIZE_TEXT");
    if (model == nullptr || file == nullptr) GTEST_SKIP() << "LANESCOPE_TOKENIZE_MODEL is not set";
    std::shared_ptr<const Tokenizer> tokenizer;
    const bool gguf = std::string(model).ends_with(".gguf");
    const auto checkpoint =
        gguf ? Checkpoint::open(model) : Result<std::shared_ptr<const Checkpoint>>(nullptr);
    ASSERT_TRUE(checkpoint) << checkpoint.error().toString();
    const double load = secondsOf([&] {
        auto result = gguf ? Tokenizer::fromCheckpoint(**checkpoint) : Tokenizer::fromFile(model);
        ASSERT_TRUE(result) << result.error().toString();
        tokenizer = *result;
    });
    ASSERT_NE(tokenizer, nullptr);
    const std::string text = readFile(file);
    std::vector<TokenId> ids;
    for (int round = 0; round < 3; ++round) {
        const double seconds = secondsOf(
            [&] { ids = encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::AsText); });
        std::cout << tokenizer->kind() << ": loaded in " << load * 1e3 << " ms, "
                  << static_cast<double>(text.size()) / seconds / 1e6 << " MB/s, " << ids.size()
                  << " ids\n";
    }
    if (const char* out = std::getenv("LANESCOPE_TOKENIZE_OUT")) {
        std::ofstream(out, std::ios::binary)
            .write(reinterpret_cast<const char*>(ids.data()),
                   static_cast<std::streamsize>(ids.size() * sizeof(TokenId)));
    }
}

TEST(TokenizerSpeed, SmolLm2) {
    expectRealModel("SmolLM2-135M-Instruct.Q4_1.gguf");
}
TEST(TokenizerSpeed, Gemma3) {
    expectRealModel("gemma-3-270m-q4_k_m.gguf");
}
TEST(TokenizerSpeed, QwenCoder) {
    expectRealModel("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
}

}  // namespace
}  // namespace lanescope::test

// tokenizer.json against the reference library's ids and texts, and published models' prompts.

#include <filesystem>

#include "tests/engine/text/tokenizer/tokenizer_data.h"

namespace lanescope::test {
namespace {

/// Runs every folder of an index.json.
void expectFolder(const std::string& folder) {
    const auto index = readJson(folder + "/index.json");
    for (const auto& [name, about] : index.items()) {
        const std::string path = folder + "/" + name + "/tokenizer.json";
        if (!std::filesystem::exists(path)) continue;
        SCOPED_TRACE(name);
        auto tokenizer = Tokenizer::fromFile(path);
        ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
        const auto expected = readJson(folder + "/" + name + "/expected.json");
        EXPECT_EQ((*tokenizer)->vocabSize(), expected.at("vocab_size").get<int>());
        expectCases(**tokenizer, expected);
        expectRandomDecoding(**tokenizer, expected);
        expectStreams(*tokenizer, expected);
    }
}

TEST(TokenizerGolden, EveryKindOfTheGoldenFolderIsEqual) {
    expectFolder(goldenDir() + "/tokenizers");
}

TEST(TokenizerGolden, EveryKindOfTheSharedFolderIsEqual) {
    LANESCOPE_NEEDS_SHARED(shared);
    if (!std::filesystem::exists(shared + "/reference/tokenizers")) {
        GTEST_SKIP() << "no reference/tokenizers in the shared data";
    }
    expectFolder(shared + "/reference/tokenizers");
}

TEST(TokenizerGolden, SpecialTokensComeFromTheConfigFiles) {
    const auto llama = loadTokenizer(goldenDir() + "/tokenizers/bbpe_llama3");
    ASSERT_NE(llama, nullptr);
    EXPECT_EQ(llama->bos(), 605);
    EXPECT_EQ(llama->specialTokenText("bos_token"), "<|begin_of_text|>");
    EXPECT_EQ(llama->specialTokenText("eos_token"), "<|eot_id|>");
    EXPECT_EQ(llama->specialTokenText("pad_token"), "");
    EXPECT_EQ(llama->endOfGeneration(), (std::vector<TokenId>{606, 609, 610}));
    EXPECT_TRUE(llama->isSpecial(605));
    EXPECT_FALSE(llama->isSpecial(10));
    EXPECT_EQ(llama->kind(), "byte-level BPE");

    const auto qwen = loadTokenizer(goldenDir() + "/tokenizers/bbpe_qwen2");
    ASSERT_NE(qwen, nullptr);
    EXPECT_EQ(qwen->bos(), -1);
    EXPECT_EQ(qwen->endOfGeneration(), (std::vector<TokenId>{640, 642}));
    EXPECT_FALSE(qwen->isSpecial(643));  // <tool_call> is added, but no control token
}

TEST(TokenizerGolden, TextOfControlTokensStaysTextUnlessParsed) {
    for (const char* name : {"bbpe_gpt2", "bbpe_llama3", "bbpe_qwen2", "bbpe_smollm"}) {
        SCOPED_TRACE(name);
        const auto tokenizer = loadTokenizer(goldenDir() + "/tokenizers/" + name);
        ASSERT_NE(tokenizer, nullptr);
        for (TokenId id = 0; id < tokenizer->vocabSize(); ++id) {
            if (!tokenizer->isSpecial(id)) continue;
            const std::string text = "a" + tokenizer->tokenBytes(id) + "b";
            const auto parsed =
                encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::Parse);
            EXPECT_EQ(std::count(parsed.begin(), parsed.end(), id), 1) << text;
            const auto plain =
                encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::AsText);
            for (const TokenId one : plain) EXPECT_FALSE(tokenizer->isSpecial(one)) << text;
            EXPECT_EQ(tokenizer->decode(plain, SkipSpecial::Yes), text);
        }
    }
}

TEST(TokenizerGolden, TokenBytesJoinToTheText) {
    const auto tokenizer = loadTokenizer(goldenDir() + "/tokenizers/bbpe_qwen2");
    ASSERT_NE(tokenizer, nullptr);
    const std::string text = "Grüße 🦙 to 1234 <think>x</think>\n";
    const auto ids = encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::Parse);
    std::string joined;
    for (const TokenId id : ids) joined += tokenizer->tokenBytes(id);
    EXPECT_EQ(joined, text);
}

TEST(TokenizerGolden, BrokenUtf8IsReadAsReplacementCharacters) {
    const auto tokenizer = loadTokenizer(goldenDir() + "/tokenizers/bbpe_gpt2");
    ASSERT_NE(tokenizer, nullptr);
    const std::vector<std::pair<std::string, std::string>> kPairs = {
        {"a\xFFz", "a\uFFFDz"},
        {"cut \xF0\x9F\xA6", "cut \uFFFD"},
        {"\xC3(", "\uFFFD("},
        {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},  // a surrogate
    };
    for (const auto& [broken, repaired] : kPairs) {
        EXPECT_EQ(encodeOrFail(*tokenizer, broken, AddSpecial::No, SpecialTokens::Parse),
                  encodeOrFail(*tokenizer, repaired, AddSpecial::No, SpecialTokens::Parse));
    }
}

TEST(TokenizerGolden, IdsOutsideTheVocabularyDecodeToNothing) {
    const auto tokenizer = loadTokenizer(goldenDir() + "/tokenizers/bbpe_gpt2");
    ASSERT_NE(tokenizer, nullptr);
    const std::vector<TokenId> ids = {-1, 65, 512, 2147483647, -2147483647};
    EXPECT_EQ(tokenizer->decode(ids, SkipSpecial::No), "a");
    EXPECT_EQ(tokenizer->tokenBytes(512), "");
    EXPECT_FALSE(tokenizer->isSpecial(-1));
}

void expectPrompts(const std::string& goldenName, const std::string& modelName) {
    const auto golden = readJson(goldenDir() + "/real/" + goldenName);
    LANESCOPE_NEEDS_MODEL(path, modelName);
    const auto tokenizer = openTokenizer(path);
    ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
    for (const auto& prompt : golden.at("prompts")) {
        const std::string text = prompt.at("text").get<std::string>();
        SCOPED_TRACE(text);
        EXPECT_EQ(encodeOrFail(**tokenizer, text, AddSpecial::Yes, SpecialTokens::Parse),
                  idsOf(prompt.at("ids")));
        EXPECT_EQ((*tokenizer)->decode(idsOf(prompt.at("greedy")), SkipSpecial::No),
                  prompt.at("greedyText").get<std::string>());
    }
}

TEST(TokenizerGolden, SmolLm2PromptsAreEqual) {
    expectPrompts("smollm2-135m-q4_1.json", "SmolLM2-135M-Instruct.Q4_1.gguf");
}

TEST(TokenizerGolden, QwenCoderPromptsAreEqual) {
    expectPrompts("qwen2.5-coder-0.5b-q4_k_m.json", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf");
}

}  // namespace
}  // namespace lanescope::test

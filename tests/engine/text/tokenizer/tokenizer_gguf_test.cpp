// Vocabularies in GGUF files: the golden checkpoints and the published vocabularies in the shared
// folder.

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/text/tokenizer/gguf_pre.h"
#include "engine/text/tokenizer/gguf_reader.h"
#include "tests/engine/text/tokenizer/tokenizer_data.h"

namespace lanescope::test {
namespace {

/// A small "gpt2" vocabulary to break in one place at a time.
struct SmallVocabulary {
    std::vector<std::string_view> tokens = {"a", "b", "ab", "<s>", "</s>", "<|im_end|>", "<pad>"};
    std::vector<std::int64_t> types = {1, 1, 1, 3, 3, 3, 5};
    std::vector<std::string_view> merges = {"a b"};
    std::string_view model = "gpt2";
    std::string_view pre = "gpt-2";
    std::vector<std::pair<std::string, MetaValue>> more = {
        {"tokenizer.ggml.bos_token_id", std::uint64_t{3}},
        {"tokenizer.ggml.eos_token_id", std::uint64_t{4}},
    };

    [[nodiscard]] Metadata metadata() const {
        Metadata metadata;
        metadata.add("tokenizer.ggml.model", model);
        if (!pre.empty()) metadata.add("tokenizer.ggml.pre", pre);
        metadata.add("tokenizer.ggml.tokens", tokens);
        metadata.add("tokenizer.ggml.token_type", types);
        metadata.add("tokenizer.ggml.merges", merges);
        for (const auto& [key, value] : more) metadata.add(key, value);
        return metadata;
    }
    [[nodiscard]] Result<std::shared_ptr<const Tokenizer>> read() const {
        return tokenizer::readGguf(metadata(), "small.gguf");
    }
    [[nodiscard]] std::string message() const {
        const auto result = read();
        return result ? "no error" : result.error().toString();
    }
};

TEST(TokenizerGguf, SmallVocabularyLoads) {
    const auto tokenizer = SmallVocabulary().read();
    ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
    EXPECT_EQ((*tokenizer)->vocabSize(), 7);
    EXPECT_EQ((*tokenizer)->bos(), 3);
    EXPECT_EQ((*tokenizer)->endOfGeneration(), (std::vector<TokenId>{4, 5}));
    EXPECT_EQ((*tokenizer)->specialTokenText("bos_token"), "<s>");
    EXPECT_EQ((*tokenizer)->kind(), "byte-level BPE (gpt-2)");
    EXPECT_EQ((*tokenizer)->tokenBytes(6), "");  // unused rows have no text
    const std::vector<TokenId> ids = {0, 6, 2};
    EXPECT_EQ((*tokenizer)->decode(ids, SkipSpecial::No), "aab");
    EXPECT_EQ(encodeOrFail(**tokenizer, "ab<s>ab", AddSpecial::Yes, SpecialTokens::Parse),
              (std::vector<TokenId>{2, 3, 2}));
}

TEST(TokenizerGguf, AddBosTokenAddsItOnce) {
    SmallVocabulary small;
    small.more.emplace_back("tokenizer.ggml.add_bos_token", true);
    small.more.emplace_back("tokenizer.ggml.add_eos_token", true);
    const auto tokenizer = small.read();
    ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
    EXPECT_EQ(encodeOrFail(**tokenizer, "ab", AddSpecial::Yes, SpecialTokens::AsText),
              (std::vector<TokenId>{3, 2, 4}));
    EXPECT_EQ(encodeOrFail(**tokenizer, "ab", AddSpecial::No, SpecialTokens::AsText),
              (std::vector<TokenId>{2}));
}

TEST(TokenizerGguf, UnknownNamesAreErrorsThatNameThem) {
    SmallVocabulary small;
    small.pre = "never-heard-of-it";
    EXPECT_THAT(small.message(), testing::HasSubstr("never-heard-of-it"));
    small.pre = "";
    const auto guessed = small.read();
    ASSERT_TRUE(guessed) << guessed.error().toString();
    EXPECT_THAT((*guessed)->kind(), testing::HasSubstr("no tokenizer.ggml.pre"));
    small = {};
    small.model = "rwkv";
    EXPECT_THAT(small.message(), testing::HasSubstr("rwkv"));
}

TEST(TokenizerGguf, EveryKnownPreTokenizerLoadsAndSplits) {
    for (const std::string_view name : tokenizer::ggufPreTokenizerNames()) {
        SmallVocabulary small;
        small.pre = name;
        EXPECT_EQ(small.message(), "no error") << name;
        const auto tokenizer = small.read();
        if (!tokenizer) continue;
        EXPECT_EQ(encodeOrFail(**tokenizer, "ab", AddSpecial::No, SpecialTokens::AsText),
                  std::vector<TokenId>{2})
            << name;
    }
}

TEST(TokenizerGguf, IdsOutOfRangeAreErrorsWithBothNumbers) {
    for (const char* name : {"bos_token_id", "eos_token_id", "eot_token_id", "padding_token_id"}) {
        SmallVocabulary small;
        small.more = {{std::string("tokenizer.ggml.") + name, std::uint64_t{999999}}};
        EXPECT_THAT(small.message(), testing::HasSubstr(name));
        EXPECT_THAT(small.message(), testing::HasSubstr("999999"));
        EXPECT_THAT(small.message(), testing::HasSubstr("7 tokens"));
    }
    SmallVocabulary none;
    none.more = {{"tokenizer.ggml.bos_token_id", std::int64_t{-1}}};
    const auto tokenizer = none.read();
    ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
    EXPECT_EQ((*tokenizer)->bos(), -1);
    none.more.emplace_back("tokenizer.ggml.add_bos_token", true);
    EXPECT_THAT(none.message(), testing::HasSubstr("add_bos_token"));
}

TEST(TokenizerGguf, ListsOfAnotherLengthAreErrorsWithBothNumbers) {
    SmallVocabulary small;
    small.more.emplace_back("tokenizer.ggml.scores", std::vector<double>(3));
    EXPECT_THAT(small.message(), testing::HasSubstr("scores has 3"));
    EXPECT_THAT(small.message(), testing::HasSubstr("tokens has 7"));
    small = {};
    small.types.pop_back();
    EXPECT_THAT(small.message(), testing::HasSubstr("token_type has 6"));
}

TEST(TokenizerGguf, MergesThatDoNotFitAreNamed) {
    SmallVocabulary small;
    small.merges = {"a b", "q z"};
    EXPECT_THAT(small.message(), testing::HasSubstr("merge 1 of \"q\" and \"z\""));
    small.merges = {"ab"};
    EXPECT_THAT(small.message(), testing::HasSubstr("\"ab\""));
}

/// A GGUF checkpoint whose vocabulary is that of a golden tokenizer.json, padded at the end.
void expectSameAs(const std::string& gguf, const std::string& tokenizerName) {
    const std::string path = goldenDir() + "/gguf/" + gguf;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    const auto tokenizer = openTokenizer(path);
    ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
    const auto expected = readJson(goldenDir() + "/tokenizers/" + tokenizerName + "/expected.json");
    expectCases(**tokenizer, expected);
    expectRandomDecoding(**tokenizer, expected);
    expectStreams(*tokenizer, expected);
}

TEST(TokenizerGguf, SmolLmCheckpointEqualsItsTokenizerJson) {
    expectSameAs("llama_tied.F16.gguf", "bbpe_smollm");
}

TEST(TokenizerGguf, Qwen2CheckpointEqualsItsTokenizerJson) {
    expectSameAs("qwen2.F16.gguf", "bbpe_qwen2");
}

/// A "llama" vocabulary of a few pieces to look at one rule at a time.
struct SmallSp {
    std::vector<std::string_view> tokens = {"<unk>", "<s>", "</s>",     "<0x0A>", "\u2581", "a",
                                            "b",     "ab",  "\u2581ab", "ba",     "[X]",    "[U]"};
    std::vector<std::int64_t> types = {2, 3, 3, 6, 1, 1, 1, 1, 1, 1, 3, 4};
    std::vector<double> scores = {0, 0, 0, 0, -9, -9, -9, -1, -3, -2, 0, 0};
    std::vector<std::pair<std::string, MetaValue>> more;

    [[nodiscard]] std::shared_ptr<const Tokenizer> read() const {
        Metadata metadata;
        metadata.add("tokenizer.ggml.model", std::string_view("llama"));
        metadata.add("tokenizer.ggml.tokens", tokens);
        metadata.add("tokenizer.ggml.token_type", types);
        metadata.add("tokenizer.ggml.scores", scores);
        for (const auto& [key, value] : more) metadata.add(key, value);
        auto result = tokenizer::readGguf(metadata, "small.gguf");
        if (!result) {
            ADD_FAILURE() << result.error().toString();
            return nullptr;
        }
        return *result;
    }
};

TEST(TokenizerGguf, SentencePieceJoinsTheBestScoreFirst) {
    const auto tokenizer = SmallSp().read();
    ASSERT_NE(tokenizer, nullptr);
    const auto encode = [&](const std::string& text, SpecialTokens special) {
        return encodeOrFail(*tokenizer, text, AddSpecial::No, special);
    };
    using Ids = std::vector<TokenId>;
    EXPECT_EQ(encode("ab", SpecialTokens::AsText), (Ids{8}));
    EXPECT_EQ(encode("aba", SpecialTokens::AsText), (Ids{8, 5}));         // ab (-1) before ba (-2)
    EXPECT_EQ(encode("baba", SpecialTokens::AsText), (Ids{4, 6, 7, 5}));  // the middle first
    EXPECT_EQ(encode("a\nz", SpecialTokens::AsText), (Ids{4, 5, 3, 0}));  // a byte, and none
    // Behind a symbol a new text starts, with its space; control tokens only when parsed.
    EXPECT_EQ(encode("a[U]b", SpecialTokens::AsText), (Ids{4, 5, 11, 4, 6}));
    EXPECT_EQ(encode("[X]ab", SpecialTokens::Parse), (Ids{10, 8}));
    EXPECT_EQ(encode("[X]", SpecialTokens::AsText), (Ids{4, 0, 0, 0}));
    EXPECT_EQ(encode("", SpecialTokens::AsText), Ids{});
    EXPECT_EQ(encodeOrFail(*tokenizer, "ab", AddSpecial::Yes, SpecialTokens::AsText), (Ids{1, 8}));
    EXPECT_EQ(tokenizer->decode(Ids{1, 8, 4, 5, 3}, SkipSpecial::Yes), "ab a\n");
    EXPECT_EQ(tokenizer->tokenBytes(8), " ab");
    EXPECT_EQ(tokenizer->kind(), "SentencePiece BPE");
}

TEST(TokenizerGguf, FlagsOfASentencePieceVocabularyAreHonoured) {
    SmallSp small;
    small.more = {{"tokenizer.ggml.add_space_prefix", false},
                  {"tokenizer.ggml.add_bos_token", false},
                  {"tokenizer.ggml.add_eos_token", true}};
    const auto tokenizer = small.read();
    ASSERT_NE(tokenizer, nullptr);
    const std::vector<TokenId> ids = {7, 2};
    EXPECT_EQ(encodeOrFail(*tokenizer, "ab", AddSpecial::Yes, SpecialTokens::AsText), ids);
    EXPECT_EQ(tokenizer->decode(std::vector<TokenId>{8}, SkipSpecial::Yes), " ab");
    EXPECT_EQ(tokenizer->bos(), 1);
    EXPECT_EQ(tokenizer->endOfGeneration(), std::vector<TokenId>{2});
}

TEST(TokenizerGguf, AMegabyteWithoutASpaceIsNotQuadratic) {
    const auto tokenizer = SmallSp().read();
    ASSERT_NE(tokenizer, nullptr);
    std::string text;
    while (text.size() < (1u << 20)) text += "abbaab";
    const auto ids = encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::AsText);
    EXPECT_EQ(tokenizer->decode(ids, SkipSpecial::No), text);
}

std::vector<std::string> testTexts(const std::string& path) {
    const std::string mark = "\n__ggml_vocab_test__\n";
    std::string all = readFile(path);
    std::vector<std::string> texts;
    std::size_t at = 0;
    for (std::size_t end = all.find(mark); end != std::string::npos; end = all.find(mark, at)) {
        texts.push_back(all.substr(at, end - at));
        at = end + mark.size();
    }
    return texts;
}

TEST(TokenizerGguf, PublishedVocabulariesGiveTheirPublishedIds) {
    LANESCOPE_NEEDS_SHARED(shared);
    if (!std::filesystem::exists(shared + "/vocab")) GTEST_SKIP() << "no vocab folder";
    int nFiles = 0;
    for (const auto& entry : std::filesystem::directory_iterator(shared + "/vocab")) {
        if (entry.path().extension() != ".gguf") continue;
        const std::string path = entry.path().string();
        SCOPED_TRACE(path);
        const auto tokenizer = openTokenizer(path);
        if (!tokenizer && tokenizer.error().code == ErrorCode::Unsupported) {
            std::cout << "skipped: " << tokenizer.error().toString() << "\n";
            continue;
        }
        ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
        ++nFiles;
        const auto texts = testTexts(path + ".inp");
        ASSERT_GT(texts.size(), 30u);
        std::istringstream lines(readFile(path + ".out"));
        for (const std::string& text : texts) {
            SCOPED_TRACE("text: " + nlohmann::json(text).dump());
            std::string line;
            ASSERT_TRUE(std::getline(lines, line));
            std::istringstream numbers(line);
            std::vector<TokenId> expected;
            for (TokenId id = 0; numbers >> id;) expected.push_back(id);
            const auto ids = encodeOrFail(**tokenizer, text, AddSpecial::No, SpecialTokens::AsText);
            EXPECT_EQ(ids, expected);
            EXPECT_EQ((*tokenizer)->decode(ids, SkipSpecial::No), text);
        }
    }
    EXPECT_GE(nFiles, 10);
}

}  // namespace
}  // namespace lanescope::test

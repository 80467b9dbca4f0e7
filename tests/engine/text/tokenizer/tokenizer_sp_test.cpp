// SentencePiece .model files against the ids and texts of the sentencepiece library, and the same
// vocabularies as GGUF writes them.

#include <cstdint>
#include <filesystem>
#include <random>

#include "engine/text/tokenizer/gguf_reader.h"
#include "engine/text/tokenizer/json_reader.h"
#include "engine/text/tokenizer/sp_file.h"
#include "tests/engine/text/tokenizer/tokenizer_data.h"

namespace lanescope::test {
namespace {

constexpr const char* kNames[] = {"spbpe_llama2", "spbpe_mistral", "spbpe_gemma", "spuni_t5",
                                  "spuni_bytes"};

std::string folderOf(const std::string& name) {
    return goldenDir() + "/tokenizers/" + name;
}

void expectSpCases(const std::shared_ptr<const Tokenizer>& tokenizer, const std::string& name) {
    const auto expected = readJson(folderOf(name) + "/expected_sp.json");
    EXPECT_EQ(tokenizer->vocabSize(), expected.at("vocab_size").get<int>());
    ASSERT_FALSE(expected.at("cases").empty());
    for (const auto& item : expected.at("cases")) {
        const std::string text = item.at("text").get<std::string>();
        SCOPED_TRACE("text: " + nlohmann::json(text).dump());
        const auto ids = idsOf(item.at("ids"));
        EXPECT_EQ(encodeOrFail(*tokenizer, text, AddSpecial::No, SpecialTokens::AsText), ids);
        EXPECT_EQ(tokenizer->decode(ids, SkipSpecial::Yes), item.at("decoded").get<std::string>());
        StreamDecoder stream(tokenizer);
        std::string joined;
        for (const TokenId id : ids) joined += stream.push(id);
        EXPECT_EQ(joined + stream.finish(), item.at("decoded").get<std::string>());
    }
}

TEST(TokenizerSentencePiece, ModelFilesGiveTheLibrarysIdsAndTexts) {
    for (const char* name : kNames) {
        SCOPED_TRACE(name);
        const auto tokenizer = loadTokenizer(folderOf(name) + "/tokenizer.model");
        ASSERT_NE(tokenizer, nullptr);
        expectSpCases(tokenizer, name);
    }
}

/// The vocabulary of a .model file as a converter writes it into GGUF.
Metadata asGguf(const tokenizer::SpVocabulary& source, std::string_view charsmap) {
    Metadata metadata;
    const bool unigram = source.kind == tokenizer::SpVocabulary::Kind::Unigram;
    metadata.add("tokenizer.ggml.model", std::string_view(unigram ? "t5" : "llama"));
    metadata.add("tokenizer.ggml.tokens", source.pieces);
    metadata.add("tokenizer.ggml.scores",
                 std::vector<double>(source.scores.begin(), source.scores.end()));
    std::vector<std::int64_t> types;
    for (const auto type : source.types) types.push_back(static_cast<std::int64_t>(type));
    metadata.add("tokenizer.ggml.token_type", types);
    metadata.add("tokenizer.ggml.unknown_token_id", std::int64_t{source.unkId});
    metadata.add("tokenizer.ggml.add_space_prefix", source.normalizer.addPrefix);
    metadata.add("tokenizer.ggml.remove_extra_whitespaces", source.normalizer.removeExtraSpaces);
    std::vector<std::int64_t> bytes;
    for (const char c : charsmap) bytes.push_back(static_cast<unsigned char>(c));
    if (!bytes.empty()) metadata.add("tokenizer.ggml.precompiled_charsmap", bytes);
    return metadata;
}

/// The table of replacements inside a .model file: it follows its name.
std::string_view charsmapOf(std::string_view file) {
    constexpr std::string_view kName = "\x0A\x08nmt_nfkc\x12";
    std::size_t at = file.find(kName) + kName.size();
    std::size_t length = 0;
    for (unsigned shift = 0; at < file.size() && shift < 28; shift += 7) {
        const auto byte = static_cast<unsigned char>(file[at++]);
        length |= static_cast<std::size_t>(byte & 0x7F) << shift;
        if (byte < 0x80) break;
    }
    return file.substr(at, length);
}

TEST(TokenizerSentencePiece, GgufKindsEqualTheirModelFiles) {
    for (const char* name : {"spbpe_llama2", "spbpe_mistral", "spbpe_gemma", "spuni_t5"}) {
        SCOPED_TRACE(name);
        const std::string bytes = readFile(folderOf(name) + "/tokenizer.model");
        const auto file = tokenizer::parseSpFile(bytes);
        ASSERT_TRUE(file) << file.error().toString();
        const bool mapped = std::string(name) == "spuni_t5";
        const Metadata metadata =
            asGguf(file->vocabulary, mapped ? charsmapOf(bytes) : std::string_view());
        const auto tokenizer = tokenizer::readGguf(metadata, name);
        ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
        const auto expected = readJson(folderOf(name) + "/expected_sp.json");
        for (const auto& item : expected.at("cases")) {
            const std::string text = item.at("text").get<std::string>();
            SCOPED_TRACE("text: " + nlohmann::json(text).dump());
            EXPECT_EQ(encodeOrFail(**tokenizer, text, AddSpecial::No, SpecialTokens::AsText),
                      idsOf(item.at("ids")));
        }
    }
}

TEST(TokenizerSentencePiece, FoldersWithoutTokenizerJsonUseTheModelFile) {
    const auto folder = std::filesystem::path(testing::TempDir()) / "lanescope_sp_folder";
    std::filesystem::create_directories(folder);
    const std::string source = folderOf("spbpe_llama2");
    for (const char* name : {"tokenizer.model", "tokenizer_config.json"}) {
        std::filesystem::copy_file(source + "/" + name, folder / name,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    const auto tokenizer = loadTokenizer(folder.string());
    ASSERT_NE(tokenizer, nullptr);
    EXPECT_EQ(tokenizer->bos(), 1);
    EXPECT_EQ(tokenizer->endOfGeneration(), std::vector<TokenId>{2});
    EXPECT_EQ(tokenizer->kind(), "SentencePiece BPE");
    EXPECT_EQ(tokenizer->specialTokenText("unk_token"), "<unk>");
    const auto ids = encodeOrFail(*tokenizer, "the", AddSpecial::Yes, SpecialTokens::AsText);
    ASSERT_FALSE(ids.empty());
    EXPECT_EQ(ids.front(), 1);
    EXPECT_EQ(encodeOrFail(*tokenizer, "<s>", AddSpecial::No, SpecialTokens::Parse),
              std::vector<TokenId>{1});
    std::filesystem::remove_all(folder);
}

TEST(TokenizerSentencePiece, CutAndDamagedFilesAreErrorsOrLoad) {
    const nlohmann::json none;
    const std::string bytes = readFile(folderOf("spbpe_llama2") + "/tokenizer.model");
    std::mt19937 random(5);
    for (int round = 0; round < 400; ++round) {
        std::string broken = bytes;
        if (round % 2 == 0) {
            broken.resize(random() % broken.size());
        } else {
            broken[random() % broken.size()] = static_cast<char>(random());
        }
        const auto tokenizer = tokenizer::parseSpModel(broken, "x.model", {none, none, none});
        if (tokenizer) {
            EXPECT_TRUE((*tokenizer)->encode("the <s>", AddSpecial::Yes, SpecialTokens::Parse));
        } else {
            EXPECT_THAT(tokenizer.error().toString(), testing::HasSubstr("x.model"));
        }
    }
    for (const std::string& text :
         {std::string(), std::string("version https://git-lfs"), std::string(100, '\0')}) {
        const auto tokenizer = tokenizer::parseSpModel(text, "x.model", {none, none, none});
        ASSERT_FALSE(tokenizer);
        EXPECT_THAT(tokenizer.error().toString(), testing::HasSubstr("is no SentencePiece model"));
    }
}

}  // namespace
}  // namespace lanescope::test

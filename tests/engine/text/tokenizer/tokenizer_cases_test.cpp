// Faults that other programs had with tokenizers, each as the smallest file that shows it (the
// shared folder's cases); and the same kinds as files written here, so that they run everywhere.

#include <filesystem>

#include "engine/text/tokenizer/json_reader.h"
#include "tests/engine/text/tokenizer/tokenizer_data.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

/// Every entry of one case in the shared folder, with the path made whole.
std::vector<json> casesOf(const std::string& shared, const std::string& id) {
    std::vector<json> found;
    const auto expected = readJson(shared + "/cases/expected.json");
    for (json item : expected.at("cases")) {
        if (item.at("id") != id) continue;
        item["path"] = shared + "/cases/" + item.at("path").get<std::string>();
        found.push_back(std::move(item));
    }
    return found;
}

Result<std::shared_ptr<const Tokenizer>> openCase(const std::string& path) {
    return path.ends_with(".gguf") ? openTokenizer(path) : Tokenizer::fromFile(path);
}

/// Refused with a message that has one of the case's words.
void expectRefused(const json& item, const Error& error) {
    const std::string message = error.toString();
    bool mentioned = !item.contains("mentions_any");
    for (const auto& word : item.value("mentions_any", json::array())) {
        mentioned = mentioned || message.find(word.get<std::string>()) != std::string::npos;
    }
    EXPECT_TRUE(mentioned) << message;
    EXPECT_EQ(error.exitCode(), 3) << message;
}

/// Runs the entries of a case: refused where it says so, else equal ids. Kinds of vocabulary that
/// are not supported are passed over with a line.
void expectCase(const std::string& id) {
    LANESCOPE_NEEDS_SHARED(shared);
    if (!std::filesystem::exists(shared + "/cases/expected.json")) GTEST_SKIP() << "no cases";
    const auto items = casesOf(shared, id);
    ASSERT_FALSE(items.empty());
    for (const json& item : items) {
        const std::string path = item.at("path").get<std::string>();
        SCOPED_TRACE(path);
        // Whether there are as many rows as tokens shows when the weights are read.
        if (path.ends_with("gguf_fewer_rows_than_tokens.gguf")) continue;
        const auto tokenizer = openCase(path);
        if (!tokenizer) {
            const std::string message = tokenizer.error().toString();
            const bool kind = message.find("tokenizer of kind") != std::string::npos;
            if (kind && tokenizer.error().code == ErrorCode::Unsupported) {
                std::cout << "skipped: " << message << "\n";
            } else if (item.at("outcome") == "error" || item.value("or_outcome", "") == "error") {
                expectRefused(item, tokenizer.error());
            } else {
                ADD_FAILURE() << message;
            }
            continue;
        }
        EXPECT_TRUE(item.at("outcome") != "error" || item.contains("or_outcome"))
            << "loaded, but must be refused";
        for (const auto& one : item.value("encode", json::array())) {
            const auto text = one.at("text").get<std::string>();
            EXPECT_EQ(encodeOrFail(**tokenizer, text, AddSpecial::No, SpecialTokens::Parse),
                      idsOf(one.at("ids")))
                << text;
        }
        for (const auto& one : item.value("round_trip", json::array())) {
            const auto text = one.at("text").get<std::string>();
            const auto ids = encodeOrFail(**tokenizer, text, AddSpecial::No, SpecialTokens::AsText);
            EXPECT_EQ(ids, idsOf(one.at("ids"))) << text;
            EXPECT_EQ((*tokenizer)->decode(ids, SkipSpecial::Yes),
                      one.at("text_back").get<std::string>());
            StreamDecoder stream(*tokenizer);
            std::string joined;
            for (const TokenId token : ids) joined += stream.push(token);
            EXPECT_EQ(joined + stream.finish(), one.at("text_back").get<std::string>());
        }
        if (item.contains("raw")) {
            const auto text = item.at("raw").at("text").get<std::string>();
            EXPECT_EQ(encodeOrFail(**tokenizer, text, AddSpecial::Yes, SpecialTokens::AsText),
                      idsOf(item.at("raw").at("ids")));
            EXPECT_EQ(encodeOrFail(**tokenizer, item.at("chat").at("text").get<std::string>(),
                                   AddSpecial::No, SpecialTokens::Parse),
                      idsOf(item.at("chat").at("ids")));
        }
        for (const auto& run : item.value("chat_runs", json::array())) {
            const auto text = run.at("messages").at(0).at("content").get<std::string>();
            EXPECT_EQ(encodeOrFail(**tokenizer, text, AddSpecial::No, SpecialTokens::AsText),
                      idsOf(run.at("content_ids")))
                << text;
        }
        for (const auto& run : item.value("runs", json::array())) {
            StreamDecoder stream(*tokenizer);
            std::vector<std::string> pieces;
            for (const TokenId token : idsOf(run.at("ids"))) pieces.push_back(stream.push(token));
            EXPECT_EQ(json(pieces), run.at("pieces")) << run.dump();
            EXPECT_EQ(stream.finish(), run.at("after_end").get<std::string>()) << run.dump();
        }
    }
}

TEST(TokenizerCases, C21SizesAndIdsThatDoNotFit) {
    expectCase("C21");
}
TEST(TokenizerCases, C22OneBos) {
    expectCase("C22");
}
TEST(TokenizerCases, C23TypedControlTokensStayText) {
    expectCase("C23");
}
TEST(TokenizerCases, C24BytesWithoutAPiece) {
    expectCase("C24");
}
TEST(TokenizerCases, C25CharactersOverSeveralTokens) {
    expectCase("C25");
}
TEST(TokenizerCases, C28MergesAsTextsAndAsPairs) {
    expectCase("C28");
}
TEST(TokenizerCases, C29SplittingPatterns) {
    expectCase("C29");
}
TEST(TokenizerCases, C30FixedPointOfEncodeAndDecode) {
    expectCase("C30");
}

/// A tokenizer.json with the vocabulary "a" "b" "ab" "Ġ" "<s>", changed by a merge patch.
json smallFile(const json& patch = json::object()) {
    json file = json::parse(R"({
        "added_tokens": [{"id": 4, "content": "<s>", "special": true}],
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
        "post_processor": null,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "\u0120": 3},
                  "merges": ["a b"]}})");
    file.merge_patch(patch);
    return file;
}

Result<std::shared_ptr<const Tokenizer>> parseSmall(const json& file) {
    const json none;
    return tokenizer::parseTokenizerJson(file.dump(), "small.json", {none, none, none});
}

std::string messageOf(const json& patch) {
    const auto result = parseSmall(smallFile(patch));
    return result ? "no error" : result.error().toString();
}

TEST(TokenizerJson, BothFormsOfMergesGiveTheSameIds) {
    for (const char* merges : {R"(["a b"])", R"([["a", "b"]])"}) {
        const auto tokenizer =
            parseSmall(smallFile({{"model", {{"merges", json::parse(merges)}}}}));
        ASSERT_TRUE(tokenizer) << tokenizer.error().toString();
        EXPECT_EQ(encodeOrFail(**tokenizer, "abba ab", AddSpecial::No, SpecialTokens::Parse),
                  (std::vector<TokenId>{2, 1, 0, 3, 2}));
    }
}

TEST(TokenizerJson, EntriesThatAreWrongAreNamed) {
    EXPECT_THAT(messageOf({{"model", {{"merges", {"q z"}}}}}), testing::HasSubstr("\"q\""));
    EXPECT_THAT(messageOf({{"model", {{"merges", {"a b c"}}}}}), testing::HasSubstr("a b c"));
    EXPECT_THAT(messageOf({{"model", {{"merges", {7}}}}}), testing::HasSubstr("merge 0"));
    EXPECT_THAT(messageOf({{"model", {{"vocab", {{"a", -1}}}}}}), testing::HasSubstr("-1"));
    EXPECT_THAT(messageOf({{"model", {{"vocab", {{"a", 999999999999}}}}}}),
                testing::HasSubstr("999999999999"));
    EXPECT_THAT(messageOf({{"model", {{"vocab", {{"a", "x"}}}}}}), testing::HasSubstr("\"a\""));
    EXPECT_THAT(messageOf({{"model", {{"type", "WordPiece"}}}}), testing::HasSubstr("WordPiece"));
    EXPECT_THAT(messageOf({{"model", {{"type", "Unigram"}}}}), testing::HasSubstr("Unigram"));
    EXPECT_THAT(messageOf({{"pre_tokenizer", {{"type", "UnicodeScripts"}}}}),
                testing::HasSubstr("UnicodeScripts"));
    EXPECT_THAT(messageOf({{"normalizer", {{"type", "Rot13"}}}}), testing::HasSubstr("Rot13"));
    EXPECT_THAT(messageOf({{"pre_tokenizer", {{"type", "Cut"}}}}), testing::HasSubstr("Cut"));
    EXPECT_THAT(messageOf({{"decoder", {{"type", "Glue"}}}}), testing::HasSubstr("Glue"));
    EXPECT_THAT(messageOf({{"post_processor", {{"type", "Wrap"}}}}), testing::HasSubstr("Wrap"));
    EXPECT_THAT(messageOf({{"post_processor", json::parse(R"({"type": "TemplateProcessing",
                    "single": [{"SpecialToken": {"id": "x"}}, {"Sequence": {"id": "A"}}],
                    "special_tokens": {"x": {"ids": [77]}}})")}}),
                testing::HasSubstr("77"));
}

TEST(TokenizerJson, EveryMessageNamesTheFile) {
    EXPECT_THAT(messageOf({{"model", {{"type", "Unigram"}}}}), testing::HasSubstr("small.json"));
    const json none;
    const auto cut = tokenizer::parseTokenizerJson("{\"model\": ", "cut.json", {none, none, none});
    ASSERT_FALSE(cut);
    EXPECT_THAT(cut.error().toString(), testing::HasSubstr("cut.json"));
}

TEST(TokenizerJson, AWrongFieldKindIsAnErrorNotACrash) {
    // Each field of the file in turn becomes each kind of value.
    const json small = smallFile();
    const std::vector<json> kinds = {nullptr,
                                     true,
                                     -1,
                                     1.5,
                                     "x",
                                     json::array(),
                                     json::object(),
                                     json::array({1, "a", nullptr}),
                                     json{{"type", 3}}};
    const json flat = small.flatten();
    std::vector<std::string> pointers = {"/model",        "/added_tokens",   "/model/vocab",
                                         "/model/merges", "/added_tokens/0", "/pre_tokenizer"};
    for (const auto& [pointer, value] : flat.items()) pointers.push_back(pointer);
    for (const std::string& pointer : pointers) {
        for (const json& kind : kinds) {
            json broken = small;
            broken[json::json_pointer(pointer)] = kind;
            const auto tokenizer = parseSmall(broken);
            if (tokenizer) {
                EXPECT_TRUE((*tokenizer)->encode("ab <s>", AddSpecial::Yes, SpecialTokens::Parse));
            } else {
                EXPECT_FALSE(tokenizer.error().message.empty());
            }
        }
    }
}

}  // namespace
}  // namespace lanescope::test

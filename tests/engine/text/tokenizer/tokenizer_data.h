#pragma once
// Golden data of tokenizers as the tests of this folder read it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"
#include "tests/support/golden.h"

namespace lanescope::test {

inline nlohmann::json readJson(const std::string& path) {
    return nlohmann::json::parse(readFile(path));
}

inline std::vector<TokenId> idsOf(const nlohmann::json& list) {
    return list.get<std::vector<TokenId>>();
}

/// Loads a tokenizer.json; fails the test with the message if that does not work.
inline std::shared_ptr<const Tokenizer> loadTokenizer(const std::string& path) {
    auto tokenizer = Tokenizer::fromFile(path);
    if (!tokenizer) {
        ADD_FAILURE() << tokenizer.error().toString();
        return nullptr;
    }
    return *tokenizer;
}

/// Opens a GGUF file and loads its tokenizer.
inline Result<std::shared_ptr<const Tokenizer>> openTokenizer(const std::string& path) {
    const auto checkpoint = Checkpoint::open(path);
    if (!checkpoint) return checkpoint.error();
    return Tokenizer::fromCheckpoint(**checkpoint);
}

inline std::vector<TokenId> encodeOrFail(const Tokenizer& tokenizer, const std::string& text,
                                         AddSpecial addSpecial, SpecialTokens special) {
    auto ids = tokenizer.encode(text, addSpecial, special);
    if (!ids) {
        ADD_FAILURE() << ids.error().toString();
        return {};
    }
    return *ids;
}

/// Every case of an expected.json: ids with and without what the post-processor adds, and both
/// decodings. The ids are the reference library's, which always parses special tokens.
/// `canDecode` is false where a vocabulary is the same but its decoding is not meant to be.
inline void expectCases(const Tokenizer& tokenizer, const nlohmann::json& expected) {
    ASSERT_FALSE(expected.at("cases").empty());
    for (const auto& item : expected.at("cases")) {
        const std::string text = item.at("text").get<std::string>();
        SCOPED_TRACE("text: " + nlohmann::json(text).dump());
        const auto ids = idsOf(item.at("ids"));
        EXPECT_EQ(encodeOrFail(tokenizer, text, AddSpecial::Yes, SpecialTokens::Parse), ids);
        EXPECT_EQ(encodeOrFail(tokenizer, text, AddSpecial::No, SpecialTokens::Parse),
                  idsOf(item.at("ids_no_special")));
        EXPECT_EQ(tokenizer.decode(ids, SkipSpecial::No), item.at("decoded").get<std::string>());
        EXPECT_EQ(tokenizer.decode(ids, SkipSpecial::Yes),
                  item.at("decoded_skip").get<std::string>());
    }
}

/// Random ids and their decoding.
inline void expectRandomDecoding(const Tokenizer& tokenizer, const nlohmann::json& expected) {
    for (const auto& item : expected.at("random_decode")) {
        const auto ids = idsOf(item.at("ids"));
        SCOPED_TRACE("ids: " + item.at("ids").dump());
        EXPECT_EQ(tokenizer.decode(ids, SkipSpecial::No), item.at("decoded").get<std::string>());
        EXPECT_EQ(tokenizer.decode(ids, SkipSpecial::Yes),
                  item.at("decoded_skip").get<std::string>());
    }
}

/// What comes out of the stream after each id; joined it is the whole decoding.
inline void expectStreams(const std::shared_ptr<const Tokenizer>& tokenizer,
                          const nlohmann::json& expected) {
    for (const auto& item : expected.at("stream_decode")) {
        SCOPED_TRACE("ids: " + item.at("ids").dump());
        const SkipSpecial skip =
            item.at("skip_special").get<bool>() ? SkipSpecial::Yes : SkipSpecial::No;
        const auto ids = idsOf(item.at("ids"));
        StreamDecoder stream(tokenizer, skip);
        std::string joined;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::string piece = stream.push(ids[i]);
            const auto& chunk = item.at("chunks").at(i);
            EXPECT_EQ(piece, chunk.is_null() ? "" : chunk.get<std::string>()) << "at " << i;
            joined += piece;
        }
        joined += stream.finish();
        EXPECT_EQ(joined, tokenizer->decode(ids, skip));
    }
}

}  // namespace lanescope::test

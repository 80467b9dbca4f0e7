// Stop strings and settled text, with a tokenizer made of fixed pieces.

#include "engine/decode/token_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace lanescope {
namespace {

using ::testing::ElementsAre;

TEST(StopMatcher, CutsBeforeTheStopStringWhereverItIsSplit) {
    const std::string text = "one two##three";
    for (std::size_t a = 0; a <= text.size(); ++a)
        for (std::size_t b = a; b <= text.size(); ++b) {
            StopMatcher matcher({"##"});
            std::string shown = matcher.push(text.substr(0, a));
            shown += matcher.push(text.substr(a, b - a));
            shown += matcher.push(text.substr(b));
            EXPECT_EQ(shown + matcher.finish(), "one two") << a << " " << b;
            EXPECT_TRUE(matcher.matched());
        }
}

TEST(StopMatcher, NeverShowsTheStartOfAStopStringEarly) {
    StopMatcher matcher({"\nUser:", "END"});
    EXPECT_EQ(matcher.push("Hello\n"), "Hello");
    EXPECT_TRUE(matcher.holding());
    EXPECT_EQ(matcher.push("Us"), "");
    EXPECT_EQ(matcher.push("age"), "\nUsage");
    EXPECT_EQ(matcher.push("E"), "");
    EXPECT_EQ(matcher.push("N"), "");
    EXPECT_EQ(matcher.finish(), "EN");
    EXPECT_FALSE(matcher.matched());
}

TEST(StopMatcher, TheFirstToBeCompleteWinsAndEmptyOnesAreIgnored) {
    StopMatcher matcher({"", "later", "at"});
    EXPECT_EQ(matcher.push("a lot later"), "a lot l");  // "at" is complete before "later"
    EXPECT_TRUE(matcher.matched());
    EXPECT_EQ(matcher.push("more"), "");
    StopMatcher none({""});
    EXPECT_EQ(none.push("text"), "text");
    EXPECT_FALSE(none.matched());
}

TEST(StopMatcher, RandomSplitsShowWhatAPlainSearchFinds) {
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        const auto letters = [&](std::size_t n) {
            std::string s;
            for (std::size_t i = 0; i < n; ++i) s += static_cast<char>('a' + random() % 2);
            return s;
        };
        const std::vector<std::string> stops{letters(1 + random() % 5), letters(1 + random() % 5)};
        const std::string text = letters(24);
        std::size_t cut = std::string::npos;
        for (std::size_t end = 1; end <= text.size() && cut == std::string::npos; ++end)
            for (const std::string& stop : stops)
                if (text.substr(0, end).ends_with(stop)) cut = std::min(cut, end - stop.size());
        StopMatcher matcher(stops);
        std::string shown;
        for (std::size_t i = 0; i < text.size() && !matcher.matched();) {
            const std::size_t n = 1 + random() % 4;
            shown += matcher.push(text.substr(i, n));
            i += n;
            EXPECT_TRUE(text.substr(0, cut).starts_with(shown));
        }
        shown += matcher.finish();
        EXPECT_EQ(shown, text.substr(0, cut));
        EXPECT_EQ(matcher.matched(), cut != std::string::npos);
    }
}

/// Token i is pieces[i]; decode joins them and leaves incomplete UTF-8 as U+FFFD, as the real ones.
class PieceTokenizer final : public Tokenizer {
  public:
    explicit PieceTokenizer(std::vector<std::string> pieces) : m_pieces(std::move(pieces)) {}
    Result<std::vector<TokenId>> encode(std::string_view, AddSpecial,
                                        SpecialTokens) const override {
        return unsupported("not needed");
    }
    std::string decode(std::span<const TokenId> ids, SkipSpecial) const override {
        std::string bytes;
        for (const TokenId id : ids) bytes += tokenBytes(id);
        if (!bytes.empty() && static_cast<unsigned char>(bytes.back()) >= 0xC2)
            bytes.replace(bytes.size() - 1, 1, "\xEF\xBF\xBD");
        return bytes;
    }
    std::string tokenBytes(TokenId id) const override {
        return m_pieces.at(static_cast<std::size_t>(id));
    }
    std::int32_t vocabSize() const override { return static_cast<std::int32_t>(m_pieces.size()); }
    bool isSpecial(TokenId) const override { return false; }
    TokenId bos() const override { return -1; }
    const std::vector<TokenId>& endOfGeneration() const override { return m_ends; }
    std::string kind() const override { return "pieces"; }
    std::string specialTokenText(std::string_view) const override { return {}; }

  private:
    std::vector<std::string> m_pieces;
    std::vector<TokenId> m_ends;
};

struct Pieces : trace::Sink {
    std::vector<std::string> pieces;
    void token(const trace::TokenRecord& record) override { pieces.push_back(record.piece); }
};

trace::TokenRecord recordOf(TokenId id) {
    trace::TokenRecord record;
    record.token = id;
    return record;
}

TEST(TokenStream, RecordsWaitUntilTheirTextIsSettled) {
    const auto tokenizer = std::make_shared<PieceTokenizer>(
        std::vector<std::string>{"Hi", " #", "#x", "\xC3", "\xA9"});
    Pieces sink;
    TokenStream stream(tokenizer, {"##"}, &sink);
    EXPECT_FALSE(stream.push(recordOf(0)));
    EXPECT_THAT(sink.pieces, ElementsAre("Hi"));
    EXPECT_FALSE(stream.push(recordOf(3)));  // half of é: waits
    EXPECT_THAT(sink.pieces, ElementsAre("Hi"));
    EXPECT_FALSE(stream.push(recordOf(4)));
    EXPECT_THAT(sink.pieces, ElementsAre("Hi", "", "é"));
    EXPECT_FALSE(stream.push(recordOf(1)));  // may become ##: waits
    EXPECT_EQ(sink.pieces.size(), 3U);
    EXPECT_TRUE(stream.push(recordOf(2)));
    stream.finish();
    EXPECT_THAT(sink.pieces, ElementsAre("Hi", "", "é", " ", ""));
    EXPECT_EQ(stream.text(), "Hié ");
}

TEST(TokenStream, TheRestBelongsToTheLastToken) {
    const auto tokenizer =
        std::make_shared<PieceTokenizer>(std::vector<std::string>{"Hi", " #", "\xC3"});
    Pieces sink;
    TokenStream stream(tokenizer, {"##"}, &sink);
    stream.push(recordOf(0));
    stream.push(recordOf(1));
    stream.finish();
    EXPECT_THAT(sink.pieces, ElementsAre("Hi", " #"));
    EXPECT_EQ(stream.text(), "Hi #");

    Pieces broken;
    TokenStream half(tokenizer, {}, &broken);
    half.push(recordOf(0));
    half.push(recordOf(2));
    half.finish();
    EXPECT_THAT(broken.pieces, ElementsAre("Hi", "\xEF\xBF\xBD"));
}

TEST(TokenStream, WithoutATokenizerTokensStillArrive) {
    Pieces sink;
    TokenStream stream(nullptr, {}, &sink);
    stream.push(recordOf(7));
    EXPECT_EQ(sink.pieces.size(), 1U);
    stream.finish();
    EXPECT_EQ(stream.text(), "");
}

}  // namespace
}  // namespace lanescope

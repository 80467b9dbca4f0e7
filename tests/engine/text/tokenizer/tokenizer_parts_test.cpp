// The steps of the pipeline one by one: patterns, splitting, byte-pair encoding of long words.

#include <random>

#include "engine/text/tokenizer/added_tokens.h"
#include "engine/text/tokenizer/bpe.h"
#include "engine/text/tokenizer/normalizer.h"
#include "engine/text/tokenizer/pre_tokenizer.h"
#include "engine/text/utf8.h"
#include "tests/engine/text/tokenizer/tokenizer_data.h"

namespace lanescope::tokenizer {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::vector<std::string> split(const char* entry, const std::string& text) {
    const auto step = makePreTokenizer(json::parse(entry));
    if (!step) return {step.error().toString()};
    Pieces pieces;
    pieces.text = text;
    pieces.ranges.push_back({0, static_cast<std::uint32_t>(text.size())});
    if (const auto done = (*step)->apply(pieces); !done) return {done.error().toString()};
    std::vector<std::string> out;
    for (const auto& range : pieces.ranges) out.emplace_back(pieces.view(range));
    return out;
}

TEST(TokenizerSplit, BehavioursAreTheReferenceLibrarys) {
    const auto with = [](const std::string& behaviour) {
        return split((R"({"type":"Split","pattern":{"String":"-"},"behavior":")" + behaviour +
                      R"(","invert":false})")
                         .c_str(),
                     "the-final--countdown");
    };
    EXPECT_THAT(with("Removed"), ElementsAre("the", "final", "countdown"));
    EXPECT_THAT(with("Isolated"), ElementsAre("the", "-", "final", "-", "-", "countdown"));
    EXPECT_THAT(with("MergedWithPrevious"), ElementsAre("the-", "final-", "-", "countdown"));
    EXPECT_THAT(with("MergedWithNext"), ElementsAre("the", "-final", "-", "-countdown"));
    EXPECT_THAT(with("Contiguous"), ElementsAre("the", "-", "final", "--", "countdown"));
    EXPECT_THAT(with("Sideways"), ElementsAre(testing::HasSubstr("Sideways")));
}

TEST(TokenizerSplit, KindsOfPreTokenizers) {
    EXPECT_THAT(split(R"({"type":"Digits","individual_digits":true})", "a12b"),
                ElementsAre("a", "1", "2", "b"));
    EXPECT_THAT(split(R"({"type":"Digits","individual_digits":false})", "a12b"),
                ElementsAre("a", "12", "b"));
    EXPECT_THAT(split(R"({"type":"Whitespace"})", "Hey, you  2!"),
                ElementsAre("Hey", ",", "you", "2", "!"));
    EXPECT_THAT(split(R"({"type":"WhitespaceSplit"})", " a,\u00a0b "), ElementsAre("a,", "b"));
    EXPECT_THAT(split(R"({"type":"Punctuation"})", "a?!b"), ElementsAre("a", "?", "!", "b"));
    EXPECT_THAT(split(R"({"type":"ByteLevel","add_prefix_space":true,"use_regex":true})", "a b\n"),
                ElementsAre("\u0120a", "\u0120b", "\u010a"));
}

TEST(TokenizerRegex, OnigurumaSyntaxIsTranslated) {
    const auto find = [](const char* pattern, const std::string& text) -> std::string {
        const auto regex = Regex::compile(pattern);
        if (!regex) return regex.error().toString();
        RegexMatcher matcher(**regex);
        const auto match = matcher.find(text, 0);
        if (!match) return match.error().toString();
        return match->found ? text.substr(match->begin, match->end - match->begin) : "no match";
    };
    EXPECT_EQ(find(R"(\h+)", "xyz12aFg"), "12aF");
    EXPECT_EQ(find(R"(\u00e9)", "caf\u00e9"), "\u00e9");
    EXPECT_EQ(find(R"(\s)", "a\u180eb"), "no match");  // no white space since Unicode 6.3
    EXPECT_EQ(find(R"([\S]+)", " ab\u3000c"), "ab");
    EXPECT_EQ(find(R"(\w+)", "-e\u0301-"), "e\u0301");
    EXPECT_EQ(find(R"((?m:a.b))", "a\nb"), "a\nb");
    EXPECT_EQ(find(R"(\p{Han}+)", "ab\u6f22\u5b57"), "\u6f22\u5b57");
    EXPECT_EQ(find(R"(^b)", "a\nb"), "b");
    EXPECT_THAT(find(R"([a&&[^b]])", "a"), testing::HasSubstr("intersection"));
    EXPECT_THAT(find(R"([a[bc]])", "a"), testing::HasSubstr("class within a class"));
    EXPECT_THAT(find(R"((a)", "a"), testing::HasSubstr("not understood"));
    EXPECT_THAT(find(R"(\p{Klingon})", "a"), testing::HasSubstr("Klingon"));
}

TEST(TokenizerRegex, APatternThatExplodesEndsInAnError) {
    const auto regex = Regex::compile("(?:(?:a+)+)+$");
    ASSERT_TRUE(regex) << regex.error().toString();
    RegexMatcher matcher(**regex);
    const auto match = matcher.find(std::string(64, 'a') + "b", 0);
    ASSERT_FALSE(match);
    EXPECT_EQ(match.error().exitCode(), 3);
}

TEST(TokenizerNormalizer, KindsOfNormalizers) {
    const auto apply = [](const char* entry, std::string text) {
        const auto step = makeNormalizer(json::parse(entry));
        if (!step) return step.error().toString();
        const auto done = (*step)->apply(text);
        return done ? text : done.error().toString();
    };
    EXPECT_EQ(apply(R"({"type":"NFC"})", "xe\u0301y"), "x\u00e9y");
    EXPECT_EQ(apply(R"({"type":"NFC"})", "e\u0301"), "\u00e9");
    EXPECT_EQ(apply(R"({"type":"NFD"})", "\u00e9!"), "e\u0301!");
    EXPECT_EQ(apply(R"({"type":"NFKC"})", "\ufb01 \u2460"), "fi 1");
    EXPECT_EQ(apply(R"({"type":"NFKD"})", "\u00bd"), "1\u20442");
    EXPECT_EQ(apply(R"({"type":"Lowercase"})", "\u00c4B\u0130"), "\u00e4bi\u0307");
    EXPECT_EQ(apply(R"({"type":"Strip"})", "\u3000 a b \n"), "a b");
    EXPECT_EQ(apply(R"({"type":"Replace","pattern":{"String":" "},"content":"_"})", "a  b"),
              "a__b");
    EXPECT_EQ(apply(R"({"type":"Replace","pattern":{"Regex":" +"},"content":"_"})", "a  b"), "a_b");
    EXPECT_EQ(apply(R"({"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"}]})",
                    "\u00e9t\u00e9"),
              "ete");
}

TEST(TokenizerAddedTokens, SwitchesAreTheReferenceLibrarys) {
    AddedTokens added;
    const auto add = [&](TokenId id, const char* content, auto change) {
        AddedToken token;
        token.id = id;
        token.content = content;
        token.special = true;
        change(token);
        ASSERT_TRUE(added.add(token, content));
    };
    add(1, "<x>", [](AddedToken&) {});
    add(2, "<x>y", [](AddedToken&) {});
    add(3, "<l>", [](AddedToken& token) { token.lstrip = true; });
    add(4, "<r>", [](AddedToken& token) { token.rstrip = true; });
    add(5, "word", [](AddedToken& token) { token.singleWord = true; });
    add(6, "tool", [](AddedToken& token) { token.special = false; });
    const auto spans = [&](const std::string& text, SpecialTokens special = SpecialTokens::Parse) {
        std::string out;
        for (const TextSpan& span : added.split(text, AddedTokens::Pass::Raw, special)) {
            out += "[" + (span.id < 0 ? "" : std::to_string(span.id) + ":") +
                   text.substr(span.begin, span.end - span.begin) + "]";
        }
        return out;
    };
    EXPECT_EQ(spans("a<x>b"), "[a][1:<x>][b]");
    EXPECT_EQ(spans("<x>y<x>"), "[2:<x>y][1:<x>]");
    EXPECT_EQ(spans("a \n<l> b"), "[a][3: \n<l>][ b]");
    EXPECT_EQ(spans("a <r> \nb"), "[a ][4:<r> \n][b]");
    EXPECT_EQ(spans("<r>  <l>"), "[4:<r>  ][3:<l>]");
    EXPECT_EQ(spans("word sword word_ (word)"), "[5:word][ sword word_ (][5:word][)]");
    EXPECT_EQ(spans("<x>tool", SpecialTokens::AsText), "[<x>][6:tool]");
    EXPECT_EQ(spans(""), "");
}

/// The oracle: join the best pair, leftmost first, until there is none.
std::vector<TokenId> slowBpe(
    std::vector<TokenId> symbols,
    const std::map<std::pair<TokenId, TokenId>, std::pair<int, TokenId>>& merges) {
    while (true) {
        auto best = merges.end();
        std::size_t at = 0;
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
            const auto found = merges.find({symbols[i], symbols[i + 1]});
            if (found == merges.end()) continue;
            if (best == merges.end() || found->second.first < best->second.first) {
                best = found;
                at = i;
            }
        }
        if (best == merges.end()) return symbols;
        symbols[at] = best->second.second;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
}

TEST(TokenizerBpe, ShortAndLongPiecesEqualThePlainRule) {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        Vocabulary vocabulary;
        std::vector<std::string> tokens = {"a", "b", "c"};
        std::vector<std::pair<std::string, std::string>> pairs;
        std::map<std::pair<TokenId, TokenId>, std::pair<int, TokenId>> oracle;
        while (pairs.size() < 40) {
            const std::size_t left = random() % tokens.size();
            const std::size_t right = random() % tokens.size();
            std::string joined = tokens[left] + tokens[right];
            if (std::find(tokens.begin(), tokens.end(), joined) != tokens.end()) continue;
            oracle[{static_cast<TokenId>(left), static_cast<TokenId>(right)}] = {
                static_cast<int>(pairs.size()), static_cast<TokenId>(tokens.size())};
            pairs.emplace_back(tokens[left], tokens[right]);
            tokens.push_back(std::move(joined));
        }
        for (std::size_t id = 0; id < tokens.size(); ++id) {
            ASSERT_TRUE(vocabulary.add(tokens[id], static_cast<std::int64_t>(id),
                                       Vocabulary::Searchable::Yes));
        }
        const std::vector<Bpe::Merge> merges(pairs.begin(), pairs.end());
        const auto bpe = Bpe::build(vocabulary, merges, {});
        ASSERT_TRUE(bpe) << bpe.error().toString();
        for (const std::size_t length : {1, 2, 3, 17, 48, 49, 50, 333}) {
            Pieces pieces;
            std::vector<TokenId> symbols;
            for (std::size_t i = 0; i < length; ++i) {
                symbols.push_back(static_cast<TokenId>(random() % 3));
                pieces.text += tokens[static_cast<std::size_t>(symbols.back())];
            }
            pieces.ranges.push_back({0, static_cast<std::uint32_t>(length)});
            std::vector<TokenId> ids;
            PieceCache cache;
            ASSERT_TRUE((*bpe)->encode(pieces, ids, cache));
            EXPECT_EQ(ids, slowBpe(symbols, oracle)) << pieces.text;
        }
    }
}

TEST(Utf8, RepairReplacesEachMaximalBrokenPart) {
    EXPECT_EQ(utf8::repaired("a\xE2\x82"
                             "b"),
              "a\uFFFD"
              "b");
    EXPECT_EQ(utf8::repaired("\xF0\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // overlong
    EXPECT_EQ(utf8::repaired("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // over U+10FFFF
    EXPECT_TRUE(utf8::isValid("\u00e9\u20ac\U0001F999"));
    EXPECT_TRUE(utf8::decode("\xF0\x9F", 0).cut);
}

TEST(Vocabulary, FindsTextsOfEveryLengthAndForgetsThoseReplaced) {
    Vocabulary vocabulary;
    std::vector<std::string> texts;
    for (int i = 0; i < 5000; ++i) {
        // Lengths 0 to 19; first and last bytes alike, so that the middle has to tell.
        std::string text = "ab" + std::to_string(i * 7919) + std::string(i % 11, 'z');
        texts.push_back(i == 0 ? ""
                               : text.substr(0, std::max<std::size_t>(1, text.size() - i % 3)));
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
        ASSERT_TRUE(
            vocabulary.add(texts[i], static_cast<std::int64_t>(i), Vocabulary::Searchable::Yes));
    std::map<std::string, TokenId> expected;
    for (std::size_t i = 0; i < texts.size(); ++i) expected[texts[i]] = static_cast<TokenId>(i);
    for (const auto& [text, id] : expected) EXPECT_EQ(vocabulary.find(text), id) << text;
    for (const char* absent : {"a", "ab", "abc", "zzzzzzzz", "ab7919zq", "ab0123456789012345"})
        EXPECT_EQ(vocabulary.find(absent), expected.contains(absent) ? expected[absent] : -1);

    ASSERT_TRUE(vocabulary.add("new", 17, Vocabulary::Searchable::Yes));
    EXPECT_EQ(vocabulary.find("new"), 17);
    EXPECT_EQ(vocabulary.find(texts[17]), -1) << "its id has another text now";
    for (std::int64_t id = 5000; id < 20'000; ++id)  // the table grows
        ASSERT_TRUE(vocabulary.add("grow" + std::to_string(id), id, Vocabulary::Searchable::Yes));
    EXPECT_EQ(vocabulary.find(texts[17]), -1);
    EXPECT_EQ(vocabulary.find(texts[18]), 18);
    EXPECT_EQ(vocabulary.find("grow19999"), 19'999);
}

}  // namespace
}  // namespace lanescope::tokenizer

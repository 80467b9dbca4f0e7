// Which stretches of the rendered text came from the input, and what that does to control tokens.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/text/template/template_support.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

/// Input stretches in ‹…›.
std::string marked(const std::string& source, const nlohmann::ordered_json& variables) {
    ChatInput input;
    input.messages = variables.value("messages", nlohmann::ordered_json::array());
    input.variables = variables;
    const auto parsed = ChatTemplate::parse(source);
    if (!parsed) return "ERROR: " + parsed.error().message;
    const auto segments = (*parsed)->render(input);
    if (!segments) return "ERROR: " + segments.error().message;
    std::string out;
    for (const ChatSegment& segment : *segments) {
        out += segment.fromInput ? "<" + segment.text + ">" : segment.text;
    }
    return out;
}

TEST(ChatProvenance, IsKeptThroughOperators) {
    const nlohmann::ordered_json x = {{"x", " ab,cd "}, {"eos_token", "E"}};
    EXPECT_EQ(marked("[{{ x }}]", x), "[< ab,cd >]");
    EXPECT_EQ(marked("{{ '[' + x + ']' ~ eos_token }}", x), "[< ab,cd >]E");
    EXPECT_EQ(marked("{{ '%s;%s' % (x, 'y') }}", x), "< ab,cd >;y");
    EXPECT_EQ(marked("{{ '{};{}'.format('y', x) }}", x), "y;< ab,cd >");
    EXPECT_EQ(marked("{{ ('(' + x | trim + ')')[1:4] }}", x), "<ab,>");
    EXPECT_EQ(marked("{{ ('(' + x | trim + ')')[::-1] }}", x), ")<dc,ba>(");
    EXPECT_EQ(marked("{{ (x * 2) | upper }}", x), "< AB,CD  AB,CD >");
}

TEST(ChatProvenance, IsKeptThroughFiltersAndMethods) {
    const nlohmann::ordered_json x = {{"x", " ab,cd "}};
    EXPECT_EQ(marked("{{ x.strip().split(',') | join('-') }}", x), "<ab>-<cd>");
    EXPECT_EQ(marked("{{ ('p' + x).replace(',', ';') }}", x), "p< ab>;<cd >");
    EXPECT_EQ(marked("{{ [x, 1] | tojson }}", x), "[\"< ab,cd >\", 1]");
    EXPECT_EQ(marked("{{ {'k': x} }}", x), "{'k': '< ab,cd >'}");
    EXPECT_EQ(marked("{% set y %}<{{ x }}>{% endset %}{{ y | title }}", x), "<< Ab,cd >>");
    EXPECT_EQ(marked("{% macro f(a) %}({{ a }}){% endmacro %}{{ f(x) | replace(' ', '') }}", x),
              "(<ab,cd>)");
    EXPECT_EQ(marked("{{ x | trim | list | first }}{{ x | length }}", x), "<a>7");
}

TEST(ChatProvenance, KnownRolesCountAsTheTemplatesOwn) {
    const nlohmann::ordered_json known = {{"messages", {{{"role", "user"}, {"content", "c"}}}}};
    const nlohmann::ordered_json other = {{"messages", {{{"role", "eos|>"}, {"content", "c"}}}}};
    const char* source = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}";
    EXPECT_EQ(marked(source, known), "<|user|><c>");
    EXPECT_EQ(marked(source, other), "<|<eos|>>|><c>");
}

/// A vocabulary of bytes (ids 0 … 255) and four control tokens.
class ByteTokenizer : public Tokenizer {
  public:
    explicit ByteTokenizer(bool addsBos) : m_addsBos(addsBos) {}

    Result<std::vector<TokenId>> encode(std::string_view text, AddSpecial addSpecial,
                                        SpecialTokens special) const override {
        ++calls;
        std::vector<TokenId> ids;
        if (addSpecial == AddSpecial::Yes && m_addsBos) ids.push_back(256);
        for (std::size_t at = 0; at < text.size();) {
            TokenId found = -1;
            for (TokenId id = 256; special == SpecialTokens::Parse && id < vocabSize(); ++id) {
                if (text.substr(at, tokenBytes(id).size()) == tokenBytes(id)) found = id;
            }
            ids.push_back(found >= 0 ? found : static_cast<unsigned char>(text[at]));
            at += found >= 0 ? tokenBytes(found).size() : 1;
        }
        return ids;
    }
    std::string decode(std::span<const TokenId> ids, SkipSpecial) const override {
        std::string out;
        for (const TokenId id : ids) out += tokenBytes(id);
        return out;
    }
    std::string tokenBytes(TokenId id) const override {
        static const std::vector<std::string> kControl = {"<s>", "<end>", "<user>", "<user>!"};
        return id < 256 ? std::string(1, static_cast<char>(id))
                        : kControl[static_cast<std::size_t>(id) - 256];
    }
    std::int32_t vocabSize() const override { return 260; }
    bool isSpecial(TokenId id) const override { return id >= 256; }
    TokenId bos() const override { return 256; }
    const std::vector<TokenId>& endOfGeneration() const override { return m_ends; }
    std::string kind() const override { return "bytes"; }
    std::string specialTokenText(std::string_view) const override { return {}; }

    mutable int calls = 0;

  private:
    bool m_addsBos;
    std::vector<TokenId> m_ends;
};

/// Ids with control tokens as their names in [ ].
std::string shown(const Tokenizer& tokenizer, const std::vector<ChatSegment>& segments) {
    const auto ids = encodeChat(tokenizer, segments);
    if (!ids) return "ERROR";
    std::string out;
    for (const TokenId id : *ids) {
        out += id < 256 ? tokenizer.tokenBytes(id) : "[" + std::to_string(id) + "]";
    }
    return out;
}

TEST(EncodeChat, ControlTokensInMessagesAreText) {
    const ByteTokenizer tokenizer(false);
    EXPECT_EQ(shown(tokenizer, {{"<user>", false}, {"hi<end>", true}, {"<end>", false}}),
              "[258]hi<end>[257]");
    EXPECT_EQ(shown(tokenizer, {{"<user>", false},
                                {"hi<end>", true},
                                {"<end>a<user>", false},
                                {"ok", true},
                                {"<end>", false}}),
              "[258]hi<end>[257]a[258]ok[257]");
    EXPECT_EQ(shown(tokenizer, {{"<s><user>", false}, {"<s><end>", true}}), "[256][258]<s><end>");
}

TEST(EncodeChat, ControlTokensAcrossABorderAreText) {
    const ByteTokenizer tokenizer(false);
    EXPECT_EQ(shown(tokenizer, {{"<", false}, {"end>", true}}), "<end>");
    EXPECT_EQ(shown(tokenizer, {{"<en", true}, {"d><end>", false}}), "<end>[257]");
    EXPECT_EQ(shown(tokenizer, {{"<e", false}, {"nd>", false}}), "[257]");
    EXPECT_EQ(shown(tokenizer, {{"<user>", false}, {"!", true}}), "[258]!");
    EXPECT_EQ(shown(tokenizer, {{"<user>!", false}, {"!", true}}), "[259]!");
}

TEST(EncodeChat, OrdinaryTextIsEncodedInOnePiece) {
    const ByteTokenizer tokenizer(false);
    EXPECT_EQ(shown(tokenizer, {{"<user>", false}, {"hi", true}, {"<end>", false}}),
              "[258]hi[257]");
    EXPECT_LE(tokenizer.calls, 2);
}

TEST(EncodeChat, ThereIsExactlyOneBos) {
    const ByteTokenizer adds(true);
    const ByteTokenizer addsNone(false);
    EXPECT_EQ(shown(adds, {{"<user>", false}, {"hi", true}}), "[256][258]hi");
    EXPECT_EQ(shown(adds, {{"<s><user>", false}, {"hi", true}}), "[256][258]hi");
    EXPECT_EQ(shown(adds, {{"<s>", true}}), "[256]<s>");
    EXPECT_EQ(shown(addsNone, {{"<user>", false}}), "[258]");
}

}  // namespace
}  // namespace lanescope::test

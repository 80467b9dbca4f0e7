#include "engine/text/tokenizer/added_tokens.h"

#include <algorithm>
#include <utility>

#include "engine/text/tokenizer/characters.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

constexpr std::size_t kMaxSpellingBytes = 4096;

/// Start of the character that ends at `end`. Precondition: end > 0.
std::size_t characterBefore(std::string_view text, std::size_t end) {
    std::size_t at = end - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
}

bool isWordAt(std::string_view text, std::size_t at) {
    return at < text.size() && isWordChar(utf8::decode(text, at).codePoint);
}

bool isWholeWord(std::string_view text, std::size_t begin, std::size_t end) {
    const bool wordBefore = begin > 0 && isWordAt(text, characterBefore(text, begin));
    return !wordBefore && !isWordAt(text, end);
}

std::size_t skipSpaceBack(std::string_view text, std::size_t begin, std::size_t notBefore) {
    while (begin > notBefore) {
        const std::size_t at = characterBefore(text, begin);
        if (!isWhitespace(utf8::decode(text, at).codePoint)) break;
        begin = at;
    }
    return std::max(begin, notBefore);
}

std::size_t skipSpace(std::string_view text, std::size_t end) {
    while (end < text.size()) {
        const utf8::Step step = utf8::decode(text, end);
        if (!isWhitespace(step.codePoint)) break;
        end += step.length;
    }
    return end;
}

}  // namespace

void AddedTokens::Trie::add(std::string_view spelling, std::uint32_t tokenIndex) {
    std::uint64_t node = 0;
    for (const char c : spelling) {
        const std::uint64_t key = (node << 8) | static_cast<unsigned char>(c);
        std::uint64_t next = m_edges.get(key);
        if (next == FlatMap64::kAbsent) {
            next = m_ends.size();
            m_ends.push_back(kNone);
            m_edges.set(key, next);
        }
        node = next;
    }
    if (node == 0) return;
    m_ends[node] = tokenIndex;
    m_first[static_cast<unsigned char>(spelling[0])] = true;
}

std::size_t AddedTokens::Trie::longest(std::string_view text, std::size_t at,
                                       std::uint32_t& tokenIndex) const {
    std::size_t length = 0;
    std::uint64_t node = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        node = m_edges.get((node << 8) | static_cast<unsigned char>(text[i]));
        if (node == FlatMap64::kAbsent) break;
        if (m_ends[node] != kNone) {
            tokenIndex = m_ends[node];
            length = i + 1 - at;
        }
    }
    return length;
}

Result<void> AddedTokens::add(AddedToken token, std::string_view spelling) {
    if (std::max(spelling.size(), token.content.size()) > kMaxSpellingBytes) {
        return badInput("added token " + std::to_string(token.id) + " is " +
                        std::to_string(spelling.size()) + " bytes long; at most " +
                        std::to_string(kMaxSpellingBytes) + " are taken");
    }
    if (token.content.empty()) return {};
    const auto at = static_cast<std::uint32_t>(m_tokens.size());
    m_contents.add(token.content, at);
    (token.normalized ? m_normalized : m_raw).add(spelling, at);
    m_byId.set(static_cast<std::uint32_t>(token.id), at);
    m_tokens.push_back(std::move(token));
    return {};
}

std::vector<TextSpan> AddedTokens::split(std::string_view text, Pass pass,
                                         SpecialTokens special) const {
    std::vector<TextSpan> spans;
    const Trie& spellings = trie(pass);
    std::size_t plain = 0;  // end of what `spans` covers
    for (std::size_t at = 0; at < text.size() && !spellings.empty();) {
        if (!spellings.startsWith(static_cast<unsigned char>(text[at]))) {
            ++at;
            continue;
        }
        std::uint32_t index = 0;
        const std::size_t length = spellings.longest(text, at, index);
        if (length == 0) {
            ++at;
            continue;
        }
        const AddedToken& token = m_tokens[index];
        std::size_t begin = at;
        std::size_t end = at + length;
        at = end;  // a match that is not taken is passed over whole, as the reference does
        if (token.special && special == SpecialTokens::AsText) continue;
        if (token.singleWord && !isWholeWord(text, begin, end)) continue;
        if (token.lstrip) begin = skipSpaceBack(text, begin, std::min(plain, begin));
        if (token.rstrip) end = skipSpace(text, end);
        begin = std::max(begin, plain);
        end = std::max(end, begin);
        if (begin > plain) spans.push_back({plain, begin, -1});
        spans.push_back({begin, end, token.id});
        plain = end;
    }
    if (plain < text.size()) spans.push_back({plain, text.size(), -1});
    return spans;
}

const AddedToken* AddedTokens::find(TokenId id) const {
    if (id < 0) return nullptr;
    const std::uint64_t at = m_byId.get(static_cast<std::uint32_t>(id));
    return at == FlatMap64::kAbsent ? nullptr : &m_tokens[at];
}

const AddedToken* AddedTokens::find(std::string_view content) const {
    std::uint32_t index = 0;
    const std::size_t length = m_contents.longest(content, 0, index);
    return length != 0 && length == content.size() ? &m_tokens[index] : nullptr;
}

}  // namespace lanescope::tokenizer

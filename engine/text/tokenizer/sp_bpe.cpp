#include "engine/text/tokenizer/sp_bpe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

/// Words of up to this many symbols are merged by scanning; longer ones with a queue, so that a
/// word of a megabyte takes n log n steps.
constexpr std::size_t kShortWord = 48;

/// Which token two tokens make, for pairs met before: the vocabulary's table is larger than a
/// processor's inner caches, and text repeats its pairs.
class JoinCache {
  public:
    struct Entry {
        TokenId left = -1;  ///< -1: empty
        TokenId right = -1;
        TokenId id = -1;
        float score = 0;
    };

    /// nBytes: of the text to come; a short one needs few entries.
    explicit JoinCache(std::size_t nBytes)
        : m_entries(std::bit_ceil(std::clamp<std::size_t>(nBytes, 16, 16384))) {}

    /// The entry of the pair: holds it already where left and right agree, else to be filled.
    Entry& at(TokenId left, TokenId right) {
        const std::uint32_t hash = static_cast<std::uint32_t>(left) * 0x9E3779B1U ^
                                   static_cast<std::uint32_t>(right) * 0x85EBCA77U;
        return m_entries[(hash >> 15U ^ hash) & (m_entries.size() - 1)];
    }

  private:
    std::vector<Entry> m_entries;
};

}  // namespace

struct SpBpe::Symbol {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenId id = -1;  ///< -1: not a token

    [[nodiscard]] std::string_view in(std::string_view word) const {
        return word.substr(begin, end - begin);
    }
};

struct SpBpe::Scratch {
    explicit Scratch(std::size_t nBytes) : known(nBytes) {}
    std::vector<Symbol> symbols;
    std::vector<Join> joins;
    JoinCache known;
    /// Unused tokens met: how long the first of the two is that they were last made of.
    std::map<TokenId, std::size_t> halves;
    std::size_t wordBegin = 0;  ///< in the output
};

SpBpe::SpBpe(const Vocabulary& vocabulary, SpBpeOptions options)
    : m_vocabulary(vocabulary), m_options(std::move(options)), m_asciiIds(128, -1) {
    // Not a number sorts nowhere: such a token is the last to be made.
    for (float& score : m_options.scores) {
        if (std::isnan(score)) score = -std::numeric_limits<float>::infinity();
    }
    const auto& bytes = m_options.byteIds;
    const bool allBytes = !bytes.empty() && std::all_of(bytes.begin(), bytes.end(),
                                                        [](TokenId id) { return id >= 0; });
    for (char32_t c = 0; c < 128; ++c) {
        const char character = static_cast<char>(c);
        m_asciiIds[c] = vocabulary.find({&character, 1});
        if (m_asciiIds[c] >= 0 || allBytes) m_cuts.allowBefore(c);
    }
    if (allBytes || vocabulary.find("\xE2\x96\x81") >= 0) m_cuts.allowBefore(0x2581);
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const std::string_view text = vocabulary.text(id);
        if (text.size() > 1 && vocabulary.isSearchable(id)) m_cuts.addToken(text);
    }
}

Result<void> SpBpe::encode(const Pieces& pieces, std::vector<TokenId>& out,
                           PieceCache& cache) const {
    Scratch scratch(pieces.text.size());
    for (const Pieces::Range& range : pieces.ranges) {
        const std::string_view piece = pieces.view(range);
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t end = m_cuts.next(piece, at);
            const std::string_view word = piece.substr(at, end - at);
            at = end;
            if (cache.repeat(word, out)) continue;
            const std::size_t begin = out.size();
            encodeWord(word, out, scratch);
            cache.remember(word, out, begin);
        }
    }
    return {};
}

TokenId SpBpe::idOf(std::string_view character) const {
    const auto lead = static_cast<unsigned char>(character[0]);
    return lead < 128 ? m_asciiIds[lead] : m_vocabulary.find(character);
}

SpBpe::Join SpBpe::joinOf(std::string_view text) const {
    const TokenId id = m_vocabulary.find(text);
    return id < 0 ? Join() : Join{id, m_options.scores[static_cast<std::size_t>(id)]};
}

SpBpe::Join SpBpe::joinOf(const Symbol& left, const Symbol& right, std::string_view word,
                          Scratch& scratch) const {
    const auto text = word.substr(left.begin, right.end - left.begin);
    Join join;
    if (left.id < 0 || right.id < 0) {
        join = joinOf(text);
    } else {
        JoinCache::Entry& entry = scratch.known.at(left.id, right.id);
        if (entry.left != left.id || entry.right != right.id) {
            join = joinOf(text);
            entry = {left.id, right.id, join.id, join.score};
        }
        join = {entry.id, entry.score};
    }
    if (join.id >= 0 && isUnused(join.id)) scratch.halves[join.id] = left.end - left.begin;
    return join;
}

void SpBpe::encodeWord(std::string_view word, std::vector<TokenId>& out, Scratch& scratch) const {
    auto& symbols = scratch.symbols;
    symbols.clear();
    scratch.wordBegin = out.size();
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t length = utf8::decode(word, at).length;
        symbols.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + length),
                           idOf(word.substr(at, length))});
        at += length;
    }
    if (symbols.size() <= kShortWord) {
        mergeShort(word, scratch);
    } else {
        mergeLong(word, scratch);
    }
    for (const Symbol& symbol : symbols) {
        put(symbol.in(word), symbol.id, out, scratch);
    }
}

void SpBpe::mergeShort(std::string_view word, Scratch& scratch) const {
    auto& symbols = scratch.symbols;
    auto& joins = scratch.joins;
    const auto joinAt = [&](std::size_t i) {
        return joinOf(symbols[i], symbols[i + 1], word, scratch);
    };
    joins.clear();
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) joins.push_back(joinAt(i));
    while (!joins.empty()) {
        std::size_t best = joins.size();
        for (std::size_t i = 0; i < joins.size(); ++i) {
            if (joins[i].id < 0) continue;
            if (best == joins.size() || joins[i].score > joins[best].score) best = i;
        }
        if (best == joins.size()) return;
        symbols[best].end = symbols[best + 1].end;
        symbols[best].id = joins[best].id;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        joins.erase(joins.begin() + static_cast<std::ptrdiff_t>(best));
        if (best > 0) joins[best - 1] = joinAt(best - 1);
        if (best < joins.size()) joins[best] = joinAt(best);
    }
}

void SpBpe::mergeLong(std::string_view word, Scratch& scratch) const {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Candidate {
        float score;
        std::uint32_t left;
        std::uint32_t right;
        std::uint32_t end;  // of the joined text: tells whether one of the two has changed since
        TokenId id;
        bool operator<(const Candidate& other) const {
            return score != other.score ? score < other.score : left > other.left;
        }
    };
    auto& symbols = scratch.symbols;
    const auto n = static_cast<std::uint32_t>(symbols.size());
    std::vector<std::uint32_t> previous(n);
    std::vector<std::uint32_t> next(n);
    std::priority_queue<Candidate> queue;
    const auto offer = [&](std::uint32_t left) {
        const std::uint32_t right = next[left];
        if (right == kNone) return;
        const Join join = joinOf(symbols[left], symbols[right], word, scratch);
        if (join.id >= 0) queue.push({join.score, left, right, symbols[right].end, join.id});
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        previous[i] = i == 0 ? kNone : i - 1;
        next[i] = i + 1 < n ? i + 1 : kNone;
    }
    for (std::uint32_t i = 0; i + 1 < n; ++i) offer(i);
    while (!queue.empty()) {
        const Candidate top = queue.top();
        queue.pop();
        Symbol& left = symbols[top.left];
        // Stale: swallowed (begin == end), or one of the two has grown.
        if (left.begin == left.end || next[top.left] != top.right ||
            symbols[top.right].end != top.end) {
            continue;
        }
        left.end = top.end;
        left.id = top.id;
        symbols[top.right].begin = symbols[top.right].end;
        next[top.left] = next[top.right];
        if (next[top.left] != kNone) previous[next[top.left]] = top.left;
        if (previous[top.left] != kNone) offer(previous[top.left]);
        offer(top.left);
    }
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.begin == symbol.end; });
}

void SpBpe::put(std::string_view symbol, TokenId id, std::vector<TokenId>& out,
                const Scratch& scratch) const {
    if (id < 0) return putUnknown(symbol, out, scratch);
    const auto half = isUnused(id) ? scratch.halves.find(id) : scratch.halves.end();
    if (half == scratch.halves.end()) {
        out.push_back(id);
        return;
    }
    // An unused token is only a step on the way. Each half is shorter, so this ends.
    for (const std::string_view part :
         {symbol.substr(0, half->second), symbol.substr(half->second)}) {
        put(part, m_vocabulary.find(part), out, scratch);
    }
}

void SpBpe::putUnknown(std::string_view symbol, std::vector<TokenId>& out,
                       const Scratch& scratch) const {
    const auto& bytes = m_options.byteIds;
    if (!bytes.empty()) {
        for (const char byte : symbol) {
            const TokenId id = bytes[static_cast<unsigned char>(byte)];
            if (id >= 0 || m_options.unkId >= 0) out.push_back(id >= 0 ? id : m_options.unkId);
        }
        return;
    }
    if (m_options.unkId < 0) return;
    // Unknown characters in a row are one unknown token.
    if (out.size() == scratch.wordBegin || out.back() != m_options.unkId) {
        out.push_back(m_options.unkId);
    }
}

}  // namespace lanescope::tokenizer

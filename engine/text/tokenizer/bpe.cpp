#include "engine/text/tokenizer/bpe.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <queue>
#include <string>

#include "engine/text/tokenizer/characters.h"
#include "engine/text/tokenizer/decoder.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

/// Pieces of up to this many symbols are merged by scanning; longer ones with a queue, so that a
/// word of a megabyte takes n log n steps.
constexpr std::size_t kShortPiece = 48;
/// Shorter pieces are words already: looking for cuts in them gains nothing.
constexpr std::size_t kCutPiece = 24;
constexpr std::uint64_t kNoMerge = FlatMap64::kAbsent;

std::string quoted(std::string_view token) {
    return "\"" + utf8::repaired(token.substr(0, 64)) + "\"";
}

}  // namespace

struct Bpe::Scratch {
    std::vector<TokenId> symbols;
    std::vector<std::uint64_t> pairs;
    std::string mapped;  ///< the piece in the byte alphabet
};

Bpe::Bpe(const Vocabulary& vocabulary, const BpeOptions& options)
    : m_vocabulary(vocabulary),
      m_options(options),
      m_plain(options.wordPrefix.empty() && options.wordSuffix.empty()),
      m_fastIds(kFastChars, -1) {
    for (char32_t c = 0; c < kFastChars; ++c) {
        std::string text;
        utf8::append(text, c);
        m_fastIds[c] = vocabulary.find(text);
    }
    if (options.byteFallback) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            char name[8];
            std::snprintf(name, sizeof name, "<0x%02X>", byte);
            m_byteIds.push_back(vocabulary.find(name));
        }
    }
}

Result<std::unique_ptr<const Bpe>> Bpe::build(const Vocabulary& vocabulary,
                                              const std::vector<Merge>& merges,
                                              const BpeOptions& options) {
    std::unique_ptr<Bpe> bpe(new Bpe(vocabulary, options));
    bpe->m_merges.reserve(merges.size());
    std::string joined;
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const auto& [left, right] = merges[rank];
        const bool prefixed = !options.wordPrefix.empty() && right.starts_with(options.wordPrefix);
        joined.assign(left).append(right.substr(prefixed ? options.wordPrefix.size() : 0));
        const TokenId leftId = vocabulary.find(left);
        const TokenId rightId = vocabulary.find(right);
        const TokenId id = vocabulary.find(joined);
        if (leftId < 0 || rightId < 0 || id < 0) {
            const std::string_view missing = leftId < 0 ? left : rightId < 0 ? right : joined;
            return badInput("merge " + std::to_string(rank) + " of " + quoted(left) + " and " +
                            quoted(right) + " needs " + quoted(missing) +
                            ", which is not in the vocabulary");
        }
        bpe->m_merges.set(
            (static_cast<std::uint64_t>(static_cast<std::uint32_t>(leftId)) << 32) |
                static_cast<std::uint32_t>(rightId),
            (static_cast<std::uint64_t>(rank) << 32) | static_cast<std::uint32_t>(id));
    }
    bpe->prepareCuts(merges);
    return std::unique_ptr<const Bpe>(std::move(bpe));
}

void Bpe::prepareCuts(const std::vector<Merge>& merges) {
    m_cutting = m_plain && !m_options.ignoreMerges && !m_options.byteAlphabet;
    std::string joined;
    for (const auto& [left, right] : merges) {
        if (!m_cutting) return;
        joined.assign(left).append(right);
        m_cuts.addToken(joined);
        // Bytes are named, not spelled: their merges do not show in the text.
        m_cutting = byteOfToken(left) < 0 && byteOfToken(right) < 0;
    }
    const bool allBytes = !m_byteIds.empty() && std::all_of(m_byteIds.begin(), m_byteIds.end(),
                                                            [](TokenId id) { return id >= 0; });
    for (char32_t c = 0; c < 128; ++c) {
        if (m_fastIds[c] >= 0 || allBytes) m_cuts.allowBefore(c);
    }
    if (allBytes || m_vocabulary.find("\xE2\x96\x81") >= 0) m_cuts.allowBefore(0x2581);
}

Result<void> Bpe::encode(const Pieces& pieces, std::vector<TokenId>& out, PieceCache& cache) const {
    Scratch scratch;
    const auto encodeWord = [&](std::string_view word) {
        if (cache.repeat(word, out)) return;
        const std::size_t begin = out.size();
        encodePiece(word, out, scratch);
        cache.remember(word, out, begin);
    };
    for (const Pieces::Range& range : pieces.ranges) {
        const std::string_view piece = pieces.view(range);
        if (!m_cutting || piece.size() < kCutPiece) {
            encodeWord(piece);
            continue;
        }
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t end = m_cuts.next(piece, at);
            encodeWord(piece.substr(at, end - at));
            at = end;
        }
    }
    return {};
}

void Bpe::encodePiece(std::string_view piece, std::vector<TokenId>& out, Scratch& scratch) const {
    if (m_options.byteAlphabet) {
        scratch.mapped.clear();
        byte_level::appendMapped(scratch.mapped, piece);
        piece = scratch.mapped;
    }
    if (m_options.ignoreMerges) {
        const TokenId whole = m_vocabulary.find(piece);
        if (whole >= 0) {
            out.push_back(whole);
            return;
        }
    }
    std::vector<TokenId>& symbols = scratch.symbols;
    firstSymbols(piece, symbols);
    if (symbols.size() <= kShortPiece) {
        mergeShort(symbols, scratch.pairs);
    } else {
        mergeLong(symbols);
    }
    out.insert(out.end(), symbols.begin(), symbols.end());
}

void Bpe::firstSymbols(std::string_view piece, std::vector<TokenId>& symbols) const {
    symbols.clear();
    bool lastUnknown = false;
    std::string dressed;  // the character with what marks its place in the piece
    for (std::size_t at = 0; at < piece.size();) {
        const utf8::Step step = utf8::decode(piece, at);
        std::string_view character = piece.substr(at, step.length);
        TokenId id = -1;
        if (m_plain) {
            id = step.codePoint < kFastChars ? m_fastIds[step.codePoint]
                                             : m_vocabulary.find(character);
        } else {
            dressed.assign(at == 0 ? "" : m_options.wordPrefix).append(character);
            if (at + step.length == piece.size()) dressed.append(m_options.wordSuffix);
            character = dressed;
            id = m_vocabulary.find(character);
        }
        if (id >= 0) {
            symbols.push_back(id);
            lastUnknown = false;
        } else {
            unknownSymbol(character, symbols, lastUnknown);
        }
        at += step.length;
    }
}

void Bpe::unknownSymbol(std::string_view character, std::vector<TokenId>& symbols,
                        bool& lastUnknown) const {
    if (m_options.byteFallback) {
        const bool all = std::all_of(character.begin(), character.end(), [&](char byte) {
            return m_byteIds[static_cast<unsigned char>(byte)] >= 0;
        });
        if (all) {
            for (const char byte : character) {
                symbols.push_back(m_byteIds[static_cast<unsigned char>(byte)]);
            }
            lastUnknown = false;
            return;
        }
    }
    if (m_options.unkId < 0) return;
    if (!lastUnknown || !m_options.fuseUnk) symbols.push_back(m_options.unkId);
    lastUnknown = true;
}

void Bpe::mergeShort(std::vector<TokenId>& symbols, std::vector<std::uint64_t>& pairs) const {
    if (symbols.size() < 2) return;
    pairs.resize(symbols.size() - 1);
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = mergeOf(symbols[i], symbols[i + 1]);
    while (!pairs.empty()) {
        const auto best = std::min_element(pairs.begin(), pairs.end());
        if (*best == kNoMerge) break;
        const auto at = best - pairs.begin();
        symbols[static_cast<std::size_t>(at)] = static_cast<TokenId>(*best & 0xFFFFFFFFu);
        symbols.erase(symbols.begin() + at + 1);
        pairs.erase(best);
        const auto i = static_cast<std::size_t>(at);
        if (i > 0) pairs[i - 1] = mergeOf(symbols[i - 1], symbols[i]);
        if (i < pairs.size()) pairs[i] = mergeOf(symbols[i], symbols[i + 1]);
    }
}

void Bpe::mergeLong(std::vector<TokenId>& symbols) const {
    constexpr std::uint32_t kEnd = ~std::uint32_t{0};
    struct Node {
        std::uint32_t previous;
        std::uint32_t next;
    };
    struct Candidate {
        std::uint64_t merge;  // rank, then id
        std::uint32_t at;
        bool operator>(const Candidate& other) const {
            return merge != other.merge ? merge > other.merge : at > other.at;
        }
    };
    const auto n = static_cast<std::uint32_t>(symbols.size());
    std::vector<Node> nodes(n);
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](std::uint32_t at) {
        const std::uint64_t merge = mergeOf(symbols[at], symbols[nodes[at].next]);
        if (merge != kNoMerge) queue.push({merge, at});
    };
    for (std::uint32_t i = 0; i < n; ++i)
        nodes[i] = {i == 0 ? kEnd : i - 1, i + 1 < n ? i + 1 : kEnd};
    for (std::uint32_t i = 0; i + 1 < n; ++i) offer(i);
    while (!queue.empty()) {
        const Candidate top = queue.top();
        queue.pop();
        // Stale: the symbol was swallowed, or one of the pair has changed since.
        const std::uint32_t right = symbols[top.at] < 0 ? kEnd : nodes[top.at].next;
        if (right == kEnd || mergeOf(symbols[top.at], symbols[right]) != top.merge) continue;
        symbols[top.at] = static_cast<TokenId>(top.merge & 0xFFFFFFFFu);
        symbols[right] = -1;
        nodes[top.at].next = nodes[right].next;
        if (nodes[right].next != kEnd) {
            nodes[nodes[right].next].previous = top.at;
            offer(top.at);
        }
        if (nodes[top.at].previous != kEnd) offer(nodes[top.at].previous);
    }
    std::erase(symbols, -1);
}

}  // namespace lanescope::tokenizer

#include "engine/text/tokenizer/unigram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

Unigram::Unigram(const Vocabulary& vocabulary, UnigramOptions options)
    : m_vocabulary(vocabulary), m_options(std::move(options)), m_idAt(1, -1), m_firstEdges(256) {
    std::size_t nBytes = 0;
    for (TokenId id = 0; id < vocabulary.size(); ++id) nBytes += vocabulary.text(id).size();
    m_edges.reserve(nBytes / 2);
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const auto at = static_cast<std::size_t>(id);
        if (!std::isfinite(m_options.scores[at])) m_options.scores[at] = m_options.unkScore;
        const bool skipped = !m_options.skip.empty() && m_options.skip[at];
        if (!skipped && vocabulary.isSearchable(id)) addToTrie(vocabulary.text(id), id);
    }
    const auto& bytes = m_options.byteIds;
    m_allBytes = !bytes.empty() &&
                 std::all_of(bytes.begin(), bytes.end(), [](TokenId id) { return id >= 0; });
}

void Unigram::addToTrie(std::string_view text, TokenId id) {
    std::uint64_t node = kRoot;
    for (const char c : text) {
        const std::uint64_t key = (node << 8) | static_cast<unsigned char>(c);
        std::uint64_t next = m_edges.get(key);
        if (next == FlatMap64::kAbsent) {
            next = m_idAt.size();
            m_idAt.push_back(-1);
            m_edges.set(key, next);
            if (node == kRoot) {
                m_firstEdges[static_cast<unsigned char>(c)] = static_cast<std::uint32_t>(next);
            }
        }
        node = next;
    }
    if (node != kRoot) m_idAt[node] = id;
}

Result<void> Unigram::encode(const Pieces& pieces, std::vector<TokenId>& out,
                             PieceCache& cache) const {
    std::vector<Node> nodes;
    for (const Pieces::Range& range : pieces.ranges) {
        const std::string_view piece = pieces.view(range);
        if (cache.repeat(piece, out)) continue;
        const std::size_t begin = out.size();
        findBest(piece, nodes);
        put(piece, nodes, out);
        cache.remember(piece, out, begin);
    }
    return {};
}

void Unigram::reach(Node& node, double score, std::uint32_t from, TokenId id) const {
    if (node.from != kUnreached && !(score > node.score)) return;
    node.score = m_options.sums == UnigramOptions::Sums::Float
                     ? static_cast<double>(static_cast<float>(score))
                     : score;
    node.from = from;
    node.id = id;
}

void Unigram::findBest(std::string_view piece, std::vector<Node>& nodes) const {
    nodes.assign(piece.size() + 1, Node{});
    for (std::size_t at = 0; at < piece.size();) {
        const std::size_t length = utf8::decode(piece, at).length;
        const double before = nodes[at].score;
        const auto from = static_cast<std::uint32_t>(at);
        bool hasSingle = false;
        std::uint64_t node = m_firstEdges[static_cast<unsigned char>(piece[at])];
        for (std::size_t end = at + 1; node != 0 && node != FlatMap64::kAbsent; ++end) {
            if (const TokenId id = m_idAt[node]; id >= 0 && !m_vocabulary.isHidden(id)) {
                reach(nodes[end], m_options.scores[static_cast<std::size_t>(id)] + before, from,
                      id);
                hasSingle = hasSingle || end - at == length;
            }
            if (end >= piece.size()) break;
            node = m_edges.get((node << 8) | static_cast<unsigned char>(piece[end]));
        }
        if (!hasSingle) reach(nodes[at + length], m_options.unkScore + before, from, -1);
        at += length;
    }
}

void Unigram::put(std::string_view piece, const std::vector<Node>& nodes,
                  std::vector<TokenId>& out) const {
    // Backwards, then turned round; a run of unknown characters counts as one.
    const std::size_t begin = out.size();
    for (std::size_t end = piece.size(); end > 0;) {
        std::size_t from = nodes[end].from;
        if (nodes[end].id >= 0) {
            out.push_back(nodes[end].id);
        } else {
            while (from > 0 && nodes[from].id < 0) from = nodes[from].from;
            const std::size_t first = out.size();
            putUnknown(piece.substr(from, end - from), out);
            std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
        }
        end = from;
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
}

void Unigram::putUnknown(std::string_view text, std::vector<TokenId>& out) const {
    const auto& bytes = m_options.byteIds;
    const auto idOf = [&](char byte) { return bytes[static_cast<unsigned char>(byte)]; };
    const bool all =
        !bytes.empty() && (m_allBytes || std::all_of(text.begin(), text.end(),
                                                     [&](char byte) { return idOf(byte) >= 0; }));
    if (all) {
        for (const char byte : text) out.push_back(idOf(byte));
    } else if (m_options.unkId >= 0) {
        out.push_back(m_options.unkId);
    }
}

}  // namespace lanescope::tokenizer

#include "engine/text/tokenizer/sp_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "engine/text/tokenizer/decoder.h"
#include "engine/text/tokenizer/sp_bpe.h"

namespace lanescope::tokenizer {

namespace {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (text.substr(at).starts_with(from)) {
            out.append(to);
            at += from.size();
        } else {
            out.push_back(text[at++]);
        }
    }
    return out;
}

/// Reads the pieces one by one.
class Builder {
  public:
    Builder(SpVocabulary& source, Parts& parts) : m_source(source), m_parts(parts) {}

    Result<void> readPieces() {
        std::size_t nBytes = 0;
        for (const std::string_view piece : m_source.pieces) nBytes += piece.size();
        m_parts.vocabulary->reserve(m_source.pieces.size(), nBytes);
        for (std::size_t id = 0; id < m_source.pieces.size(); ++id) {
            const auto done = readPiece(static_cast<TokenId>(id));
            if (!done) return done.error();
        }
        return {};
    }

    [[nodiscard]] std::vector<TokenId> takeByteIds() { return std::move(m_byteIds); }

  private:
    Result<void> readPiece(TokenId id) {
        const auto at = static_cast<std::size_t>(id);
        const std::string_view text = m_source.pieces[at];
        const SpType type = m_source.types[at];
        if (m_source.byteFallback && type != SpType::Control && type != SpType::UserDefined) {
            if (const int byte = byteOfToken(text); byte >= 0) {
                if (m_byteIds.empty()) m_byteIds.assign(256, -1);
                m_byteIds[static_cast<std::size_t>(byte)] = id;
            }
        }
        // A unigram model cuts user-defined symbols out by their score.
        const bool byScore = m_source.kind == SpVocabulary::Kind::Unigram &&
                             m_source.userDefined == SpVocabulary::UserDefined::Normalized &&
                             type == SpType::UserDefined;
        if (byScore) m_source.normalizer.keep.emplace_back(text);
        const bool searchable = type == SpType::Normal || type == SpType::Unused || byScore;
        if (searchable) return m_parts.vocabulary->add(text, id, Vocabulary::Searchable::Yes);
        if (type == SpType::Unknown && id == m_source.unkId && !m_source.unkSurface.empty()) {
            return m_parts.vocabulary->add(m_source.unkSurface, id, Vocabulary::Searchable::No);
        }
        const auto stored = m_parts.vocabulary->add(text, id, Vocabulary::Searchable::No);
        if (!stored || type == SpType::Byte) return stored;
        if (type == SpType::Unknown && !m_source.parseUnknown) return {};
        return readAdded(id, text, type);
    }

    Result<void> readAdded(TokenId id, std::string_view text, SpType type) {
        AddedToken token;
        token.id = id;
        token.content = std::string(text);
        token.special = type != SpType::UserDefined;
        std::string spelling = token.content;
        if (!token.special && m_source.userDefined == SpVocabulary::UserDefined::Raw) {
            // Some converters write the space of a symbol as "▁", others as a space.
            spelling = replaced(text, kMetaspace, " ");
        } else if (!token.special) {
            token.normalized = true;
            if (m_source.normalizer.escapeSpaces) spelling = replaced(text, " ", kMetaspace);
            m_source.normalizer.keep.push_back(token.content);
        }
        return m_parts.added.add(std::move(token), spelling);
    }

    SpVocabulary& m_source;
    Parts& m_parts;
    std::vector<TokenId> m_byteIds;
};

std::vector<bool> unusedOf(const SpVocabulary& source) {
    std::vector<bool> unused;
    for (std::size_t id = 0; id < source.types.size(); ++id) {
        if (source.types[id] != SpType::Unused) continue;
        unused.resize(source.types.size());
        unused[id] = true;
    }
    return unused;
}

void makeBpe(const SpVocabulary& source, std::vector<TokenId> byteIds, Parts& parts) {
    SpBpeOptions options;
    options.scores = source.scores;
    options.byteIds = std::move(byteIds);
    options.unkId = source.unkId;
    options.unused = unusedOf(source);
    parts.model = std::make_unique<SpBpe>(*parts.vocabulary, std::move(options));
    parts.kind = "SentencePiece BPE";
}

void makeUnigram(const SpVocabulary& source, std::vector<TokenId> byteIds, Parts& parts) {
    // The rules and constants of SentencePiece's unigram_model.cc.
    constexpr float kUnkPenalty = 10.0F;
    constexpr double kUserDefinedPenalty = 0.1;
    float least = std::numeric_limits<float>::max();
    float most = std::numeric_limits<float>::lowest();
    for (std::size_t id = 0; id < source.types.size(); ++id) {
        if (source.types[id] != SpType::Normal || !std::isfinite(source.scores[id])) continue;
        least = std::min(least, source.scores[id]);
        most = std::max(most, source.scores[id]);
    }
    if (least > most) least = most = 0;
    UnigramOptions options;
    options.sums = source.sums;
    options.scores.assign(source.scores.begin(), source.scores.end());
    for (std::size_t id = 0; id < source.types.size(); ++id) {
        if (source.types[id] != SpType::UserDefined) continue;
        // So good that the symbol is always taken.
        options.scores[id] =
            static_cast<double>(static_cast<float>(source.pieces[id].size()) * most) -
            kUserDefinedPenalty;
    }
    options.skip = unusedOf(source);
    options.byteIds = std::move(byteIds);
    options.unkId = source.unkId;
    options.unkScore = static_cast<double>(least - kUnkPenalty);
    parts.model = std::make_unique<Unigram>(*parts.vocabulary, std::move(options));
    parts.kind = "SentencePiece unigram";
}

}  // namespace

Result<void> buildSp(SpVocabulary source, Parts& parts) {
    Builder builder(source, parts);
    const auto pieces = builder.readPieces();
    if (!pieces) return pieces.error();
    if (source.kind == SpVocabulary::Kind::Bpe) {
        makeBpe(source, builder.takeByteIds(), parts);
    } else {
        makeUnigram(source, builder.takeByteIds(), parts);
    }
    SpDecoderOptions decoder;
    decoder.stripPrefix = source.normalizer.addPrefix;
    decoder.stripAllPrefixes = source.normalizer.removeExtraSpaces;
    if (source.userDefined == SpVocabulary::UserDefined::Raw) {
        decoder.broken = SpDecoderOptions::Broken::PerPart;
    }
    parts.decoder = makeSpDecoder(decoder);
    parts.normalizer = makeSpNormalizer(std::move(source.normalizer));
    return {};
}

}  // namespace lanescope::tokenizer

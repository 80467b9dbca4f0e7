#include "engine/text/tokenizer/pipeline.h"

#include <algorithm>
#include <array>

#include "engine/base/format.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;
/// What normalising and the byte alphabet may make of it; ranges count in 32 bits.
constexpr std::size_t kMaxWorkBytes = std::size_t{1} << 31;
constexpr std::size_t kMaxIdleCaches = 4;

Error tooLong(std::size_t bytes, std::size_t limit) {
    return badInput("the text is " + formatBytes(bytes) + " long; at most " + formatBytes(limit) +
                        " can be tokenized at once",
                    {}, "split it into parts");
}

/// Control tokens that end a generation wherever they are in a vocabulary.
constexpr std::array<std::string_view, 20> kEndNames = {
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|end|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "<|end_of_turn|>",
    "<|endofturn|>",
    "<|return|>",
    "<|call|>",
    "<|EOT|>",
    "<|eot|>",
    "<EOT>",
    "<eos>",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "<|end_of_sentence|>",
    "<|user_end|>",
    "<|end_of_role|>",
};

}  // namespace

void Parts::addEndOfGeneration(std::int64_t id) {
    if (id < 0 || id >= vocabulary->size() || !vocabulary->has(static_cast<TokenId>(id))) return;
    const auto at = std::lower_bound(endOfGeneration.begin(), endOfGeneration.end(), id);
    if (at != endOfGeneration.end() && *at == id) return;
    endOfGeneration.insert(at, static_cast<TokenId>(id));
}

void Parts::addKnownEndsOfGeneration() {
    for (const std::string_view name : kEndNames) {
        const AddedToken* token = added.find(name);
        if (token != nullptr && token->special) addEndOfGeneration(token->id);
    }
}

class Pipeline::Loan {
  public:
    explicit Loan(const Pipeline& owner) : m_owner(owner) {
        const std::scoped_lock lock(owner.m_mutex);
        if (!owner.m_idleCaches.empty()) {
            m_cache = std::move(owner.m_idleCaches.back());
            owner.m_idleCaches.pop_back();
        }
        if (!m_cache) m_cache = std::make_unique<PieceCache>();
    }
    ~Loan() {
        const std::scoped_lock lock(m_owner.m_mutex);
        if (m_owner.m_idleCaches.size() < kMaxIdleCaches) {
            m_owner.m_idleCaches.push_back(std::move(m_cache));
        }
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    PieceCache& operator*() { return *m_cache; }

  private:
    const Pipeline& m_owner;
    std::unique_ptr<PieceCache> m_cache;
};

Result<std::vector<TokenId>> Pipeline::encode(std::string_view text, AddSpecial addSpecial,
                                              SpecialTokens special) const {
    if (text.size() > kMaxTextBytes) return tooLong(text.size(), kMaxTextBytes);
    std::vector<TokenId> ids;
    if (addSpecial == AddSpecial::Yes) ids = m_parts.prefix;
    if (text.empty()) {
        if (addSpecial == AddSpecial::Yes) {
            ids.insert(ids.end(), m_parts.suffix.begin(), m_parts.suffix.end());
        }
        return ids;
    }
    Loan cache(*this);
    const auto done = utf8::isValid(text) ? encodeRaw(text, special, ids, *cache)
                                          : encodeRaw(utf8::repaired(text), special, ids, *cache);
    if (!done) return done.error();
    if (addSpecial == AddSpecial::Yes) {
        ids.insert(ids.end(), m_parts.suffix.begin(), m_parts.suffix.end());
    }
    return ids;
}

Result<void> Pipeline::encodeRaw(std::string_view text, SpecialTokens special,
                                 std::vector<TokenId>& out, PieceCache& cache) const {
    for (const TextSpan& span : m_parts.added.split(text, AddedTokens::Pass::Raw, special)) {
        if (span.id >= 0) {
            out.push_back(span.id);
            continue;
        }
        const auto done =
            encodeNormalized(std::string(text.substr(span.begin, span.end - span.begin)), special,
                             span.begin == 0, out, cache);
        if (!done) return done.error();
    }
    return {};
}

Result<void> Pipeline::encodeNormalized(std::string text, SpecialTokens special, bool atTextStart,
                                        std::vector<TokenId>& out, PieceCache& cache) const {
    if (m_parts.normalizer) {
        const auto done = m_parts.normalizer->apply(text);
        if (!done) return done.error();
        if (text.size() > kMaxWorkBytes) return tooLong(text.size(), kMaxWorkBytes);
    }
    if (!m_parts.added.hasPass(AddedTokens::Pass::Normalized)) {
        return encodePlain(std::move(text), atTextStart, out, cache);
    }
    for (const TextSpan& span : m_parts.added.split(text, AddedTokens::Pass::Normalized, special)) {
        if (span.id >= 0) {
            out.push_back(span.id);
            continue;
        }
        const auto done = encodePlain(text.substr(span.begin, span.end - span.begin),
                                      atTextStart && span.begin == 0, out, cache);
        if (!done) return done.error();
    }
    return {};
}

Result<void> Pipeline::encodePlain(std::string text, bool atTextStart, std::vector<TokenId>& out,
                                   PieceCache& cache) const {
    if (text.empty()) return {};
    Pieces pieces;
    pieces.text = std::move(text);
    pieces.atTextStart = atTextStart;
    pieces.ranges.push_back({0, static_cast<std::uint32_t>(pieces.text.size())});
    if (m_parts.preTokenizer) {
        const auto done = m_parts.preTokenizer->apply(pieces);
        if (!done) return done.error();
    }
    return m_parts.model->encode(pieces, out, cache);
}

std::string Pipeline::decode(std::span<const TokenId> ids, SkipSpecial skip) const {
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const TokenId id : ids) {
        if (!m_parts.vocabulary->has(id)) continue;
        if (skip == SkipSpecial::Yes && isSpecial(id)) continue;
        tokens.emplace_back(m_parts.vocabulary->text(id));
    }
    if (m_parts.decoder) m_parts.decoder->apply(tokens);
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i > 0 && !m_parts.decoder) text.push_back(' ');
        text.append(tokens[i]);
    }
    return text;
}

std::string Pipeline::tokenBytes(TokenId id) const {
    if (const AddedToken* token = m_parts.added.find(id)) return token->content;
    std::string text(m_parts.vocabulary->text(id));
    return m_parts.decoder ? m_parts.decoder->bytesOf(std::move(text)) : text;
}

bool Pipeline::isSpecial(TokenId id) const {
    const AddedToken* token = m_parts.added.find(id);
    return token != nullptr && token->special;
}

std::string Pipeline::specialTokenText(std::string_view name) const {
    const auto found = m_parts.specialTexts.find(name);
    return found == m_parts.specialTexts.end() ? std::string() : found->second;
}

}  // namespace lanescope::tokenizer

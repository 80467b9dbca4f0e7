#include "engine/text/tokenizer/vocabulary.h"

#include <bit>
#include <functional>

namespace lanescope::tokenizer {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

std::uint32_t hashOf(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

void Vocabulary::reserve(std::size_t nTokens, std::size_t nBytes) {
    m_spans.reserve(nTokens);
    m_bytes.reserve(nBytes);
    const std::size_t nSlots = std::bit_ceil(nTokens * 2 + 16);
    if (nSlots > m_slots.size()) growIndex(nSlots);
}

Result<void> Vocabulary::add(std::string_view text, std::int64_t id, Searchable searchable) {
    if (id < 0 || id >= kMaxVocabSize) {
        return badInput("token id " + std::to_string(id) + " is outside 0 to " +
                        std::to_string(kMaxVocabSize - 1));
    }
    if (m_bytes.size() + text.size() > kMaxBytes) {
        return badInput("the vocabulary's text is over 1 GiB");
    }
    const auto at = static_cast<std::size_t>(id);
    if (at >= m_spans.size()) m_spans.resize(at + 1);
    Span span;
    span.offset = static_cast<std::uint32_t>(m_bytes.size());
    span.length = static_cast<std::uint32_t>(text.size()) & 0x3FFFFFFFu;
    span.known = 1;
    m_spans[at] = span;
    m_bytes.append(text);
    if (searchable == Searchable::Yes) index(text, static_cast<TokenId>(id));
    return {};
}

TokenId Vocabulary::find(std::string_view text) const {
    if (m_slots.empty()) return -1;
    const TokenId id = m_slots[slotOf(text, hashOf(text))].id;
    return id >= 0 && m_spans[static_cast<std::size_t>(id)].hidden ? -1 : id;
}

std::size_t Vocabulary::slotOf(std::string_view wanted, std::uint32_t hash) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t at = hash & mask;
    while (m_slots[at].id >= 0 && (m_slots[at].hash != hash || text(m_slots[at].id) != wanted)) {
        at = (at + 1) & mask;
    }
    return at;
}

void Vocabulary::index(std::string_view text, TokenId id) {
    if ((m_nIndexed + 1) * 3 > m_slots.size() * 2) {
        growIndex(m_slots.empty() ? 64 : m_slots.size() * 2);
    }
    const std::uint32_t hash = hashOf(text);
    Slot& slot = m_slots[slotOf(text, hash)];
    if (slot.id < 0) ++m_nIndexed;
    slot = {hash, id};
}

void Vocabulary::growIndex(std::size_t nSlots) {
    std::vector<Slot> old(nSlots);
    old.swap(m_slots);
    const std::size_t mask = m_slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.id < 0) continue;
        std::size_t at = slot.hash & mask;
        while (m_slots[at].id >= 0) at = (at + 1) & mask;
        m_slots[at] = slot;
    }
}

}  // namespace lanescope::tokenizer

#include "engine/text/tokenizer/vocabulary.h"

#include <bit>
#include <cstring>
#include <functional>

namespace lanescope::tokenizer {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

constexpr std::size_t kInline = 8;                       ///< bytes of a text that a slot holds
constexpr std::uint32_t kForgotten = ~std::uint32_t{0};  ///< length of a slot that nothing equals

template <typename Int>
std::uint64_t load(const char* at) {
    Int value = 0;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

/// Up to eight bytes as a number that together with the length tells them apart; of a longer text
/// the first eight.
std::uint64_t headOf(std::string_view text) {
    const char* data = text.data();
    const std::size_t n = text.size();
    if (n >= 8) return load<std::uint64_t>(data);
    if (n >= 4) return load<std::uint32_t>(data) | load<std::uint32_t>(data + n - 4) << 32U;
    if (n == 0) return 0;
    return load<std::uint8_t>(data) | load<std::uint8_t>(data + n / 2) << 8U |
           load<std::uint8_t>(data + n - 1) << 16U;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15U) *
                         static_cast<unsigned __int128>(b ^ 0xD1B54A32D192ED03U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace

struct Vocabulary::Key {
    explicit Key(std::string_view wanted)
        : text(wanted),
          head(headOf(wanted)),
          hash(wanted.size() <= kInline ? mix(head, wanted.size())
                                        : mix(head, std::hash<std::string_view>{}(wanted))) {}
    std::string_view text;
    std::uint64_t head;
    std::uint64_t hash;
};

void Vocabulary::reserve(std::size_t nTokens, std::size_t nBytes) {
    m_spans.reserve(nTokens);
    m_bytes.reserve(nBytes);
    const std::size_t nSlots = std::bit_ceil(nTokens * 3 / 2 + 16);
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
    if (m_spans[at].known) forget(static_cast<TokenId>(id));
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
    const Key key(text);
    const std::size_t bit = key.hash & (m_mayBe.size() * 64 - 1);
    if ((m_mayBe[bit / 64] >> (bit % 64) & 1U) == 0) return -1;
    const TokenId id = m_slots[slotOf(key)].id;
    return id >= 0 && m_spans[static_cast<std::size_t>(id)].hidden ? -1 : id;
}

std::size_t Vocabulary::slotOf(const Key& key) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t at = key.hash >> 32U & mask;
    for (;; at = (at + 1) & mask) {
        const Slot& slot = m_slots[at];
        if (slot.id < 0) return at;
        if (slot.head == key.head && slot.length == key.text.size() &&
            (slot.length <= kInline || text(slot.id) == key.text))
            return at;
    }
}

void Vocabulary::index(std::string_view text, TokenId id) {
    if ((m_nIndexed + 1) * 3 > m_slots.size() * 2)
        growIndex(m_slots.empty() ? 64 : m_slots.size() * 2);
    put({headOf(text), static_cast<std::uint32_t>(text.size()), id}, Key(text));
}

void Vocabulary::forget(TokenId id) {
    if (m_slots.empty()) return;
    Slot& slot = m_slots[slotOf(Key(text(id)))];
    if (slot.id == id) slot.length = kForgotten;
}

void Vocabulary::put(const Slot& slot, const Key& key) {
    Slot& place = m_slots[slotOf(key)];
    if (place.id < 0) ++m_nIndexed;
    place = slot;
    const std::size_t bit = key.hash & (m_mayBe.size() * 64 - 1);
    m_mayBe[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void Vocabulary::growIndex(std::size_t nSlots) {
    std::vector<Slot> old(nSlots);
    old.swap(m_slots);
    m_mayBe.assign(nSlots / 16, 0);
    m_nIndexed = 0;
    for (const Slot& slot : old)
        if (slot.id >= 0 && slot.length != kForgotten) put(slot, Key(text(slot.id)));
}

}  // namespace lanescope::tokenizer

#pragma once
// A hash map from 64-bit keys to 64-bit values with open addressing, for tables that are built once
// and then read for every pair of symbols: one cache line a look-up instead of std::unordered_map's
// two or three.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::tokenizer {

/// Spreads a key over 64 bits (the finaliser of MurmurHash3).
inline std::uint64_t mixBits(std::uint64_t key) {
    key ^= key >> 33;
    key *= 0xFF51AFD7ED558CCDull;
    key ^= key >> 33;
    key *= 0xC4CEB9FE1A85EC53ull;
    return key ^ (key >> 33);
}

/// Values of all ones mean "absent" and cannot be stored.
class FlatMap64 {
  public:
    static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

    /// Room for n entries without growing.
    void reserve(std::size_t n) {
        const std::size_t wanted = std::bit_ceil(n + n / 2 + 8);
        if (wanted > m_slots.size()) rehash(wanted);
    }

    /// Adds or replaces.
    void set(std::uint64_t key, std::uint64_t value) {
        if ((m_used + 1) * 3 > m_slots.size() * 2) {
            rehash(m_slots.empty() ? 16 : m_slots.size() * 2);
        }
        Slot& slot = m_slots[slotOf(key)];
        if (slot.value == kAbsent) ++m_used;
        slot = {key, value};
    }

    /// kAbsent if the key is not there.
    [[nodiscard]] std::uint64_t get(std::uint64_t key) const {
        return m_slots.empty() ? kAbsent : m_slots[slotOf(key)].value;
    }

    [[nodiscard]] std::size_t size() const { return m_used; }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint64_t value = kAbsent;
    };

    [[nodiscard]] std::size_t slotOf(std::uint64_t key) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = static_cast<std::size_t>(mixBits(key)) & mask;
        while (m_slots[at].value != kAbsent && m_slots[at].key != key) at = (at + 1) & mask;
        return at;
    }

    void rehash(std::size_t nSlots) {
        std::vector<Slot> old(nSlots);
        old.swap(m_slots);
        for (const Slot& slot : old) {
            if (slot.value != kAbsent) m_slots[slotOf(slot.key)] = slot;
        }
    }

    std::vector<Slot> m_slots;
    std::size_t m_used = 0;
};

}  // namespace lanescope::tokenizer

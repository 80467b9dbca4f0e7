#pragma once
// Words met before and their ids. A text's words repeat, so most are copied from here. Bounded: a
// word takes the place of another with the same hash. One thread at a time; kept from call to call.

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lanescope::tokenizer {

class PieceCache {
  public:
    /// Appends to `out` what an equal piece gave before. False: not met before, or too long to
    /// keep; encode it and call remember(). Precondition: not empty.
    bool repeat(std::string_view piece, std::vector<TokenId>& out) const {
        if (piece.size() > kMaxText) return false;
        const Slot& slot = m_slots[slotOf(piece)];
        if (slot.length != piece.size() ||
            std::memcmp(slot.text.data(), piece.data(), piece.size()) != 0) {
            return false;
        }
        out.insert(out.end(), slot.ids.begin(), slot.ids.begin() + slot.nIds);
        return true;
    }

    /// The piece gave the ids of `out` from `begin` on.
    void remember(std::string_view piece, const std::vector<TokenId>& out, std::size_t begin) {
        const std::size_t nIds = out.size() - begin;
        if (piece.size() > kMaxText || nIds > kMaxIds) return;
        Slot& slot = m_slots[slotOf(piece)];
        slot.length = static_cast<std::uint8_t>(piece.size());
        slot.nIds = static_cast<std::uint8_t>(nIds);
        std::memcpy(slot.text.data(), piece.data(), piece.size());
        for (std::size_t i = 0; i < nIds; ++i) slot.ids[i] = out[begin + i];
    }

  private:
    static constexpr std::size_t kMaxText = 30;
    static constexpr std::size_t kMaxIds = 8;
    static constexpr std::size_t kSlots = 16384;  ///< of 64 bytes: 1 MiB

    struct Slot {
        std::uint8_t length = 0;  ///< 0: empty
        std::uint8_t nIds = 0;
        std::array<char, kMaxText> text{};
        std::array<TokenId, kMaxIds> ids{};
    };

    static std::size_t slotOf(std::string_view piece) {
        return std::hash<std::string_view>{}(piece) & (kSlots - 1);
    }

    std::vector<Slot> m_slots = std::vector<Slot>(kSlots);
};

}  // namespace lanescope::tokenizer

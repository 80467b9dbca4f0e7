#pragma once
// Pieces met before in the same call and where their ids are in the output: a text's words repeat.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lanescope::tokenizer {

class PieceCache {
  public:
    /// For about this many pieces; few are not worth a cache.
    explicit PieceCache(std::size_t nPieces) {
        if (nPieces >= 32) m_slots.resize(std::min(kMaxSlots, std::bit_ceil(nPieces)));
    }

    /// Appends to `out` what an equal piece gave before. `piece` must stay where it is.
    /// False: not met before; encode it and call remember().
    bool repeat(std::string_view piece, std::vector<TokenId>& out) {
        m_slot = nullptr;
        if (m_slots.empty() || piece.size() > kMaxPiece) return false;
        m_slot = &m_slots[std::hash<std::string_view>{}(piece) & (m_slots.size() - 1)];
        m_piece = piece;
        m_begin = out.size();
        if (m_slot->piece.data() == nullptr || m_slot->piece != piece) return false;
        for (std::uint32_t i = 0; i < m_slot->idsCount; ++i) {
            out.push_back(out[m_slot->idsBegin + i]);
        }
        return true;
    }

    /// After repeat() said no and the ids were appended to `out`.
    void remember(const std::vector<TokenId>& out) {
        if (m_slot == nullptr || out.size() > UINT32_MAX) return;
        *m_slot = {m_piece, static_cast<std::uint32_t>(m_begin),
                   static_cast<std::uint32_t>(out.size() - m_begin)};
    }

  private:
    static constexpr std::size_t kMaxPiece = 64;
    static constexpr std::size_t kMaxSlots = 8192;

    struct Slot {
        std::string_view piece;
        std::uint32_t idsBegin = 0;
        std::uint32_t idsCount = 0;
    };

    std::vector<Slot> m_slots;
    Slot* m_slot = nullptr;
    std::string_view m_piece;
    std::size_t m_begin = 0;
};

}  // namespace lanescope::tokenizer

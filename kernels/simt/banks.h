#pragma once
// Bank conflicts, exactly, from the addresses of a warp's lanes. Shared memory has 32 banks of four
// bytes; a warp's access takes as many turns as the busiest bank has different words to give. Wide
// accesses go in parts: 8 bytes a lane by half-warps, 16 bytes by quarter-warps.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernels/simt/lane.h"

namespace lanescope::kernels::simt {

struct BankAccess {
    const void* address = nullptr;
    std::size_t bytes = 0;
};

/// Turns that one part of an access takes: 0 for none, 1 without conflicts.
int bankTurns(std::span<const BankAccess> part);

/// Gathers accesses lane by lane and puts those of a warp together again: the n-th time that a lane
/// is at a place belongs to the n-th time of the others.
class BankCounter {
  public:
    void touch(std::uint32_t lane, const void* address, std::size_t bytes, const Site& site);
    /// A warp-wide access whose parts are known.
    void addPart(std::span<const BankAccess> part);
    void addAccess() { ++m_accesses; }
    /// Puts together what touch() gathered.
    void finish();

    [[nodiscard]] std::uint64_t accesses() const { return m_accesses; }
    [[nodiscard]] std::uint64_t conflicts() const { return m_conflicts; }

  private:
    struct Key {
        const char* file;
        std::uint32_t line;
        std::uint32_t column;
        std::uint32_t who;  // lane or warp
        std::uint32_t turn;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct LaneAccess {
        std::uint32_t lane;
        BankAccess access;
    };

    std::unordered_map<Key, std::uint32_t, Hash> m_visits;
    std::unordered_map<Key, std::vector<LaneAccess>, Hash> m_warps;
    std::uint64_t m_accesses = 0;
    std::uint64_t m_conflicts = 0;
};

}  // namespace lanescope::kernels::simt

// Counting of bank conflicts.

#include "kernels/simt/banks.h"

#include <algorithm>
#include <array>

namespace lanescope::kernels::simt {

int bankTurns(std::span<const BankAccess> part) {
    std::array<std::vector<std::uintptr_t>, 32> banks;
    for (const BankAccess& access : part) {
        const auto first = reinterpret_cast<std::uintptr_t>(access.address) / 4;
        const auto last = (reinterpret_cast<std::uintptr_t>(access.address) + access.bytes - 1) / 4;
        for (std::uintptr_t word = first; word <= last; ++word) {
            auto& bank = banks[word % 32];
            if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
        }
    }
    std::size_t turns = 0;
    for (const auto& bank : banks) turns = std::max(turns, bank.size());
    return static_cast<int>(turns);
}

std::size_t BankCounter::Hash::operator()(const Key& key) const {
    std::size_t hash = reinterpret_cast<std::uintptr_t>(key.file);
    for (const std::uint32_t part : {key.line, key.column, key.who, key.turn})
        hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 32;
}

void BankCounter::touch(std::uint32_t lane, const void* address, std::size_t bytes,
                        const Site& site) {
    const Key visits{site.file_name(), site.line(), site.column(), lane, 0};
    const std::uint32_t turn = m_visits[visits]++;
    const Key warp{site.file_name(), site.line(), site.column(), lane / 32, turn};
    m_warps[warp].push_back({lane % 32, {address, bytes}});
}

void BankCounter::addPart(std::span<const BankAccess> part) {
    const int turns = bankTurns(part);
    if (turns > 1) m_conflicts += static_cast<std::uint64_t>(turns - 1);
}

void BankCounter::finish() {
    for (const auto& [key, accesses] : m_warps) {
        std::size_t widest = 0;
        for (const LaneAccess& access : accesses) widest = std::max(widest, access.access.bytes);
        const std::uint32_t lanesPerPart = widest > 8 ? 8 : widest > 4 ? 16 : 32;
        for (std::uint32_t begin = 0; begin < 32; begin += lanesPerPart) {
            std::vector<BankAccess> part;
            for (const LaneAccess& access : accesses)
                if (access.lane / lanesPerPart == begin / lanesPerPart)
                    part.push_back(access.access);
            addPart(part);
        }
        addAccess();
    }
    m_warps.clear();
    m_visits.clear();
}

}  // namespace lanescope::kernels::simt

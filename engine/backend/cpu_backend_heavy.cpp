// What heavy-hitter eviction asks of attention (heavy_hitters.h): it sees what is still there, and
// the weight that went to each block is added up.

#include <algorithm>

#include "engine/backend/cpu_backend.h"
#include "engine/backend/cpu_traffic.h"
#include "engine/backend/cpu_workspace.h"

namespace lanescope {

void CpuBackend::markHeld(std::span<const kernels::PagedKv> kv) {
    std::uint64_t* words = m_own.keyBits;
    m_goneKeys.assign(kv.size(), 0);
    for (std::size_t i = 0; i < kv.size(); ++i) {
        const Segment& segment = m_tokens.segments[i];
        const std::int64_t nBlocks =
            (segment.firstPosition + segment.nTokens - 1) / kv[i].blockTokens + 1;
        std::uint64_t* first = words;
        std::fill_n(first, m_own.keyBitWords, std::uint64_t{0});
        for (std::int64_t b = 0; b < nBlocks; ++b) {
            if (kv[i].blockTable[b] >= 0)
                first[b / 64] |= std::uint64_t{1} << (b % 64);
            else
                m_goneKeys[i] += kv[i].blockTokens;
        }
        for (std::int64_t t = 0; t < segment.nTokens; ++t, words += m_own.keyBitWords)
            if (words != first) std::copy_n(first, m_own.keyBitWords, words);
    }
}

std::int64_t CpuBackend::goneKeys(const Segment& segment) const {
    if (m_goneKeys.empty()) return 0;
    return m_goneKeys[static_cast<std::size_t>(&segment - m_tokens.segments.data())];
}

void CpuBackend::addMass(int layer) {
    const std::int64_t nHeads = m_spec.nKvHeads;
    const float* mass = m_own.mass;
    for (const Segment& segment : m_tokens.segments) {
        const std::int64_t blockTokens = m_settings.kvBlockTokens;
        const std::int64_t end = segment.firstPosition + segment.nTokens;
        const std::int64_t nBlocks = (end - 1) / blockTokens + 1;
        if (segment.heavy != nullptr) {
            auto& layers = segment.heavy->mass;
            if (layers.empty()) layers.resize(static_cast<std::size_t>(m_spec.nLayers));
            std::vector<double>& sums = layers[static_cast<std::size_t>(layer)];
            if (std::ssize(sums) < nBlocks) sums.resize(static_cast<std::size_t>(nBlocks), 0.0);
            const auto add = [&](std::int64_t from, std::int64_t to) {
                for (std::int64_t b = from; b < to; ++b) {
                    // Tokens before the block have nothing to say of it.
                    const std::int64_t first =
                        std::max(b * blockTokens - segment.firstPosition, std::int64_t{0});
                    double& sum = sums[static_cast<std::size_t>(b)];
                    for (std::int64_t row = first * nHeads; row < segment.nTokens * nHeads; ++row)
                        sum += static_cast<double>(mass[row * m_own.massStride + b]);
                }
            };
            if (segment.nTokens * nHeads * nBlocks <= kSmallWork)
                add(0, nBlocks);
            else
                m_pool.split(nBlocks, 1, add);
        }
        mass += segment.nTokens * nHeads * m_own.massStride;
    }
}

}  // namespace lanescope

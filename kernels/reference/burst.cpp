// Bursts for machines without vector instructions: what plain loops reach.

#include "kernels/reference/reference.h"

namespace lanescope::kernels::reference {

std::uint64_t burst(Burst kind, std::uint64_t rounds) {
    constexpr std::uint64_t kChains = 8;
    if (kind == Burst::Bf16) return 0;
    if (kind == Burst::Int8) {
        volatile std::int32_t one = 1;
        std::int32_t sum[kChains] = {};
        const std::int32_t w = one;
        for (std::uint64_t i = 0; i < rounds; ++i)
            for (std::int32_t& s : sum)
                s = static_cast<std::int32_t>(static_cast<std::uint32_t>(s) * 3U +
                                              static_cast<std::uint32_t>(w));
        for (const std::int32_t s : sum) one = s;
    } else {
        volatile float half = 0.5F;
        float sum[kChains] = {};
        const float a = half;
        for (std::uint64_t i = 0; i < rounds; ++i)
            for (float& s : sum) s = s * a + a;
        for (const float s : sum) half = s;
    }
    return rounds * kChains * 2;
}

std::uint64_t readBurst(const void* data, std::uint64_t bytes) {
    const auto* at = static_cast<const std::uint64_t*>(data);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < bytes / 8; ++i) sum ^= at[i];
    volatile std::uint64_t sink = sum;
    static_cast<void>(sink);
    return bytes;
}

}  // namespace lanescope::kernels::reference

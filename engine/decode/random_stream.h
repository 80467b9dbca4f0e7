#pragma once
// Random numbers that are the same for a seed on every machine: PCG32 (O'Neill 2014, "PCG: A Family
// of Simple Fast Space-Efficient Statistically Good Algorithms"), not the standard library's.

#include <cstdint>

namespace lanescope {

class RandomStream {
  public:
    explicit RandomStream(std::uint64_t seed) {
        next();
        m_state += seed;
        next();
    }
    /// Uniform in [0, 1) with 53 bits.
    double uniform() {
        const std::uint64_t high = next() >> 5U;
        const std::uint64_t low = next() >> 6U;
        return static_cast<double>((high << 26U) | low) * 0x1.0p-53;
    }

  private:
    std::uint32_t next() {
        constexpr std::uint64_t kMultiplier = 6364136223846793005ULL;
        constexpr std::uint64_t kIncrement = (0xda3e39cb94b95bdbULL << 1U) | 1U;
        const std::uint64_t old = m_state;
        m_state = old * kMultiplier + kIncrement;
        const auto shifted = static_cast<std::uint32_t>(((old >> 18U) ^ old) >> 27U);
        const auto rotation = static_cast<std::uint32_t>(old >> 59U);
        return (shifted >> rotation) | (shifted << ((-rotation) & 31U));
    }

    std::uint64_t m_state = 0;
};

}  // namespace lanescope

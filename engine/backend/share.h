#pragma once
// One thread's share of jobs that lie end to end.

#include <algorithm>
#include <cstdint>

namespace lanescope {

/// Jobs of units of equal weight each are laid end to end; each of `count` threads takes one
/// contiguous stretch of about the same weight, cut at whole units. Ask for the jobs in order.
class Share {
  public:
    struct Range {
        std::int64_t begin, end;
        [[nodiscard]] bool empty() const { return begin >= end; }
    };

    /// total: weight of all units of all jobs.
    Share(std::int64_t total, int index, int count)
        : m_from(total * index / count), m_to(total * (index + 1) / count) {}

    /// The units of the next job, which has nUnits of weight `each` > 0, that are in this share.
    Range next(std::int64_t nUnits, std::int64_t each) {
        const auto unitAt = [&](std::int64_t position) {
            return std::clamp<std::int64_t>((position - m_base + each - 1) / each, 0, nUnits);
        };
        const Range range{unitAt(m_from), unitAt(m_to)};
        m_base += nUnits * each;
        return range;
    }

  private:
    std::int64_t m_from, m_to;
    std::int64_t m_base = 0;  ///< weight of the jobs before the next
};

}  // namespace lanescope

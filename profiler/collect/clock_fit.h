#pragma once
// Device time to host time where the two run on different clocks: a line through pairs of readings.
// With CUPTI's timestamp callback the records are in the host's clock already (identity). Pure
// maths.

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope::profiler {

/// Both clocks at about the same moment, ns each.
struct ClockPair {
    std::int64_t deviceNs = 0;
    std::int64_t hostNs = 0;
};

/// host = hostAnchor + (device - deviceAnchor) * rate.
class ClockFit {
  public:
    /// The same clock.
    ClockFit() = default;
    /// Least squares over what lies near a robust first line (median slope), so that a reading that
    /// was interrupted does not bend it. Fewer than two distinct device times: an offset only.
    explicit ClockFit(std::span<const ClockPair> pairs);

    [[nodiscard]] std::int64_t toHost(std::int64_t deviceNs) const;
    [[nodiscard]] double rate() const { return m_rate; }
    /// Root mean square distance of the pairs used from the line, ns.
    [[nodiscard]] double residualNs() const { return m_residualNs; }
    [[nodiscard]] std::size_t used() const { return m_used; }
    [[nodiscard]] std::size_t outliers() const { return m_outliers; }

  private:
    std::int64_t m_deviceAnchor = 0, m_hostAnchor = 0;
    double m_rate = 1.0;
    double m_residualNs = 0.0;
    std::size_t m_used = 0, m_outliers = 0;
};

}  // namespace lanescope::profiler

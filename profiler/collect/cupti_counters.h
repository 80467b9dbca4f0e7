#pragma once
// Hardware counters through CUPTI's range profiler: which metrics a chip has, what they mean and
// how many passes a set of them takes. That is answered by name of the chip, without a device or a
// driver. Collection needs a device and privilege: see collectable().

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/collect/cupti_library.h"

namespace lanescope::profiler::cupti {

enum class MetricType : std::uint8_t { Counter, Ratio, Throughput };

struct Metric {
    std::string name;  ///< base metric, "sm__throughput"
    MetricType type = MetricType::Counter;
};

struct MetricWords {
    std::string description, unit, dimension;
};

/// The counters of one kind of chip. One thread at a time.
class Counters {
  public:
    /// Chip names are NVIDIA's: "GH100", "GA100", "AD102" … Errors: NoDevice, "counters
    /// unavailable: reason".
    static Result<std::unique_ptr<Counters>> open(std::shared_ptr<Library> library,
                                                  const std::string& chip);
    /// Chips this CUPTI knows.
    static Result<std::vector<std::string>> chips(const Library& library);

    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;
    ~Counters();

    Result<std::vector<Metric>> metrics() const;
    Result<MetricWords> describe(const std::string& metric) const;
    /// How often the work has to be repeated to collect all of these, full names
    /// ("dram__bytes_read.sum"). Error: Usage naming a metric the chip lacks.
    Result<std::size_t> passes(const std::vector<std::string>& names) const;

    /// Why counters cannot be collected here, in one line with what to do; success is not promised
    /// before it was tried, since only the driver knows whether it lets us.
    static Result<void> collectable();

  private:
    Counters(std::shared_ptr<Library> library, std::string chip, void* host)
        : m_library(std::move(library)), m_chip(std::move(chip)), m_host(host) {}

    std::shared_ptr<Library> m_library;
    std::string m_chip;
    void* m_host;
};

}  // namespace lanescope::profiler::cupti

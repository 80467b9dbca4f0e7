#include "profiler/collect/cupti_counters.h"

#include <utility>

namespace lanescope::profiler::cupti {

namespace {

Error unavailable(Error error) {
    error.message = "counters unavailable: " + error.message;
    return error;
}

template <class Params>
Params params(std::size_t size) {
    Params p{};
    p.structSize = size;
    return p;
}

/// A host object for a chip; who gets it gives it back with release().
Result<void*> makeHost(const Api& api, const std::string& chip) {
    auto p = params<HostInitialise>(LANESCOPE_CUPTI_SIZE(HostInitialise, host));
    p.chip = chip.c_str();
    const Status status = api.hostInitialise(&p);
    if (status != kSuccess || p.host == nullptr) {
        return unavailable(refusal(api, status, "listing the metrics of " + chip));
    }
    return p.host;
}

void release(const Api& api, void* host) {
    auto p = params<HostDeinitialise>(LANESCOPE_CUPTI_SIZE(HostDeinitialise, host));
    p.host = host;
    (void)api.hostDeinitialise(&p);
}

}  // namespace

Result<std::vector<std::string>> Counters::chips(const Library& library) {
    auto p = params<HostChips>(LANESCOPE_CUPTI_SIZE(HostChips, names));
    const Status status = library.api().hostChips(&p);
    if (status != kSuccess) {
        return unavailable(refusal(library.api(), status, "listing the chips"));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < p.n; ++i) names.emplace_back(p.names[i]);
    return names;
}

Result<std::unique_ptr<Counters>> Counters::open(std::shared_ptr<Library> library,
                                                 const std::string& chip) {
    auto host = makeHost(library->api(), chip);
    if (!host) return host.error();
    return std::unique_ptr<Counters>(new Counters(std::move(library), chip, *host));
}

Counters::~Counters() {
    release(m_library->api(), m_host);
}

Result<std::vector<Metric>> Counters::metrics() const {
    std::vector<Metric> all;
    for (const MetricType type : {MetricType::Counter, MetricType::Ratio, MetricType::Throughput}) {
        auto p = params<HostMetrics>(LANESCOPE_CUPTI_SIZE(HostMetrics, n));
        p.host = m_host;
        p.metricType = static_cast<std::uint32_t>(type);
        const Status status = m_library->api().hostMetrics(&p);
        if (status != kSuccess) {
            return unavailable(
                refusal(m_library->api(), status, "listing the metrics of " + m_chip));
        }
        for (std::size_t i = 0; i < p.n; ++i) all.push_back({p.names[i], type});
    }
    return all;
}

Result<MetricWords> Counters::describe(const std::string& metric) const {
    auto p = params<HostProperties>(LANESCOPE_CUPTI_SIZE(HostProperties, metricType));
    p.host = m_host;
    p.metric = metric.c_str();
    if (m_library->api().hostProperties(&p) != kSuccess) {
        return usageError(m_chip + " has no metric " + metric);
    }
    auto text = [](const char* s) { return std::string(s != nullptr ? s : ""); };
    return MetricWords{text(p.description), text(p.unit), text(p.dimension)};
}

Result<std::size_t> Counters::passes(const std::vector<std::string>& names) const {
    if (names.empty()) return std::size_t{0};
    const Api& api = m_library->api();
    // A host object of its own: metrics can be added to one, but not taken away.
    const auto host = makeHost(api, m_chip);
    if (!host) return host.error();
    auto counted = [&]() -> Result<std::size_t> {
        for (const auto& name : names) {
            const char* one = name.c_str();
            auto add = params<HostAddMetrics>(LANESCOPE_CUPTI_SIZE(HostAddMetrics, n));
            add.host = *host;
            add.names = &one;
            add.n = 1;
            if (api.hostAddMetrics(&add) != kSuccess) {
                return usageError(m_chip + " has no metric " + name,
                                  "a full name has a roll-up, as in dram__bytes_read.sum");
            }
        }
        auto size = params<HostImageSize>(LANESCOPE_CUPTI_SIZE(HostImageSize, bytes));
        size.host = *host;
        Status status = api.hostImageSize(&size);
        std::vector<std::uint8_t> image(size.bytes);
        auto get = params<HostImage>(LANESCOPE_CUPTI_SIZE(HostImage, image));
        get.host = *host;
        get.bytes = image.size();
        get.image = image.data();
        if (status == kSuccess) status = api.hostImage(&get);
        auto count = params<HostPasses>(LANESCOPE_CUPTI_SIZE(HostPasses, n));
        count.bytes = image.size();
        count.image = image.data();
        if (status == kSuccess) status = api.hostPasses(&count);
        if (status != kSuccess) {
            return unavailable(refusal(api, status, "planning the passes on " + m_chip));
        }
        return count.n;
    };
    auto result = counted();
    release(api, *host);
    return result;
}

Result<void> Counters::collectable() {
    if (auto ok = driverPresent(); !ok) return unavailable(ok.error());
    return unavailable({ErrorCode::Unsupported,
                        "this version lists counters and plans their passes, but does not collect "
                        "them",
                        "", "use Nsight Compute; kernel timing works here"});
}

}  // namespace lanescope::profiler::cupti

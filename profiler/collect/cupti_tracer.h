#pragma once
// DeviceTracer on a table of CUPTI's functions, so that tests can play CUPTI.

#include <memory>

#include "profiler/collect/cupti_library.h"
#include "profiler/collect/device_tracer.h"

namespace lanescope::profiler::cupti {

/// `keepAlive` holds the library behind the table. Errors as of DeviceTracer::arm.
Result<std::shared_ptr<DeviceTracer>> armTracer(const Api& api, std::uint32_t version,
                                                std::shared_ptr<void> keepAlive,
                                                const DeviceTracerSettings& settings);

}  // namespace lanescope::profiler::cupti

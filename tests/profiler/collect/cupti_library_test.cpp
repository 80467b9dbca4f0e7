// CUPTI as it is installed, without a device: opening, refusals in words, counters by name of chip.

#include "profiler/collect/cupti_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "profiler/collect/cupti_counters.h"
#include "profiler/collect/device_tracer.h"
#include "profiler/collect/nvtx_ranges.h"

namespace lanescope::profiler {

using cupti::Counters;
using cupti::Library;

namespace {

std::shared_ptr<Library> installed() {
    auto library = Library::open();
    return library ? *library : nullptr;
}

}  // namespace

TEST(CuptiLibrary, AMissingOrForeignFileIsRefusedInOneLine) {
    const auto missing = Library::openFile("/nowhere/libcupti.so.13");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NoDevice);
    EXPECT_NE(missing.error().message.find("/nowhere/libcupti.so.13"), std::string::npos);
    const auto foreign = Library::openFile("libm.so.6");
    ASSERT_FALSE(foreign);
    EXPECT_NE(foreign.error().message.find("lacks cuptiGetVersion"), std::string::npos);
    EXPECT_EQ(foreign.error().toString().find('\n'), std::string::npos);
    ::setenv("LANESCOPE_CUPTI", "/nowhere/else.so", 1);
    const auto named = Library::open();
    ::unsetenv("LANESCOPE_CUPTI");
    ASSERT_FALSE(named) << "what was named is what counts";
    EXPECT_NE(named.error().message.find("/nowhere/else.so"), std::string::npos);
    EXPECT_EQ(cupti::versionText(130001), "13.0");
    EXPECT_EQ(cupti::versionText(120800), "12.8");
}

TEST(CuptiLibrary, WithoutADriverTracingSaysSoFirst) {
    if (cupti::driverPresent()) GTEST_SKIP() << "there is a driver here";
    const auto tracer = DeviceTracer::arm();
    ASSERT_FALSE(tracer);
    EXPECT_EQ(tracer.error().message, "no NVIDIA driver");
}

TEST(CuptiCounters, AreListedByNameOfTheChip) {
    const auto library = installed();
    if (library == nullptr) GTEST_SKIP() << "no CUPTI here";
    const auto chips = Counters::chips(*library);
    ASSERT_TRUE(chips);
    for (const char* chip : {"GA100", "GH100", "AD102"}) {
        EXPECT_NE(std::find(chips->begin(), chips->end(), chip), chips->end()) << chip;
        const auto counters = Counters::open(library, chip);
        ASSERT_TRUE(counters) << counters.error().toString();
        const auto metrics = (*counters)->metrics();
        ASSERT_TRUE(metrics);
        EXPECT_GT(metrics->size(), 500U) << chip;
        const auto dram = std::find_if(metrics->begin(), metrics->end(),
                                       [](const auto& m) { return m.name == "dram__bytes_read"; });
        ASSERT_NE(dram, metrics->end()) << chip;
        EXPECT_EQ(dram->type, cupti::MetricType::Counter);
    }
}

TEST(CuptiCounters, SayHowManyPassesASetTakes) {
    const auto library = installed();
    if (library == nullptr) GTEST_SKIP() << "no CUPTI here";
    const auto counters = Counters::open(library, "GH100");
    ASSERT_TRUE(counters);
    const auto one = (*counters)->passes({"dram__bytes_read.sum"});
    ASSERT_TRUE(one) << one.error().toString();
    EXPECT_EQ(*one, 1U);
    const auto many = (*counters)->passes(
        {"dram__bytes_read.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"});
    ASSERT_TRUE(many);
    EXPECT_GT(*many, *one) << "and the sets do not add up over calls";
    EXPECT_EQ(*(*counters)->passes({"dram__bytes_read.sum"}), *one);
    EXPECT_EQ(*(*counters)->passes({}), 0U);
    const auto unknown = (*counters)->passes({"dram__bytes_read.sum", "no_such__metric.sum"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::Usage);
    EXPECT_NE(unknown.error().message.find("no_such__metric.sum"), std::string::npos);
    const auto words = (*counters)->describe("dram__bytes_read");
    ASSERT_TRUE(words);
    EXPECT_FALSE(words->description.empty());
    EXPECT_FALSE((*counters)->describe("no_such__metric"));
}

TEST(CuptiCounters, AnUnknownChipIsRefusedWithTheReason) {
    const auto library = installed();
    if (library == nullptr) GTEST_SKIP() << "no CUPTI here";
    const auto counters = Counters::open(library, "XX999");
    ASSERT_FALSE(counters);
    EXPECT_EQ(counters.error().message.rfind("counters unavailable: ", 0), 0U)
        << counters.error().message;
    const auto collect = Counters::collectable();
    ASSERT_FALSE(collect);
    EXPECT_EQ(collect.error().message.rfind("counters unavailable: ", 0), 0U);
}

TEST(Nvtx, RangesMayBePushedWithNobodyListening) {
    const auto hooks = nvtxHooks();
    EXPECT_EQ(hooks != nullptr, nvtxBuiltIn());
    nvtxPush("range");
    nvtxPop();
    if (hooks == nullptr) return;
    const trace::ScopedDeviceSpan span(hooks.get(), {});
    hooks->rangePush("inner");
    hooks->rangePop();
}

}  // namespace lanescope::profiler

// The way to a usable device: one message for each step that can fail.

#include "engine/backend/cuda/plugin_source.h"

#include <gtest/gtest.h>

#include "tests/engine/backend/emulated_device.h"

namespace lanescope {
namespace {

// What the next fake plugin says; a plugin's functions have no context.
CudaDriver theDriver;
int theCount = 1;
GpuInfo theDevice;
int theStatus = 0;
EmulatedCounts theCounts;

CudaPlugin fakePlugin() {
    theDriver = {0, 13000, 13000};
    theCount = 1;
    theDevice = {};
    theDevice.name = "Test GPU";
    theDevice.capabilityMajor = 9;
    theStatus = 0;
    return {kCudaPluginVersion,
            [](CudaDriver* out) { *out = theDriver; },
            [] { return theCount; },
            [](int, GpuInfo* out, int* status) {
                *out = theDevice;
                *status = theStatus;
                return theStatus == 0;
            },
            [](int, int* status) -> GpuDevice* {
                *status = theStatus;
                if (theStatus != 0) return nullptr;
                return new EmulatedDevice({}, theCounts);
            },
            [](int) { return "that error"; }};
}

std::string said(const CudaPlugin& plugin, int index = 0) {
    const auto opened = openThrough(plugin, index);
    if (opened) return "opened";
    EXPECT_EQ(opened.error().code, ErrorCode::NoDevice);
    EXPECT_FALSE(opened.error().nextStep.empty());
    return opened.error().message;
}

TEST(PluginSource, EveryStepHasItsMessage) {
    const CudaPlugin plugin = fakePlugin();
    EXPECT_EQ(said(plugin), "opened");
    theDriver.driver = 0;  // the call succeeds all the same
    EXPECT_EQ(said(plugin), "no NVIDIA driver");
    theDriver.driver = 12040;
    EXPECT_EQ(said(plugin), "the NVIDIA driver is for CUDA 12.4, the plugin needs 13.0");
    theDriver = {100, 13000, 13000};
    EXPECT_EQ(said(plugin), "the NVIDIA driver does not answer: that error");
    theDriver = {0, 13010, 13000};
    EXPECT_EQ(said(plugin), "opened");
    theCount = 0;
    EXPECT_EQ(said(plugin), "the NVIDIA driver finds no device");
    theCount = -999;
    EXPECT_EQ(said(plugin), "the NVIDIA driver finds no device: that error");
    theCount = 2;
    EXPECT_EQ(said(plugin, 2), "there is no device 2; devices: 0 to 1");
    EXPECT_EQ(said(plugin, -1), "there is no device -1; devices: 0 to 1");
    theDevice.capabilityMajor = 7;
    theDevice.capabilityMinor = 5;
    EXPECT_EQ(said(plugin), "Test GPU is too old: compute capability 7.5, the kernels need 8.0");
    theDevice.capabilityMajor = 8;
    theStatus = 46;
    EXPECT_EQ(said(plugin), "device 0 does not answer: that error");
}

TEST(PluginSource, ListsDevicesThatCannotBeUsedToo) {
    const CudaPlugin plugin = fakePlugin();
    theDevice.capabilityMajor = 5;
    const auto all = devicesOf(plugin);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->front().name, "Test GPU");
}

}  // namespace
}  // namespace lanescope

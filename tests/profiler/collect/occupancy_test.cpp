#include <gtest/gtest.h>

#include "profiler/collect/cupti_occupancy.h"

#ifdef LANESCOPE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

namespace lanescope::profiler {

using cupti::SmLimits;
using cupti::theoreticalOccupancy;

namespace {

constexpr SmLimits kA100{8, 64, 32, 65536, 167936};
constexpr SmLimits kH100{9, 64, 32, 65536, 233472};
constexpr SmLimits kTuring{7, 32, 16, 65536, 65536};

DeviceActivity kernel(std::int32_t threads, std::int32_t registers, std::int32_t dynamicShared) {
    DeviceActivity a;
    a.block = {threads, 1, 1};
    a.registersPerThread = registers;
    a.dynamicSharedBytes = dynamicShared;
    return a;
}

}  // namespace

TEST(Occupancy, OfKnownCases) {
    EXPECT_FLOAT_EQ(theoreticalOccupancy(kA100, kernel(256, 32, 0)), 1.0F);
    EXPECT_FLOAT_EQ(theoreticalOccupancy(kA100, kernel(256, 64, 0)), 0.5F);
    EXPECT_FLOAT_EQ(theoreticalOccupancy(kA100, kernel(32, 16, 0)), 0.5F) << "32 blocks at most";
    EXPECT_FLOAT_EQ(theoreticalOccupancy(kA100, kernel(128, 32, 163840)), 4.0F / 64.0F)
        << "one block, for its shared memory";
    EXPECT_EQ(theoreticalOccupancy(kA100, kernel(0, 32, 0)), 0.0F);
    EXPECT_EQ(theoreticalOccupancy(kA100, kernel(2048, 32, 0)), 0.0F);
    EXPECT_EQ(theoreticalOccupancy({}, kernel(128, 32, 0)), 0.0F) << "limits not known";
}

// The toolkit's own calculator over a grid of launches.
TEST(Occupancy, AgreesWithTheToolkitsCalculator) {
#ifdef LANESCOPE_CUDA_OCCUPANCY
    struct Chip {
        SmLimits sm;
        int minor;
        std::size_t sharedPerBlock, reserved;
    };
    for (const Chip& chip :
         {Chip{kA100, 0, 166912, 1024}, Chip{kH100, 0, 232448, 1024}, Chip{kTuring, 5, 65536, 0}}) {
        cudaOccDeviceProp prop;
        prop.computeMajor = chip.sm.computeMajor;
        prop.computeMinor = chip.minor;
        prop.maxThreadsPerBlock = 1024;
        prop.maxThreadsPerMultiprocessor = chip.sm.maxWarps * 32;
        prop.regsPerBlock = prop.regsPerMultiprocessor = chip.sm.maxRegisters;
        prop.warpSize = 32;
        prop.sharedMemPerBlock = 49152;
        prop.sharedMemPerMultiprocessor = static_cast<std::size_t>(chip.sm.maxSharedBytes);
        prop.sharedMemPerBlockOptin = chip.sharedPerBlock;
        prop.reservedSharedMemPerBlock = chip.reserved;
        prop.numSms = 1;
        for (const int threads : {32, 96, 128, 192, 256, 512, 768, 1024}) {
            for (const int registers : {16, 24, 33, 40, 64, 72, 96, 128, 168, 255}) {
                for (const int shared : {0, 100, 1024, 9000, 32768, 49152, 60000}) {
                    cudaOccFuncAttributes attributes;
                    attributes.maxThreadsPerBlock = 1024;
                    attributes.numRegs = registers;
                    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                    attributes.maxDynamicSharedSizeBytes = chip.sharedPerBlock;
                    attributes.numBlockBarriers = 1;
                    const cudaOccDeviceState state{};
                    cudaOccResult result{};
                    ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(
                                  &result, &prop, &attributes, &state, threads,
                                  static_cast<std::size_t>(shared)),
                              CUDA_OCC_SUCCESS);
                    const float expected =
                        static_cast<float>(result.activeBlocksPerMultiprocessor * (threads / 32)) /
                        static_cast<float>(chip.sm.maxWarps);
                    EXPECT_FLOAT_EQ(
                        theoreticalOccupancy(chip.sm, kernel(threads, registers, shared)), expected)
                        << chip.sm.computeMajor << ": " << threads << " threads, " << registers
                        << " registers, " << shared << " bytes";
                }
            }
        }
    }
#else
    GTEST_SKIP() << "no CUDA toolkit here";
#endif
}

}  // namespace lanescope::profiler

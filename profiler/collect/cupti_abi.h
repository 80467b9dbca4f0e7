#pragma once
// What this program knows of CUPTI's binary interface, in its own words, so that it builds where no
// toolkit is installed: the records of CUDA 13 that it reads, the parameters of the calls it makes.
// cupti_abi_check.cpp compares sizes and offsets with CUPTI's headers where they are installed.
// Facts from the CUPTI documentation (docs.nvidia.com/cupti, API reference, CUDA 13.0).

#include <cstddef>
#include <cstdint>

namespace lanescope::profiler::cupti {

inline constexpr std::uint32_t kMinVersion = 130000;  ///< records of this layout, from here on

using Status = std::int32_t;
inline constexpr Status kSuccess = 0;
inline constexpr Status kMaxLimitReached = 12;  ///< the end of a buffer
inline constexpr Status kNotInitialised = 15;
inline constexpr Status kInvalidKind = 21;
inline constexpr Status kInsufficientPrivileges = 35;
inline constexpr Status kMultipleSubscribers = 39;
inline constexpr Status kVirtualDevicePrivileges = 40;
inline constexpr Status kInvalidChipName = 46;
inline constexpr Status kUnknownError = 999;

/// First word of every record.
enum class Kind : std::uint32_t {
    Memcpy = 1,
    Memset = 2,
    Kernel = 3,
    Driver = 4,
    Runtime = 5,
    Device = 8,
    Context = 9,
    ConcurrentKernel = 10,
    Name = 11,
    Marker = 12,
    Overhead = 17,
    Stream = 37,
    ExternalCorrelation = 39,
    GraphTrace = 51,
};

// Records lie at multiples of 8 and begin with their kind. Times are ns; 0 = not known.

struct alignas(8) KernelRecord {  // CUpti_ActivityKernel10
    std::uint32_t kind;
    std::uint8_t cacheConfig, sharedMemoryConfig;
    std::uint16_t registersPerThread;
    std::uint32_t globalCacheRequested, globalCacheExecuted;
    std::uint64_t start, end, completed;
    std::uint32_t device, context, stream;
    std::int32_t grid[3], block[3];
    std::int32_t staticShared, dynamicShared;
    std::uint32_t localPerThread, localTotal;
    std::uint32_t correlation;
    std::int64_t gridId;
    const char* name;  ///< mangled; the driver keeps it while the module is loaded
    void* reserved0;
    std::uint64_t queued, submitted;
    std::uint8_t launchType, carveoutRequested, carveout, padding;
    std::uint32_t sharedExecuted;
    std::uint64_t graphNode;
    std::uint32_t sharedLimitConfig;
    std::uint32_t graph;
    void* accessPolicy;
    std::uint32_t channel, channelType;
    std::uint32_t cluster[3], clusterScheduling;
    std::uint64_t localTotal2;
    std::uint32_t maxPotentialClusterSize, maxActiveClusters;
    std::uint8_t isDeviceLaunched, padding3[7];
};

struct alignas(8) MemcpyRecord {  // CUpti_ActivityMemcpy6
    std::uint32_t kind;
    std::uint8_t copyKind, sourceKind, targetKind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
    std::uint32_t correlation, runtimeCorrelation, pad;
    void* reserved0;
    std::uint64_t graphNode;
    std::uint32_t graph;
    std::uint32_t channel, channelType;
    std::uint8_t isDeviceLaunched, pad2[3];
    std::uint64_t copyCount;
};

struct alignas(8) MemsetRecord {  // CUpti_ActivityMemset4
    std::uint32_t kind;
    std::uint32_t value;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
    std::uint32_t correlation;
    std::uint16_t flags, memoryKind;
    std::uint32_t pad;
    void* reserved0;
    std::uint64_t graphNode;
    std::uint32_t graph;
    std::uint32_t channel, channelType;
    std::uint8_t isDeviceLaunched, pad2[3];
};

struct alignas(8) OverheadRecord {  // CUpti_ActivityOverhead3
    std::uint32_t kind;
    std::uint32_t overheadKind;
    std::uint32_t objectKind;
    std::uint32_t objectId[3];
    std::uint64_t start, end;
    std::uint32_t correlation, reserved0;
    void* data;
};

struct alignas(8) ExternalCorrelationRecord {  // CUpti_ActivityExternalCorrelation
    std::uint32_t kind;
    std::uint32_t externalKind;
    std::uint64_t externalId;
    std::uint32_t correlation, reserved;
};

struct alignas(8) GraphTraceRecord {  // CUpti_ActivityGraphTrace2
    std::uint32_t kind;
    std::uint32_t correlation;
    std::uint64_t start, end;
    std::uint32_t device, graph, context, stream;
    void* reserved;
    std::uint32_t endDevice, endContext;
};

struct alignas(8) DeviceRecord {  // CUpti_ActivityDevice5
    std::uint32_t kind;
    std::uint32_t flags;
    std::uint64_t memoryBandwidth;  ///< kB/s, theoretical
    std::uint64_t memoryBytes;
    std::uint32_t constantBytes, l2Bytes, threadsPerWarp, coreClockKHz, nCopyEngines, nSms, maxIpc;
    std::uint32_t maxWarpsPerSm, maxBlocksPerSm, maxSharedPerSm, maxRegistersPerSm;
    std::uint32_t maxRegistersPerBlock, maxSharedPerBlock, maxThreadsPerBlock;
    std::uint32_t maxBlock[3], maxGrid[3];
    std::uint32_t computeMajor, computeMinor;
    std::uint32_t id, ecc;
    std::uint8_t uuid[16];
    const char* name;
    std::uint8_t isVisible, isMig, reserved[6];
    std::uint32_t gpuInstance, computeInstance;
    std::uint8_t migUuid[16];
    std::uint32_t isNumaNode, numaId;
};

// Kinds that are stepped over.
inline constexpr std::size_t kApiRecordBytes = 40;
inline constexpr std::size_t kNameRecordBytes = 32;
inline constexpr std::size_t kMarkerRecordBytes = 56;
inline constexpr std::size_t kStreamRecordBytes = 24;
inline constexpr std::size_t kContextRecordBytes = 32;

// --- callbacks -----------------------------------------------------------------------------------

inline constexpr std::uint32_t kResourceDomain = 3;
inline constexpr std::uint32_t kGraphNodeCreated = 13;
inline constexpr std::uint32_t kGraphNodeCloned = 20;
inline constexpr std::uint32_t kCustomCorrelation = 3;  ///< CUSTOM0
inline constexpr std::uint32_t kFlushForced = 1;

struct ResourceData {  // CUpti_ResourceData
    void* context;
    void* handle;
    void* descriptor;  ///< GraphData for graph nodes
};
struct GraphData {  // CUpti_GraphData
    void *graph, *originalGraph;
    void *node, *originalNode;
    std::uint32_t nodeType;
    void *dependency, *graphExec;
};

using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t validSize);
using Timestamp = std::uint64_t (*)();

// --- counters, host side -------------------------------------------------------------------------

// Every parameter block begins with its size and a pointer that must be null.
struct HostInitialise {
    std::size_t structSize;
    void* priv;
    std::uint32_t profilerType;  ///< 0 = range profiler
    const char* chip;
    const std::uint8_t* availability;
    void* host;  ///< out
};
struct HostDeinitialise {
    std::size_t structSize;
    void* priv;
    void* host;
};
struct HostChips {
    std::size_t structSize;
    void* priv;
    std::size_t n;             ///< out
    const char* const* names;  ///< out
};
struct HostMetrics {
    std::size_t structSize;
    void* priv;
    void* host;
    std::uint32_t metricType;  ///< 0 counter, 1 ratio, 2 throughput
    const char** names;        ///< out
    std::size_t n;             ///< out
};
struct HostProperties {
    std::size_t structSize;
    void* priv;
    void* host;
    const char* metric;
    const char *description, *unit, *dimension;  ///< out
    std::uint32_t metricType;                    ///< out
};
struct HostAddMetrics {
    std::size_t structSize;
    void* priv;
    void* host;
    const char** names;
    std::size_t n;
};
struct HostImageSize {
    std::size_t structSize;
    void* priv;
    void* host;
    std::size_t bytes;  ///< out
};
struct HostImage {
    std::size_t structSize;
    void* priv;
    void* host;
    std::size_t bytes;
    std::uint8_t* image;
};
struct HostPasses {
    std::size_t structSize;
    void* priv;
    std::size_t bytes;
    std::uint8_t* image;
    std::size_t n;  ///< out
};

/// The size CUPTI expects: up to the last field, without padding behind it.
#define LANESCOPE_CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(type::last))

}  // namespace lanescope::profiler::cupti

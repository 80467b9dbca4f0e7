// Compares cupti_abi.h with CUPTI's own headers. Built only where they are installed; makes no
// code.

#include "profiler/collect/cupti_abi.h"

#include <cupti.h>
#include <cupti_profiler_host.h>

namespace lanescope::profiler::cupti {

// Older records are shorter and go by other names.
#if CUPTI_API_VERSION >= 130000

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_PLACE(ours, field, theirs, theirField)                       \
    static_assert(offsetof(ours, field) == offsetof(theirs, theirField)); \
    static_assert(sizeof(ours::field) == sizeof(theirs::theirField))

SAME_SIZE(KernelRecord, CUpti_ActivityKernel10);
SAME_PLACE(KernelRecord, registersPerThread, CUpti_ActivityKernel10, registersPerThread);
SAME_PLACE(KernelRecord, start, CUpti_ActivityKernel10, start);
SAME_PLACE(KernelRecord, end, CUpti_ActivityKernel10, end);
SAME_PLACE(KernelRecord, device, CUpti_ActivityKernel10, deviceId);
SAME_PLACE(KernelRecord, context, CUpti_ActivityKernel10, contextId);
SAME_PLACE(KernelRecord, stream, CUpti_ActivityKernel10, streamId);
static_assert(offsetof(KernelRecord, grid) == offsetof(CUpti_ActivityKernel10, gridX));
static_assert(offsetof(KernelRecord, block) == offsetof(CUpti_ActivityKernel10, blockX));
SAME_PLACE(KernelRecord, staticShared, CUpti_ActivityKernel10, staticSharedMemory);
SAME_PLACE(KernelRecord, dynamicShared, CUpti_ActivityKernel10, dynamicSharedMemory);
SAME_PLACE(KernelRecord, correlation, CUpti_ActivityKernel10, correlationId);
SAME_PLACE(KernelRecord, name, CUpti_ActivityKernel10, name);
SAME_PLACE(KernelRecord, graphNode, CUpti_ActivityKernel10, graphNodeId);
SAME_PLACE(KernelRecord, graph, CUpti_ActivityKernel10, graphId);

SAME_SIZE(MemcpyRecord, CUpti_ActivityMemcpy6);
SAME_PLACE(MemcpyRecord, copyKind, CUpti_ActivityMemcpy6, copyKind);
SAME_PLACE(MemcpyRecord, bytes, CUpti_ActivityMemcpy6, bytes);
SAME_PLACE(MemcpyRecord, start, CUpti_ActivityMemcpy6, start);
SAME_PLACE(MemcpyRecord, end, CUpti_ActivityMemcpy6, end);
SAME_PLACE(MemcpyRecord, device, CUpti_ActivityMemcpy6, deviceId);
SAME_PLACE(MemcpyRecord, stream, CUpti_ActivityMemcpy6, streamId);
SAME_PLACE(MemcpyRecord, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME_PLACE(MemcpyRecord, graphNode, CUpti_ActivityMemcpy6, graphNodeId);

SAME_SIZE(MemsetRecord, CUpti_ActivityMemset4);
SAME_PLACE(MemsetRecord, bytes, CUpti_ActivityMemset4, bytes);
SAME_PLACE(MemsetRecord, start, CUpti_ActivityMemset4, start);
SAME_PLACE(MemsetRecord, end, CUpti_ActivityMemset4, end);
SAME_PLACE(MemsetRecord, device, CUpti_ActivityMemset4, deviceId);
SAME_PLACE(MemsetRecord, stream, CUpti_ActivityMemset4, streamId);
SAME_PLACE(MemsetRecord, correlation, CUpti_ActivityMemset4, correlationId);
SAME_PLACE(MemsetRecord, graphNode, CUpti_ActivityMemset4, graphNodeId);

SAME_SIZE(OverheadRecord, CUpti_ActivityOverhead3);
SAME_PLACE(OverheadRecord, overheadKind, CUpti_ActivityOverhead3, overheadKind);
SAME_PLACE(OverheadRecord, start, CUpti_ActivityOverhead3, start);
SAME_PLACE(OverheadRecord, end, CUpti_ActivityOverhead3, end);
SAME_PLACE(OverheadRecord, correlation, CUpti_ActivityOverhead3, correlationId);

SAME_SIZE(ExternalCorrelationRecord, CUpti_ActivityExternalCorrelation);
SAME_PLACE(ExternalCorrelationRecord, externalKind, CUpti_ActivityExternalCorrelation,
           externalKind);
SAME_PLACE(ExternalCorrelationRecord, externalId, CUpti_ActivityExternalCorrelation, externalId);
SAME_PLACE(ExternalCorrelationRecord, correlation, CUpti_ActivityExternalCorrelation,
           correlationId);

SAME_SIZE(GraphTraceRecord, CUpti_ActivityGraphTrace2);
SAME_PLACE(GraphTraceRecord, correlation, CUpti_ActivityGraphTrace2, correlationId);
SAME_PLACE(GraphTraceRecord, start, CUpti_ActivityGraphTrace2, start);
SAME_PLACE(GraphTraceRecord, device, CUpti_ActivityGraphTrace2, deviceId);
SAME_PLACE(GraphTraceRecord, graph, CUpti_ActivityGraphTrace2, graphId);
SAME_PLACE(GraphTraceRecord, stream, CUpti_ActivityGraphTrace2, streamId);

SAME_SIZE(DeviceRecord, CUpti_ActivityDevice5);
SAME_PLACE(DeviceRecord, memoryBytes, CUpti_ActivityDevice5, globalMemorySize);
SAME_PLACE(DeviceRecord, nSms, CUpti_ActivityDevice5, numMultiprocessors);
SAME_PLACE(DeviceRecord, maxWarpsPerSm, CUpti_ActivityDevice5, maxWarpsPerMultiprocessor);
SAME_PLACE(DeviceRecord, maxBlocksPerSm, CUpti_ActivityDevice5, maxBlocksPerMultiprocessor);
SAME_PLACE(DeviceRecord, maxSharedPerSm, CUpti_ActivityDevice5, maxSharedMemoryPerMultiprocessor);
SAME_PLACE(DeviceRecord, maxRegistersPerSm, CUpti_ActivityDevice5, maxRegistersPerMultiprocessor);
SAME_PLACE(DeviceRecord, computeMajor, CUpti_ActivityDevice5, computeCapabilityMajor);
SAME_PLACE(DeviceRecord, computeMinor, CUpti_ActivityDevice5, computeCapabilityMinor);
SAME_PLACE(DeviceRecord, id, CUpti_ActivityDevice5, id);
SAME_PLACE(DeviceRecord, uuid, CUpti_ActivityDevice5, uuid);
SAME_PLACE(DeviceRecord, name, CUpti_ActivityDevice5, name);

static_assert(kApiRecordBytes == sizeof(CUpti_ActivityAPI));
static_assert(kNameRecordBytes == sizeof(CUpti_ActivityName));
static_assert(kMarkerRecordBytes == sizeof(CUpti_ActivityMarker2));
static_assert(kStreamRecordBytes == sizeof(CUpti_ActivityStream));
static_assert(kContextRecordBytes == sizeof(CUpti_ActivityContext3));

#define SAME_KIND(ours, theirs) \
    static_assert(static_cast<std::uint32_t>(Kind::ours) == CUPTI_ACTIVITY_KIND_##theirs)
SAME_KIND(Memcpy, MEMCPY);
SAME_KIND(Memset, MEMSET);
SAME_KIND(Kernel, KERNEL);
SAME_KIND(Driver, DRIVER);
SAME_KIND(Runtime, RUNTIME);
SAME_KIND(Device, DEVICE);
SAME_KIND(Context, CONTEXT);
SAME_KIND(ConcurrentKernel, CONCURRENT_KERNEL);
SAME_KIND(Name, NAME);
SAME_KIND(Marker, MARKER);
SAME_KIND(Overhead, OVERHEAD);
SAME_KIND(Stream, STREAM);
SAME_KIND(ExternalCorrelation, EXTERNAL_CORRELATION);
SAME_KIND(GraphTrace, GRAPH_TRACE);

SAME_SIZE(ResourceData, CUpti_ResourceData);
SAME_PLACE(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME_SIZE(GraphData, CUpti_GraphData);
// NOLINTBEGIN(bugprone-sizeof-expression): the members are pointers, and their own size is meant
SAME_PLACE(GraphData, node, CUpti_GraphData, node);
SAME_PLACE(GraphData, originalNode, CUpti_GraphData, originalNode);
// NOLINTEND(bugprone-sizeof-expression)
static_assert(kResourceDomain == CUPTI_CB_DOMAIN_RESOURCE);
static_assert(kGraphNodeCreated == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(kGraphNodeCloned == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
static_assert(kCustomCorrelation == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
static_assert(kFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

static_assert(kMaxLimitReached == CUPTI_ERROR_MAX_LIMIT_REACHED);
static_assert(kNotInitialised == CUPTI_ERROR_NOT_INITIALIZED);
static_assert(kInvalidKind == CUPTI_ERROR_INVALID_KIND);
static_assert(kInsufficientPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
static_assert(kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(kVirtualDevicePrivileges == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
static_assert(kInvalidChipName == CUPTI_ERROR_INVALID_CHIP_NAME);
static_assert(kUnknownError == CUPTI_ERROR_UNKNOWN);

#define SAME_PARAMS(ours, last, theirs) \
    static_assert(LANESCOPE_CUPTI_SIZE(ours, last) == theirs##_STRUCT_SIZE)
SAME_PARAMS(HostInitialise, host, CUpti_Profiler_Host_Initialize_Params);
SAME_PARAMS(HostDeinitialise, host, CUpti_Profiler_Host_Deinitialize_Params);
SAME_PARAMS(HostChips, names, CUpti_Profiler_Host_GetSupportedChips_Params);
SAME_PARAMS(HostMetrics, n, CUpti_Profiler_Host_GetBaseMetrics_Params);
SAME_PARAMS(HostProperties, metricType, CUpti_Profiler_Host_GetMetricProperties_Params);
SAME_PARAMS(HostAddMetrics, n, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SAME_PARAMS(HostImageSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params);
SAME_PARAMS(HostImage, image, CUpti_Profiler_Host_GetConfigImage_Params);
SAME_PARAMS(HostPasses, n, CUpti_Profiler_Host_GetNumOfPasses_Params);
SAME_PLACE(HostImage, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
SAME_PLACE(HostMetrics, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);

#endif

}  // namespace lanescope::profiler::cupti

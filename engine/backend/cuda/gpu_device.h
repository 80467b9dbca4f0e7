#pragma once
// A GPU as the CUDA backend sees it: memory, one stream of queued work, graphs, event times and the
// table of ops. No CUDA header: the real one lives in the plugin (plugin/), an emulated one in the
// tests. One object is one lane's stream on one device; the engine thread owns it.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/trace/gpu_info.h"
#include "kernels/cuda/cublas_library.h"
#include "kernels/cuda/op_table.h"

namespace lanescope {

/// Recorded work that can be launched again as a whole.
class GpuGraph {
  public:
    virtual ~GpuGraph() = default;
};

/// A point in the stream whose time is known once it has passed.
class GpuEvent {
  public:
    virtual ~GpuEvent() = default;
};

/// What is queued keeps its order. A Status other than kSuccess is an error of the device's runtime
/// (describe()); work queued earlier may be its cause.
class GpuDevice {
  public:
    using Status = kernels::cuda::Status;

    virtual ~GpuDevice() = default;
    [[nodiscard]] virtual const GpuInfo& info() const = 0;
    [[nodiscard]] virtual const kernels::cuda::OpTable& ops() const = 0;
    [[nodiscard]] virtual kernels::cuda::Stream stream() const = 0;

    [[nodiscard]] virtual std::uint64_t freeBytes() = 0;
    /// Device memory, aligned to 256; null: refused.
    [[nodiscard]] virtual void* allocate(std::uint64_t bytes) = 0;
    virtual void release(void* memory) = 0;
    /// Host memory that copies read and write directly; null: refused.
    [[nodiscard]] virtual void* allocateHost(std::uint64_t bytes) = 0;
    virtual void releaseHost(void* memory) = 0;

    /// Queued. The host side has to stay as it is until the stream has passed.
    virtual Status upload(void* device, const void* host, std::uint64_t bytes) = 0;
    virtual Status download(void* host, const void* device, std::uint64_t bytes) = 0;
    virtual Status copy(void* to, const void* from, std::uint64_t bytes) = 0;
    /// Waits for all that is queued.
    virtual Status synchronise() = 0;

    /// From here on queued work is recorded instead of done.
    virtual Status beginCapture() = 0;
    /// Null graph: it could not be recorded (status says why).
    virtual Status endCapture(std::unique_ptr<GpuGraph>& graph) = 0;
    virtual Status launch(GpuGraph& graph) = 0;

    /// cuBLASLt for work on this stream; null and one line in *why: the device has none. The
    /// workspace is device memory that outlives what is returned; so does the device.
    [[nodiscard]] virtual std::unique_ptr<kernels::cuda::CublasLibrary> openCublas(
        void* workspace, std::uint64_t workspaceBytes, std::string* why) = 0;

    [[nodiscard]] virtual std::unique_ptr<GpuEvent> makeEvent() = 0;
    virtual Status record(GpuEvent& event) = 0;
    /// Between two events that have passed.
    virtual Status elapsed(const GpuEvent& from, const GpuEvent& to, std::int64_t& ns) = 0;

    /// "out of memory (2)".
    [[nodiscard]] virtual std::string describe(Status status) const = 0;
    /// Whether nothing can run on the device any more (lost, or a kernel that failed).
    [[nodiscard]] virtual bool isFatal(Status status) const = 0;
};

/// Where devices come from.
class GpuSource {
  public:
    virtual ~GpuSource() = default;
    /// Device `index` with a stream of its own. Errors: OutOfMemory-like "no such device" in words,
    /// one message for each step that can fail.
    virtual Result<std::unique_ptr<GpuDevice>> open(int index) = 0;
};

}  // namespace lanescope

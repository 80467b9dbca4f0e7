#pragma once
// A GpuDevice whose kernels run in the emulator (kernels/simt): the whole CUDA backend without a
// GPU. Work is done when it is queued; a capture keeps it for launches of its graph.

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/backend/cuda/gpu_device.h"

namespace lanescope {

/// What a test wants of the device.
struct EmulatedOptions {
    std::uint64_t totalBytes = std::uint64_t{4} << 30;
    int failAfter = -1;    ///< so many pieces of work are done, then all fail; -1: none fails
    int failStatus = 719;  ///< cudaErrorLaunchFailure
    bool capture = true;   ///< false: nothing can be recorded
    bool cublas = true;    ///< false: it is not installed
    /// Products of more rows are refused by cuBLASLt.
    std::int64_t cublasRows = std::numeric_limits<std::int64_t>::max();
};

/// What has happened, of all devices of a source.
struct EmulatedCounts {
    int kernels = 0;   ///< ops run, each time
    int graphs = 0;    ///< recorded
    int launches = 0;  ///< of graphs
    int cublas = 0;    ///< products it was asked for, recorded ones once
};

class EmulatedDevice final : public GpuDevice {
  public:
    EmulatedDevice(const EmulatedOptions& options, EmulatedCounts& counts);
    ~EmulatedDevice() override;

    [[nodiscard]] const GpuInfo& info() const override { return m_info; }
    [[nodiscard]] const kernels::cuda::OpTable& ops() const override { return m_ops; }
    /// The device itself in disguise: the ops find it by this.
    [[nodiscard]] kernels::cuda::Stream stream() const override;
    [[nodiscard]] std::uint64_t freeBytes() override { return m_options.totalBytes - m_usedBytes; }
    [[nodiscard]] void* allocate(std::uint64_t bytes) override;
    void release(void* memory) override;
    [[nodiscard]] void* allocateHost(std::uint64_t bytes) override;
    void releaseHost(void* memory) override;
    Status upload(void* device, const void* host, std::uint64_t bytes) override;
    Status download(void* host, const void* device, std::uint64_t bytes) override;
    Status copy(void* to, const void* from, std::uint64_t bytes) override;
    Status synchronise() override { return m_failed; }
    Status beginCapture() override;
    Status endCapture(std::unique_ptr<GpuGraph>& graph) override;
    Status launch(GpuGraph& graph) override;
    /// Plain loops in place of the library.
    [[nodiscard]] std::unique_ptr<kernels::cuda::CublasLibrary> openCublas(
        void* workspace, std::uint64_t workspaceBytes, std::string* why) override;
    [[nodiscard]] std::unique_ptr<GpuEvent> makeEvent() override;
    Status record(GpuEvent& event) override;
    Status elapsed(const GpuEvent& from, const GpuEvent& to, std::int64_t& ns) override;
    [[nodiscard]] std::string describe(Status status) const override;
    [[nodiscard]] bool isFatal(Status status) const override {
        return status != 2 && status != 900;
    }

    /// Does the work, or keeps it while a capture is on.
    Status run(std::function<Status()> work, bool isOp);
    [[nodiscard]] const EmulatedOptions& options() const { return m_options; }
    EmulatedCounts& counts() { return m_counts; }

  private:
    Status now(const std::function<Status()>& work, bool isOp);

    EmulatedOptions m_options;
    EmulatedCounts& m_counts;
    GpuInfo m_info;
    kernels::cuda::OpTable m_ops;
    std::map<void*, std::uint64_t> m_allocations;
    std::uint64_t m_usedBytes = 0;
    bool m_capturing = false;
    std::vector<std::pair<std::function<Status()>, bool>> m_recorded;
    int m_done = 0;
    Status m_failed = kernels::cuda::kSuccess;
    std::string m_report;  ///< of a broken rule
};

/// Device 0 of as many as asked for.
class EmulatedSource final : public GpuSource {
  public:
    explicit EmulatedSource(const EmulatedOptions& options = {}) : m_options(options) {}
    Result<std::unique_ptr<GpuDevice>> open(int index) override;
    [[nodiscard]] const EmulatedCounts& counts() const { return m_counts; }

  private:
    EmulatedOptions m_options;
    EmulatedCounts m_counts;
};

}  // namespace lanescope

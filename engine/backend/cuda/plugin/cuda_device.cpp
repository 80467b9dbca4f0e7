#include "engine/backend/cuda/plugin/cuda_device.h"

#include <string>
#include <string_view>

namespace lanescope {

namespace {

class CudaGraph final : public GpuGraph {
  public:
    explicit CudaGraph(cudaGraphExec_t graph) : m_graph(graph) {}
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;
    ~CudaGraph() override { cudaGraphExecDestroy(m_graph); }
    [[nodiscard]] cudaGraphExec_t get() const { return m_graph; }

  private:
    cudaGraphExec_t m_graph;
};

class CudaEvent final : public GpuEvent {
  public:
    explicit CudaEvent(cudaEvent_t event) : m_event(event) {}
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;
    ~CudaEvent() override { cudaEventDestroy(m_event); }
    [[nodiscard]] cudaEvent_t get() const { return m_event; }

  private:
    cudaEvent_t m_event;
};

class CudaDevice final : public GpuDevice {
  public:
    CudaDevice(const GpuInfo& info, cudaStream_t stream)
        : m_info(info), m_ops(kernels::cuda::linkedOps()), m_stream(stream) {}
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;
    ~CudaDevice() override { cudaStreamDestroy(m_stream); }

    [[nodiscard]] const GpuInfo& info() const override { return m_info; }
    [[nodiscard]] const kernels::cuda::OpTable& ops() const override { return m_ops; }
    [[nodiscard]] kernels::cuda::Stream stream() const override { return m_stream; }

    [[nodiscard]] std::uint64_t freeBytes() override {
        std::size_t free = 0;
        std::size_t total = 0;
        current();
        return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
    }
    [[nodiscard]] void* allocate(std::uint64_t bytes) override {
        void* memory = nullptr;
        current();
        if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
        cudaGetLastError();  // a refusal is no failure of later work
        return nullptr;
    }
    void release(void* memory) override {
        current();
        cudaFree(memory);
    }
    [[nodiscard]] void* allocateHost(std::uint64_t bytes) override {
        void* memory = nullptr;
        current();
        if (cudaMallocHost(&memory, bytes) == cudaSuccess) return memory;
        cudaGetLastError();
        return nullptr;
    }
    void releaseHost(void* memory) override {
        current();
        cudaFreeHost(memory);
    }

    Status upload(void* device, const void* host, std::uint64_t bytes) override {
        current();  // the first of what a pass queues: the thread may have served another device
        return cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, m_stream);
    }
    Status download(void* host, const void* device, std::uint64_t bytes) override {
        return cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, m_stream);
    }
    Status copy(void* to, const void* from, std::uint64_t bytes) override {
        return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, m_stream);
    }
    Status synchronise() override {
        current();
        return cudaStreamSynchronize(m_stream);
    }

    Status beginCapture() override {
        current();
        return cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
    }
    Status endCapture(std::unique_ptr<GpuGraph>& graph) override {
        cudaGraph_t recorded = nullptr;
        cudaError_t status = cudaStreamEndCapture(m_stream, &recorded);
        if (status != cudaSuccess) return status;
        cudaGraphExec_t executable = nullptr;
        status = cudaGraphInstantiate(&executable, recorded, 0);
        cudaGraphDestroy(recorded);
        if (status == cudaSuccess) graph = std::make_unique<CudaGraph>(executable);
        return status;
    }
    Status launch(GpuGraph& graph) override {
        current();
        return cudaGraphLaunch(static_cast<CudaGraph&>(graph).get(), m_stream);
    }

    [[nodiscard]] std::unique_ptr<kernels::cuda::CublasLibrary> openCublas(
        void* workspace, std::uint64_t workspaceBytes, std::string* why) override {
        current();  // where its handle belongs
        return kernels::cuda::CublasLibrary::open(workspace, workspaceBytes, why);
    }

    [[nodiscard]] std::unique_ptr<GpuEvent> makeEvent() override {
        cudaEvent_t event = nullptr;
        current();
        if (cudaEventCreate(&event) != cudaSuccess) return nullptr;
        return std::make_unique<CudaEvent>(event);
    }
    Status record(GpuEvent& event) override {
        cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
        cudaStreamIsCapturing(m_stream, &capturing);
        // In a graph the event becomes a node that is passed with every launch.
        const unsigned flags = capturing == cudaStreamCaptureStatusActive ? cudaEventRecordExternal
                                                                          : cudaEventRecordDefault;
        return cudaEventRecordWithFlags(static_cast<CudaEvent&>(event).get(), m_stream, flags);
    }
    Status elapsed(const GpuEvent& from, const GpuEvent& to, std::int64_t& ns) override {
        float ms = 0.0F;
        const cudaError_t status =
            cudaEventElapsedTime(&ms, static_cast<const CudaEvent&>(from).get(),
                                 static_cast<const CudaEvent&>(to).get());
        ns = static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
        return status;
    }

    [[nodiscard]] std::string describe(Status status) const override {
        return std::string(cudaGetErrorString(static_cast<cudaError_t>(status))) + " (" +
               std::to_string(status) + ")";
    }
    [[nodiscard]] bool isFatal(Status status) const override {
        const bool ofCapture = status >= cudaErrorStreamCaptureUnsupported &&
                               status <= cudaErrorStreamCaptureWrongThread;
        return status != cudaErrorMemoryAllocation && status != cudaErrorInvalidConfiguration &&
               !ofCapture;
    }

  private:
    void current() const { cudaSetDevice(m_info.index); }

    GpuInfo m_info;
    kernels::cuda::OpTable m_ops;
    cudaStream_t m_stream;
};

/// "GPU-5a0b…", as nvidia-smi writes it.
std::string uuidText(const cudaUUID_t& uuid) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

}  // namespace

cudaError_t readGpuInfo(int index, GpuInfo& out) {
    cudaDeviceProp properties{};
    const cudaError_t status = cudaGetDeviceProperties(&properties, index);
    if (status != cudaSuccess) return status;
    out.name = properties.name;
    out.uuid = uuidText(properties.uuid);
    out.index = index;
    out.capabilityMajor = properties.major;
    out.capabilityMinor = properties.minor;
    out.multiprocessors = properties.multiProcessorCount;
    out.totalBytes = properties.totalGlobalMem;
    return cudaSuccess;
}

std::unique_ptr<GpuDevice> openCudaDevice(int index, cudaError_t& status) {
    GpuInfo info;
    status = readGpuInfo(index, info);
    if (status == cudaSuccess) status = cudaSetDevice(index);
    cudaStream_t stream = nullptr;
    if (status == cudaSuccess) status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status != cudaSuccess) return nullptr;
    return std::make_unique<CudaDevice>(info, stream);
}

}  // namespace lanescope

#include "tests/engine/backend/emulated_device.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/base/clock.h"
#include "kernels/simt/error.h"
#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::cuda::kSuccess;
using kernels::cuda::Status;
using kernels::cuda::Stream;

constexpr Status kBrokenRule = 716;
constexpr std::uint64_t kAlignment = 256;

struct Graph final : GpuGraph {
    std::vector<std::pair<std::function<Status()>, bool>> work;
};
struct Event final : GpuEvent {
    std::int64_t tNs = 0;
};

/// An op of the table that goes through the device the stream is.
template <auto kOp, class Args>
Status through(const Args& args, Stream stream) {
    return reinterpret_cast<EmulatedDevice*>(stream)->run([args] { return kOp(args, nullptr); },
                                                          true);
}

/// A launch copies what its arguments point to; a recorded one must too.
template <auto kOp>
Status product(const kernels::MatmulArgs& args, Stream stream) {
    const kernels::ActsQ8 xq = args.xq != nullptr ? *args.xq : kernels::ActsQ8{};
    const kernels::ActsQ8 rest = args.rest != nullptr ? *args.rest : kernels::ActsQ8{};
    return reinterpret_cast<EmulatedDevice*>(stream)->run(
        [args, xq, rest] {
            kernels::MatmulArgs own = args;
            if (own.xq != nullptr) own.xq = &xq;
            if (own.rest != nullptr) own.rest = &rest;
            return kOp(own, nullptr);
        },
        true);
}

kernels::cuda::OpTable emulatedOps() {
    namespace cuda = kernels::cuda;
    cuda::OpTable ops = cuda::linkedOps();
    ops.embed = through<cuda::embed, kernels::EmbedArgs>;
    ops.norm = through<cuda::norm, cuda::NormArgs>;
    ops.quantiseActs = through<cuda::quantiseActs, kernels::QuantiseActsArgs>;
    ops.roundActs = through<cuda::roundActs, cuda::RoundActsArgs>;
    ops.ropeKv = through<cuda::ropeKv, cuda::RopeKvArgs>;
    ops.kvSeal = through<cuda::kvSeal, cuda::PagedSealArgs>;
    ops.hadamard = through<cuda::hadamard, kernels::HadamardArgs>;
    ops.keyBlocks = through<cuda::keyBlocks, cuda::KeyBlocksArgs>;
    ops.kvSelect = through<cuda::kvSelect, cuda::PagedSelectArgs>;
    ops.activate = through<cuda::activate, cuda::ActivateQ8Args>;
    ops.add = through<cuda::add, kernels::AddArgs>;
    ops.softcap = through<cuda::softcap, kernels::SoftcapArgs>;
    ops.matmul = product<cuda::matmul>;
    ops.matmulTensor = product<cuda::matmulTensor>;
    ops.attention = through<cuda::attention, cuda::PagedAttentionArgs>;
    ops.sample = through<cuda::sample, cuda::SampleArgs>;
    ops.topCandidates = through<cuda::topCandidates, cuda::TopCandidatesArgs>;
    return ops;
}

/// One product by plain loops, its sums in double.
Status multiplyPlainly(const kernels::cuda::CublasProduct& p) {
    const auto valueOf = [&p](const void* from, std::int64_t i) {
        const std::uint16_t bits = static_cast<const std::uint16_t*>(from)[i];
        return p.type == kernels::DType::F16 ? kernels::halfToF32(bits) : kernels::bf16ToF32(bits);
    };
    for (std::int64_t t = 0; t < p.nTokens; ++t) {
        for (std::int64_t row = 0; row < p.nRows; ++row) {
            float& y = p.y[t * p.yStride + row];
            double sum = p.bias != nullptr ? p.bias[row] : 0.0F;
            if (p.accumulate) sum += y;
            for (std::int64_t i = 0; i < p.nCols; ++i)
                sum += static_cast<double>(valueOf(p.weight, row * p.nCols + i)) *
                       valueOf(p.x, t * p.nCols + i);
            y = static_cast<float>(sum);
        }
    }
    return kSuccess;
}

class EmulatedCublas final : public kernels::cuda::CublasLibrary {
  public:
    explicit EmulatedCublas(EmulatedDevice& device) : m_device(device) {}
    [[nodiscard]] std::size_t version() const override { return 130000; }
    bool multiply(const kernels::cuda::CublasProduct& product, Stream stream,
                  std::string* why) override {
        if (stream != m_device.stream() || product.nRows > m_device.options().cublasRows) {
            *why = "cuBLASLt refuses a product of " + std::to_string(product.nRows) + " rows";
            return false;
        }
        ++m_device.counts().cublas;
        // A failure comes out of the device's next call, as that of a real launch may.
        static_cast<void>(m_device.run([product] { return multiplyPlainly(product); }, true));
        return true;
    }

  private:
    EmulatedDevice& m_device;
};

std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

EmulatedDevice::EmulatedDevice(const EmulatedOptions& options, EmulatedCounts& counts)
    : m_options(options), m_counts(counts), m_ops(emulatedOps()) {
    m_info.name = "emulated device";
    m_info.capabilityMajor = 8;
    m_info.multiprocessors = 2;
    m_info.totalBytes = options.totalBytes;
}

EmulatedDevice::~EmulatedDevice() {
    for (const auto& [memory, bytes] : m_allocations) std::free(memory);
}

Stream EmulatedDevice::stream() const {
    return reinterpret_cast<Stream>(const_cast<EmulatedDevice*>(this));
}

void* EmulatedDevice::allocate(std::uint64_t bytes) {
    if (rounded(bytes) > freeBytes()) return nullptr;
    void* memory = allocateHost(bytes);
    if (memory == nullptr) return nullptr;
    m_usedBytes += rounded(bytes);
    m_allocations[memory] = rounded(bytes);
    std::memset(memory, 0xFF, bytes);  // NaN: what is read before it is written shows
    return memory;
}

void EmulatedDevice::release(void* memory) {
    const auto at = m_allocations.find(memory);
    if (at == m_allocations.end()) std::abort();
    m_usedBytes -= at->second;
    m_allocations.erase(at);
    std::free(memory);
}

void* EmulatedDevice::allocateHost(std::uint64_t bytes) {
    return std::aligned_alloc(kAlignment, rounded(bytes));
}

void EmulatedDevice::releaseHost(void* memory) {
    std::free(memory);
}

Status EmulatedDevice::now(const std::function<Status()>& work, bool isOp) {
    if (m_failed != kSuccess) return m_failed;
    if (m_options.failAfter >= 0 && m_done >= m_options.failAfter)
        return m_failed = m_options.failStatus;
    ++m_done;
    if (isOp) ++m_counts.kernels;
    try {
        return work();
    } catch (const kernels::simt::Error& error) {
        m_report = error.what();
        return m_failed = kBrokenRule;
    }
}

Status EmulatedDevice::run(std::function<Status()> work, bool isOp) {
    if (!m_capturing) return now(work, isOp);
    m_recorded.emplace_back(std::move(work), isOp);
    return kSuccess;
}

Status EmulatedDevice::upload(void* device, const void* host, std::uint64_t bytes) {
    return copy(device, host, bytes);
}

Status EmulatedDevice::download(void* host, const void* device, std::uint64_t bytes) {
    return copy(host, device, bytes);
}

Status EmulatedDevice::copy(void* to, const void* from, std::uint64_t bytes) {
    return run(
        [=] {
            std::memcpy(to, from, bytes);
            return kSuccess;
        },
        false);
}

Status EmulatedDevice::beginCapture() {
    m_capturing = true;
    m_recorded.clear();
    return kSuccess;
}

Status EmulatedDevice::endCapture(std::unique_ptr<GpuGraph>& graph) {
    m_capturing = false;
    if (!m_options.capture) return 900;  // cudaErrorStreamCaptureUnsupported
    auto made = std::make_unique<Graph>();
    made->work = std::move(m_recorded);
    m_recorded.clear();
    ++m_counts.graphs;
    graph = std::move(made);
    return kSuccess;
}

Status EmulatedDevice::launch(GpuGraph& graph) {
    ++m_counts.launches;
    for (const auto& [work, isOp] : static_cast<Graph&>(graph).work)
        if (const Status status = now(work, isOp); status != kSuccess) return status;
    return kSuccess;
}

std::unique_ptr<kernels::cuda::CublasLibrary> EmulatedDevice::openCublas(
    void* workspace, std::uint64_t workspaceBytes, std::string* why) {
    if (m_options.cublas && workspace != nullptr && workspaceBytes > 0)
        return std::make_unique<EmulatedCublas>(*this);
    *why = "libcublasLt.so.13: cannot open shared object file";
    return nullptr;
}

std::unique_ptr<GpuEvent> EmulatedDevice::makeEvent() {
    return std::make_unique<Event>();
}

Status EmulatedDevice::record(GpuEvent& event) {
    auto* at = static_cast<Event*>(&event);
    return run(
        [at] {
            at->tNs = nowNs();
            return kSuccess;
        },
        false);
}

Status EmulatedDevice::elapsed(const GpuEvent& from, const GpuEvent& to, std::int64_t& ns) {
    ns = static_cast<const Event&>(to).tNs - static_cast<const Event&>(from).tNs;
    return m_failed;
}

std::string EmulatedDevice::describe(Status status) const {
    if (status == kBrokenRule) return m_report;
    return (status == 2 ? "out of memory (" : "unspecified launch failure (") +
           std::to_string(status) + ")";
}

Result<std::unique_ptr<GpuDevice>> EmulatedSource::open(int index) {
    if (index != 0)
        return Error{ErrorCode::NoDevice, "there is no device " + std::to_string(index), "cuda",
                     ""};
    return std::unique_ptr<GpuDevice>(std::make_unique<EmulatedDevice>(m_options, m_counts));
}

}  // namespace lanescope

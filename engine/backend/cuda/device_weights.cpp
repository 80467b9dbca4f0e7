#include "engine/backend/cuda/device_weights.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/base/format.h"

namespace lanescope {

namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kStagingBytes = std::uint64_t{8} << 20;

struct Piece {
    const void* host;
    std::uint64_t bytes;
};

/// Calls fn(host, bytes) for every tensor and vector that kernels read.
class Collector {
  public:
    explicit Collector(const Model& model) {
        const ModelSpec& spec = model.spec();
        add(model.embedding());
        add(model.positions());
        add(model.head());
        add(model.finalNorm(), spec.dim);
        int i = 0;
        for (const LayerWeights& layer : model.layers()) {
            for (const NormWeights* norm :
                 {&layer.attnNorm, &layer.ffnNorm, &layer.attnPostNorm, &layer.ffnPostNorm})
                add(*norm, spec.dim);
            add(layer.qNorm, spec.headDim);
            add(layer.kNorm, spec.headDim);
            for (const Weight* weight :
                 {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
                add(*weight);
            const std::span<const float> frequencies = spec.ropeFrequencies(i++);
            add(frequencies.data(), frequencies.size_bytes());
        }
    }
    [[nodiscard]] const std::vector<Piece>& pieces() const { return m_pieces; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

  private:
    void add(const void* host, std::uint64_t bytes) {
        if (host == nullptr || bytes == 0 || !m_seen.emplace(host, nullptr).second) return;
        m_pieces.push_back({host, bytes});
        m_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    void add(const Weight& weight) {
        add(weight.data, weight.sizeBytes);
        add(weight.bias, static_cast<std::uint64_t>(weight.nRows) * sizeof(float));
    }
    void add(const NormWeights& norm, std::int64_t n) {
        add(norm.weight, static_cast<std::uint64_t>(n) * sizeof(float));
        add(norm.bias, static_cast<std::uint64_t>(n) * sizeof(float));
    }

    std::vector<Piece> m_pieces;
    std::uint64_t m_bytes = 0;
    std::unordered_map<const void*, const void*> m_seen;
};

Result<void> checkFormats(const Model& model, const GpuDevice& device, bool exact) {
    const auto refuse = [&](const Weight& weight, const std::string& what) {
        return unsupported("the CUDA backend has no kernel for " + what + " in " +
                               std::string(kernels::info(weight.dtype).name),
                           model.checkpoint().path(), "use the backend cpu for this file");
    };
    if (!device.ops().canEmbed(model.embedding().dtype))
        return refuse(model.embedding(), "an embedding");
    if (model.positions().present() && !device.ops().canEmbed(model.positions().dtype))
        return refuse(model.positions(), "positions");
    for (const Weight* weight : model.matrices()) {
        const bool int8 = !exact && kernels::info(weight->dtype).blockSize > 1;
        if (!device.ops().canMultiply(weight->dtype, int8)) return refuse(*weight, "a matrix");
    }
    if (!device.ops().canAttend(model.spec().headDim))
        return unsupported("the CUDA backend has no attention kernel for heads of " +
                               std::to_string(model.spec().headDim),
                           model.checkpoint().path(), "use the backend cpu for this model");
    return {};
}

}  // namespace

std::uint64_t DeviceWeights::requiredBytes(const Model& model) {
    return Collector(model).bytes();
}

Result<std::shared_ptr<const DeviceWeights>> DeviceWeights::of(const Model& model,
                                                               std::shared_ptr<GpuDevice> device,
                                                               bool exact,
                                                               const CancelToken& cancel) {
    if (auto known = checkFormats(model, *device, exact); !known) return known.error();
    // A living copy keeps its lane's model alive, so an address names one model.
    static std::mutex mutex;
    static std::map<std::pair<const Model*, int>, std::weak_ptr<const DeviceWeights>> living;
    const std::scoped_lock lock(mutex);
    std::weak_ptr<const DeviceWeights>& slot = living[{&model, device->info().index}];
    if (auto shared = slot.lock()) return shared;
    std::shared_ptr<DeviceWeights> made(new DeviceWeights);
    made->m_device = std::move(device);
    if (auto filled = made->fill(model, cancel); !filled) return filled.error();
    slot = made;
    return std::shared_ptr<const DeviceWeights>(made);
}

Result<void> DeviceWeights::fill(const Model& model, const CancelToken& cancel) {
    GpuDevice& device = *m_device;
    const Collector all(model);
    m_memory = GpuMemory(device, GpuMemory::Kind::Device, all.bytes());
    const GpuMemory staging(device, GpuMemory::Kind::Host, 2 * kStagingBytes);
    if (!m_memory.present() || !staging.present())
        return outOfMemory(device.info().name + " refused " + formatBytes(all.bytes()) +
                               " for the weights, " + formatBytes(device.freeBytes()) + " free",
                           model.checkpoint().path(), "close other lanes or use the backend cpu");
    const auto failed = [&](kernels::cuda::Status status) {
        return Error{ErrorCode::NoDevice, "copying weights: " + device.describe(status),
                     device.info().name, "use the backend cpu"};
    };
    std::byte* to = m_memory.data();
    bool second = false;
    for (const Piece& piece : all.pieces()) {
        m_at.emplace(piece.host, to);
        for (std::uint64_t done = 0; done < piece.bytes; done += kStagingBytes) {
            if (cancel.requested()) return cancelled();
            const std::uint64_t n = std::min(kStagingBytes, piece.bytes - done);
            // One half is filled while the other is copied; before the first both are free again.
            if (!second)
                if (const auto status = device.synchronise(); status != kernels::cuda::kSuccess)
                    return failed(status);
            std::byte* through = staging.data() + (second ? kStagingBytes : 0);
            second = !second;
            std::memcpy(through, static_cast<const std::byte*>(piece.host) + done, n);
            if (const auto status = device.upload(to + done, through, n);
                status != kernels::cuda::kSuccess)
                return failed(status);
        }
        to += (piece.bytes + kAlignment - 1) / kAlignment * kAlignment;
    }
    const auto status = device.synchronise();
    if (status != kernels::cuda::kSuccess) return failed(status);
    return {};
}

}  // namespace lanescope

#include "engine/model/packed_weights.h"

#include <sys/mman.h>

#include <mutex>

#include "engine/base/clock.h"
#include "engine/base/format.h"

namespace lanescope {

namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

std::uint64_t packedSize(const Weight& weight) {
    return static_cast<std::uint64_t>(
        kernels::packedBytes(weight.dtype, weight.nRows, weight.nCols));
}

}  // namespace

Result<std::shared_ptr<const PackedWeights>> PackedWeights::of(const Model& model,
                                                               const kernels::OpTable& ops,
                                                               ThreadPool& pool,
                                                               const CancelToken& cancel) {
    if (ops.pack == nullptr) return std::shared_ptr<const PackedWeights>();
    PackedSlot& slot = model.packedSlot();
    const std::scoped_lock lock(slot.mutex);
    if (auto living = slot.weights.lock()) return living;
    std::shared_ptr<PackedWeights> made(new PackedWeights);
    if (auto filled = made->fill(model, ops, pool, cancel); !filled) return filled.error();
    if (made->m_bytes == 0) return std::shared_ptr<const PackedWeights>();
    slot.weights = made;
    return std::shared_ptr<const PackedWeights>(made);
}

PackedWeights::~PackedWeights() {
    if (m_data != nullptr) ::munmap(m_data, m_mappedBytes);
}

Result<void> PackedWeights::fill(const Model& model, const kernels::OpTable& ops, ThreadPool& pool,
                                 const CancelToken& cancel) {
    const std::int64_t start = nowNs();
    const std::vector<const Weight*> matrices = model.matrices();
    std::uint64_t need = 0;
    for (const Weight* weight : matrices)
        if (kernels::canPack(weight->dtype)) need += packedSize(*weight);
    if (need == 0) return {};
    const std::uint64_t mapped = (need + kHugePage - 1) / kHugePage * kHugePage;
    void* data =
        ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return outOfMemory("the system refused " + formatBytes(need) + " for packed weights",
                           model.checkpoint().path(), "switch packing off for this lane");
    ::madvise(data, mapped, MADV_HUGEPAGE);
    m_data = static_cast<std::byte*>(data);
    m_mappedBytes = mapped;
    m_bytes = need;
    m_at.assign(matrices.size(), nullptr);
    std::byte* out = m_data;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (cancel.requested()) return cancelled();
        const Weight& weight = *matrices[i];
        if (!kernels::canPack(weight.dtype)) continue;
        pool.split(weight.nRows, kernels::kPackedRows, [&](std::int64_t begin, std::int64_t end) {
            ops.pack({weight.dtype, weight.data, weight.nRows, weight.nCols, out, begin, end});
        });
        m_at[i] = out;
        out += packedSize(weight);
        m_replacedBytes += weight.sizeBytes;
        model.checkpoint().releasePages(weight.data, weight.sizeBytes);
    }
    m_packMs = static_cast<double>(nowNs() - start) / 1e6;
    return {};
}

}  // namespace lanescope

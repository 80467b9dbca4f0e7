#pragma once
// A model's matrices in the layout that the fast product reads at the speed of memory
// (kernels/types/packed.h). Made once for all lanes of a model, in huge pages; the pages of the
// file they were made from are given back.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/cancel.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/model/model.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

class PackedWeights {
  public:
    /// The model's packed weights: those that a living engine uses already, or new ones. Null where
    /// nothing can be packed (formats, or `ops` without a packed form). Errors: OutOfMemory with
    /// the bytes; Cancelled.
    static Result<std::shared_ptr<const PackedWeights>> of(const Model& model,
                                                           const kernels::OpTable& ops,
                                                           ThreadPool& pool,
                                                           const CancelToken& cancel);
    PackedWeights(const PackedWeights&) = delete;
    PackedWeights& operator=(const PackedWeights&) = delete;
    ~PackedWeights();

    /// Null: read the weight as it is stored.
    [[nodiscard]] const void* find(const Weight& weight) const {
        return weight.index < 0 ? nullptr : m_at[static_cast<std::size_t>(weight.index)];
    }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    /// Bytes that the same weights take as they are stored.
    [[nodiscard]] std::uint64_t replacedBytes() const { return m_replacedBytes; }
    [[nodiscard]] double packMs() const { return m_packMs; }

  private:
    PackedWeights() = default;
    Result<void> fill(const Model& model, const kernels::OpTable& ops, ThreadPool& pool,
                      const CancelToken& cancel);

    std::byte* m_data = nullptr;
    std::uint64_t m_mappedBytes = 0;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_replacedBytes = 0;
    std::vector<const void*> m_at;  ///< [matrices of the model]
    double m_packMs = 0.0;
};

}  // namespace lanescope

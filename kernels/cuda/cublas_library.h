#pragma once
// cuBLASLt as the alternative to matmulTensor(): opened at run time, so that nothing links to it
// and a machine without it runs all the same. Faster than our kernels on large batches of some
// GPUs; not batch invariant, as it chooses its algorithm by the number of tokens. Host code; needs
// the toolkit's headers to build.

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/cuda/stream.h"
#include "kernels/types/dtype.h"

namespace lanescope::kernels::cuda {

/// y = x · Wᵀ (+ bias), sums in f32. All pointers are to device memory.
struct CublasProduct {
    DType type = DType::BF16;      ///< of weight and x: F16 or BF16
    const void* weight = nullptr;  ///< [nRows, nCols]
    const void* x = nullptr;       ///< [nTokens, nCols]
    const float* bias = nullptr;   ///< [nRows] f32 or null
    bool accumulate = false;       ///< adds to y
    float* y = nullptr;            ///< [nTokens, yStride] f32
    std::int64_t yStride = 0;
    std::int64_t nRows = 0;
    std::int64_t nCols = 0;
    std::int64_t nTokens = 0;
};

class CublasLibrary {
  public:
    static constexpr const char* kName = "libcublasLt.so.13";

    /// Loads the library and creates a handle on the current device; null and one line in *why
    /// where that fails. `workspace`: device memory of workspaceBytes that lives as long as the
    /// object, for one stream at a time; may be null.
    static std::unique_ptr<CublasLibrary> open(void* workspace, std::size_t workspaceBytes,
                                               std::string* why, const char* name = kName);
    virtual ~CublasLibrary() = default;
    CublasLibrary(const CublasLibrary&) = delete;
    CublasLibrary& operator=(const CublasLibrary&) = delete;

    /// Of the library, as in 130100 for 13.1.
    [[nodiscard]] virtual std::size_t version() const = 0;
    /// Queues the product. False and one line in *why where cuBLASLt has no algorithm for it or
    /// refuses it. Algorithms are looked up once a shape. One thread at a time.
    virtual bool multiply(const CublasProduct& product, Stream stream, std::string* why) = 0;

  protected:
    CublasLibrary() = default;
};

}  // namespace lanescope::kernels::cuda

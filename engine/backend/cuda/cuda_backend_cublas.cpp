// Products of F16 and BF16 matrices by cuBLASLt in place of our kernels: activations are rounded to
// the weights' type first, once for all matrices that read them. Not batch invariant: the library
// chooses its algorithm by the number of tokens.

#include <algorithm>
#include <set>
#include <tuple>

#include "engine/backend/cuda/cuda_backend.h"

namespace lanescope {

namespace {

constexpr kernels::cuda::Status kNotSupported = 801;  // cudaErrorNotSupported
constexpr const char* kInstead = "use the products own for this lane";

}  // namespace

Result<std::unique_ptr<CudaBackend::Cublas>> CudaBackend::openCublas(
    const Model& model, const BackendSettings& settings, GpuDevice& device,
    const GpuMemory& storage) {
    if (settings.products != Products::CublasLt) return std::unique_ptr<Cublas>();
    const std::vector<const Weight*> matrices = model.matrices();
    if (std::none_of(matrices.begin(), matrices.end(),
                     [](const Weight* weight) { return isHalf(weight->dtype); }))
        return unsupported("cuBLASLt has nothing to multiply: no matrix is in F16 or BF16",
                           model.checkpoint().path(), kInstead);
    Arena arena(storage.data());
    const CudaWorkspace w = layOutCuda(model.spec(), settings, arena);
    std::string why;
    auto library = device.openCublas(w.cublas, static_cast<std::uint64_t>(kCublasBytes), &why);
    if (library == nullptr)
        return Error{ErrorCode::NoDevice, "cuBLASLt cannot be used: " + why, device.info().name,
                     std::string("install the cuBLAS of CUDA 13, or ") + kInstead};
    return library;
}

Result<void> CudaBackend::tryCublas(const Model& model) {
    if (m_cublas == nullptr) return {};
    std::set<std::tuple<kernels::DType, std::int64_t, std::int64_t, bool>> tried;
    for (const Weight* weight : model.matrices()) {
        if (!isHalf(weight->dtype)) continue;
        if (!tried.emplace(weight->dtype, weight->nRows, weight->nCols, weight->bias != nullptr)
                 .second)
            continue;
        // What the memory holds is of no matter: neither x nor y is read by anyone.
        const bool isHead = weight->data == model.head().data;
        queueCublas(*weight, 1, isHead ? m_w.logits : m_w.spare);
        queueCublas(*weight, isHead ? m_w.logitRows : m_settings.maxTokens,
                    isHead ? m_w.logits : m_w.spare);
    }
    check(m_device->synchronise());
    return status();
}

void CudaBackend::queueCublas(const Weight& weight, std::int64_t nTokens, float* y) {
    if (failed()) return;
    const kernels::cuda::CublasProduct product{.type = weight.dtype,
                                               .weight = m_weights->find(weight.data),
                                               .x = m_w.rounded,
                                               .bias = m_weights->find(weight.bias),
                                               .accumulate = false,
                                               .y = y,
                                               .yStride = weight.nRows,
                                               .nRows = weight.nRows,
                                               .nCols = weight.nCols,
                                               .nTokens = nTokens};
    std::string why;
    if (m_cublas->multiply(product, m_device->stream(), &why)) return;
    m_refusal = std::move(why);
    check(kNotSupported);
}

void CudaBackend::cublasProduct(const Weight& weight, const float* x, std::int64_t nTokens,
                                float* y) {
    if (m_rounded != weight.dtype) {
        check(ops().roundActs(
            {.x = x, .out = m_w.rounded, .type = weight.dtype, .n = nTokens * weight.nCols},
            m_device->stream()));
        m_rounded = weight.dtype;
    }
    queueCublas(weight, nTokens, y);
}

}  // namespace lanescope

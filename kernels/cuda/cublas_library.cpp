// cuBLASLt by dlopen. Matrices are column-major there: y is seen as yᵀ [nRows x nTokens] = W
// (transposed, as stored [nCols x nRows]) · x (as stored [nCols x nTokens]), and the bias runs down
// its rows.

#include "kernels/cuda/cublas_library.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lanescope::kernels::cuda {
namespace {

/// Closes the library after everything that came out of it.
struct CloseLibrary {
    void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

/// The functions used, by the names of the header without "cublasLt".
struct Functions {
    decltype(&::cublasLtCreate) create = nullptr;
    decltype(&::cublasLtDestroy) destroy = nullptr;
    decltype(&::cublasLtGetVersion) getVersion = nullptr;
    decltype(&::cublasLtGetStatusString) getStatusString = nullptr;
    decltype(&::cublasLtMatmul) matmul = nullptr;
    decltype(&::cublasLtMatmulAlgoGetHeuristic) matmulAlgoGetHeuristic = nullptr;
    decltype(&::cublasLtMatmulDescCreate) matmulDescCreate = nullptr;
    decltype(&::cublasLtMatmulDescDestroy) matmulDescDestroy = nullptr;
    decltype(&::cublasLtMatmulDescSetAttribute) matmulDescSetAttribute = nullptr;
    decltype(&::cublasLtMatrixLayoutCreate) matrixLayoutCreate = nullptr;
    decltype(&::cublasLtMatrixLayoutDestroy) matrixLayoutDestroy = nullptr;
    decltype(&::cublasLtMatmulPreferenceCreate) matmulPreferenceCreate = nullptr;
    decltype(&::cublasLtMatmulPreferenceDestroy) matmulPreferenceDestroy = nullptr;
    decltype(&::cublasLtMatmulPreferenceSetAttribute) matmulPreferenceSetAttribute = nullptr;

    /// Null, or the first name that the library lacks.
    const char* load(void* library) {
        const char* missing = nullptr;
        const auto find = [&](const char* name, auto& function) {
            using Function = std::remove_reference_t<decltype(function)>;
            function = reinterpret_cast<Function>(dlsym(library, name));
            if (function == nullptr && missing == nullptr) missing = name;
        };
        find("cublasLtCreate", create);
        find("cublasLtDestroy", destroy);
        find("cublasLtGetVersion", getVersion);
        find("cublasLtGetStatusString", getStatusString);
        find("cublasLtMatmul", matmul);
        find("cublasLtMatmulAlgoGetHeuristic", matmulAlgoGetHeuristic);
        find("cublasLtMatmulDescCreate", matmulDescCreate);
        find("cublasLtMatmulDescDestroy", matmulDescDestroy);
        find("cublasLtMatmulDescSetAttribute", matmulDescSetAttribute);
        find("cublasLtMatrixLayoutCreate", matrixLayoutCreate);
        find("cublasLtMatrixLayoutDestroy", matrixLayoutDestroy);
        find("cublasLtMatmulPreferenceCreate", matmulPreferenceCreate);
        find("cublasLtMatmulPreferenceDestroy", matmulPreferenceDestroy);
        find("cublasLtMatmulPreferenceSetAttribute", matmulPreferenceSetAttribute);
        return missing;
    }
};

/// What an algorithm is chosen by.
using Shape = std::tuple<DType, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool, bool>;

class LoadedCublas final : public CublasLibrary {
  public:
    LoadedCublas(Library library, const Functions& functions, cublasLtHandle_t handle,
                 void* workspace, std::size_t workspaceBytes)
        : m_library(std::move(library)),
          m_api(functions),
          m_handle(handle),
          m_workspace(workspace),
          m_workspaceBytes(workspace == nullptr ? 0 : workspaceBytes) {}
    ~LoadedCublas() override { m_api.destroy(m_handle); }

    [[nodiscard]] std::size_t version() const override { return m_api.getVersion(); }

    bool multiply(const CublasProduct& product, Stream stream, std::string* why) override {
        if (product.nRows == 0 || product.nTokens == 0) return true;
        Descriptors d;
        cublasStatus_t status = describe(product, d);
        cublasLtMatmulAlgo_t algorithm{};
        if (status == CUBLAS_STATUS_SUCCESS) status = choose(product, d, algorithm);
        if (status == CUBLAS_STATUS_SUCCESS) {
            const float alpha = 1.0F;
            const float beta = product.accumulate ? 1.0F : 0.0F;
            status = m_api.matmul(m_handle, d.operation, &alpha, product.weight, d.weight,
                                  product.x, d.x, &beta, product.y, d.y, product.y, d.y, &algorithm,
                                  m_workspace, m_workspaceBytes, stream);
        }
        release(d);
        if (status == CUBLAS_STATUS_SUCCESS) return true;
        *why = "cuBLASLt refuses a product of " + std::to_string(product.nTokens) + " x " +
               std::to_string(product.nCols) + " by " + std::to_string(product.nRows) +
               " rows: " + m_api.getStatusString(status);
        return false;
    }

  private:
    struct Descriptors {
        cublasLtMatmulDesc_t operation = nullptr;
        cublasLtMatrixLayout_t weight = nullptr;
        cublasLtMatrixLayout_t x = nullptr;
        cublasLtMatrixLayout_t y = nullptr;
    };

    template <class T>
    cublasStatus_t set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute,
                       const T& value) const {
        return m_api.matmulDescSetAttribute(operation, attribute, &value, sizeof value);
    }

    cublasStatus_t describe(const CublasProduct& product, Descriptors& d) const {
        if (product.type != DType::F16 && product.type != DType::BF16)
            return CUBLAS_STATUS_NOT_SUPPORTED;
        const cudaDataType_t type = product.type == DType::F16 ? CUDA_R_16F : CUDA_R_16BF;
        const auto rows = static_cast<std::uint64_t>(product.nRows);
        const auto columns = static_cast<std::uint64_t>(product.nCols);
        const auto tokens = static_cast<std::uint64_t>(product.nTokens);
        const cublasOperation_t transposed = CUBLAS_OP_T;
        const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
        cublasStatus_t status =
            m_api.matmulDescCreate(&d.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        const auto next = [&](auto call) {
            if (status == CUBLAS_STATUS_SUCCESS) status = call();
        };
        next([&] { return set(d.operation, CUBLASLT_MATMUL_DESC_TRANSA, transposed); });
        if (product.bias != nullptr) {
            next([&] { return set(d.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue); });
            next([&] { return set(d.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias); });
        }
        next([&] {
            return m_api.matrixLayoutCreate(&d.weight, type, columns, rows, product.nCols);
        });
        next([&] { return m_api.matrixLayoutCreate(&d.x, type, columns, tokens, product.nCols); });
        next([&] {
            return m_api.matrixLayoutCreate(&d.y, CUDA_R_32F, rows, tokens, product.yStride);
        });
        return status;
    }

    /// The best algorithm by cuBLASLt's own estimate, remembered by shape.
    cublasStatus_t choose(const CublasProduct& product, const Descriptors& d,
                          cublasLtMatmulAlgo_t& algorithm) {
        const Shape shape{product.type,      product.nRows,   product.nCols,
                          product.nTokens,   product.yStride, product.bias != nullptr,
                          product.accumulate};
        if (const auto known = m_algorithms.find(shape); known != m_algorithms.end()) {
            algorithm = known->second;
            return CUBLAS_STATUS_SUCCESS;
        }
        cublasLtMatmulPreference_t preference = nullptr;
        cublasStatus_t status = m_api.matmulPreferenceCreate(&preference);
        if (status != CUBLAS_STATUS_SUCCESS) return status;
        status =
            m_api.matmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &m_workspaceBytes, sizeof m_workspaceBytes);
        cublasLtMatmulHeuristicResult_t best{};
        int found = 0;
        if (status == CUBLAS_STATUS_SUCCESS)
            status = m_api.matmulAlgoGetHeuristic(m_handle, d.operation, d.weight, d.x, d.y, d.y,
                                                  preference, 1, &best, &found);
        m_api.matmulPreferenceDestroy(preference);
        if (status != CUBLAS_STATUS_SUCCESS) return status;
        if (found == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
        algorithm = best.algo;
        m_algorithms.emplace(shape, best.algo);
        return CUBLAS_STATUS_SUCCESS;
    }

    void release(const Descriptors& d) const {
        for (const cublasLtMatrixLayout_t layout : {d.weight, d.x, d.y})
            if (layout != nullptr) m_api.matrixLayoutDestroy(layout);
        if (d.operation != nullptr) m_api.matmulDescDestroy(d.operation);
    }

    Library m_library;
    Functions m_api;
    cublasLtHandle_t m_handle;
    void* m_workspace;
    std::size_t m_workspaceBytes;
    std::map<Shape, cublasLtMatmulAlgo_t> m_algorithms;
};

}  // namespace

std::unique_ptr<CublasLibrary> CublasLibrary::open(void* workspace, std::size_t workspaceBytes,
                                                   std::string* why, const char* name) {
    Library library(dlopen(name, RTLD_NOW | RTLD_LOCAL));
    if (library == nullptr) {
        const char* reason = dlerror();
        *why = reason != nullptr ? reason : std::string(name) + " cannot be opened";
        return nullptr;
    }
    Functions functions;
    if (const char* missing = functions.load(library.get()); missing != nullptr) {
        *why = std::string(name) + " has no function " + missing;
        return nullptr;
    }
    cublasLtHandle_t handle = nullptr;
    const cublasStatus_t status = functions.create(&handle);
    if (status != CUBLAS_STATUS_SUCCESS) {
        *why = std::string(name) + " cannot be started: " + functions.getStatusString(status);
        return nullptr;
    }
    return std::make_unique<LoadedCublas>(std::move(library), functions, handle, workspace,
                                          workspaceBytes);
}

}  // namespace lanescope::kernels::cuda

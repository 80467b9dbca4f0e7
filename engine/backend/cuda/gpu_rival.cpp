#include "engine/backend/cuda/gpu_rival.h"

#include <memory>
#include <utility>

#include "engine/backend/cuda/gpu_memory.h"
#include "kernels/cuda/cublas_library.h"

namespace lanescope {

namespace {

constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{32} << 20;
constexpr kernels::cuda::Status kNotSupported = 801;  // cudaErrorNotSupported

struct Library {
    GpuMemory workspace;
    std::unique_ptr<kernels::cuda::CublasLibrary> cublas;
};

std::string nameOf(std::size_t version) {
    return "cuBLASLt " + std::to_string(version / 10000) + "." +
           std::to_string(version / 100 % 100);
}

}  // namespace

std::optional<GpuRival> cublasRival(GpuDevice& device, std::string* why) {
    auto library = std::make_shared<Library>();
    library->workspace = GpuMemory(device, GpuMemory::Kind::Device, kWorkspaceBytes);
    library->cublas = device.openCublas(library->workspace.data(),
                                        library->workspace.present() ? kWorkspaceBytes : 0, why);
    if (library->cublas == nullptr) return std::nullopt;
    GpuRival rival;
    rival.name = nameOf(library->cublas->version());
    rival.product = [library, &device](const kernels::MatmulArgs& args) {
        kernels::cuda::CublasProduct product;
        product.type = args.weightType;
        product.weight = args.weight;
        product.x = args.xb;
        product.y = args.y;
        product.yStride = args.yStride;
        product.nRows = args.nRows;
        product.nCols = args.nCols;
        product.nTokens = args.nTokens;
        std::string refusal;
        return library->cublas->multiply(product, device.stream(), &refusal)
                   ? kernels::cuda::kSuccess
                   : kNotSupported;
    };
    return rival;
}

}  // namespace lanescope

// Activations, residual add, soft-cap, rounding to int8 and to 16 bits.

#include "kernels/cuda/elementwise.cuh"

#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {
namespace {

template <class Args>
Status overElements(Stream stream, std::int64_t nTokens, std::int64_t dim, void (*kernel)(Args),
                    const Args& args) {
    const auto columns = static_cast<unsigned>((dim + kElementThreads - 1) / kElementThreads);
    return launch(stream, {static_cast<unsigned>(nTokens), columns}, {kElementThreads}, 0, kernel,
                  args);
}

}  // namespace

Status activate(const ActivateQ8Args& all, Stream stream) {
    const std::int64_t nTokens = all.args.tokenEnd - all.args.tokenBegin;
    void (*kernel)(ActivateQ8Args) = activateKernel<Activation::Silu>;
    if (all.args.kind == Activation::GeluTanh) kernel = activateKernel<Activation::GeluTanh>;
    if (all.args.kind == Activation::GeluErf) kernel = activateKernel<Activation::GeluErf>;
    return overElements(stream, nTokens, all.args.dim, kernel, all);
}

Status quantiseActs(const QuantiseActsArgs& args, Stream stream) {
    return overElements(stream, args.tokenEnd - args.tokenBegin, args.nCols, quantiseActsKernel,
                        args);
}

Status roundActs(const RoundActsArgs& args, Stream stream) {
    constexpr Status kInvalidValue = 1;  // cudaErrorInvalidValue
    if (args.type != DType::F16 && args.type != DType::BF16) return kInvalidValue;
    constexpr std::int64_t kBlockElements = 2 * kElementThreads;
    const auto blocks = static_cast<unsigned>((args.n + kBlockElements - 1) / kBlockElements);
    return launch(stream, {blocks}, {kElementThreads}, 0,
                  args.type == DType::F16 ? roundActsKernel<Half> : roundActsKernel<BFloat16>,
                  args);
}

Status add(const AddArgs& args, Stream stream) {
    return overElements(stream, args.tokenEnd - args.tokenBegin, args.dim, addKernel, args);
}

Status softcap(const SoftcapArgs& args, Stream stream) {
    return overElements(stream, args.tokenEnd - args.tokenBegin, args.dim, softcapKernel, args);
}

}  // namespace lanescope::kernels::cuda

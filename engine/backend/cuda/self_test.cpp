#include "engine/backend/cuda/self_test.h"

#include <algorithm>

#include "engine/backend/cuda/check_attention.h"
#include "engine/backend/cuda/check_elements.h"
#include "engine/backend/cuda/check_products.h"

namespace lanescope {

namespace {

using kernels::DType;

/// Each instruction of tensor cores, of copies in flight and of warps that kernels use is in one of
/// these.
void runCases(OpCheck& check) {
    constexpr ProductShape kShape[] = {{32, 64}};
    constexpr std::int64_t kTokens[] = {1, 17};  // a kernel of few tokens, tiles of many
    checkProduct(check, DType::F32, ProductPath::F32, kShape, kTokens);
    checkProduct(check, DType::BF16, ProductPath::Tensor, kShape, kTokens);
    checkProduct(check, DType::F16, ProductPath::Tensor, kShape, kTokens);
    checkProduct(check, DType::Q8_0, ProductPath::Int8, kShape, kTokens);
    checkQuantiseActs(check);
    checkRmsNorm(check);
    const AttentionShape attention[] = {{2, 1, 64, {{29, 1}}}};
    for (const kernels::KvFormat type :
         {kernels::KvFormat::F32, kernels::KvFormat::F16, kernels::KvFormat::BF16})
        checkAttention(check, {type, type}, "", attention);
}

}  // namespace

Result<void> selfTest(GpuDevice& device) {
    return selfTest(device, device.ops());
}

Result<void> selfTest(GpuDevice& device, const kernels::cuda::OpTable& ops) {
    OpCheck check(device, ops);
    runCases(check);
    const auto& rows = check.rows();
    const auto wrong =
        std::find_if(rows.begin(), rows.end(), [](const OpCheckRow& row) { return !row.passed(); });
    if (wrong == rows.end()) return {};
    return Error{ErrorCode::NoDevice,
                 device.info().name + " fails its self-test: " + describeFailure(*wrong), "cuda",
                 "update the driver, or use the backend cpu"};
}

}  // namespace lanescope

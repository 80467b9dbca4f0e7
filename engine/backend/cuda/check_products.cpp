#include "engine/backend/cuda/check_products.h"

#include <algorithm>

#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::DType;

constexpr float kUntouched = 0.0625F;  ///< what y holds before; columns beyond nRows keep it

std::string rowName(DType type, ProductPath path) {
    constexpr const char* kAfter[] = {" f32", " int8", " int8x2", ""};
    return (path == ProductPath::Tensor ? "matmulTensor " : "matmul ") +
           std::string(kernels::info(type).name) + kAfter[static_cast<int>(path)];
}

/// A product of some tokens: inputs here and there, and what the reference makes of them.
class Problem {
  public:
    Problem(OpCheck& check, DType type, ProductPath path, ProductShape shape, std::int64_t nTokens,
            bool withBias);
    void run(std::int64_t nTokens);
    /// y += …; int8 activations only.
    void runAdded(std::int64_t nTokens);

  private:
    void useInt8(ProductPath path);
    void compareWith(std::int64_t nTokens, const std::string& after);
    [[nodiscard]] std::size_t ofTokens(std::int64_t nTokens) const {
        return static_cast<std::size_t>(nTokens * m_host.yStride);
    }

    OpCheck& m_check;
    ProductPath m_path;
    std::int64_t m_nTokens;
    std::vector<std::uint8_t> m_weights;
    std::vector<float> m_x, m_bias;
    HostActs m_acts, m_rest;
    kernels::ActsQ8 m_hostActs, m_hostRest, m_deviceActs, m_deviceRest;
    kernels::MatmulArgs m_host, m_device;
};

Problem::Problem(OpCheck& check, DType type, ProductPath path, ProductShape shape,
                 std::int64_t nTokens, bool withBias)
    : m_check(check),
      m_path(path),
      m_nTokens(nTokens),
      m_weights(checkWeights(type, shape.nRows, shape.nCols, 2)),
      m_x(checkNumbers(nTokens * shape.nCols, 1)),
      m_bias(checkNumbers(withBias ? shape.nRows : 0, 3)),
      m_acts(nTokens, shape.nCols / kernels::kActsBlock * kernels::kActsBlock),
      m_rest(m_acts) {
    for (float& b : m_bias) b *= 0.1F;  // products stay what is compared
    m_host.weightType = type;
    m_host.nRows = m_host.rowEnd = shape.nRows;
    m_host.nCols = shape.nCols;
    m_host.yStride = shape.nRows + 3;
    m_device = m_host;
    m_device.weight = check.put(m_weights);
    m_device.x = check.put(m_x);
    m_device.bias = withBias ? check.put(m_bias) : nullptr;
    // Tensor cores take x rounded to the weights' type: the kernel rounds, and so must we.
    if (path == ProductPath::Tensor)
        for (float& x : m_x)
            x = type == DType::F16 ? kernels::halfToF32(kernels::f32ToHalf(x))
                                   : kernels::bf16ToF32(kernels::f32ToBf16(x));
    m_host.weight = m_weights.data();
    m_host.x = m_x.data();
    m_host.bias = withBias ? m_bias.data() : nullptr;
    if (path == ProductPath::Int8 || path == ProductPath::TwoTerms) useInt8(path);
}

void Problem::useInt8(ProductPath path) {
    m_hostActs = m_acts.view();
    m_hostRest = m_rest.view();
    OpCheck::reference().quantiseActs(
        {m_x.data(), m_hostActs, m_host.nCols, 0, m_nTokens, m_hostRest});
    m_deviceActs = m_check.putActs(m_acts);
    m_host.xq = &m_hostActs;
    m_device.xq = &m_deviceActs;
    if (path != ProductPath::TwoTerms) return;
    m_deviceRest = m_check.putActs(m_rest);
    m_host.rest = &m_hostRest;
    m_device.rest = &m_deviceRest;
}

void Problem::compareWith(std::int64_t nTokens, const std::string& after) {
    std::vector<float> wanted(ofTokens(nTokens), kUntouched);
    m_host.nTokens = m_device.nTokens = nTokens;
    m_device.y = m_check.put(wanted);
    m_host.y = wanted.data();
    const std::string what = std::to_string(m_host.nRows) + "x" + std::to_string(m_host.nCols) +
                             ", " + std::to_string(nTokens) +
                             (nTokens == 1 ? " token" : " tokens") + after;
    const kernels::cuda::OpTable& ops = m_check.ops();
    const bool ran = m_check.run(what, [&] {
        return m_path == ProductPath::Tensor ? ops.matmulTensor(m_device, m_check.stream())
                                             : ops.matmul(m_device, m_check.stream());
    });
    if (!ran) return;
    OpCheck::reference().matmul(m_host);
    m_check.expect(m_device.y, wanted);
}

void Problem::run(std::int64_t nTokens) {
    compareWith(nTokens, "");
}

void Problem::runAdded(std::int64_t nTokens) {
    m_host.accumulate = m_device.accumulate = true;
    compareWith(nTokens, ", added");
    m_host.accumulate = m_device.accumulate = false;
}

}  // namespace

void checkProduct(OpCheck& check, DType type, ProductPath path,
                  std::span<const ProductShape> shapes, std::span<const std::int64_t> tokens) {
    check.begin(rowName(type, path),
                path == ProductPath::Tensor ? op_tolerance::kTensorSums : op_tolerance::kSums);
    const std::int64_t most = *std::max_element(tokens.begin(), tokens.end());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        Problem problem(check, type, path, shapes[i], most, i % 2 == 1);
        for (const std::int64_t nTokens : tokens) problem.run(nTokens);
        if (path == ProductPath::Int8 || path == ProductPath::TwoTerms)
            problem.runAdded(tokens.front());
    }
}

}  // namespace lanescope

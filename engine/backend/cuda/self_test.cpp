#include "engine/backend/cuda/self_test.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/backend/cuda/gpu_memory.h"
#include "engine/base/format.h"
#include "kernels/ops/dispatch.h"
#include "kernels/types/blocks.h"
#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::DType;

constexpr std::int64_t kCols = 64;
constexpr std::int64_t kRows = 32;
constexpr std::int64_t kTokens = 17;  // more than a tile of tensor cores
constexpr float kTolerance = 2e-2F;   // of the largest value: 16-bit activations

/// Numbers of either sign without a pattern; the same every time.
std::vector<float> numbers(std::size_t n, std::uint32_t seed) {
    std::vector<float> all(n);
    for (float& x : all) {
        seed = seed * 1664525U + 1013904223U;
        x = static_cast<float>(seed >> 8) / 8388608.0F - 1.0F;
    }
    return all;
}

/// Uploads and downloads with their waits.
class Bench {
  public:
    explicit Bench(GpuDevice& device) : m_device(device) {}

    template <class T>
    T* put(const std::vector<T>& host) {
        T* at = room<T>(host.size());
        if (at == nullptr) return at;
        check("upload", m_device.upload(at, host.data(), host.size() * sizeof(T)));
        check("upload", m_device.synchronise());
        return at;
    }
    template <class T>
    T* room(std::size_t n) {
        m_memory.emplace_back(m_device, GpuMemory::Kind::Device, n * sizeof(T));
        if (!m_memory.back().present()) fail("memory: refused");
        return reinterpret_cast<T*>(m_memory.back().data());
    }
    void check(const char* op, kernels::cuda::Status status) {
        if (status != kernels::cuda::kSuccess)
            fail(std::string(op) + ": " + m_device.describe(status));
    }
    void expect(const char* op, const float* y, const std::vector<float>& wanted) {
        if (!m_error.empty()) return;
        std::vector<float> got(wanted.size());
        check(op, m_device.download(got.data(), y, got.size() * sizeof(float)));
        check(op, m_device.synchronise());
        float largest = 0.0F;
        float worst = 0.0F;
        for (std::size_t i = 0; i < got.size(); ++i) {
            largest = std::max(largest, std::fabs(wanted[i]));
            const float off = std::fabs(got[i] - wanted[i]);
            if (!(off <= worst)) worst = off;  // NaN stays
        }
        if (!(worst <= kTolerance * largest))
            fail(std::string(op) + " is off by " + formatNumber(worst / largest, 3));
    }
    [[nodiscard]] Result<void> result() const {
        if (m_error.empty()) return {};
        return Error{ErrorCode::NoDevice, m_device.info().name + " fails its self-test: " + m_error,
                     "cuda", "update the driver, or use the backend cpu"};
    }
    [[nodiscard]] bool failed() const { return !m_error.empty(); }

  private:
    void fail(std::string what) {
        if (m_error.empty()) m_error = std::move(what);
    }

    GpuDevice& m_device;
    std::vector<GpuMemory> m_memory;
    std::string m_error;
};

const kernels::OpTable& oracle() {
    return kernels::opTable(kernels::Isa::Reference);
}

void testProducts(GpuDevice& device, Bench& bench) {
    const std::vector<float> x = numbers(kTokens * kCols, 1);
    const std::vector<float> w = numbers(kRows * kCols, 2);
    std::vector<std::uint16_t> bf16(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) bf16[i] = kernels::f32ToBf16(w[i]);
    std::vector<kernels::BlockQ8_0> q8(w.size() / kernels::kBlock);
    for (std::size_t b = 0; b < q8.size(); ++b) {
        q8[b].d = kernels::f32ToHalf(1.0F / 127.0F);
        for (std::size_t j = 0; j < kernels::kBlock; ++j)
            q8[b].q[j] = static_cast<std::int8_t>(std::lround(127.0F * w[b * kernels::kBlock + j]));
    }
    std::vector<float> wanted(kTokens * kRows);
    kernels::MatmulArgs args;
    args.nRows = args.rowEnd = args.yStride = kRows;
    args.nCols = kCols;
    args.nTokens = kTokens;
    args.weightType = DType::F32;
    args.weight = w.data();
    args.x = x.data();
    args.y = wanted.data();
    oracle().matmul(args);

    const float* deviceX = bench.put(x);
    float* y = bench.room<float>(wanted.size());
    args.x = deviceX;
    args.y = y;
    args.weight = bench.put(w);
    if (bench.failed()) return;
    bench.check("product (f32)", device.ops().matmul(args, device.stream()));
    bench.expect("product (f32)", y, wanted);
    args.weightType = DType::BF16;
    args.weight = bench.put(bf16);
    bench.check("product (tensor cores)", device.ops().matmulTensor(args, device.stream()));
    bench.expect("product (tensor cores)", y, wanted);

    kernels::ActsQ8 acts;
    acts.nCols = kCols;
    acts.q = bench.room<std::int8_t>(x.size());
    acts.scale = bench.room<float>(x.size() / kernels::kActsBlock);
    acts.sum16 = bench.room<std::int16_t>(x.size() / 16);
    args.weightType = DType::Q8_0;
    args.weight = bench.put(q8);
    if (bench.failed()) return;
    bench.check(
        "quantisation",
        device.ops().quantiseActs(
            {.x = deviceX, .out = acts, .nCols = kCols, .tokenBegin = 0, .tokenEnd = kTokens},
            device.stream()));
    args.xq = &acts;
    for (const std::int64_t nTokens : {std::int64_t{1}, kTokens}) {
        args.nTokens = nTokens;
        bench.check("product (int8)", device.ops().matmul(args, device.stream()));
        bench.expect("product (int8)", y, {wanted.begin(), wanted.begin() + nTokens * kRows});
    }
}

void testAttention(GpuDevice& device, Bench& bench) {
    constexpr std::int64_t kHeads = 2;
    constexpr std::int64_t kDim = 64;
    constexpr std::int64_t kBlock = 16;
    constexpr std::int64_t kContext = 2 * kBlock;
    const std::vector<float> q = numbers(kHeads * kDim, 3);
    const std::vector<float> keys = numbers(kContext * kDim, 4);
    const std::vector<float> values = numbers(kContext * kDim, 5);
    const std::vector<std::int32_t> table{1, 0};
    const std::vector<std::int32_t> position{kContext - 3};
    const std::vector<std::int32_t> sequence{0};
    std::vector<float> wanted(kHeads * kDim);
    std::vector<float> scratch(static_cast<std::size_t>(
        kernels::attentionScratchFloats(kernels::AttentionKind::Naive, kHeads, 1, kDim, kContext)));
    kernels::AttentionArgs host;
    host.kind = kernels::AttentionKind::Naive;
    host.q = q.data();
    host.qStride = kHeads * kDim;
    host.out = wanted.data();
    host.positions = position.data();
    host.nTokens = 1;
    host.nHeads = kHeads;
    host.scale = 0.125F;
    // A float's bytes are read the same way on both sides: the cache is filled as it lies.
    host.kv = {const_cast<float*>(keys.data()),
               const_cast<float*>(values.data()),
               DType::F32,
               table.data(),
               kBlock,
               1,
               kDim};
    host.scratch = scratch.data();
    host.itemEnd = kernels::attentionItems(host);
    oracle().attention(host);

    kernels::cuda::PagedAttentionArgs args;
    args.q = bench.put(q);
    args.qStride = host.qStride;
    float* out = bench.room<float>(wanted.size());
    args.out = out;
    args.positions = bench.put(position);
    args.nTokens = 1;
    args.nHeads = kHeads;
    args.scale = host.scale;
    args.kv = host.kv;
    args.kv.k = bench.put(keys);
    args.kv.v = bench.put(values);
    args.tables = {bench.put(sequence), bench.put(table), 2};
    args.tiles = bench.put(std::vector<kernels::cuda::AttentionTile>{{0, 1}});
    args.nTiles = 1;
    if (bench.failed()) return;
    bench.check("attention (f32)", device.ops().attention(args, device.stream()));
    bench.expect("attention (f32)", out, wanted);
    const auto halves = [](const std::vector<float>& from) {
        std::vector<std::uint16_t> to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = kernels::f32ToHalf(from[i]);
        return to;
    };
    args.kv.dtype = DType::F16;
    args.kv.k = bench.put(halves(keys));
    args.kv.v = bench.put(halves(values));
    if (bench.failed()) return;
    bench.check("attention (tensor cores)", device.ops().attention(args, device.stream()));
    bench.expect("attention (tensor cores)", out, wanted);
}

}  // namespace

Result<void> selfTest(GpuDevice& device) {
    Bench bench(device);
    testProducts(device, bench);
    if (!bench.failed()) testAttention(device, bench);
    return bench.result();
}

}  // namespace lanescope

#pragma once
// Ops of a device held against the plain loops of kernels/reference: memory there and back, the
// comparison and its one table of tolerances. The cases are in check_elements.h, check_products.h
// and check_attention.h; the start-up self-test (self_test.h) takes a few, the op suite
// (op_suite.h) all of them.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/backend/cuda/gpu_memory.h"
#include "kernels/ops/dispatch.h"

namespace lanescope {

/// What a difference may be, as a part of the largest value of a case.
namespace op_tolerance {
/// The same operations in the same order: codes, scales and stored values come out equal. A code
/// that is off by one would show as 1/127, a half as 2^-11.
inline constexpr double kRounding = 1e-6;
/// sin, exp, tanh or erf of the device's library (2 ulp, CUDA C++ Programming Guide, mathematical
/// functions) and three or four roundings after it: 2^-24 each.
inline constexpr double kMaths = 2e-6;
/// Sums in f32 in another order than the reference's, which are in double: some hundred terms a
/// chain, whose roundings partly cancel. Products with int8 activations are here too: their dots
/// are exact integers and the reference gets the same codes, so only the sums over blocks round.
inline constexpr double kSums = 1e-5;
/// Products of 16-bit numbers are exact in f32, but tensor cores cut sums off where adders round:
/// up to 2^-22 a step of 16 columns. The reference gets inputs that are rounded alike.
inline constexpr double kTensorSums = 5e-5;
/// Attention on tensor cores rounds weights to 16 bits: half an ulp of each, 2^-12 and 2^-9, of
/// which a mean is left; the reference gets queries that are rounded alike.
inline constexpr double kWeightsF16 = 5e-4;
inline constexpr double kWeightsBf16 = 4e-3;
}  // namespace op_tolerance

/// One op in one form against the reference, over its cases.
struct OpCheckRow {
    std::string op;          ///< "matmul q4_K int8"
    int cases = 0;           ///< that were compared
    double worst = 0.0;      ///< largest difference, as a part of the case's largest value
    double tolerance = 0.0;  ///< of op_tolerance
    std::string worstCase;   ///< "130x288, 17 tokens"; empty: no case differed at all
    std::string failure;     ///< what the device refused, or a NaN where there should be none
    [[nodiscard]] bool passed() const { return failure.empty() && cases > 0 && worst <= tolerance; }
};
/// What is wrong with a row: "matmul q4_K int8 is off by 2.0e-02 of its largest value, 1.0e-05
/// allowed (130x288, 17 tokens)".
std::string describeFailure(const OpCheckRow& row);

/// "2.0e-02".
std::string scientific(double value);

/// int8 activations in host memory.
struct HostActs {
    HostActs(std::int64_t nTokens, std::int64_t columns);
    kernels::ActsQ8 view() { return {q.data(), scale.data(), sum16.data(), nCols}; }

    std::vector<std::int8_t> q;
    std::vector<float> scale;
    std::vector<std::int16_t> sum16;
    std::int64_t nCols;
};

/// Runs cases on a device, one row after another. After a failure the row's other cases do nothing;
/// after one that stopped the device, all rows fail. Engine thread.
class OpCheck {
  public:
    /// `ops`: the device's own, or others that run on its stream.
    OpCheck(GpuDevice& device, const kernels::cuda::OpTable& ops) : m_device(device), m_ops(ops) {}

    [[nodiscard]] const kernels::cuda::OpTable& ops() const { return m_ops; }
    [[nodiscard]] kernels::cuda::Stream stream() const { return m_device.stream(); }
    /// The oracle.
    static const kernels::OpTable& reference();

    /// Begins a row; memory of the one before is free again.
    void begin(std::string op, double tolerance);
    /// Runs work(), which queues an op, and waits for it. False: it failed, or the row had already.
    bool run(std::string what, const std::function<kernels::cuda::Status()>& work);

    /// Device memory with these values, until the row ends; null where the row has failed.
    template <class T>
    T* put(const std::vector<T>& host) {
        return static_cast<T*>(putBytes(host.data(), host.size() * sizeof(T)));
    }
    /// The same of n values that no op leaves: NaN, or -1.
    template <class T>
    T* room(std::size_t n) {
        return put(std::vector<T>(n, unwritten<T>()));
    }
    /// Room for int8 activations.
    kernels::ActsQ8 roomForActs(std::int64_t nTokens, std::int64_t nCols);
    kernels::ActsQ8 putActs(const HostActs& acts);

    template <class T>
    std::vector<T> get(const T* device, std::size_t n) {
        std::vector<T> host(n);
        getBytes(host.data(), device, n * sizeof(T));
        return host;
    }

    /// What the last case left at `device`, against what it should have.
    void expect(const float* device, const std::vector<float>& wanted) {
        compare(get(device, wanted.size()), wanted);
    }
    void compare(const std::vector<float>& got, const std::vector<float>& wanted);
    /// Activations at `device`, and their second term where it has a q, against the reference's
    /// rounding of y [nTokens, nCols].
    void expectActs(const kernels::ActsQ8& device, const kernels::ActsQ8& rest,
                    const std::vector<float>& y);

    [[nodiscard]] const std::vector<OpCheckRow>& rows() const { return m_rows; }

  private:
    template <class T>
    static T unwritten() {
        if constexpr (std::is_floating_point_v<T>) return std::nanf("");
        return static_cast<T>(-1);
    }
    void* putBytes(const void* host, std::size_t bytes);
    void getBytes(void* host, const void* device, std::size_t bytes);
    [[nodiscard]] bool rowFailed() const { return !m_rows.back().failure.empty(); }
    void refused(kernels::cuda::Status status);
    void fail(const std::string& why);
    void compareActs(const kernels::ActsQ8& device, const HostActs& wanted);

    GpuDevice& m_device;
    kernels::cuda::OpTable m_ops;
    std::vector<GpuMemory> m_memory;
    std::vector<OpCheckRow> m_rows;
    std::string m_case;
    std::string m_stopped;  ///< what stopped the device; empty: it runs
};

/// n numbers of either sign below one, without a pattern; the same every time.
std::vector<float> checkNumbers(std::int64_t n, std::uint32_t seed);
/// [nRows, nCols] of a format: random codes, scales that differ from block to block.
std::vector<std::uint8_t> checkWeights(kernels::DType type, std::int64_t nRows, std::int64_t nCols,
                                       std::uint32_t seed);

}  // namespace lanescope

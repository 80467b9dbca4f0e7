#include "engine/backend/cuda/check_rope.h"

#include <algorithm>

namespace lanescope {

namespace {

using kernels::DType;
using kernels::RopeLayout;

constexpr std::int64_t kSequences = 2;
constexpr std::int64_t kBlockTokens = 8;
constexpr std::int64_t kBlocksEach = 3;  ///< pages of a sequence
constexpr std::int64_t kNeverWritten = 2 * kBlocksEach;
constexpr std::int64_t kPages = kNeverWritten + 1;

struct RopeShape {
    std::int64_t nHeads, nKvHeads, headDim, rotaryDim;
    RopeLayout layout;
};

constexpr RopeShape kShapes[] = {{9, 3, 64, 64, RopeLayout::HalfSplit},
                                 {8, 8, 80, 32, RopeLayout::Interleaved},
                                 {4, 1, 128, 128, RopeLayout::Interleaved},
                                 {20, 10, 96, 96, RopeLayout::HalfSplit},
                                 {2, 2, 16, 0, RopeLayout::HalfSplit}};

kernels::KvFormat formatOf(DType type) {
    return type == DType::F16    ? kernels::KvFormat::F16
           : type == DType::BF16 ? kernels::KvFormat::BF16
                                 : kernels::KvFormat::F32;
}

/// Tokens of two sequences as the projections leave them: q, k, v of a token side by side.
class RopeProblem {
  public:
    RopeProblem(const RopeShape& shape, DType type);
    /// False: it could not run.
    bool run(OpCheck& check);
    /// Against the reference of each sequence.
    void expectRotated(OpCheck& check);
    /// Against the reference's copy of what the device rotated: that this is right is another row's
    /// matter.
    void expectPages(OpCheck& check);

  private:
    [[nodiscard]] std::int64_t nTokens() const { return std::ssize(m_positions); }
    [[nodiscard]] std::int64_t stride() const {
        return (m_shape.nHeads + 2 * m_shape.nKvHeads) * m_shape.headDim;
    }
    [[nodiscard]] kernels::RopeArgs ropeOf(float* qkv) const;
    [[nodiscard]] kernels::KvWriteArgs writeOf(const float* qkv) const;
    [[nodiscard]] std::vector<float> decoded(const std::vector<std::uint8_t>& pages) const;
    [[nodiscard]] std::string name() const {
        return std::to_string(m_shape.nHeads) + "/" + std::to_string(m_shape.nKvHeads) +
               " heads of " + std::to_string(m_shape.headDim) + ", " +
               std::to_string(m_shape.rotaryDim) + " rotated";
    }

    RopeShape m_shape;
    DType m_type;
    std::vector<std::int32_t> m_positions{0, 7, 8, 23, 1, 22};
    std::vector<std::int32_t> m_ofToken{0, 0, 0, 0, 1, 1};
    std::vector<std::int32_t> m_tables{5, 0, 3, 1, 4, 2};  ///< [kSequences, kBlocksEach]
    std::vector<float> m_frequencies;                      ///< [kSequences, rotaryDim / 2]
    std::vector<float> m_qkv;
    std::vector<std::uint8_t> m_pages;  ///< before: the same number everywhere
    float* m_deviceQkv = nullptr;
    std::uint8_t *m_deviceK = nullptr, *m_deviceV = nullptr;
};

RopeProblem::RopeProblem(const RopeShape& shape, DType type)
    : m_shape(shape),
      m_type(type),
      m_qkv(checkNumbers(nTokens() * stride(), 1)),
      m_pages(static_cast<std::size_t>(kPages * shape.nKvHeads * kBlockTokens *
                                       kernels::rowBytes(type, shape.headDim)),
              0x3C) {  // a number of at most about one in every format
    for (std::int64_t s = 0; s < kSequences; ++s)
        for (std::int64_t i = 0; i < shape.rotaryDim / 2; ++i)
            m_frequencies.push_back(
                static_cast<float>(std::pow(10000.0, -2.0 * static_cast<double>(i) /
                                                         static_cast<double>(shape.rotaryDim)) /
                                   static_cast<double>(1 + s)));
    if (type == DType::F32) {  // far positions; pages go by the remainder, which is what counts
        m_tables.assign(static_cast<std::size_t>(kSequences * (131071 / kBlockTokens + 1)),
                        static_cast<std::int32_t>(kNeverWritten));
        m_positions = {0, 77, 4095, 131071, 1, 9000};
        const std::int64_t each = std::ssize(m_tables) / kSequences;
        for (std::size_t t = 0; t < m_positions.size(); ++t)
            m_tables[static_cast<std::size_t>(m_ofToken[t] * each +
                                              m_positions[t] / kBlockTokens)] =
                static_cast<std::int32_t>(t);
    }
}

kernels::RopeArgs RopeProblem::ropeOf(float* qkv) const {
    kernels::RopeArgs args;
    args.x = qkv;
    args.stride = stride();
    args.nHeads = m_shape.nHeads;
    args.headDim = m_shape.headDim;
    args.rotaryDim = m_shape.rotaryDim;
    args.invFreq = m_frequencies.data();
    args.positions = m_positions.data();
    args.layout = m_shape.layout;
    args.mscale = 1.125F;
    args.tokenEnd = nTokens();
    return args;
}

kernels::KvWriteArgs RopeProblem::writeOf(const float* qkv) const {
    kernels::KvWriteArgs args;
    args.k = qkv + m_shape.nHeads * m_shape.headDim;
    args.v = args.k + m_shape.nKvHeads * m_shape.headDim;
    args.kStride = args.vStride = stride();
    args.positions = m_positions.data();
    args.kv.kFormat = args.kv.vFormat = formatOf(m_type);
    args.kv.blockTokens = kBlockTokens;
    args.kv.nKvHeads = m_shape.nKvHeads;
    args.kv.headDim = m_shape.headDim;
    args.tokenEnd = nTokens();
    return args;
}

bool RopeProblem::run(OpCheck& check) {
    m_deviceQkv = check.put(m_qkv);
    m_deviceK = check.put(m_pages);
    m_deviceV = check.put(m_pages);
    kernels::cuda::RopeKvArgs args;
    args.q = ropeOf(m_deviceQkv);
    args.q.invFreq = check.put(m_frequencies);
    args.q.positions = check.put(m_positions);
    args.k = args.q;
    args.kv = writeOf(m_deviceQkv);
    args.k.x = const_cast<float*>(args.kv.k);
    args.k.nHeads = m_shape.nKvHeads;
    args.kv.positions = args.q.positions;
    args.kv.kv.k = m_deviceK;
    args.kv.kv.v = m_deviceV;
    args.tables = {check.put(m_ofToken), check.put(m_tables), std::ssize(m_tables) / kSequences};
    args.frequencyStride = m_shape.rotaryDim / 2;
    return check.run(name(), [&] { return check.ops().ropeKv(args, check.stream()); });
}

void RopeProblem::expectRotated(OpCheck& check) {
    std::vector<float> wanted = m_qkv;
    for (std::int64_t t = 0; t < nTokens(); ++t) {
        kernels::RopeArgs args = ropeOf(wanted.data());
        args.invFreq += m_ofToken[static_cast<std::size_t>(t)] * (m_shape.rotaryDim / 2);
        args.tokenBegin = t;
        args.tokenEnd = t + 1;
        OpCheck::reference().rope(args);
        args.x += m_shape.nHeads * m_shape.headDim;
        args.nHeads = m_shape.nKvHeads;
        OpCheck::reference().rope(args);
    }
    check.expect(m_deviceQkv, wanted);
}

std::vector<float> RopeProblem::decoded(const std::vector<std::uint8_t>& pages) const {
    const std::int64_t n = kPages * m_shape.nKvHeads * kBlockTokens * m_shape.headDim;
    std::vector<float> out(static_cast<std::size_t>(n));
    OpCheck::reference().dequantiseRow(m_type, pages.data(), out.data(), n);
    return out;
}

void RopeProblem::expectPages(OpCheck& check) {
    const std::vector<float> rotated = check.get(m_deviceQkv, m_qkv.size());
    std::vector<std::uint8_t> k = m_pages;
    std::vector<std::uint8_t> v = m_pages;
    const std::int64_t each = std::ssize(m_tables) / kSequences;
    for (std::int64_t t = 0; t < nTokens(); ++t) {
        kernels::KvWriteArgs args = writeOf(rotated.data());
        args.kv.k = k.data();
        args.kv.v = v.data();
        args.kv.blockTable = m_tables.data() + m_ofToken[static_cast<std::size_t>(t)] * each;
        args.tokenBegin = t;
        args.tokenEnd = t + 1;
        OpCheck::reference().kvWrite(args);
    }
    check.compare(decoded(check.get(m_deviceK, k.size())), decoded(k));
    check.compare(decoded(check.get(m_deviceV, v.size())), decoded(v));
}

}  // namespace

void checkRopeKv(OpCheck& check) {
    check.begin("ropeKv q and k", op_tolerance::kMaths);
    for (const RopeShape& shape : kShapes) {
        RopeProblem problem(shape, DType::F32);
        if (problem.run(check)) problem.expectRotated(check);
    }
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        check.begin("ropeKv pages " + std::string(kernels::info(type).name),
                    op_tolerance::kRounding);
        for (const RopeShape& shape : kShapes) {
            RopeProblem problem(shape, type);
            if (problem.run(check)) problem.expectPages(check);
        }
    }
}

}  // namespace lanescope

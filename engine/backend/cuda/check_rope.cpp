#include "engine/backend/cuda/check_rope.h"

#include <algorithm>

namespace lanescope {

namespace {

using kernels::KvFormat;
using kernels::KvPart;
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

/// Tokens of two sequences as the projections leave them: q, k, v of a token side by side.
class RopeProblem {
  public:
    RopeProblem(const RopeShape& shape, KvFormat type);
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
    [[nodiscard]] kernels::KvSlice slice(KvPart part) const {
        return kernels::kvSlice(m_type, part, kBlockTokens, m_shape.headDim);
    }
    [[nodiscard]] std::vector<std::uint8_t> pages(KvPart part) const {
        return std::vector<std::uint8_t>(
            static_cast<std::size_t>(kPages * m_shape.nKvHeads * slice(part).bytes),
            0x3C);  // a number of at most about one in every format
    }
    [[nodiscard]] std::string name() const {
        return std::to_string(m_shape.nHeads) + "/" + std::to_string(m_shape.nKvHeads) +
               " heads of " + std::to_string(m_shape.headDim) + ", " +
               std::to_string(m_shape.rotaryDim) + " rotated";
    }

    RopeShape m_shape;
    KvFormat m_type;
    std::vector<std::int32_t> m_positions{0, 7, 8, 23, 1, 22};
    std::vector<std::int32_t> m_ofToken{0, 0, 0, 0, 1, 1};
    std::vector<std::int32_t> m_tables{5, 0, 3, 1, 4, 2};  ///< [kSequences, kBlocksEach]
    std::vector<float> m_frequencies;                      ///< [kSequences, rotaryDim / 2]
    std::vector<float> m_qkv;
    std::vector<std::uint8_t> m_k, m_v;  ///< before: the same number everywhere
    std::vector<std::uint8_t> m_tail;    ///< a tail a page
    float* m_deviceQkv = nullptr;
    std::uint8_t *m_deviceK = nullptr, *m_deviceV = nullptr, *m_deviceTail = nullptr;
};

RopeProblem::RopeProblem(const RopeShape& shape, KvFormat type)
    : m_shape(shape),
      m_type(type),
      m_qkv(checkNumbers(nTokens() * stride(), 1)),
      m_k(pages(KvPart::Keys)),
      m_v(pages(KvPart::Values)),
      m_tail(static_cast<std::size_t>(kPages * shape.nKvHeads * kBlockTokens * shape.headDim * 2),
             0x3C) {
    for (std::int64_t s = 0; s < kSequences; ++s)
        for (std::int64_t i = 0; i < shape.rotaryDim / 2; ++i)
            m_frequencies.push_back(
                static_cast<float>(std::pow(10000.0, -2.0 * static_cast<double>(i) /
                                                         static_cast<double>(shape.rotaryDim)) /
                                   static_cast<double>(1 + s)));
    if (type == KvFormat::F32) {  // far positions; pages go by the remainder, which is what counts
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
    args.kv.kFormat = args.kv.vFormat = m_type;
    args.kv.blockTokens = kBlockTokens;
    args.kv.nKvHeads = m_shape.nKvHeads;
    args.kv.headDim = m_shape.headDim;
    args.tokenEnd = nTokens();
    return args;
}

bool RopeProblem::run(OpCheck& check) {
    m_deviceQkv = check.put(m_qkv);
    m_deviceK = check.put(m_k);
    m_deviceV = check.put(m_v);
    m_deviceTail = check.put(m_tail);
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
    args.kv.kv.tail = m_deviceTail;
    args.tables = {check.put(m_ofToken), check.put(m_tables), std::ssize(m_tables) / kSequences};
    args.tables.tails = args.tables.blocks;
    args.frequencyStride = m_shape.rotaryDim / 2;
    const bool stored = check.run(name(), [&] { return check.ops().ropeKv(args, check.stream()); });
    if (!stored || m_type != KvFormat::Int4) return stored;
    return check.run(name(), [&] {
        return check.ops().kvSeal({args.q.positions, nTokens(), args.kv.kv, args.tables},
                                  check.stream());
    });
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

void RopeProblem::expectPages(OpCheck& check) {
    const std::vector<float> rotated = check.get(m_deviceQkv, m_qkv.size());
    std::vector<std::uint8_t> k = m_k;
    std::vector<std::uint8_t> v = m_v;
    std::vector<std::uint8_t> tail = m_tail;
    const std::int64_t each = std::ssize(m_tables) / kSequences;
    for (std::int64_t t = 0; t < nTokens(); ++t) {
        const auto index = static_cast<std::size_t>(t);
        kernels::KvWriteArgs args = writeOf(rotated.data());
        args.kv.k = k.data();
        args.kv.v = v.data();
        args.kv.tail = tail.data();
        args.kv.blockTable = args.kv.tailTable = m_tables.data() + m_ofToken[index] * each;
        args.tokenBegin = t;
        args.tokenEnd = t + 1;
        OpCheck::reference().kvWrite(args);
        const std::int64_t end = m_positions[index] + 1;
        if (m_type == KvFormat::Int4 && end % kBlockTokens == 0)
            OpCheck::reference().kvSeal(
                {args.kv, end / kBlockTokens - 1, end / kBlockTokens, 0, m_shape.nKvHeads});
    }
    // Byte by byte: codes and scales are the reference's.
    const auto expectBytes = [&](const std::uint8_t* device,
                                 const std::vector<std::uint8_t>& wanted) {
        const std::vector<std::uint8_t> got = check.get(device, wanted.size());
        check.compare({got.begin(), got.end()}, {wanted.begin(), wanted.end()});
    };
    expectBytes(m_deviceK, k);
    expectBytes(m_deviceV, v);
    expectBytes(m_deviceTail, tail);
}

}  // namespace

void checkRopeKv(OpCheck& check) {
    check.begin("ropeKv q and k", op_tolerance::kMaths);
    for (const RopeShape& shape : kShapes) {
        RopeProblem problem(shape, KvFormat::F32);
        if (problem.run(check)) problem.expectRotated(check);
    }
    for (int i = 0; i < kernels::kKvFormats; ++i) {
        const auto type = static_cast<KvFormat>(i);
        check.begin("ropeKv pages " + std::string(kernels::kvFormatName(type)),
                    op_tolerance::kRounding);
        for (const RopeShape& shape : kShapes) {
            RopeProblem problem(shape, type);
            if (problem.run(check)) problem.expectPages(check);
        }
    }
}

}  // namespace lanescope

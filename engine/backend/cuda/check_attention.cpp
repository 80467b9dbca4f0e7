#include "engine/backend/cuda/check_attention.h"

#include <algorithm>
#include <numeric>

#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::KvFormat;
using kernels::cuda::AttentionTile;

double toleranceOf(KvFormat type) {
    if (type == KvFormat::F16) return op_tolerance::kWeightsF16;
    return type == KvFormat::BF16 ? op_tolerance::kWeightsBf16 : op_tolerance::kSums;
}

std::string caseName(const AttentionShape& shape) {
    std::string text = std::to_string(shape.nHeads) + "/" + std::to_string(shape.nKvHeads) +
                       " heads of " + std::to_string(shape.headDim) + ", last ";
    for (std::size_t i = 0; i < shape.sequences.size(); ++i)
        text += (i > 0 ? " + " : "") + std::to_string(shape.sequences[i].nTokens) + " of " +
                std::to_string(shape.sequences[i].context);
    return text;
}

/// Inputs in host memory. Pages are dealt out from the last to the first; what nobody writes is
/// NaN.
class Batch {
  public:
    Batch(const AttentionShape& shape, KvFormat type);
    [[nodiscard]] std::vector<float> expected();
    void run(OpCheck& check);

  private:
    [[nodiscard]] std::int64_t blocksOf(const AttendedSequence& s) const {
        return (s.context + m_shape.blockTokens - 1) / m_shape.blockTokens;
    }
    [[nodiscard]] std::int64_t nTokens() const { return std::ssize(m_positions); }
    [[nodiscard]] std::int64_t width() const { return m_shape.nHeads * m_shape.headDim; }
    [[nodiscard]] std::int64_t qStride() const { return width() + 4; }
    [[nodiscard]] kernels::PagedKv view(std::size_t sequence);
    [[nodiscard]] std::vector<AttentionTile> tiles() const;
    void dealPages();
    void writePages(std::size_t sequence);
    void roundQueries();

    const AttentionShape& m_shape;
    KvFormat m_type;
    std::int64_t m_stride = 0;  ///< of m_tables
    std::vector<std::int32_t> m_tables, m_ofToken, m_positions;
    std::vector<std::uint8_t> m_k, m_v;
    std::vector<float> m_q;
    float m_scale;
};

Batch::Batch(const AttentionShape& shape, KvFormat type)
    : m_shape(shape), m_type(type), m_scale(2.0F / std::sqrt(static_cast<float>(shape.headDim))) {
    dealPages();
    for (std::size_t i = 0; i < shape.sequences.size(); ++i) {
        writePages(i);
        const AttendedSequence& s = shape.sequences[i];
        for (std::int32_t t = s.context - s.nTokens; t < s.context; ++t) {
            m_ofToken.push_back(static_cast<std::int32_t>(i));
            m_positions.push_back(t);
        }
    }
    m_q = checkNumbers(nTokens() * qStride(), 3);
}

void Batch::dealPages() {
    std::int64_t nBlocks = 0;
    for (const AttendedSequence& s : m_shape.sequences) {
        m_stride = std::max(m_stride, blocksOf(s));
        nBlocks += blocksOf(s);
    }
    const std::int64_t bytes =
        nBlocks * m_shape.nKvHeads *
        kernels::kvSlice(m_type, kernels::KvPart::Keys, m_shape.blockTokens, m_shape.headDim).bytes;
    m_k.assign(static_cast<std::size_t>(bytes), 0xFF);
    m_v = m_k;
    m_tables.assign(m_shape.sequences.size() * static_cast<std::size_t>(m_stride), -1);
    for (std::size_t i = 0; i < m_shape.sequences.size(); ++i)
        for (std::int64_t b = 0; b < blocksOf(m_shape.sequences[i]); ++b)
            m_tables[i * static_cast<std::size_t>(m_stride) + static_cast<std::size_t>(b)] =
                static_cast<std::int32_t>(--nBlocks);
}

kernels::PagedKv Batch::view(std::size_t sequence) {
    return {m_k.data(),
            m_v.data(),
            m_type,
            m_type,
            m_tables.data() + sequence * static_cast<std::size_t>(m_stride),
            m_shape.blockTokens,
            m_shape.nKvHeads,
            m_shape.headDim};
}

void Batch::writePages(std::size_t sequence) {
    const std::int64_t n = m_shape.sequences[sequence].context;
    const std::int64_t stride = m_shape.nKvHeads * m_shape.headDim;
    const auto seed = static_cast<std::uint32_t>(2 * sequence);
    const auto k = checkNumbers(n * stride, 11 + seed);
    const auto v = checkNumbers(n * stride, 12 + seed);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(n));
    std::iota(positions.begin(), positions.end(), 0);
    OpCheck::reference().kvWrite(
        {k.data(), v.data(), stride, stride, positions.data(), view(sequence), 0, n});
}

/// As the kernels for 16-bit caches do.
void Batch::roundQueries() {
    if (m_type == KvFormat::F32) return;
    for (float& x : m_q)
        x = m_type == KvFormat::F16 ? kernels::halfToF32(kernels::f32ToHalf(x))
                                    : kernels::bf16ToF32(kernels::f32ToBf16(x));
}

std::vector<AttentionTile> Batch::tiles() const {
    std::vector<AttentionTile> out;
    std::int32_t begin = 0;
    for (const AttendedSequence& s : m_shape.sequences) {
        for (std::int32_t t = 0; t < s.nTokens; t += kernels::kAttentionTile)
            out.push_back(
                {begin + t, std::min<std::int32_t>(kernels::kAttentionTile, s.nTokens - t)});
        begin += s.nTokens;
    }
    return out;
}

std::vector<float> Batch::expected() {
    roundQueries();
    std::vector<float> out(static_cast<std::size_t>(nTokens() * width()));
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < m_shape.sequences.size(); ++i) {
        kernels::AttentionArgs args;
        args.kind = kernels::AttentionKind::Naive;
        args.q = m_q.data() + begin * qStride();
        args.qStride = qStride();
        args.out = out.data() + begin * width();
        args.positions = m_positions.data() + begin;
        args.nTokens = m_shape.sequences[i].nTokens;
        args.nHeads = m_shape.nHeads;
        args.scale = m_scale;
        args.window = m_shape.window;
        args.softcap = m_shape.softcap;
        args.kv = view(i);
        args.itemEnd = kernels::attentionItems(args);
        OpCheck::reference().attention(args);
        begin += args.nTokens;
    }
    return out;
}

void Batch::run(OpCheck& check) {
    kernels::cuda::PagedAttentionArgs args;
    args.q = check.put(m_q);
    args.qStride = qStride();
    args.out = check.room<float>(static_cast<std::size_t>(nTokens() * width()));
    args.positions = check.put(m_positions);
    args.nTokens = nTokens();
    args.nHeads = m_shape.nHeads;
    args.scale = m_scale;
    args.window = m_shape.window;
    args.softcap = m_shape.softcap;
    args.kv = view(0);
    args.kv.blockTable = nullptr;
    args.kv.k = check.put(m_k);
    args.kv.v = check.put(m_v);
    args.tables = {check.put(m_ofToken), check.put(m_tables), m_stride};
    const std::vector<AttentionTile> all = tiles();
    args.tiles = check.put(all);
    args.nTiles = std::ssize(all);
    args.nSplits = m_shape.nSplits;
    if (m_shape.nSplits > 1)
        args.partial = check.room<float>(static_cast<std::size_t>(
            nTokens() * m_shape.nHeads * m_shape.nSplits * (m_shape.headDim + 2)));
    const bool ran =
        check.run(caseName(m_shape), [&] { return check.ops().attention(args, check.stream()); });
    if (ran) check.expect(args.out, expected());
}

}  // namespace

void checkAttention(OpCheck& check, KvFormat type, const std::string& form,
                    std::span<const AttentionShape> shapes) {
    check.begin("attention " + std::string(kernels::kvFormatName(type)) + form, toleranceOf(type));
    for (const AttentionShape& shape : shapes) Batch(shape, type).run(check);
}

}  // namespace lanescope

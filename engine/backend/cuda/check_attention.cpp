#include "engine/backend/cuda/check_attention.h"

#include <algorithm>
#include <numeric>

#include "kernels/types/float16.h"

namespace lanescope {

namespace {

using kernels::KvFormat;
using kernels::cuda::AttentionTile;

/// What a cache is computed in (kernels/cuda/ops.h).
KvFormat computedIn(const CheckedCache& cache) {
    for (const KvFormat type : {KvFormat::F32, KvFormat::BF16})
        if (cache.keys == type || cache.values == type) return type;
    return KvFormat::F16;
}

double toleranceOf(const CheckedCache& cache) {
    const KvFormat type = computedIn(cache);
    if (type == KvFormat::F16) return op_tolerance::kWeightsF16;
    return type == KvFormat::BF16 ? op_tolerance::kWeightsBf16 : op_tolerance::kSums;
}

std::string cacheName(const CheckedCache& cache) {
    std::string name(kernels::kvFormatName(cache.keys));
    if (cache.keys != cache.values)
        name += " / " + std::string(kernels::kvFormatName(cache.values));
    return name;
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
    Batch(const AttentionShape& shape, const CheckedCache& cache);
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
    void roundQueries(std::vector<float>& q);
    void dealMask();
    [[nodiscard]] kernels::KeyMask mask(const std::uint64_t* words, std::int64_t firstToken) const;

    const AttentionShape& m_shape;
    CheckedCache m_cache;
    std::int64_t m_stride = 0;  ///< of m_tables
    std::vector<std::int32_t> m_tables, m_tails, m_ofToken, m_positions;
    std::vector<std::uint16_t> m_tail;  ///< empty: no format needs it
    std::vector<std::uint8_t> m_k, m_v;
    std::vector<float> m_q, m_qSinks;
    std::vector<std::uint64_t> m_maskWords;  ///< [nTokens, nKvHeads, m_wordsPerHead]
    std::int64_t m_wordsPerHead = 0;
    float m_scale;
};

Batch::Batch(const AttentionShape& shape, const CheckedCache& cache)
    : m_shape(shape), m_cache(cache), m_scale(2.0F / std::sqrt(static_cast<float>(shape.headDim))) {
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
    if (shape.sinks > 0) m_qSinks = checkNumbers(nTokens() * qStride(), 4);
    if (shape.maskGroup > 0) dealMask();
}

void Batch::dealPages() {
    std::int64_t nBlocks = 0;
    for (const AttendedSequence& s : m_shape.sequences) {
        m_stride = std::max(m_stride, blocksOf(s));
        nBlocks += blocksOf(s);
    }
    const auto bytes = [&](KvFormat format, kernels::KvPart part) {
        return static_cast<std::size_t>(
            nBlocks * m_shape.nKvHeads *
            kernels::kvSlice(format, part, m_shape.blockTokens, m_shape.headDim).bytes);
    };
    m_k.assign(bytes(m_cache.keys, kernels::KvPart::Keys), 0xFF);
    m_v.assign(bytes(m_cache.values, kernels::KvPart::Values), 0xFF);
    if (kernels::codesWholeBlocks(m_cache.keys, kernels::KvPart::Keys))
        m_tail.assign(static_cast<std::size_t>(nBlocks * m_shape.nKvHeads * m_shape.blockTokens *
                                               m_shape.headDim),
                      0xFFFF);
    m_tables.assign(m_shape.sequences.size() * static_cast<std::size_t>(m_stride), -1);
    for (std::size_t i = 0; i < m_shape.sequences.size(); ++i)
        for (std::int64_t b = 0; b < blocksOf(m_shape.sequences[i]); ++b)
            m_tables[i * static_cast<std::size_t>(m_stride) + static_cast<std::size_t>(b)] =
                static_cast<std::int32_t>(--nBlocks);
    if (!m_tail.empty()) m_tails = m_tables;
}

kernels::PagedKv Batch::view(std::size_t sequence) {
    const std::size_t at = sequence * static_cast<std::size_t>(m_stride);
    kernels::PagedKv kv{m_k.data(),       m_v.data(),           m_cache.keys,
                        m_cache.values,   m_tables.data() + at, m_shape.blockTokens,
                        m_shape.nKvHeads, m_shape.headDim};
    if (m_tail.empty()) return kv;
    kv.tail = m_tail.data();
    kv.tailTable = m_tails.data() + at;
    return kv;
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
    OpCheck::reference().kvSeal({view(sequence), 0, n / m_shape.blockTokens, 0, m_shape.nKvHeads});
}

void Batch::dealMask() {
    const std::int64_t longest = *std::max_element(m_positions.begin(), m_positions.end());
    m_wordsPerHead = longest / m_shape.maskGroup / 64 + 1;
    m_maskWords.resize(static_cast<std::size_t>(nTokens() * m_shape.nKvHeads * m_wordsPerHead));
    for (std::int64_t t = 0; t < nTokens(); ++t) {
        const std::int64_t own = m_positions[static_cast<std::size_t>(t)] / m_shape.maskGroup;
        for (std::int64_t h = 0; h < m_shape.nKvHeads; ++h)
            for (std::int64_t g = 0; g <= own; ++g)
                if (g == own || (g + h + t) % 3 == 0)
                    m_maskWords[static_cast<std::size_t>(
                        (t * m_shape.nKvHeads + h) * m_wordsPerHead + g / 64)] |= std::uint64_t{1}
                                                                                  << (g % 64);
    }
}

kernels::KeyMask Batch::mask(const std::uint64_t* words, std::int64_t firstToken) const {
    if (m_maskWords.empty() || words == nullptr) return {};
    const std::int64_t stride = m_shape.nKvHeads * m_wordsPerHead;
    return {words + firstToken * stride, m_shape.maskGroup, stride, m_wordsPerHead};
}

/// As the kernels for tensor cores do.
void Batch::roundQueries(std::vector<float>& q) {
    const KvFormat type = computedIn(m_cache);
    if (type == KvFormat::F32) return;
    for (float& x : q)
        x = type == KvFormat::F16 ? kernels::halfToF32(kernels::f32ToHalf(x))
                                  : kernels::bf16ToF32(kernels::f32ToBf16(x));
}

std::vector<AttentionTile> Batch::tiles() const {
    std::vector<AttentionTile> out;
    std::int32_t begin = 0;
    for (const AttendedSequence& s : m_shape.sequences) {
        for (std::int32_t t = 0; t < s.nTokens;) {
            auto n = std::min<std::int32_t>(kernels::kAttentionTile, s.nTokens - t);
            if (!m_tail.empty()) {  // of one block
                const auto blockTokens = static_cast<std::int32_t>(m_shape.blockTokens);
                n = std::min(n, blockTokens - (s.context - s.nTokens + t) % blockTokens);
            }
            out.push_back({begin + t, n});
            t += n;
        }
        begin += s.nTokens;
    }
    return out;
}

std::vector<float> Batch::expected() {
    roundQueries(m_q);
    roundQueries(m_qSinks);
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
        args.sinks = m_shape.sinks;
        if (m_shape.sinks > 0) args.qSinks = m_qSinks.data() + begin * qStride();
        args.mask = mask(m_maskWords.data(), begin);
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
    args.sinks = m_shape.sinks;
    if (m_shape.sinks > 0) args.qSinks = check.put(m_qSinks);
    if (!m_maskWords.empty()) args.mask = mask(check.put(m_maskWords), 0);
    args.kv = view(0);
    args.kv.blockTable = args.kv.tailTable = nullptr;
    args.kv.k = check.put(m_k);
    args.kv.v = check.put(m_v);
    args.tables = {check.put(m_ofToken), check.put(m_tables), m_stride};
    if (!m_tail.empty()) {
        args.kv.tail = check.put(m_tail);
        args.tables.tails = check.put(m_tails);
    }
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

void checkAttention(OpCheck& check, const CheckedCache& cache, const std::string& form,
                    std::span<const AttentionShape> shapes) {
    check.begin("attention " + cacheName(cache) + form, toleranceOf(cache));
    for (const AttentionShape& shape : shapes) Batch(shape, cache).run(check);
}

}  // namespace lanescope

#pragma once
// Several sequences whose keys and values share one pool of pages, as a backend has them; and
// attention of their last tokens, by the kernels and by the reference.

#include <cstring>
#include <numeric>

#include "tests/simt/kernel_test.h"

namespace lanescope::kernels::cuda::test {

struct HeadShape {
    std::int64_t nHeads, nKvHeads, headDim;
    std::int64_t blockTokens = 16;
    std::int64_t window = 0;
    float softcap = 0.0F;
    std::int64_t sinks = 0;
    std::int64_t maskGroup = 0;  ///< above 0: a random mask of groups of so many keys
};

/// How keys and values are stored.
struct CacheFormat {
    KvFormat keys, values;
};

/// A sequence of `context` tokens of which the last nTokens are attended.
struct SequenceShape {
    std::int32_t context, nTokens;
};

class AttentionBatch {
  public:
    AttentionBatch(const HeadShape& shape, CacheFormat format, std::vector<SequenceShape> sequences,
                   std::uint32_t seed = 1)
        : m_shape(shape), m_sequences(std::move(sequences)), m_random(seed) {
        std::int64_t nBlocks = 0;
        for (const auto& s : m_sequences) {
            m_stride = std::max(m_stride, blocksOf(s));
            nBlocks += blocksOf(s);
        }
        std::vector<std::int32_t> pages(static_cast<std::size_t>(nBlocks));
        std::iota(pages.begin(), pages.end(), 0);
        std::shuffle(pages.begin(), pages.end(), m_random);
        // 0xFF bytes are NaN in all floats, and as scales: what was not written must not be read.
        m_kv = {nullptr, nullptr,           format.keys,    format.values,
                nullptr, shape.blockTokens, shape.nKvHeads, shape.headDim};
        const auto bytes = [&](const KvSlice& slice) {
            return static_cast<std::size_t>(nBlocks * shape.nKvHeads * slice.bytes);
        };
        m_k.assign(bytes(m_kv.keySlice()), 0xFF);
        m_v.assign(bytes(m_kv.valueSlice()), 0xFF);
        m_kv.k = m_k.data();
        m_kv.v = m_v.data();
        if (hasTails()) {
            m_tail.assign(static_cast<std::size_t>(nBlocks * tailSize()), 0xFFFF);
            m_kv.tail = m_tail.data();
            m_tails.assign(m_sequences.size() * static_cast<std::size_t>(m_stride), -1);
        }
        m_tables.assign(m_sequences.size() * static_cast<std::size_t>(m_stride), -1);
        std::size_t page = 0;
        for (std::size_t i = 0; i < m_sequences.size(); ++i) {
            for (std::int64_t b = 0; b < blocksOf(m_sequences[i]); ++b)
                m_tables[at(i, b)] = pages[page++];
            for (std::int64_t b = 0; hasTails() && b < blocksOf(m_sequences[i]); ++b)
                m_tails[at(i, b)] = static_cast<std::int32_t>(nBlocks) - 1 - m_tables[at(i, b)];
            write(i);
            dropTails(i);
            const SequenceShape& s = m_sequences[i];
            for (std::int32_t t = s.context - s.nTokens; t < s.context; ++t) {
                m_ofToken.push_back(static_cast<std::int32_t>(i));
                m_positions.push_back(t);
            }
        }
        m_q = normals(nTokens() * qStride());
        if (shape.sinks > 0) m_qSinks = normals(nTokens() * qStride());
        if (shape.maskGroup > 0) dealMask();
    }
    AttentionBatch(const AttentionBatch&) = delete;
    AttentionBatch& operator=(const AttentionBatch&) = delete;

    [[nodiscard]] std::int64_t nTokens() const {
        return static_cast<std::int64_t>(m_positions.size());
    }
    [[nodiscard]] std::int64_t width() const { return m_shape.nHeads * m_shape.headDim; }
    [[nodiscard]] std::int64_t qStride() const { return width() + 3; }
    [[nodiscard]] std::vector<std::int32_t>& positions() { return m_positions; }
    [[nodiscard]] std::vector<float>& q() { return m_q; }

    /// Tiles of at most `most` tokens that cover tokens [begin, end).
    [[nodiscard]] std::vector<AttentionTile> tiles(std::int32_t most, std::int32_t begin,
                                                   std::int32_t end) const {
        std::vector<AttentionTile> out;
        for (std::int32_t t = begin; t < end;) {
            std::int32_t n = 1;
            while (n < most && t + n < end && ofToken(t + n) == ofToken(t) && together(t, t + n))
                ++n;
            out.push_back({t, n});
            t += n;
        }
        return out;
    }
    [[nodiscard]] std::vector<AttentionTile> tiles(
        std::int32_t most = static_cast<std::int32_t>(kAttentionTile)) const {
        return tiles(most, 0, static_cast<std::int32_t>(nTokens()));
    }

    /// Rows [nTokens, nHeads * headDim]; those in no tile stay at kUntouched.
    std::vector<float> run(const std::vector<AttentionTile>& tiles, std::int64_t nSplits = 1) {
        std::vector<float> out(static_cast<std::size_t>(nTokens() * width()), kUntouched);
        std::vector<float> partial;
        PagedAttentionArgs args;
        args.q = m_q.data();
        args.qStride = qStride();
        args.out = out.data();
        args.positions = m_positions.data();
        args.nTokens = nTokens();
        args.nHeads = m_shape.nHeads;
        args.scale = scale();
        args.window = m_shape.window;
        args.softcap = m_shape.softcap;
        args.sinks = m_shape.sinks;
        args.qSinks = m_shape.sinks > 0 ? m_qSinks.data() : nullptr;
        args.mask = mask(0);
        args.kv = m_kv;
        args.tables = {m_ofToken.data(), m_tables.data(), m_stride,
                       hasTails() ? m_tails.data() : nullptr};
        args.tiles = tiles.data();
        args.nTiles = static_cast<std::int64_t>(tiles.size());
        args.nSplits = nSplits;
        if (nSplits > 1) {
            partial.assign(static_cast<std::size_t>(nTokens() * m_shape.nHeads * nSplits *
                                                    (m_shape.headDim + 2)),
                           std::numeric_limits<float>::quiet_NaN());
            args.partial = partial.data();
        }
        EXPECT_EQ(attention(args, nullptr), kSuccess);
        return out;
    }

    std::vector<float> expected() {
        std::vector<float> out(static_cast<std::size_t>(nTokens() * width()), kUntouched);
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < m_sequences.size(); ++i) {
            AttentionArgs args;
            args.q = m_q.data() + begin * qStride();
            args.qStride = qStride();
            args.out = out.data() + begin * width();
            args.positions = m_positions.data() + begin;
            args.nTokens = m_sequences[i].nTokens;
            args.nHeads = m_shape.nHeads;
            args.scale = scale();
            args.window = m_shape.window;
            args.softcap = m_shape.softcap;
            args.sinks = m_shape.sinks;
            args.qSinks = m_shape.sinks > 0 ? m_qSinks.data() + begin * qStride() : nullptr;
            args.mask = mask(begin);
            args.kv = view(i);
            args.itemEnd = attentionItems(args);
            opTable(Isa::Reference).attention(args);
            begin += args.nTokens;
        }
        return out;
    }

    static constexpr float kUntouched = 1e9F;

  private:
    [[nodiscard]] std::int64_t blocksOf(const SequenceShape& s) const {
        return (s.context + m_shape.blockTokens - 1) / m_shape.blockTokens;
    }
    [[nodiscard]] bool hasTails() const { return codesWholeBlocks(m_kv.kFormat, KvPart::Keys); }
    /// Numbers of a tail.
    [[nodiscard]] std::int64_t tailSize() const {
        return m_shape.nKvHeads * m_shape.blockTokens * m_shape.headDim;
    }
    [[nodiscard]] std::size_t at(std::size_t sequence, std::int64_t block) const {
        return sequence * static_cast<std::size_t>(m_stride) + static_cast<std::size_t>(block);
    }
    /// Whether two tokens of a sequence may be in one tile.
    [[nodiscard]] bool together(std::int32_t a, std::int32_t b) const {
        const auto block = [this](std::int32_t t) {
            return m_positions[static_cast<std::size_t>(t)] / m_shape.blockTokens;
        };
        return !hasTails() || block(a) == block(b);
    }
    [[nodiscard]] std::int32_t ofToken(std::int32_t t) const {
        return m_ofToken[static_cast<std::size_t>(t)];
    }
    [[nodiscard]] KeyMask mask(std::int64_t firstToken) const {
        if (m_maskWords.empty()) return {};
        const std::int64_t stride = m_shape.nKvHeads * m_wordsPerHead;
        return {m_maskWords.data() + firstToken * stride, m_shape.maskGroup, stride,
                m_wordsPerHead};
    }
    /// One group in four is seen, long stretches not at all, a token's own always.
    void dealMask() {
        const std::int64_t longest = *std::max_element(m_positions.begin(), m_positions.end());
        m_wordsPerHead = longest / m_shape.maskGroup / 64 + 1;
        for (const std::int32_t position : m_positions)
            for (std::int64_t h = 0; h < m_shape.nKvHeads; ++h) {
                const std::size_t first = m_maskWords.size();
                m_maskWords.resize(first + static_cast<std::size_t>(m_wordsPerHead));
                const std::int64_t own = position / m_shape.maskGroup;
                for (std::int64_t g = 0; g <= own; ++g) {
                    const bool far = g * m_shape.maskGroup / 200 % 2 == 1;
                    if (g == own || (!far && m_random() % 4 == 0))
                        m_maskWords[first + static_cast<std::size_t>(g / 64)] |= std::uint64_t{1}
                                                                                 << (g % 64);
                }
            }
    }
    [[nodiscard]] float scale() const {
        return 1.0F / std::sqrt(static_cast<float>(m_shape.headDim));
    }
    [[nodiscard]] PagedKv view(std::size_t sequence) {
        PagedKv kv = m_kv;
        kv.blockTable = m_tables.data() + at(sequence, 0);
        if (hasTails()) kv.tailTable = m_tails.data() + at(sequence, 0);
        return kv;
    }
    std::vector<float> normals(std::int64_t n) {
        std::normal_distribution<float> distribution;
        std::vector<float> out(static_cast<std::size_t>(n));
        for (float& x : out) x = distribution(m_random);
        return out;
    }
    void write(std::size_t sequence) {
        const std::int64_t n = m_sequences[sequence].context;
        const std::int64_t stride = m_shape.nKvHeads * m_shape.headDim;
        const auto k = normals(n * stride);
        const auto v = normals(n * stride);
        std::vector<std::int32_t> positions(static_cast<std::size_t>(n));
        std::iota(positions.begin(), positions.end(), 0);
        opTable(Isa::Reference)
            .kvWrite({k.data(), v.data(), stride, stride, positions.data(), view(sequence), 0, n});
        opTable(Isa::Reference)
            .kvSeal({view(sequence), 0, n / m_shape.blockTokens, 0, m_shape.nKvHeads});
    }
    /// Of blocks that no query is in.
    void dropTails(std::size_t sequence) {
        const SequenceShape& s = m_sequences[sequence];
        const std::int64_t end = (s.context - s.nTokens) / m_shape.blockTokens;
        for (std::int64_t b = 0; hasTails() && b < end; ++b) {
            std::int32_t& tail = m_tails[at(sequence, b)];
            std::fill_n(m_tail.begin() + tail * tailSize(), tailSize(), 0xFFFF);
            tail = -1;
        }
    }

    HeadShape m_shape;
    std::vector<SequenceShape> m_sequences;
    std::mt19937 m_random;
    std::int64_t m_stride = 0;
    std::vector<std::int32_t> m_tables, m_tails, m_ofToken, m_positions;
    std::vector<std::uint8_t> m_k, m_v;
    std::vector<std::uint16_t> m_tail;
    std::vector<float> m_q, m_qSinks;
    std::vector<std::uint64_t> m_maskWords;  ///< [nTokens, nKvHeads, m_wordsPerHead]
    std::int64_t m_wordsPerHead = 0;
    PagedKv m_kv;
};

}  // namespace lanescope::kernels::cuda::test

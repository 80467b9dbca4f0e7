#include "engine/backend/cuda/check_select.h"

#include <algorithm>

namespace lanescope {

namespace {

/// Bits as numbers that compare() takes, a byte each.
std::vector<float> bytesOf(const std::vector<std::uint64_t>& words) {
    std::vector<float> out;
    for (const std::uint64_t word : words)
        for (int i = 0; i < 64; i += 8) out.push_back(static_cast<float>(word >> i & 0xFFU));
    return out;
}

void expectBits(OpCheck& check, const std::uint64_t* device,
                const std::vector<std::uint64_t>& wanted) {
    check.compare(bytesOf(check.get(device, wanted.size())), bytesOf(wanted));
}

void checkFixedPattern(OpCheck& check) {
    check.begin("keyBlocks", op_tolerance::kRounding);
    const std::vector<std::int32_t> positions{0, 7, 8, 99, 5000, 70};
    struct Pattern {
        std::int64_t block, local, stride;
    };
    for (const auto& [block, local, stride] :
         {Pattern{8, 1, 1}, Pattern{8, 2, 3}, Pattern{64, 1, 4}, Pattern{11, 100, 7}}) {
        const std::int64_t nWords = 5000 / block / 64 + 1;
        std::vector<std::uint64_t> wanted(positions.size() * static_cast<std::size_t>(nWords), 0);
        for (std::size_t t = 0; t < positions.size(); ++t) {
            const std::int64_t own = positions[t] / block;
            for (std::int64_t g = 0; g <= own; ++g)
                if (own - g < local || g % stride == 0)
                    wanted[t * static_cast<std::size_t>(nWords) +
                           static_cast<std::size_t>(g / 64)] |= std::uint64_t{1} << (g % 64);
        }
        auto* words = check.room<std::uint64_t>(wanted.size());
        const kernels::cuda::KeyBlocksArgs args{
            check.put(positions), std::ssize(positions), block, local, stride, words, nWords};
        if (check.run("blocks of " + std::to_string(block),
                      [&] { return check.ops().keyBlocks(args, check.stream()); }))
            expectBits(check, words, wanted);
    }
}

struct SelectShape {
    std::int64_t nHeads, nKvHeads, headDim;
};

/// Tokens of two sequences whose blocks lie mixed.
class SelectProblem {
  public:
    explicit SelectProblem(const SelectShape& shape);
    void run(OpCheck& check, std::int64_t keep);

  private:
    static constexpr std::int64_t kBlocks = 150;  ///< of a sequence
    static constexpr std::int64_t kWords = kBlocks / 64 + 1;
    [[nodiscard]] std::int64_t nTokens() const { return std::ssize(m_positions); }
    [[nodiscard]] std::vector<std::uint64_t> expected(std::int64_t keep);

    SelectShape m_shape;
    std::vector<std::int32_t> m_positions{0, 7, 8, 40, 1199, 640, 9, 511, 512, 100};
    std::vector<std::int32_t> m_ofToken, m_tables;
    std::vector<std::int32_t> m_firstPosition{0, 34};
    std::vector<std::uint16_t> m_bounds;
    std::vector<float> m_q;
    kernels::PagedKv m_kv;
};

SelectProblem::SelectProblem(const SelectShape& shape) : m_shape(shape) {
    for (std::int32_t p = 300; p < 312; ++p) m_positions.push_back(p);  // past kSelectTokens
    for (std::int64_t t = 0; t < nTokens(); ++t)
        m_ofToken.push_back(static_cast<std::int32_t>(t < 10 ? t % 2 : 1));
    for (std::int64_t b = 0; b < 2 * kBlocks; ++b)
        m_tables.push_back(static_cast<std::int32_t>((b * 7 + 3) % (2 * kBlocks)));
    const std::int64_t nBounds = 2 * kBlocks * shape.nKvHeads * 2 * shape.headDim;
    std::vector<float> bounds = checkNumbers(nBounds, 21);
    for (std::int64_t i = 0; i < nBounds; ++i)  // least, then largest
        bounds[static_cast<std::size_t>(i)] += i / shape.headDim % 2 == 1 ? 1.0F : -1.0F;
    m_bounds.resize(bounds.size());
    OpCheck::reference().fromF32(kernels::DType::BF16, bounds.data(), m_bounds.data(), nBounds);
    m_q = checkNumbers(nTokens() * shape.nHeads * shape.headDim, 22);
    m_kv.blockTokens = 8;
    m_kv.nKvHeads = shape.nKvHeads;
    m_kv.headDim = shape.headDim;
    m_kv.kFormat = m_kv.vFormat = kernels::KvFormat::F16;
}

std::vector<std::uint64_t> SelectProblem::expected(std::int64_t keep) {
    std::vector<std::uint64_t> words(
        static_cast<std::size_t>(nTokens() * m_shape.nKvHeads * kWords));
    std::vector<float> scores(kBlocks);
    std::vector<std::int32_t> order(kBlocks);
    for (std::int64_t t = 0; t < nTokens(); ++t) {
        const std::int32_t sequence = m_ofToken[static_cast<std::size_t>(t)];
        kernels::KvSelectArgs args;
        args.q = m_q.data();
        args.qStride = m_shape.nHeads * m_shape.headDim;
        args.nHeads = m_shape.nHeads;
        args.positions = m_positions.data();
        args.kv = m_kv;
        args.kv.bounds = m_bounds.data();
        args.kv.blockTable = m_tables.data() + sequence * kBlocks;
        args.keep = keep;
        args.firstPosition = m_firstPosition[static_cast<std::size_t>(sequence)];
        args.words = words.data();
        args.wordsPerHead = kWords;
        args.scores = scores.data();
        args.order = order.data();
        args.tokenBegin = t;
        args.tokenEnd = t + 1;
        OpCheck::reference().kvSelect(args);
    }
    return words;
}

void SelectProblem::run(OpCheck& check, std::int64_t keep) {
    const std::vector<std::uint64_t> wanted = expected(keep);
    kernels::cuda::PagedSelectArgs args;
    args.q = check.put(m_q);
    args.qStride = m_shape.nHeads * m_shape.headDim;
    args.nHeads = m_shape.nHeads;
    args.positions = check.put(m_positions);
    args.nTokens = nTokens();
    args.kv = m_kv;
    args.kv.bounds = check.put(m_bounds);
    args.tables = {check.put(m_ofToken), check.put(m_tables), kBlocks, nullptr};
    args.keep = keep;
    args.firstPosition = check.put(m_firstPosition);
    args.words = check.room<std::uint64_t>(wanted.size());
    args.wordsPerHead = kWords;
    args.scores = check.room<float>(
        static_cast<std::size_t>(kernels::cuda::kSelectTokens * m_shape.nKvHeads * kBlocks));
    args.scoreStride = kBlocks;
    const std::string what =
        std::to_string(m_shape.nHeads) + "/" + std::to_string(m_shape.nKvHeads) + " heads of " +
        std::to_string(m_shape.headDim) + ", " + std::to_string(keep) + " kept";
    if (check.run(what, [&] { return check.ops().kvSelect(args, check.stream()); }))
        expectBits(check, args.words, wanted);
}

}  // namespace

void checkHadamard(OpCheck& check) {
    check.begin("hadamard", op_tolerance::kRounding);
    constexpr std::int64_t kTokens = 5;
    struct Heads {
        std::int64_t n, dim;
    };
    for (const auto& [nHeads, headDim] :
         {Heads{9, 64}, Heads{5, 80}, Heads{3, 96}, Heads{4, 128}, Heads{2, 256}}) {
        std::vector<float> wanted = checkNumbers(kTokens * nHeads * headDim, 5);
        float* x = check.put(wanted);
        const std::string what = std::to_string(nHeads) + " heads of " + std::to_string(headDim);
        const bool ran = check.run(what, [&, n = nHeads, dim = headDim] {
            return check.ops().hadamard({x, n, dim, 0, kTokens}, check.stream());
        });
        if (!ran) return;
        OpCheck::reference().hadamard({wanted.data(), nHeads, headDim, 0, kTokens});
        check.expect(x, wanted);
    }
}

void checkKeyBits(OpCheck& check) {
    checkFixedPattern(check);
    check.begin("kvSelect", op_tolerance::kRounding);
    for (const SelectShape& shape : {SelectShape{9, 3, 64}, {4, 4, 80}, {8, 1, 128}}) {
        SelectProblem problem(shape);
        for (const std::int64_t keep : {1, 5, 40}) problem.run(check, keep);
    }
}

}  // namespace lanescope

#pragma once
// From logits to a token, in the order of engine/decode/sampler.cpp, one block a row
// (vocab_row.cuh). Nothing is sorted: top-k, top-p and the draw itself each look for the candidate
// at which a running count or mass, best first, reaches a number, by radix over (weight, id). A
// sweep of the row costs a read from L2 after the first; a greedy row takes two, a filtered one
// about ten to twenty. Shared memory 12 KiB. Bound by latency: a row has one SM, rows run beside
// each other.

#include "kernels/cuda/ops.h"
#include "kernels/cuda/vocab_row.cuh"

namespace lanescope::kernels::cuda {

inline constexpr float kSmallestExponent = -87.0F;  // below it a weight is 0, as on the CPU

struct LogitScan {
    RankKey best;
    int nFinite;
    int nPlusInf;
};

SIMT_DEVICE LogitScan scanLogits(const float* logits, std::int64_t vocab) {
    LogitScan own{0, 0, 0};
    for (std::int64_t id = threadX(); id < vocab; id += kVocabThreads) {
        const float x = logits[id];
        const RankKey key = logitKey(x, id);
        if (key > own.best) own.best = key;
        if (key != 0)
            ++own.nFinite;
        else if (x > 0.0F)
            ++own.nPlusInf;
    }
    return {blockBest(own.best), blockTotal(own.nFinite), blockTotal(own.nPlusInf)};
}

/// e^x for x <= 0; 0 far below, and for NaN.
SIMT_DEVICE float expNegative(float x) {
    return x >= kSmallestExponent ? expf(x) : 0.0F;
}

/// Σ e^(x - maximum) and Σ e^(x - maximum) · (x - maximum) over finite x.
struct ExpSums {
    double sum, weighted;
};
SIMT_DEVICE ExpSums expSums(const float* logits, std::int64_t vocab, float maximum) {
    CompensatedSum sum;
    CompensatedSum weighted;
    for (std::int64_t id = threadX(); id < vocab; id += kVocabThreads) {
        const float shifted = logits[id] - maximum;
        if (!isFiniteNumber(logits[id]) || shifted < kSmallestExponent) continue;
        const float e = expf(shifted);
        sum.add(e);
        weighted.add(e * shifted);
    }
    return {blockTotal(sum.value()), blockTotal(weighted.value())};
}

/// Each distinct id of the history once (CTRL, arXiv 1909.05858 section 4.1).
SIMT_DEVICE void penaliseRepeats(const SampleArgs& args, const SampleSettings& settings,
                                 float* scores) {
    const std::int32_t* history = args.history + settings.historyBegin;
    for (int i = threadX(); i < settings.nHistory; i += kVocabThreads) {
        const std::int32_t id = history[i];
        bool first = id >= 0 && id < args.vocab;
        for (int j = 0; first && j < i; ++j) first = history[j] != id;
        if (!first) continue;
        const float score = scores[id];
        scores[id] = score > 0.0F ? score / settings.repeatPenalty : score * settings.repeatPenalty;
    }
}

/// What is left of a row once logits have become weights in (0, 1], the best one 1.
struct Candidates {
    SearchSpace& space;
    const float* weights;  ///< [vocab]; 0: no candidate
    std::int64_t vocab;

    static constexpr int kKeyBits = 30 + kIdBits;  // 1 has 30 bits
    [[nodiscard]] SIMT_DEVICE RankKey keyAt(std::int64_t id) const {
        return weights[id] > 0.0F ? rankKey(bitsOf(weights[id]), id) : 0;
    }
    [[nodiscard]] SIMT_DEVICE RankKey atCount(Mass need) const {
        return searchRank(
            space, vocab, kKeyBits, need, [this](std::int64_t id) { return keyAt(id); },
            [](std::int64_t) { return Mass{1}; });
    }
    [[nodiscard]] SIMT_DEVICE RankKey atMass(Mass need) const {
        return searchRank(
            space, vocab, kKeyBits, need, [this](std::int64_t id) { return keyAt(id); },
            [this](std::int64_t id) { return massOf(weights[id]); });
    }
    /// The same by id, lowest first.
    [[nodiscard]] SIMT_DEVICE RankKey atMassById(Mass need) const {
        return searchRank(
            space, vocab, kIdBits, need,
            [this](std::int64_t id) { return weights[id] > 0.0F ? rankKey(0, id) : 0; },
            [this](std::int64_t id) { return massOf(weights[id]); });
    }
    /// Mass of the candidates not worse than `limit` and not lighter than `lightest`.
    [[nodiscard]] SIMT_DEVICE Mass massFrom(RankKey limit, float lightest) const {
        Mass own = 0;
        for (std::int64_t id = threadX(); id < vocab; id += kVocabThreads)
            if (weights[id] >= lightest && keyAt(id) >= limit) own += massOf(weights[id]);
        return blockTotal(own);
    }
};

/// `share` of a mass, between 1 and all of it; over: the first whole number above it.
SIMT_DEVICE Mass shareOf(double share, Mass total, bool over) {
    const double wanted = share * static_cast<double>(total);
    const Mass mass = static_cast<Mass>(over ? floor(wanted) + 1.0 : ceil(wanted));
    return mass < 1 ? 1 : mass > total ? total : mass;
}

SIMT_DEVICE std::int32_t draw(const SampleSettings& settings, const Candidates& candidates) {
    Mass kept = candidates.massFrom(0, 0.0F);
    if (settings.topK == 0 && settings.topP >= 1.0F && settings.minP == 0.0F)
        return idOf(candidates.atMassById(shareOf(settings.uniform, kept, true)));
    RankKey limit = 0;
    if (settings.topK > 0) {
        int own = 0;
        for (std::int64_t id = threadX(); id < candidates.vocab; id += kVocabThreads)
            if (candidates.weights[id] > 0.0F) ++own;
        if (blockTotal(own) > settings.topK)
            limit = candidates.atCount(static_cast<Mass>(settings.topK));
        kept = candidates.massFrom(limit, 0.0F);
    }
    if (settings.topP < 1.0F)
        limit = candidates.atMass(shareOf(static_cast<double>(settings.topP), kept, false));
    if (settings.topP < 1.0F || settings.minP > 0.0F)
        kept = candidates.massFrom(limit, settings.minP);
    return idOf(candidates.atMass(shareOf(settings.uniform, kept, true)));
}

SIMT_DEVICE std::int32_t chooseToken(const SampleArgs& args, const SampleSettings& settings,
                                     const float* raw, RankKey best) {
    SIMT_SHARED(SearchSpace, space, [1]);
    const float* scores = raw;
    float* scratch = args.scratch + blockX() * args.vocab;
    if (settings.repeatPenalty != 1.0F && settings.nHistory > 0) {
        for (std::int64_t id = threadX(); id < args.vocab; id += kVocabThreads)
            scratch[id] = raw[id];
        syncThreads();
        penaliseRepeats(args, settings, scratch);
        syncThreads();
        scores = scratch;
        best = scanLogits(scores, args.vocab).best;
    }
    if (settings.temperature == 0.0F || settings.topK == 1 || settings.topP == 0.0F)
        return idOf(best);
    const float scale = fminf(1.0F / settings.temperature, 1e30F);
    for (std::int64_t id = threadX(); id < args.vocab; id += kVocabThreads) {
        const float x = scores[id];
        scratch[id] = isFiniteNumber(x) ? expNegative((x - logitOf(best)) * scale) : 0.0F;
    }
    syncThreads();
    return draw(settings, {space[0], scratch, args.vocab});
}

SIMT_KERNEL(kVocabThreads, 2) void sampleKernel(SampleArgs args) {
    const float* raw = args.logits + blockX() * args.stride;
    const SampleSettings settings = args.settings[blockX()];
    SampledRow& out = args.out[blockX()];
    const LogitScan scan = scanLogits(raw, args.vocab);
    SampledRow row;
    row.nonFinite = static_cast<std::int32_t>(args.vocab) - scan.nFinite;
    row.nPlusInf = scan.nPlusInf;
    if (scan.nFinite == 0) {
        if (threadX() == 0) out = row;
        return;
    }
    row.maximum = logitOf(scan.best);
    const ExpSums sums = expSums(raw, args.vocab, row.maximum);
    row.token = chooseToken(args, settings, raw, scan.best);
    if (threadX() != 0) return;
    const double logSum = log(sums.sum);
    row.expSum = sums.sum;
    row.entropy = static_cast<float>(fmax(0.0, logSum - sums.weighted / sums.sum));
    row.logProbability = static_cast<float>(static_cast<double>(raw[row.token]) -
                                            static_cast<double>(row.maximum) - logSum);
    out = row;
}

/// Finds the n-th best, gathers what is not worse, and puts each where as many are better.
SIMT_KERNEL(kVocabThreads) void topCandidatesKernel(TopCandidatesArgs args) {
    SIMT_SHARED(SearchSpace, space, [1]);
    SIMT_SHARED(RankKey, gathered, [kMaxTopCandidates]);
    SIMT_SHARED(unsigned, nGathered, [1]);
    const float* logits = args.logits + blockX() * args.stride;
    const SampledRow& sampled = args.sampled[blockX()];
    std::int32_t* ids = args.ids + blockX() * args.n;
    float* probabilities = args.probabilities + blockX() * args.n;
    const auto nFinite = static_cast<int>(args.vocab) - sampled.nonFinite;
    const int n = nFinite < static_cast<int>(args.n) ? nFinite : static_cast<int>(args.n);
    const auto keyAt = [logits](std::int64_t id) { return logitKey(logits[id], id); };
    RankKey last = 1;
    if (n > 0)
        last = searchRank(space[0], args.vocab, 32 + kIdBits, static_cast<Mass>(n), keyAt,
                          [](std::int64_t) { return Mass{1}; });
    if (threadX() == 0) nGathered[0] = 0;
    syncThreads();
    const std::int64_t end = n > 0 ? args.vocab : 0;
    for (std::int64_t id = threadX(); id < end; id += kVocabThreads) {
        const RankKey key = keyAt(id);
        if (key >= last) gathered[atomicAdding(&nGathered[0], 1U)] = key;
    }
    syncThreads();
    const int i = threadX();
    if (i < n) {
        const RankKey mine = gathered[i];
        int rank = 0;
#pragma unroll 1
        for (int j = 0; j < n; ++j) rank += gathered[j] > mine ? 1 : 0;
        const double shifted = static_cast<double>(logitOf(mine)) - sampled.maximum;
        ids[rank] = idOf(mine);
        probabilities[rank] = static_cast<float>(exp(shifted) / sampled.expSum);
    } else if (i < static_cast<int>(args.n)) {
        ids[i] = -1;
        probabilities[i] = 0.0F;
    }
}

}  // namespace lanescope::kernels::cuda

#include "engine/decode/sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/base/format.h"
#include "engine/decode/exp_sum.h"

namespace lanescope {

namespace {

Error rangeError(const char* knob, double value, const char* range) {
    return usageError(std::string(knob) + " is " + formatNumber(value, 4) + ", it must be " +
                      range);
}

/// Better score first, then the lower id: a total order, so results never depend on the algorithm.
struct ByScore {
    const float* scores;
    bool operator()(std::int32_t a, std::int32_t b) const {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    }
};

/// Orders at least the best `count` ids of [sorted, end) in place after those already sorted.
void sortMore(std::vector<std::int32_t>& order, std::size_t sorted, std::size_t count,
              const float* scores) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(sorted);
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(count);
    if (middle < order.end()) std::nth_element(begin, middle, order.end(), ByScore{scores});
    std::sort(begin, middle, ByScore{scores});
}

}  // namespace

Result<void> validate(const SamplingSettings& settings) {
    if (!std::isfinite(settings.temperature) || settings.temperature < 0.0F)
        return rangeError("temperature", settings.temperature, "0 (greedy) or more");
    if (settings.topK < 0) return rangeError("top-k", settings.topK, "0 (off) or more");
    if (!(settings.topP >= 0.0F && settings.topP <= 1.0F))
        return rangeError("top-p", settings.topP, "between 0 (one token) and 1 (off)");
    if (!(settings.minP >= 0.0F && settings.minP <= 1.0F))
        return rangeError("min-p", settings.minP, "between 0 (off) and 1");
    if (!std::isfinite(settings.repeatPenalty) || settings.repeatPenalty <= 0.0F)
        return rangeError("repeat penalty", settings.repeatPenalty, "more than 0 (1 = off)");
    if (settings.repeatWindow < 0)
        return rangeError("repeat window", settings.repeatWindow, "0 (off) or more");
    return {};
}

Result<void> checkLogits(std::int32_t nFinite, std::int32_t nPlusInf, std::int32_t vocab) {
    if (nPlusInf > 0)
        return badInput(std::to_string(nPlusInf) + " of " + std::to_string(vocab) +
                            " logits are +Inf, so no probabilities exist",
                        "sampling",
                        "the weights are damaged or overflow: try another file or --exact");
    if (nFinite == 0)
        return badInput("none of " + std::to_string(vocab) + " logits is a finite number",
                        "sampling", "the weights are damaged: try another file");
    return {};
}

Sampler::Sampler(SamplingSettings settings, std::int32_t usableVocab)
    : m_settings(settings), m_usableVocab(usableVocab), m_random(settings.seed) {
    if (settings.repeatPenalty != 1.0F || settings.temperature > 0.0F)
        m_scores.resize(static_cast<std::size_t>(usableVocab));
    if (settings.temperature > 0.0F) m_order.reserve(static_cast<std::size_t>(usableVocab));
}

Result<SampledToken> Sampler::sample(std::span<const float> logits,
                                     std::span<const TokenId> history) {
    const auto n = static_cast<std::size_t>(m_usableVocab);
    if (logits.size() < n)
        return internalError("sampler was given fewer logits than the vocabulary");
    const std::span<const float> raw = logits.first(n);
    const LogitScan scan = scanLogits(raw);
    if (auto usable = checkLogits(scan.nFinite, scan.nPlusInf, m_usableVocab); !usable)
        return usable.error();

    const ExpSums sums = expSums(raw, scan.maximum);
    const double logSum = std::log(sums.sum);
    SampledToken result;
    result.nonFinite = m_usableVocab - scan.nFinite;
    result.expSum = sums.sum;
    result.entropy = static_cast<float>(std::max(0.0, logSum - sums.weighted / sums.sum));
    result.token = choose(raw, scan.argmax, scan.maximum, history);
    result.logProbability =
        static_cast<float>(static_cast<double>(raw[static_cast<std::size_t>(result.token)]) -
                           static_cast<double>(scan.maximum) - logSum);
    return result;
}

TokenId Sampler::choose(std::span<const float> raw, TokenId argmax, float maximum,
                        std::span<const TokenId> history) {
    std::span<const float> scores = raw;
    if (m_settings.repeatPenalty != 1.0F && m_settings.repeatWindow > 0 && !history.empty()) {
        std::copy(raw.begin(), raw.end(), m_scores.begin());
        penaliseRepeats(history);
        scores = m_scores;
        const LogitScan scan = scanLogits(scores);
        argmax = scan.argmax;
        maximum = scan.maximum;
    }
    if (isGreedy(m_settings)) return argmax;

    // From here m_scores holds unnormalised probabilities at the temperature asked for; exp is
    // monotonic, so ordering them is ordering the logits. The scale is kept finite: 1e-30 is
    // greedy.
    const float scale = std::min(1.0F / m_settings.temperature, 1e30F);
    const double total = expAll(scores, maximum, scale, m_scores.data());
    const double u = m_random.uniform();
    if (m_settings.topK == 0 && m_settings.topP >= 1.0F && m_settings.minP == 0.0F)
        return drawUnordered(u * total, argmax);
    return drawFiltered(u, total, argmax);
}

void Sampler::penaliseRepeats(std::span<const TokenId> history) {
    const std::size_t window =
        std::min(history.size(), static_cast<std::size_t>(m_settings.repeatWindow));
    const auto recent = history.last(window);
    for (std::size_t i = 0; i < window; ++i) {
        const TokenId id = recent[i];
        if (id < 0 || id >= m_usableVocab) continue;
        // Once for each distinct id (CTRL, arXiv 1909.05858 section 4.1).
        if (std::find(recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(i), id) !=
            recent.begin() + static_cast<std::ptrdiff_t>(i))
            continue;
        float& score = m_scores[static_cast<std::size_t>(id)];
        score = score > 0.0F ? score / m_settings.repeatPenalty : score * m_settings.repeatPenalty;
    }
}

TokenId Sampler::drawUnordered(double target, TokenId fallback) const {
    double sum = 0.0;
    for (std::int32_t id = 0; id < m_usableVocab; ++id) {
        const auto p = static_cast<double>(m_scores[static_cast<std::size_t>(id)]);
        sum += p;
        if (p > 0.0 && sum > target) return id;
    }
    return fallback;
}

TokenId Sampler::drawFiltered(double u, double total, TokenId fallback) {
    m_order.clear();
    for (std::int32_t id = 0; id < m_usableVocab; ++id)
        if (m_scores[static_cast<std::size_t>(id)] > 0.0F) m_order.push_back(id);

    std::size_t limit = m_order.size();
    std::size_t sorted = 0;
    const auto sortTo = [&](std::size_t count) {
        count = std::min(count, m_order.size());
        if (count <= sorted) return;
        sortMore(m_order, sorted, count, m_scores.data());
        sorted = count;
    };
    const auto probability = [&](std::size_t i) {
        return static_cast<double>(m_scores[static_cast<std::size_t>(m_order[i])]);
    };

    if (m_settings.topK > 0) {
        limit = std::min(limit, static_cast<std::size_t>(m_settings.topK));
        sortTo(limit);
        total = 0.0;
        for (std::size_t i = 0; i < limit; ++i) total += probability(i);
    }
    if (m_settings.topP < 1.0F) {
        const double wanted = static_cast<double>(m_settings.topP) * total;
        double sum = 0.0;
        std::size_t kept = 0;
        while (kept < limit && sum < wanted) {
            if (kept == sorted) sortTo(std::max<std::size_t>(64, 4 * sorted));
            sum += probability(kept++);
        }
        limit = std::max<std::size_t>(kept, 1);
    }
    if (m_settings.minP > 0.0F && limit > 0) {
        sortTo(1);
        const double floor = static_cast<double>(m_settings.minP) * probability(0);
        std::size_t kept = 1;
        while (kept < limit) {
            if (kept == sorted) sortTo(std::max<std::size_t>(64, 4 * sorted));
            if (probability(kept) < floor) break;
            ++kept;
        }
        limit = kept;
    }
    double kept = 0.0;
    for (std::size_t i = 0; i < limit; ++i) kept += probability(i);
    double sum = 0.0;
    for (std::size_t i = 0; i < limit; ++i) {
        sum += probability(i);
        if (sum > u * kept) return m_order[i];
    }
    return limit > 0 ? m_order[limit - 1] : fallback;
}

std::vector<trace::TopCandidate> topCandidates(std::span<const float> logits,
                                               std::int32_t usableVocab, int n, double expSum) {
    std::vector<trace::TopCandidate> best;
    const auto raw =
        logits.first(std::min(logits.size(), static_cast<std::size_t>(std::max(usableVocab, 0))));
    const LogitScan scan = scanLogits(raw);
    if (n <= 0 || scan.nFinite == 0) return best;
    const auto wanted = static_cast<std::size_t>(std::min(n, scan.nFinite));
    // A heap whose top is the worst of the best so far; nearly every logit fails its first compare.
    const ByScore better{raw.data()};
    std::vector<std::int32_t> heap;
    heap.reserve(wanted + 1);
    float worst = -HUGE_VALF;  // of equal ones the earlier is better, so only what is above enters
    for (std::size_t i = 0;; ++i) {
        i = firstAbove(raw, i, worst);
        if (i == raw.size()) break;
        if (!std::isfinite(raw[i])) continue;
        heap.push_back(static_cast<std::int32_t>(i));
        std::push_heap(heap.begin(), heap.end(), better);
        if (heap.size() > wanted) {
            std::pop_heap(heap.begin(), heap.end(), better);
            heap.pop_back();
        }
        if (heap.size() == wanted) worst = raw[static_cast<std::size_t>(heap.front())];
    }
    std::sort(heap.begin(), heap.end(), better);
    const double sum = expSum > 0.0 ? expSum : expSums(raw, scan.maximum).sum;
    best.reserve(wanted);
    for (const std::int32_t id : heap) {
        const double shifted = static_cast<double>(raw[static_cast<std::size_t>(id)]) -
                               static_cast<double>(scan.maximum);
        best.push_back({id, static_cast<float>(std::exp(shifted) / sum), {}});
    }
    return best;
}

}  // namespace lanescope

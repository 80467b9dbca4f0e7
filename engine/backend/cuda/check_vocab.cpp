#include "engine/backend/cuda/check_vocab.h"

#include <algorithm>
#include <numeric>

namespace lanescope {

namespace {

using kernels::cuda::SampledRow;

constexpr std::int64_t kRows = 2;
constexpr std::int64_t kSizes[] = {1, 500, 32003};

/// Rows of logits on the host and what they come to, in double.
struct LogitRows {
    explicit LogitRows(std::int64_t size) : vocab(size), stride(size + 5) {
        logits = checkNumbers(kRows * stride, 3);
        for (float& x : logits) x *= 8.0F;
        for (std::int64_t row = 0; row < kRows; ++row) addRow(row);
    }

    [[nodiscard]] std::size_t candidates() const {
        return static_cast<std::size_t>(std::min<std::int64_t>(vocab, 10));
    }

    std::int64_t vocab, stride;
    std::vector<float> logits;
    std::vector<float> tokens, figures, ids, probabilities;

  private:
    void addRow(std::int64_t row) {
        const float* x = logits.data() + row * stride;
        std::vector<std::int32_t> order(static_cast<std::size_t>(vocab));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [x](std::int32_t a, std::int32_t b) { return x[a] > x[b]; });
        const double best = x[order[0]];
        double sum = 1.0;  // of the best itself
        double weighted = 0.0;
        for (auto id = order.begin() + 1; id != order.end(); ++id) {
            const double shifted = x[*id] - best;
            sum += std::exp(shifted);
            weighted += std::exp(shifted) * shifted;
        }
        tokens.push_back(static_cast<float>(order[0]));
        figures.push_back(static_cast<float>(-std::log(sum)));
        figures.push_back(static_cast<float>(std::log(sum) - weighted / sum));
        for (std::size_t i = 0; i < candidates(); ++i) {
            ids.push_back(static_cast<float>(order[i]));
            probabilities.push_back(static_cast<float>(std::exp(x[order[i]] - best) / sum));
        }
    }
};

std::string sizeName(const LogitRows& rows) {
    return "vocabulary of " + std::to_string(rows.vocab);
}

kernels::cuda::SampleArgs onDevice(OpCheck& check, const LogitRows& rows) {
    kernels::cuda::SampleArgs args;
    args.logits = check.put(rows.logits);
    args.stride = rows.stride;
    args.vocab = rows.vocab;
    args.nRows = kRows;
    args.settings = check.put(std::vector<kernels::cuda::SampleSettings>(kRows));
    args.scratch = check.room<float>(static_cast<std::size_t>(kRows * rows.vocab));
    args.out = check.put(std::vector<SampledRow>(kRows));
    return args;
}

void greedy(OpCheck& check, const char* name, double tolerance, bool figures) {
    check.begin(name, tolerance);
    for (const std::int64_t size : kSizes) {
        const LogitRows rows(size);
        const auto args = onDevice(check, rows);
        if (!check.run(sizeName(rows), [&] { return check.ops().sample(args, check.stream()); }))
            return;
        std::vector<float> got;
        for (const SampledRow& row : check.get(args.out, kRows)) {
            if (!figures) got.push_back(static_cast<float>(row.token));
            if (figures) got.insert(got.end(), {row.logProbability, row.entropy});
        }
        check.compare(got, figures ? rows.figures : rows.tokens);
    }
}

void best(OpCheck& check, const char* name, double tolerance, bool probabilities) {
    check.begin(name, tolerance);
    for (const std::int64_t size : kSizes) {
        const LogitRows rows(size);
        const auto sample = onDevice(check, rows);
        const std::size_t n = kRows * rows.candidates();
        kernels::cuda::TopCandidatesArgs args;
        args.logits = sample.logits;
        args.stride = rows.stride;
        args.vocab = rows.vocab;
        args.nRows = kRows;
        args.sampled = sample.out;
        args.n = static_cast<std::int64_t>(rows.candidates());
        args.ids = check.put(std::vector<std::int32_t>(n, -1));
        args.probabilities = check.room<float>(n);
        if (!check.run(sizeName(rows), [&] {
                const auto sampled = check.ops().sample(sample, check.stream());
                return sampled != kernels::cuda::kSuccess
                           ? sampled
                           : check.ops().topCandidates(args, check.stream());
            }))
            return;
        if (probabilities) {
            check.compare(check.get(args.probabilities, n), rows.probabilities);
            continue;
        }
        const auto ids = check.get(args.ids, n);
        check.compare({ids.begin(), ids.end()}, rows.ids);
    }
}

}  // namespace

void checkSampling(OpCheck& check) {
    greedy(check, "sample, greedy", op_tolerance::kRounding, false);
    greedy(check, "sample, log-probability and entropy", op_tolerance::kSums, true);
    best(check, "topCandidates", op_tolerance::kRounding, false);
    best(check, "topCandidates, probabilities", op_tolerance::kSums, true);
}

}  // namespace lanescope

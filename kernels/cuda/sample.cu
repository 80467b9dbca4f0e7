// Reductions over rows of logits: sampling, candidates, comparison.

#include "kernels/cuda/sample.cuh"

#include "kernels/cuda/compare.cuh"
#include "kernels/cuda/launch.h"

namespace lanescope::kernels::cuda {
namespace {

constexpr Status kInvalidValue = 1;  // cudaErrorInvalidValue
constexpr std::int64_t kMaxVocab = (std::int64_t{1} << kIdBits) - 2;

}  // namespace

Status sample(const SampleArgs& args, Stream stream) {
    if (args.vocab < 1 || args.vocab > kMaxVocab) return kInvalidValue;
    return launch(stream, {static_cast<unsigned>(args.nRows)}, {kVocabThreads}, 0, sampleKernel,
                  args);
}

Status topCandidates(const TopCandidatesArgs& args, Stream stream) {
    if (args.vocab < 1 || args.vocab > kMaxVocab || args.n > kMaxTopCandidates)
        return kInvalidValue;
    if (args.n < 1) return kSuccess;
    return launch(stream, {static_cast<unsigned>(args.nRows)}, {kVocabThreads}, 0,
                  topCandidatesKernel, args);
}

Status compare(const CompareArgs& args, Stream stream) {
    if (args.vocab < 1 || args.vocab > kMaxVocab) return kInvalidValue;
    return launch(stream, {static_cast<unsigned>(args.nRows)}, {kVocabThreads}, 0, compareKernel,
                  args);
}

}  // namespace lanescope::kernels::cuda

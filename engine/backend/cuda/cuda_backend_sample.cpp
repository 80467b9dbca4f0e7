// Choosing tokens on the device: what a pass's job asks for goes up with its other inputs, what
// comes of it is all that is copied back.

#include <algorithm>

#include "engine/backend/cuda/cuda_backend.h"

namespace lanescope {

void CudaBackend::writeSampling(const SampleJob& job) {
    for (std::size_t i = 0; i < job.rows.size(); ++i) {
        const SampleRow& row = job.rows[i];
        const auto begin =
            static_cast<std::int32_t>(i) * static_cast<std::int32_t>(kMaxSampleHistory);
        std::copy(row.history.begin(), row.history.end(), m_in.history + begin);
        m_in.sampling[i] = {.temperature = row.temperature,
                            .topP = row.topP,
                            .minP = row.minP,
                            .repeatPenalty = row.repeatPenalty,
                            .topK = row.topK,
                            .historyBegin = begin,
                            .nHistory = static_cast<std::int32_t>(row.history.size()),
                            .uniform = row.uniform};
    }
}

void CudaBackend::queueSampling(std::int64_t stride) {
    const SampleJob& job = *m_tokens.sample;
    const std::int64_t nRows = std::ssize(job.rows);
    const auto label = labelled(trace::Op::Sample, -1);
    check(ops().sample({.logits = m_w.logits,
                        .stride = stride,
                        .vocab = job.vocab,
                        .nRows = nRows,
                        .settings = m_w.inputs.sampling,
                        .history = m_w.inputs.history,
                        .scratch = m_w.scores,
                        .out = m_w.outputs.rows},
                       m_device->stream()));
    check(ops().topCandidates({.logits = m_w.logits,
                               .stride = stride,
                               .vocab = job.vocab,
                               .nRows = nRows,
                               .sampled = m_w.outputs.rows,
                               .n = job.nTop,
                               .ids = m_w.outputs.ids,
                               .probabilities = m_w.outputs.probabilities},
                              m_device->stream()));
    m_timeline.mark(trace::Op::Sample, -1,
                    static_cast<std::uint64_t>(nRows * job.vocab) * sizeof(float), 0);
    check(m_device->download(m_out.rows, m_w.outputs.rows, m_memory.outputs.bytes()));
}

void CudaBackend::takeSampled() {
    const SampleJob& job = *m_tokens.sample;
    for (std::size_t i = 0; i < job.rows.size(); ++i) {
        const kernels::cuda::SampledRow& row = m_out.rows[i];
        job.chosen[i] = {.token = row.token,
                         .logProbability = row.logProbability,
                         .entropy = row.entropy,
                         .nonFinite = row.nonFinite,
                         .nPlusInf = row.nPlusInf,
                         .expSum = row.expSum};
    }
    for (std::size_t i = 0; i < job.top.size(); ++i)
        job.top[i] = {m_out.ids[i], m_out.probabilities[i]};
}

}  // namespace lanescope

#pragma once
// What the CUDA backend keeps in device memory and in pinned host memory, laid out by the walk that
// also counts it.

#include "engine/backend/arena.h"
#include "engine/backend/backend.h"
#include "kernels/cuda/ops.h"

namespace lanescope {

/// What a pass tells its kernels: the same layout on the host, where it is written, and on the
/// device, where it is copied to as a whole.
struct PassInputs {
    std::int32_t* ids = nullptr;        ///< [maxTokens]
    std::int32_t* positions = nullptr;  ///< [maxTokens]
    std::int32_t* sequences = nullptr;  ///< [maxTokens] segment of each token
    std::int32_t* wanted = nullptr;     ///< [maxTokens] rows to keep
    /// [maxTokens] where queries stand for sinks; null: there are none, or nothing is rotated.
    std::int32_t* sinkPositions = nullptr;
    /// [maxSequences] Segment::firstPicking; null: no blocks are picked.
    std::int32_t* firstPicking = nullptr;
    kernels::cuda::SampleSettings* sampling = nullptr;  ///< [maxSequences], SampleOn::Device only
    std::int32_t* history = nullptr;                ///< [maxSequences, kMaxSampleHistory], likewise
    std::int32_t* blocks = nullptr;                 ///< [maxSequences, blockStride]
    std::int32_t* tails = nullptr;                  ///< likewise, behind blocks; null: none needed
    std::int64_t blockStride = 0;                   ///< blocks of the longest context
    kernels::cuda::AttentionTile* tiles = nullptr;  ///< [maxTokens]: at most a tile a token
    float* frequencies = nullptr;  ///< [maxSequences, rotaryDim / 2], with dynamic NTK; else null
};

/// What a job of sampling gives, on the device and on the host alike. All null but with
/// SampleOn::Device.
struct PassOutputs {
    kernels::cuda::SampledRow* rows = nullptr;  ///< [maxSequences]
    std::int32_t* ids = nullptr;                ///< [rows, nTop], room for kMaxSampleTop
    float* probabilities = nullptr;             ///< likewise
};

PassOutputs layOutOutputs(const BackendSettings& settings, Arena& arena);
PassInputs layOutInputs(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

struct CudaWorkspace {
    Workspace activations;
    float* spare = nullptr;   ///< [maxTokens, widest activation]: rows on their way
    float* logits = nullptr;  ///< [logitRows, vocab]
    std::int64_t logitRows = 0;
    float* partial = nullptr;      ///< sums of keys that several blocks share; null: never shared
    std::int64_t splits = 1;       ///< of the longest context
    float* sinkQueries = nullptr;  ///< [maxTokens, nHeads * headDim]; null as sinkPositions
    /// Which blocks tokens see, [maxTokens, keyBitHeads, keyBitWords]; null: the lane sees all.
    std::uint64_t* keyBits = nullptr;
    std::int64_t keyBitHeads = 0;  ///< 1: all KV heads see the same blocks
    std::int64_t keyBitWords = 0;
    float* pageScores = nullptr;  ///< of kvSelect(), maxPages a row
    std::int64_t maxPages = 0;
    std::uint16_t* rounded = nullptr;  ///< [maxTokens, widest activation] 16 bits for cuBLASLt
    std::byte* cublas = nullptr;       ///< [kCublasBytes] its work space; null: it is not used
    float* scores = nullptr;           ///< [maxSequences, vocab] of sampling; null: on the host
    PassInputs inputs;
    PassOutputs outputs;
};

/// What NVIDIA recommends for Hopper; older GPUs do with less.
inline constexpr std::int64_t kCublasBytes = std::int64_t{32} << 20;

/// Rows of logits computed at once.
std::int64_t logitRows(const BackendSettings& settings);

CudaWorkspace layOutCuda(const ModelSpec& spec, const BackendSettings& settings, Arena& arena);

}  // namespace lanescope

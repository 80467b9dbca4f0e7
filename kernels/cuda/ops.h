#pragma once
// The ops of the CUDA backend as plain C++: the same Args as on the CPU (kernels/ops) with pointers
// to device memory, queued on a stream. Each returns cudaSuccess or what the launch was refused
// with. An op is defined in the .cu of its name; tests link the same files compiled for the
// emulator (kernels/simt). Adding one: README.md.

#include "kernels/cuda/stream.h"
#include "kernels/ops/attention.h"
#include "kernels/ops/elementwise.h"
#include "kernels/ops/matmul.h"
#include "kernels/ops/quantise_acts.h"

namespace lanescope::kernels::cuda {

enum class NormKind : std::uint8_t { Rms, Layer };

/// A norm with what stands around it in a layer, in one pass over each row:
///   sum = x + deltaScale · delta   (only where delta is set)
///   y = norm(sum)                  (stored where y is set)
///   out, rest = y as int8 per 32   (where their q is set; dim is then a multiple of 32)
struct NormArgs {
    NormKind kind = NormKind::Rms;
    const float* x = nullptr;      ///< [nTokens, dim] f32
    const float* delta = nullptr;  ///< [nTokens, dim] f32 or null
    float deltaScale = 1.0F;
    float* sum = nullptr;           ///< [nTokens, dim] f32, where delta is set; may be x
    const float* weight = nullptr;  ///< [dim] f32
    const float* bias = nullptr;    ///< [dim] f32 or null; Layer only
    float* y = nullptr;             ///< [nTokens, dim] f32 or null; may be x or sum
    ActsQ8 out;
    ActsQ8 rest;
    std::int64_t dim = 0;
    float eps = 1e-5F;
    std::int64_t tokenBegin = 0;
    std::int64_t tokenEnd = 0;
};

/// The sequences a pass's tokens belong to, in place of PagedKv::blockTable: one launch serves all.
struct SequenceTables {
    const std::int32_t* ofToken = nullptr;  ///< [nTokens] row of `blocks`
    const std::int32_t* blocks = nullptr;   ///< [nSequences, stride] physical block ids
    std::int64_t stride = 0;
    /// [nSequences, stride] tail of each block (PagedKv::tail), < 0: none; null: no format needs
    /// them
    const std::int32_t* tails = nullptr;
};

/// Rotates q and k, then stores k and v in the cache: what lies between the projections and
/// attention. Both ropes have the same positions, tables and layout; kv.k is k.x. A rotaryDim of 0
/// stores only. Where tables.ofToken is set, kv.kv.blockTable is not read, and a token's
/// frequencies start at invFreq + ofToken · frequencyStride.
struct RopeKvArgs {
    RopeArgs q;
    RopeArgs k;
    KvWriteArgs kv;
    SequenceTables tables;
    std::int64_t frequencyStride = 0;  ///< 0: all sequences rotate alike
    /// Where q goes too, rotated at other positions: AttentionArgs::qSinks, [nTokens, q.stride];
    /// null: nowhere.
    float* qSinks = nullptr;
    const std::int32_t* sinkPositions = nullptr;  ///< [nTokens]
    /// kv.v, where q, qSinks, k and v go through the Hadamard matrix (HadamardArgs) after rotation;
    /// else null.
    float* turnedV = nullptr;
};

/// Rows of one attention tile: tokens [tokenBegin, tokenBegin + nTokens) of one sequence at
/// consecutive positions. Where keys are coded a block at a time (codesWholeBlocks), these are of
/// one block, so that all see the same keys as they are.
struct AttentionTile {
    std::int32_t tokenBegin;
    std::int32_t nTokens;  ///< at most kAttentionTile
};

/// Codes the keys of the blocks that the tokens fill, and finds their bounds, where those are kept
/// (KvSealArgs says what is done): of each token whose position is the last one of a block.
struct PagedSealArgs {
    const std::int32_t* positions = nullptr;  ///< [nTokens], in device memory
    std::int64_t nTokens = 0;
    PagedKv kv;  ///< its tables are not read
    SequenceTables tables;
};

/// Causal attention of the tokens of several sequences over the paged cache (AttentionArgs says
/// what is computed). Keys are summed in stretches of kAttentionStretch at absolute positions that
/// are combined in order, so a row's bits depend neither on the tile it is in nor on how many
/// blocks share its keys.
struct PagedAttentionArgs {
    const float* q = nullptr;  ///< [nTokens, qStride] f32; head h at offset h * headDim
    std::int64_t qStride = 0;
    float* out = nullptr;                     ///< [nTokens, nHeads * headDim] f32
    const std::int32_t* positions = nullptr;  ///< [nTokens], in device memory
    std::int64_t nTokens = 0;
    std::int64_t nHeads = 0;
    float scale = 0.0F;
    std::int64_t window = 0;
    std::int64_t sinks = 0;         ///< keys seen beside the window, by qSinks (AttentionArgs)
    const float* qSinks = nullptr;  ///< [nTokens, qStride] f32; null: q
    KeyMask mask;                   ///< its words in device memory; not beside sinks
    float softcap = 0.0F;
    /// Its tables are not read. Where a format is F32, all is computed in f32; else on tensor
    /// cores, in bf16 where a format is BF16, in f16 otherwise: other keys and values are
    /// converted.
    PagedKv kv;
    SequenceTables tables;
    const AttentionTile* tiles = nullptr;  ///< [nTiles], in device memory
    std::int64_t nTiles = 0;
    /// Stretches of keys that get blocks of their own, from the first; 1: a block does all. Fixed
    /// by the caller (a captured graph replays it): more than a row has cost an early exit each.
    std::int64_t nSplits = 1;
    /// Sums where nSplits > 1: [nTokens, nHeads, nSplits, headDim + 2] f32, else null.
    float* partial = nullptr;
};

/// Bits of the blocks that a fixed pattern lets tokens see (AttentionPattern::BlockSparse): of
/// those up to a token's own the last localBlocks and every strideBlocks-th.
struct KeyBlocksArgs {
    const std::int32_t* positions = nullptr;  ///< [nTokens], in device memory
    std::int64_t nTokens = 0;
    std::int64_t blockTokens = 64;
    std::int64_t localBlocks = 1;
    std::int64_t strideBlocks = 1;
    std::uint64_t* words = nullptr;  ///< [nTokens, wordsPerToken], as KeyMask has them
    std::int64_t wordsPerToken = 0;
};

/// Which whole blocks each token's query may match best (KvSelectArgs says by what), for the tokens
/// of several sequences. All blocks up to a token's own are in its table.
struct PagedSelectArgs {
    const float* q = nullptr;  ///< [nTokens, qStride] f32
    std::int64_t qStride = 0;
    std::int64_t nHeads = 0;
    const std::int32_t* positions = nullptr;  ///< [nTokens], in device memory
    std::int64_t nTokens = 0;
    PagedKv kv;  ///< with bounds; its tables are not read
    SequenceTables tables;
    std::int64_t keep = 0;
    /// [nSequences], in device memory: tokens before these positions see all.
    const std::int32_t* firstPosition = nullptr;
    std::uint64_t* words = nullptr;  ///< [nTokens, nKvHeads, wordsPerHead]
    std::int64_t wordsPerHead = 0;
    float* scores = nullptr;  ///< scratch, [min(nTokens, kSelectTokens), nKvHeads, scoreStride]
    std::int64_t scoreStride = 0;  ///< blocks of the longest context at least
};
/// Tokens whose scores are in memory at once.
inline constexpr std::int64_t kSelectTokens = 16;

/// y = act(gate) · up as ActivateArgs says (stored where args.y is set), also as int8 per 32 where
/// out.q is set (dim is then a multiple of 32).
struct ActivateQ8Args {
    ActivateArgs args;
    ActsQ8 out;
    ActsQ8 rest;
};

/// Activations rounded to 16 bits as matmulTensor() rounds them: what a library's product takes.
struct RoundActsArgs {
    const float* x = nullptr;  ///< [n] f32
    void* out = nullptr;       ///< [n] of type, at a multiple of 4 bytes
    DType type = DType::BF16;  ///< F16 or BF16
    std::int64_t n = 0;
};

/// How one row is sampled; what the numbers mean: engine/decode/sampler.h.
struct SampleSettings {
    float temperature = 0.0F;
    float topP = 1.0F;
    float minP = 0.0F;
    float repeatPenalty = 1.0F;
    std::int32_t topK = 0;
    std::int32_t historyBegin =
        0;  ///< tokens that the repeat penalty looks at: nHistory from there
    std::int32_t nHistory = 0;
    double uniform = 0.0;  ///< random, in [0, 1)
};

struct SampledRow {
    std::int32_t token = -1;      ///< -1: no logit is finite
    float logProbability = 0.0F;  ///< under the raw logits at temperature 1, natural log
    float entropy = 0.0F;         ///< nats
    float maximum = 0.0F;         ///< of the finite logits
    std::int32_t nonFinite = 0;   ///< logits that were ignored
    std::int32_t nPlusInf = 0;    ///< of those, +Inf: then the row means nothing
    double expSum = 0.0;          ///< Σ exp(logit - maximum) over the finite ones
};

/// Chooses a token of each row as the CPU's sampler does, except that a draw within rounding of the
/// border between two tokens may fall to the other side. All pointers to device memory.
struct SampleArgs {
    const float* logits = nullptr;  ///< [nRows, stride] f32
    std::int64_t stride = 0;
    std::int64_t vocab = 0;  ///< usable ids; fewer than 2^20 - 1
    std::int64_t nRows = 0;
    const SampleSettings* settings = nullptr;  ///< [nRows]
    const std::int32_t* history = nullptr;     ///< what settings point into
    float* scratch = nullptr;   ///< [nRows, vocab] f32; not used by greedy rows without penalty
    SampledRow* out = nullptr;  ///< [nRows]
};

/// The n most probable tokens of each row at temperature 1, best first, of equal ones the lower id.
struct TopCandidatesArgs {
    const float* logits = nullptr;  ///< [nRows, stride] f32
    std::int64_t stride = 0;
    std::int64_t vocab = 0;
    std::int64_t nRows = 0;
    const SampledRow* sampled = nullptr;  ///< [nRows], of the same logits
    std::int64_t n = 0;                   ///< at most kMaxTopCandidates
    std::int32_t* ids = nullptr;          ///< [nRows, n]; -1 where fewer logits are finite
    float* probabilities = nullptr;       ///< [nRows, n]
};
inline constexpr std::int64_t kMaxTopCandidates = 64;

/// How far predictions are from a reference's (engine/decode/quality.h), position by position.
struct CompareArgs {
    const float* logits = nullptr;     ///< [nRows, stride] f32, finite
    const float* reference = nullptr;  ///< [nRows, referenceStride] f32, finite
    std::int64_t stride = 0;
    std::int64_t referenceStride = 0;
    std::int64_t vocab = 0;  ///< fewer than 2^20 - 1
    std::int64_t nRows = 0;
    const std::int32_t* next = nullptr;  ///< [nRows] the token that follows, or null
    struct Row {
        float divergence = 0.0F;               ///< KL(reference ‖ logits) in nats, at least 0
        std::int32_t best = 0;                 ///< the lowest id of the maximum
        std::int32_t referenceBest = 0;        ///< top-1 agreement: equal to best
        float logProbability = 0.0F;           ///< of `next`, natural log
        float referenceLogProbability = 0.0F;  ///< the same under the reference
        float deltaP = 0.0F;                   ///< of `next`: probability minus the reference's
    };
    Row* out = nullptr;  ///< [nRows]
};

Status embed(const EmbedArgs& args, Stream stream);
Status norm(const NormArgs& args, Stream stream);
Status quantiseActs(const QuantiseActsArgs& args, Stream stream);
Status roundActs(const RoundActsArgs& args, Stream stream);
Status rope(const RopeArgs& args, Stream stream);
Status kvWrite(const KvWriteArgs& args, Stream stream);
Status ropeKv(const RopeKvArgs& args, Stream stream);
Status kvSeal(const PagedSealArgs& args, Stream stream);
Status hadamard(const HadamardArgs& args, Stream stream);
Status keyBlocks(const KeyBlocksArgs& args, Stream stream);
Status kvSelect(const PagedSelectArgs& args, Stream stream);
Status activate(const ActivateQ8Args& args, Stream stream);
Status add(const AddArgs& args, Stream stream);
Status softcap(const SoftcapArgs& args, Stream stream);
/// MatmulArgs of all rows (rowBegin 0, rowEnd nRows, packed null). Without xq: f32 arithmetic on
/// any format of canMultiply(). With xq (and rest): int8 dots of a block format, scaled block by
/// block in the order of kernels/cpu/panel.h within a slice of columns. weight, x, q, scale and
/// sum16 start at multiples of 16 bytes, and weight is readable up to one.
Status matmul(const MatmulArgs& args, Stream stream);
/// The same on tensor cores: F16 or BF16 weights, x rounded to their type, sums in f32. nCols is a
/// multiple of 8. (cublas_library.h is the alternative.)
Status matmulTensor(const MatmulArgs& args, Stream stream);
Status attention(const PagedAttentionArgs& args, Stream stream);
Status sample(const SampleArgs& args, Stream stream);
Status topCandidates(const TopCandidatesArgs& args, Stream stream);
Status compare(const CompareArgs& args, Stream stream);

/// Formats whose rows embed() can read.
bool canEmbed(DType type);
/// Formats of matmul(); int8: those it takes with xq.
bool canMultiply(DType type, bool int8);
/// Head sizes attention() was built for.
bool canAttend(std::int64_t headDim);

}  // namespace lanescope::kernels::cuda

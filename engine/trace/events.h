#pragma once
// Plain records that flow up from the engine: what ran, when, on how many bytes. No pointers, no
// Qt, no engine types, so that the profiler can store and send them as they are. Read next: sink.h,
// run_record.h.

#include <cstdint>
#include <string_view>

namespace lanescope::trace {

/// What a span of time was spent on. Order is the order of charts and tables.
enum class Op : std::uint8_t {
    Embed,
    Norm,
    QuantiseActs,
    Qkv,
    Rope,
    KvWrite,
    Attention,
    OutProj,
    GateUp,
    Activation,
    Down,
    Residual,
    Head,
    Sample,
    Detokenise,
    Prefill,
    DecodeStep,
    Load,
    Warmup,
};
inline constexpr int kOpCount = static_cast<int>(Op::Warmup) + 1;

/// "attention", "gate+up" …: the name shown to people and written to files.
std::string_view opName(Op op);

/// One op (or an enclosing phase: Prefill, DecodeStep) on the engine thread. Times are nowNs().
struct Span {
    std::int64_t tStartNs = 0;
    std::int64_t tEndNs = 0;
    std::uint64_t bytes =
        0;  ///< memory traffic the op must do: weights, KV and activations read and written
    std::uint64_t flops = 0;    ///< 2 · multiply-accumulates
    std::int32_t request = -1;  ///< id within the run, -1 outside a request
    std::int32_t step =
        -1;  ///< forward pass within the request: 0 = prefill, then one per decode step
    std::int16_t layer = -1;  ///< -1 for ops outside the layers
    std::int16_t lane = -1;   ///< index in the plan, -1 outside a run
    Op op = Op::Embed;
};

/// What happened to KV blocks. Reuse: one more sequence reads them. Copy: a shared block was copied
/// before it was written. Evict: a block kept for a known beginning of a text lost its content.
enum class KvAction : std::uint8_t { Allocate, Free, Reuse, Copy, Evict };

/// State of one lane's KV cache after an action.
struct KvEvent {
    std::int64_t tNs = 0;
    std::int32_t request = -1;
    std::int16_t lane = -1;
    KvAction action = KvAction::Allocate;
    std::int32_t blocks = 0;       ///< blocks concerned
    std::int32_t blocksInUse = 0;  ///< after it
    std::uint64_t bytesInUse = 0;  ///< blocksInUse · bytes per block, all layers, K and V
};

/// How a block stands after something happened to it.
enum class BlockState : std::uint8_t { Free, Held, Kept };

/// One block of a lane's KV cache, after a change. Held: by `references` sequences. Kept: by none,
/// its content stays known until the room is needed.
struct BlockEvent {
    std::int64_t tNs = 0;
    std::int32_t request = -1;  ///< whose change it was
    std::int32_t block = 0;
    std::int32_t index = 0;  ///< in the request's sequence: tokens [index, index + 1) · blockTokens
    std::int32_t references = 0;
    std::int16_t lane = -1;
    BlockState state = BlockState::Free;
};

}  // namespace lanescope::trace

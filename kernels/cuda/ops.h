#pragma once
// The ops of the CUDA backend as plain C++: the same Args as on the CPU (kernels/ops) with pointers
// to device memory, queued on a stream. Each returns cudaSuccess or what the launch was refused
// with. An op is defined in the .cu of its name; tests link the same files compiled for the
// emulator (kernels/simt). Adding one: README.md.

#include "kernels/cuda/stream.h"
#include "kernels/ops/attention.h"
#include "kernels/ops/elementwise.h"
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

/// Rotates q and k, then stores k and v in the cache: what lies between the projections and
/// attention. Both ropes have the same positions, tables and layout; kv.k is k.x. A rotaryDim of 0
/// stores only.
struct RopeKvArgs {
    RopeArgs q;
    RopeArgs k;
    KvWriteArgs kv;
};

/// y = act(gate) · up as ActivateArgs says (stored where args.y is set), also as int8 per 32 where
/// out.q is set (dim is then a multiple of 32).
struct ActivateQ8Args {
    ActivateArgs args;
    ActsQ8 out;
    ActsQ8 rest;
};

Status embed(const EmbedArgs& args, Stream stream);
Status norm(const NormArgs& args, Stream stream);
Status quantiseActs(const QuantiseActsArgs& args, Stream stream);
Status rope(const RopeArgs& args, Stream stream);
Status kvWrite(const KvWriteArgs& args, Stream stream);
Status ropeKv(const RopeKvArgs& args, Stream stream);
Status activate(const ActivateQ8Args& args, Stream stream);
Status add(const AddArgs& args, Stream stream);
Status softcap(const SoftcapArgs& args, Stream stream);

/// Formats whose rows embed() can read.
bool canEmbed(DType type);

}  // namespace lanescope::kernels::cuda

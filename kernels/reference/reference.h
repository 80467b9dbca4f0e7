#pragma once
// The plain-loop form of every op: the oracle of the tests and what runs where nothing else can.
// Sums are kept in double, so that a difference is the other form's rounding. Slow on purpose.

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::reference {

void dequantiseRow(DType type, const void* src, float* dst, std::int64_t n);
void fromF32(DType type, const float* src, void* dst, std::int64_t n);
void quantiseActs(const QuantiseActsArgs& args);
void matmul(const MatmulArgs& args);
void rmsNorm(const RmsNormArgs& args);
void layerNorm(const LayerNormArgs& args);
void rope(const RopeArgs& args);
void activate(const ActivateArgs& args);
void add(const AddArgs& args);
void softcap(const SoftcapArgs& args);
void embed(const EmbedArgs& args);
void hadamard(const HadamardArgs& args);
void kvWrite(const KvWriteArgs& args);
void kvSeal(const KvSealArgs& args);
void kvSelect(const KvSelectArgs& args);
/// The row of keys or values of a KV head at a position, as a query at `from` sees it.
void loadKvRow(const PagedKv& kv, KvPart part, std::int64_t position, std::int64_t head,
               std::int64_t from, float* out);
void attention(const AttentionArgs& args);
std::uint64_t burst(Burst kind, std::uint64_t rounds);
std::uint64_t readBurst(const void* data, std::uint64_t bytes);

const OpTable& table();

}  // namespace lanescope::kernels::reference

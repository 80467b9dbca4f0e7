#pragma once
// The AVX2 + FMA + F16C forms. Only the files avx2_*.cpp are compiled for those instructions; this
// header is safe to include anywhere. Call through avx2::table() after availableIsas() allowed it.

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::avx2 {

void dequantiseRow(DType type, const void* src, float* dst, std::int64_t n);
void fromF32(DType type, const float* src, void* dst, std::int64_t n);
void quantiseActs(const QuantiseActsArgs& args);
/// Chooses matmulFast (xq set, block format) or matmulExact.
void matmul(const MatmulArgs& args);
void matmulExact(const MatmulArgs& args);
void matmulFast(const MatmulArgs& args);
void pack(const PackArgs& args);
std::uint64_t burst(Burst kind, std::uint64_t rounds);
std::uint64_t readBurst(const void* data, std::uint64_t bytes);
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
/// C[rows, columns] (+)= A · B, every element one chain of FMAs over depth in order; columns is a
/// multiple of 16.
using AttentionProduct = void (*)(const float* a, std::int64_t aStride, const float* b,
                                  std::int64_t bStride, float* c, std::int64_t cStride,
                                  std::int64_t rows, std::int64_t columns, std::int64_t depth,
                                  bool add);
/// Attention whose two products are done by `product`: the same bits by whichever.
void attentionBy(AttentionProduct product, const AttentionArgs& args);
void attention(const AttentionArgs& args);
void attentionCombine(const AttentionArgs& args);

const OpTable& table();

}  // namespace lanescope::kernels::avx2

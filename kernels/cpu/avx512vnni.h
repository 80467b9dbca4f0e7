#pragma once
// The AVX-512 VNNI forms: the matrix product and attention; every other op is the AVX2 one. Call
// through table() after availableIsas() allowed it.

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::avx512vnni {

/// As avx2::matmul, bit for bit.
void matmul(const MatmulArgs& args);
/// As avx2::matmulExact, bit for bit.
void matmulExact(const MatmulArgs& args);
/// As avx2::attention, bit for bit.
void attention(const AttentionArgs& args);

std::uint64_t burst(Burst kind, std::uint64_t rounds);

const OpTable& table();

}  // namespace lanescope::kernels::avx512vnni

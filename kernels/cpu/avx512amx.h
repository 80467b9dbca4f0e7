#pragma once
// The AMX forms: the fast matrix product by tiles of int8; every other op is the AVX-512 VNNI or
// AVX2 one. Call through table() after availableIsas() allowed it.

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::avx512amx {

/// As avx2::matmul, bit for bit.
void matmul(const MatmulArgs& args);

std::uint64_t burst(Burst kind, std::uint64_t rounds);
/// The same with tiles of bf16. Precondition: avx512bf16::hasTiles().
std::uint64_t burstWithBf16(Burst kind, std::uint64_t rounds);

/// Whether the processor has AMX int8 tiles and the system lets this process use them. Asks the
/// system for them the first time.
bool available();

const OpTable& table();

}  // namespace lanescope::kernels::avx512amx

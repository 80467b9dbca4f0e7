#pragma once
// Products of bf16 activations by AVX512-BF16 and AMX-BF16, beside the int8 forms of avx512vnni.h
// and avx512amx.h: their tables take these where the processor has them (hasDots(), hasTiles()).

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::avx512bf16 {

/// Whether the processor has vdpbf16ps.
bool hasDots();
/// Whether it has tdpbf16ps too. Precondition of use: avx512amx::available().
bool hasTiles();

/// args.xb set: by vdpbf16ps; else avx512vnni::matmul.
void matmul(const MatmulArgs& args);
std::uint64_t burst(Burst kind, std::uint64_t rounds);

/// args.xb set: by tdpbf16ps, any number of tokens; else avx512amx::matmul.
void matmulByTiles(const MatmulArgs& args);

}  // namespace lanescope::kernels::avx512bf16

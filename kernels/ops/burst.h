#pragma once
// Loops that do nothing but arithmetic or reading, to find what a machine can do at most: the roof
// that measured kernels are held against. Not part of any computation.

#include <cstdint>

namespace lanescope::kernels {

/// What a burst does. Int8: products of 8-bit integers summed in 32 bits, as the fast matrix
/// product does them. Fp32: fused multiply-adds. Bf16: dots of bf16 summed in f32; no operations
/// are done where the processor has none.
enum class Burst : std::uint8_t { Int8, Fp32, Bf16 };

}  // namespace lanescope::kernels

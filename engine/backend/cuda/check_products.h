#pragma once
// Matrix products of a device against the reference. For op_suite.cpp and self_test.cpp.

#include <span>

#include "engine/backend/cuda/op_check.h"

namespace lanescope {

/// The way a product goes: f32 activations, int8 ones, int8 ones with a second term, tensor cores.
enum class ProductPath : std::uint8_t { F32, Int8, TwoTerms, Tensor };

struct ProductShape {
    std::int64_t nRows;
    std::int64_t nCols;  ///< of whole blocks; Tensor: a multiple of 8
};

/// A row: each shape with each number of tokens, a bias at every other shape; with int8 also added
/// to what is there.
void checkProduct(OpCheck& check, kernels::DType type, ProductPath path,
                  std::span<const ProductShape> shapes, std::span<const std::int64_t> tokens);

}  // namespace lanescope

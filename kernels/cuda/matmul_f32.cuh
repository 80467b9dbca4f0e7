#pragma once
// Weights as f32 for the products without int8 activations: a run of columns of a row at a time.
// Runs<T> of a format:
//   kRun   columns of a run: what one lane reads at once, and what slices are dealt out by
//          (matmul_product.cuh)
//   load   columns [column, column + kRun) of a row, zeros from nCols on

#include "kernels/cuda/matmul_codes.cuh"

namespace lanescope::kernels::cuda {

/// Elements of f32 rows [·, nCols]: columns [column, column + kRun), zeros from nCols on. Rows
/// start at a multiple of 16 bytes where nCols is a multiple of 4.
template <int kRun>
SIMT_DEVICE void loadFloats(const float* row, std::int64_t column, std::int64_t nCols,
                            float (&out)[kRun]) {
    if (nCols % kRun == 0 && column < nCols) {
#pragma unroll
        for (int i = 0; i < kRun; i += 4) {
            const auto four = loadConstant<Float4>(row + column + i);
            out[i] = four.x;
            out[i + 1] = four.y;
            out[i + 2] = four.z;
            out[i + 3] = four.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < kRun; ++i) out[i] = column + i < nCols ? row[column + i] : 0.0F;
    }
}

template <class T>
struct Runs {
    static constexpr int kRun = kBlock;
    static SIMT_DEVICE void load(const std::uint8_t* row, std::int64_t column, std::int64_t,
                                 float (&out)[kRun]) {
        using Code = Coder<T>;
        const int s = static_cast<int>(column / kBlock % kSlices);
        const Reader<GlobalMemory, Code::kShifts> run(row + column / kSuperBlock * Code::kRunBytes +
                                                      Code::place(s));
        std::uint32_t w[8];
        Code::all(run, s, w);
        const Scales scales = Code::scales(run, s);
#pragma unroll
        for (int i = 0; i < kRun; ++i) {
            const auto byte = static_cast<std::uint8_t>(w[i / 4] >> (8 * (i % 4)));
            if constexpr (kHasHalves<Code::kKind>) {
                const int scale = i < 16 ? scales.first : scales.second;
                out[i] = scales.d * static_cast<float>(scale) *
                         static_cast<float>(byte - kZeroPoint<Code::kKind>);
            } else if constexpr (kHasMinimum<Code::kKind>) {
                out[i] = fusedMultiplyAdd(scales.d, static_cast<float>(byte), scales.m);
            } else if constexpr (Code::kKind == PanelKind::Signed8) {
                out[i] = scales.d * static_cast<float>(static_cast<std::int8_t>(byte));
            } else {
                out[i] = scales.d * static_cast<float>(byte - kZeroPoint<Code::kKind>);
            }
        }
    }
};

template <>
struct Runs<float> {
    static constexpr int kRun = 4;
    static SIMT_DEVICE void load(const std::uint8_t* row, std::int64_t column, std::int64_t nCols,
                                 float (&out)[kRun]) {
        loadFloats(reinterpret_cast<const float*>(row), column, nCols, out);
    }
};

template <class T>
struct Runs16 {
    static constexpr int kRun = 8;
    static SIMT_DEVICE void load(const std::uint8_t* row, std::int64_t column, std::int64_t nCols,
                                 float (&out)[kRun]) {
        const T* from = reinterpret_cast<const T*>(row) + column;
        if (nCols % kRun == 0) {
            const auto four = loadConstant<Uint4>(from);
            const std::uint32_t words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (int i = 0; i < kRun; ++i)
                out[i] = toFloat(T{static_cast<std::uint16_t>(words[i / 2] >> (16 * (i % 2)))});
        } else {
#pragma unroll
            for (int i = 0; i < kRun; ++i) out[i] = column + i < nCols ? toFloat(from[i]) : 0.0F;
        }
    }
};
template <>
struct Runs<Half> : Runs16<Half> {};
template <>
struct Runs<BFloat16> : Runs16<BFloat16> {};

}  // namespace lanescope::kernels::cuda

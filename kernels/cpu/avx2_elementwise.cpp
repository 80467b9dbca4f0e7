// The small ops with eight lanes. Memory-bound, so written for clarity first; rope computes the
// sines of a token once for all its heads.

#include "kernels/cpu/avx2.h"
#include "kernels/cpu/avx2_math.h"
#include "kernels/ops/hadamard_loop.h"

namespace lanescope::kernels::avx2 {
namespace {

/// Loads n lanes (1 to 8); missing lanes are zero.
__m256 loadLanes(const float* p, std::int64_t n) {
    return n >= 8 ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, laneMask(n));
}

void storeLanes(float* p, __m256 v, std::int64_t n) {
    if (n >= 8)
        _mm256_storeu_ps(p, v);
    else
        _mm256_maskstore_ps(p, laneMask(n), v);
}

struct SinCos {
    __m256 sin, cos;
};

/// Sine and cosine to about 1 ulp for |x| below 1e8: the quarter turn is taken off in double.
SinCos sinCos(__m256 x) {
    const __m256d perTurn = _mm256_set1_pd(0.63661977236758134308);  // 2 / pi
    const __m256d high = _mm256_set1_pd(1.57079632679489655800);
    const __m256d low = _mm256_set1_pd(6.12323399573676603587e-17);
    const __m128 halves[2] = {_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)};
    __m128 rest[2];
    __m128i turns[2];
    for (int i = 0; i < 2; ++i) {
        const __m256d v = _mm256_cvtps_pd(halves[i]);
        const __m256d n = _mm256_round_pd(_mm256_mul_pd(v, perTurn),
                                          _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const __m256d r = _mm256_fnmadd_pd(n, low, _mm256_fnmadd_pd(n, high, v));
        rest[i] = _mm256_cvtpd_ps(r);
        turns[i] = _mm256_cvtpd_epi32(n);
    }
    const __m256 r = _mm256_set_m128(rest[1], rest[0]);
    const __m256i n = _mm256_set_m128i(turns[1], turns[0]);
    const __m256 z = _mm256_mul_ps(r, r);
    __m256 s =
        _mm256_fmadd_ps(z, _mm256_set1_ps(-1.9515295891e-4F), _mm256_set1_ps(8.3321608736e-3F));
    s = _mm256_fmadd_ps(s, z, _mm256_set1_ps(-1.6666654611e-1F));
    s = _mm256_fmadd_ps(_mm256_mul_ps(s, z), r, r);
    __m256 c = _mm256_fmadd_ps(z, _mm256_set1_ps(2.443315711809948e-5F),
                               _mm256_set1_ps(-1.388731625493765e-3F));
    c = _mm256_fmadd_ps(c, z, _mm256_set1_ps(4.166664568298827e-2F));
    c = _mm256_fmadd_ps(_mm256_mul_ps(c, z), z,
                        _mm256_fnmadd_ps(z, _mm256_set1_ps(0.5F), _mm256_set1_ps(1.0F)));
    // Quarter turns: odd ones swap the two; bit 1 of n (of n + 1) flips the sine (cosine).
    const __m256 swap = _mm256_castsi256_ps(_mm256_slli_epi32(n, 31));
    const __m256 sinSign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_srli_epi32(n, 1), 31));
    const __m256i next = _mm256_add_epi32(n, _mm256_set1_epi32(1));
    const __m256 cosSign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_srli_epi32(next, 1), 31));
    return {_mm256_xor_ps(_mm256_blendv_ps(s, c, swap), sinSign),
            _mm256_xor_ps(_mm256_blendv_ps(c, s, swap), cosSign)};
}

constexpr std::int64_t kRopeChunk = 64;

/// Rotates pairs [begin, begin + n) of one head; n <= kRopeChunk.
void rotateSplit(float* first, float* second, const float* cosines, const float* sines,
                 std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += 8) {
        const __m256 a = loadLanes(first + i, n - i);
        const __m256 b = loadLanes(second + i, n - i);
        const __m256 c = _mm256_loadu_ps(cosines + i);
        const __m256 s = _mm256_loadu_ps(sines + i);
        storeLanes(first + i, _mm256_fmsub_ps(a, c, _mm256_mul_ps(b, s)), n - i);
        storeLanes(second + i, _mm256_fmadd_ps(a, s, _mm256_mul_ps(b, c)), n - i);
    }
}

void rotateInterleaved(float* x, const float* cosines, const float* sines, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += 4) {
        const std::int64_t lanes = 2 * (n - i);
        const __m256 v = loadLanes(x + 2 * i, lanes);
        const __m128 c4 = _mm_loadu_ps(cosines + i);
        const __m128 s4 = _mm_loadu_ps(sines + i);
        const __m256 c = _mm256_set_m128(_mm_unpackhi_ps(c4, c4), _mm_unpacklo_ps(c4, c4));
        const __m256 s = _mm256_set_m128(_mm_unpackhi_ps(s4, s4), _mm_unpacklo_ps(s4, s4));
        const __m256 swapped = _mm256_permute_ps(v, 0xB1);
        storeLanes(x + 2 * i, _mm256_fmaddsub_ps(v, c, _mm256_mul_ps(swapped, s)), lanes);
    }
}

__m256 silu(__m256 x) {
    const __m256 e = expPs(_mm256_sub_ps(_mm256_setzero_ps(), x));
    return _mm256_div_ps(x, _mm256_add_ps(_mm256_set1_ps(1.0F), e));
}

__m256 halfPlus(__m256 x, __m256 sigmoidal) {
    const __m256 half = _mm256_mul_ps(x, _mm256_set1_ps(0.5F));
    return _mm256_fmadd_ps(half, sigmoidal, half);
}

__m256 geluTanh(__m256 x) {
    const __m256 cubic =
        _mm256_fmadd_ps(_mm256_mul_ps(x, x), _mm256_set1_ps(0.044715F), _mm256_set1_ps(1.0F));
    const __m256 inner =
        _mm256_mul_ps(_mm256_mul_ps(x, _mm256_set1_ps(0.79788456080286536F)), cubic);
    return halfPlus(x, tanhPs(inner));
}

__m256 geluErf(__m256 x) {
    return halfPlus(x, erfPs(_mm256_mul_ps(x, _mm256_set1_ps(0.70710678118654752F))));
}

template <class Fn>
void activateRows(const ActivateArgs& args, Fn&& act) {
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const float* gate = args.gate + t * args.gateStride;
        const float* up = args.up != nullptr ? args.up + t * args.upStride : nullptr;
        float* y = args.y + t * args.dim;
        for (std::int64_t i = 0; i < args.dim; i += 8) {
            const std::int64_t n = args.dim - i;
            __m256 v = act(loadLanes(gate + i, n));
            if (up != nullptr) v = _mm256_mul_ps(v, loadLanes(up + i, n));
            storeLanes(y + i, v, n);
        }
    }
}

}  // namespace

void rmsNorm(const RmsNormArgs& args) {
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const float* x = args.x + t * args.dim;
        float* y = args.y + t * args.dim;
        __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps(),
                          _mm256_setzero_ps()};
        for (std::int64_t i = 0; i < args.dim; i += 8) {
            const __m256 v = loadLanes(x + i, args.dim - i);
            __m256& sum = sums[i / 8 % 4];
            sum = _mm256_fmadd_ps(v, v, sum);
        }
        const float total = sumLanes(
            _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
        const __m128 mean = _mm_set_ss(total / static_cast<float>(args.dim) + args.eps);
        const float root = _mm_cvtss_f32(_mm_sqrt_ss(mean));
        const __m256 scale = _mm256_set1_ps(1.0F / root);
        for (std::int64_t i = 0; i < args.dim; i += 8) {
            const __m256 v = _mm256_mul_ps(loadLanes(x + i, args.dim - i), scale);
            storeLanes(y + i, _mm256_mul_ps(v, loadLanes(args.weight + i, args.dim - i)),
                       args.dim - i);
        }
    }
}

void layerNorm(const LayerNormArgs& args) {
    const std::int64_t dim = args.dim;
    const auto n = static_cast<float>(dim);
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const float* x = args.x + t * dim;
        float* y = args.y + t * dim;
        __m256 sums[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        for (std::int64_t i = 0; i < dim; i += 8) {
            __m256& sum = sums[i / 8 % 2];
            sum = _mm256_add_ps(sum, loadLanes(x + i, dim - i));
        }
        const __m256 mean = _mm256_set1_ps(sumLanes(_mm256_add_ps(sums[0], sums[1])) / n);
        __m256 squares[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        for (std::int64_t i = 0; i < dim; i += 8) {
            // Lanes past the end would count as -mean.
            const __m256 v = _mm256_and_ps(_mm256_sub_ps(loadLanes(x + i, dim - i), mean),
                                           _mm256_castsi256_ps(laneMask(dim - i)));
            __m256& sum = squares[i / 8 % 2];
            sum = _mm256_fmadd_ps(v, v, sum);
        }
        const float variance = sumLanes(_mm256_add_ps(squares[0], squares[1])) / n;
        const float root = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(variance + args.eps)));
        const __m256 scale = _mm256_set1_ps(1.0F / root);
        for (std::int64_t i = 0; i < dim; i += 8) {
            const __m256 v = _mm256_mul_ps(_mm256_sub_ps(loadLanes(x + i, dim - i), mean), scale);
            const __m256 b =
                args.bias != nullptr ? loadLanes(args.bias + i, dim - i) : _mm256_setzero_ps();
            storeLanes(y + i, _mm256_fmadd_ps(v, loadLanes(args.weight + i, dim - i), b), dim - i);
        }
    }
}

void rope(const RopeArgs& args) {
    const std::int64_t half = args.rotaryDim / 2;
    alignas(32) float cosines[kRopeChunk];
    alignas(32) float sines[kRopeChunk];
    const __m256 mscale = _mm256_set1_ps(args.mscale);
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const __m256 position = _mm256_set1_ps(static_cast<float>(args.positions[t]));
        for (std::int64_t begin = 0; begin < half; begin += kRopeChunk) {
            const std::int64_t n = half - begin < kRopeChunk ? half - begin : kRopeChunk;
            for (std::int64_t i = 0; i < n; i += 8) {
                const __m256 f = loadLanes(args.invFreq + begin + i, n - i);
                const SinCos sc = sinCos(_mm256_mul_ps(position, f));
                _mm256_store_ps(cosines + i, _mm256_mul_ps(sc.cos, mscale));
                _mm256_store_ps(sines + i, _mm256_mul_ps(sc.sin, mscale));
            }
            for (std::int64_t h = 0; h < args.nHeads; ++h) {
                float* x = args.x + t * args.stride + h * args.headDim;
                if (args.layout == RopeLayout::HalfSplit)
                    rotateSplit(x + begin, x + begin + half, cosines, sines, n);
                else
                    rotateInterleaved(x + 2 * begin, cosines, sines, n);
            }
        }
    }
}

void activate(const ActivateArgs& args) {
    switch (args.kind) {
        case Activation::GeluTanh:
            return activateRows(args, [](__m256 x) { return geluTanh(x); });
        case Activation::GeluErf:
            return activateRows(args, [](__m256 x) { return geluErf(x); });
        case Activation::Silu:
            break;
    }
    activateRows(args, [](__m256 x) { return silu(x); });
}

void add(const AddArgs& args) {
    const std::int64_t end = args.tokenEnd * args.dim;
    const __m256 scale = _mm256_set1_ps(args.scale);
    for (std::int64_t i = args.tokenBegin * args.dim; i < end; i += 8) {
        const __m256 x = loadLanes(args.x + i, end - i);
        storeLanes(args.x + i, _mm256_fmadd_ps(scale, loadLanes(args.delta + i, end - i), x),
                   end - i);
    }
}

void softcap(const SoftcapArgs& args) {
    const std::int64_t end = args.tokenEnd * args.dim;
    const __m256 cap = _mm256_set1_ps(args.cap);
    for (std::int64_t i = args.tokenBegin * args.dim; i < end; i += 8) {
        const __m256 x = loadLanes(args.x + i, end - i);
        storeLanes(args.x + i, _mm256_mul_ps(tanhPs(_mm256_div_ps(x, cap)), cap), end - i);
    }
}

void embed(const EmbedArgs& args) {
    const auto* rows = static_cast<const char*>(args.table);
    const std::int64_t stride = rowBytes(args.tableType, args.dim);
    const __m256 scale = _mm256_set1_ps(args.scale);
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        float* y = args.y + t * args.dim;
        dequantiseRow(args.tableType, rows + args.ids[t] * stride, y, args.dim);
        if (args.scale == 1.0F) continue;
        for (std::int64_t i = 0; i < args.dim; i += 8)
            storeLanes(y + i, _mm256_mul_ps(loadLanes(y + i, args.dim - i), scale), args.dim - i);
    }
}

void hadamard(const HadamardArgs& args) {
    hadamardLoop(args);
}

}  // namespace lanescope::kernels::avx2

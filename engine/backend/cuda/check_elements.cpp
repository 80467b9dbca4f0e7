#include "engine/backend/cuda/check_elements.h"

#include <algorithm>

namespace lanescope {

namespace {

using kernels::Activation;
using kernels::ActsQ8;
using kernels::DType;
using kernels::cuda::NormKind;

constexpr std::int64_t kTokens = 3;
constexpr float kUntouched = 0.0625F;  ///< what an output holds before

std::vector<float> scaled(std::vector<float> values, float factor, float offset = 0.0F) {
    for (float& x : values) x = factor * x + offset;
    return values;
}

std::string dimName(std::int64_t dim, const std::string& after = {}) {
    return std::to_string(kTokens) + "x" + std::to_string(dim) + after;
}

std::size_t elements(std::int64_t dim) {
    return static_cast<std::size_t>(kTokens * dim);
}

void embedFrom(OpCheck& check, DType type) {
    const std::int64_t block = kernels::info(type).blockSize;
    const std::vector<std::int32_t> ids{4, 0, 2};
    for (const std::int64_t blocks : {1, 3, 20}) {
        const std::int64_t dim = block * blocks;
        const auto table = checkWeights(type, 5, dim, 2);
        std::vector<float> wanted(elements(dim), kUntouched);
        kernels::EmbedArgs args;
        args.tableType = type;
        args.table = check.put(table);
        args.ids = check.put(ids);
        args.y = check.put(wanted);
        args.dim = dim;
        args.tokenBegin = 1;
        args.tokenEnd = kTokens;
        args.scale = 1.5F;
        float* y = args.y;
        const std::string what = std::string(kernels::info(type).name) + " " + dimName(dim);
        if (!check.run(what, [&] { return check.ops().embed(args, check.stream()); })) return;
        args.table = table.data();
        args.ids = ids.data();
        args.y = wanted.data();
        OpCheck::reference().embed(args);
        check.expect(y, wanted);
    }
}

/// Inputs of a norm, and what the reference makes of x.
struct NormProblem {
    NormProblem(NormKind kindOf, std::int64_t columns)
        : kind(kindOf),
          dim(columns),
          x(scaled(checkNumbers(kTokens * dim, 1), 3.0F, 1.0F)),
          delta(checkNumbers(kTokens * dim, 2)),
          weight(checkNumbers(dim, 3)),
          bias(checkNumbers(kind == NormKind::Layer && dim % 64 == 0 ? dim : 0, 4)) {}

    [[nodiscard]] kernels::cuda::NormArgs onDevice(OpCheck& check) const {
        kernels::cuda::NormArgs args;
        args.kind = kind;
        args.x = check.put(x);
        args.weight = check.put(weight);
        args.bias = check.put(bias);
        args.y = check.put(std::vector<float>(x.size(), kUntouched));
        args.dim = dim;
        args.tokenEnd = kTokens;
        return args;
    }
    [[nodiscard]] std::vector<float> expected(const std::vector<float>& from,
                                              std::int64_t tokenBegin) const {
        std::vector<float> y(from.size(), kUntouched);
        const kernels::cuda::NormArgs defaults;
        if (kind == NormKind::Rms)
            OpCheck::reference().rmsNorm(
                {from.data(), weight.data(), y.data(), dim, defaults.eps, tokenBegin, kTokens});
        else
            OpCheck::reference().layerNorm({from.data(), weight.data(),
                                            bias.empty() ? nullptr : bias.data(), y.data(), dim,
                                            defaults.eps, tokenBegin, kTokens});
        return y;
    }
    [[nodiscard]] std::vector<float> sum(float scale) const {
        std::vector<float> out = x;
        OpCheck::reference().add({out.data(), delta.data(), dim, 0, kTokens, scale});
        return out;
    }

    NormKind kind;
    std::int64_t dim;
    std::vector<float> x, delta, weight, bias;
};

const char* nameOf(NormKind kind) {
    return kind == NormKind::Rms ? "norm rms" : "norm layer";
}

void normAlone(OpCheck& check, NormKind kind, std::initializer_list<std::int64_t> dims) {
    check.begin(nameOf(kind), op_tolerance::kSums);
    for (const std::int64_t dim : dims) {
        const NormProblem problem(kind, dim);
        kernels::cuda::NormArgs args = problem.onDevice(check);
        args.tokenBegin = 1;
        if (!check.run(dimName(dim), [&] { return check.ops().norm(args, check.stream()); }))
            return;
        check.expect(args.y, problem.expected(problem.x, 1));
    }
}

void normWithResidual(OpCheck& check, NormKind kind) {
    constexpr float kDeltaScale = 0.5F;
    check.begin(std::string(nameOf(kind)) + " with residual", op_tolerance::kSums);
    for (const std::int64_t dim : {std::int64_t{64}, std::int64_t{576}, std::int64_t{4096}}) {
        const NormProblem problem(kind, dim);
        kernels::cuda::NormArgs args = problem.onDevice(check);
        args.delta = check.put(problem.delta);
        args.deltaScale = kDeltaScale;
        args.sum = check.room<float>(problem.x.size());
        if (!check.run(dimName(dim), [&] { return check.ops().norm(args, check.stream()); }))
            return;
        const std::vector<float> sum = problem.sum(kDeltaScale);
        check.expect(args.sum, sum);
        check.expect(args.y, problem.expected(sum, 0));
    }
}

void normToInt8(OpCheck& check, NormKind kind) {
    check.begin(std::string(nameOf(kind)) + " to int8", op_tolerance::kRounding);
    for (const std::int64_t dim : {std::int64_t{32}, std::int64_t{576}, std::int64_t{4096}}) {
        for (const bool twoTerms : {false, true}) {
            const NormProblem problem(kind, dim);
            kernels::cuda::NormArgs args = problem.onDevice(check);
            args.out = check.roomForActs(kTokens, dim);
            if (twoTerms) args.rest = check.roomForActs(kTokens, dim);
            const std::string what = dimName(dim, twoTerms ? ", two terms" : "");
            if (!check.run(what, [&] { return check.ops().norm(args, check.stream()); })) return;
            // Of its own y: that this is right is another row's matter.
            check.expectActs(args.out, args.rest, check.get(args.y, problem.x.size()));
        }
    }
}

void activation(OpCheck& check, Activation kind, const char* name) {
    check.begin(std::string("activate ") + name, op_tolerance::kMaths);
    for (const std::int64_t dim : {31, 257, 1024}) {
        for (const bool gated : {false, true}) {
            const auto gate = scaled(checkNumbers(kTokens * (dim + 3), 1), 8.0F);
            const auto up = checkNumbers(kTokens * (dim + 1), 2);
            std::vector<float> wanted(elements(dim), kUntouched);
            float* y = check.put(wanted);
            kernels::ActivateArgs args{check.put(gate),
                                       gated ? check.put(up) : nullptr,
                                       y,
                                       dim + 3,
                                       dim + 1,
                                       dim,
                                       1,
                                       kTokens,
                                       kind};
            const std::string what = dimName(dim, gated ? ", gated" : "");
            if (!check.run(what, [&] {
                    return check.ops().activate({args, {}, {}}, check.stream());
                }))
                return;
            args.gate = gate.data();
            args.up = gated ? up.data() : nullptr;
            args.y = wanted.data();
            OpCheck::reference().activate(args);
            check.expect(y, wanted);
        }
    }
}

void activationToInt8(OpCheck& check) {
    check.begin("activate to int8", op_tolerance::kRounding);
    for (const std::int64_t dim : {std::int64_t{32}, std::int64_t{1056}}) {
        for (const Activation kind :
             {Activation::Silu, Activation::GeluTanh, Activation::GeluErf}) {
            const float* gate = check.put(scaled(checkNumbers(kTokens * dim, 1), 3.0F));
            const float* up = check.put(checkNumbers(kTokens * dim, 2));
            float* y = check.room<float>(elements(dim));
            const ActsQ8 out = check.roomForActs(kTokens, dim);
            const ActsQ8 rest = check.roomForActs(kTokens, dim);
            const kernels::ActivateArgs args{gate, up, y, dim, dim, dim, 0, kTokens, kind};
            if (!check.run(dimName(dim), [&] {
                    return check.ops().activate({args, out, rest}, check.stream());
                }))
                return;
            check.expectActs(out, rest, check.get(y, elements(dim)));
        }
    }
}

}  // namespace

void checkEmbed(OpCheck& check) {
    check.begin("embed", op_tolerance::kRounding);
    for (int type = 0; type < kernels::kDTypes; ++type)
        if (check.ops().canEmbed(static_cast<DType>(type)))
            embedFrom(check, static_cast<DType>(type));
}

void checkRmsNorm(OpCheck& check) {
    normAlone(check, NormKind::Rms, {576});
}

void checkNorms(OpCheck& check) {
    for (const NormKind kind : {NormKind::Rms, NormKind::Layer}) {
        normAlone(check, kind, {3, 33, 64, 257, 2048, 4096});
        normWithResidual(check, kind);
        normToInt8(check, kind);
    }
}

void checkQuantiseActs(OpCheck& check) {
    check.begin("quantiseActs", op_tolerance::kRounding);
    for (const std::int64_t nCols : {std::int64_t{32}, std::int64_t{576}, std::int64_t{4096}}) {
        for (const bool twoTerms : {false, true}) {
            const auto x = checkNumbers(kTokens * nCols, 1);
            kernels::QuantiseActsArgs args;
            args.x = check.put(x);
            args.out = check.roomForActs(kTokens, nCols);
            if (twoTerms) args.rest = check.roomForActs(kTokens, nCols);
            args.nCols = nCols;
            args.tokenEnd = kTokens;
            const std::string what = dimName(nCols, twoTerms ? ", two terms" : "");
            if (!check.run(what, [&] { return check.ops().quantiseActs(args, check.stream()); }))
                return;
            check.expectActs(args.out, args.rest, x);
        }
    }
}

void checkRoundActs(OpCheck& check) {
    for (const DType type : {DType::F16, DType::BF16}) {
        check.begin("roundActs " + std::string(kernels::info(type).name), op_tolerance::kRounding);
        for (const std::int64_t n : {1, 7, 64, 4096}) {
            const auto x = checkNumbers(n, 1);
            std::vector<std::uint16_t> rounded(x.size());
            std::vector<float> wanted(x.size()), got(x.size());
            OpCheck::reference().fromF32(type, x.data(), rounded.data(), n);
            OpCheck::reference().dequantiseRow(type, rounded.data(), wanted.data(), n);
            kernels::cuda::RoundActsArgs args;
            args.x = check.put(x);
            auto* out = check.room<std::uint16_t>(x.size());
            args.out = out;
            args.type = type;
            args.n = n;
            if (!check.run(std::to_string(n),
                           [&] { return check.ops().roundActs(args, check.stream()); }))
                break;
            const auto halves = check.get(out, x.size());
            OpCheck::reference().dequantiseRow(type, halves.data(), got.data(), n);
            check.compare(got, wanted);
        }
    }
}

void checkActivations(OpCheck& check) {
    activation(check, Activation::Silu, "silu");
    activation(check, Activation::GeluTanh, "gelu tanh");
    activation(check, Activation::GeluErf, "gelu erf");
    activationToInt8(check);
}

void checkAddAndSoftcap(OpCheck& check) {
    constexpr std::int64_t kDims[] = {1, 31, 257, 4096};
    check.begin("add", op_tolerance::kRounding);
    for (const std::int64_t dim : kDims) {
        auto wanted = checkNumbers(kTokens * dim, 1);
        const auto delta = checkNumbers(kTokens * dim, 2);
        float* x = check.put(wanted);
        const float* onDevice = check.put(delta);
        if (!check.run(dimName(dim), [&] {
                return check.ops().add({x, onDevice, dim, 1, kTokens, 0.25F}, check.stream());
            }))
            break;
        OpCheck::reference().add({wanted.data(), delta.data(), dim, 1, kTokens, 0.25F});
        check.expect(x, wanted);
    }
    check.begin("softcap", op_tolerance::kMaths);
    for (const std::int64_t dim : kDims) {
        auto wanted = scaled(checkNumbers(kTokens * dim, 1), 60.0F);
        float* x = check.put(wanted);
        if (!check.run(dimName(dim), [&] {
                return check.ops().softcap({x, 30.0F, dim, 0, kTokens}, check.stream());
            }))
            break;
        OpCheck::reference().softcap({wanted.data(), 30.0F, dim, 0, kTokens});
        check.expect(x, wanted);
    }
}

}  // namespace lanescope

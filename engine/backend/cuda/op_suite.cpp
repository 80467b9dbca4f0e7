#include "engine/backend/cuda/op_suite.h"

#include <algorithm>

#include "engine/backend/cuda/check_attention.h"
#include "engine/backend/cuda/check_elements.h"
#include "engine/backend/cuda/check_products.h"
#include "engine/backend/cuda/check_rope.h"
#include "engine/backend/cuda/check_select.h"
#include "engine/backend/cuda/check_vocab.h"

namespace lanescope {

namespace {

using kernels::DType;
using Shapes = std::vector<ProductShape>;

/// One token, few, a tile of eight, more than one of sixteen, one of 64, and more.
constexpr std::int64_t kTokens[] = {1, 3, 8, 17, 64, 70};

/// Rows and columns at the edges of tiles and beside them.
Shapes shapesOf(DType type, ProductPath path) {
    const std::int64_t block = kernels::info(type).blockSize;
    if (path == ProductPath::Tensor) return {{17, 8}, {130, 264}, {64, 1032}};
    if (block == 1) return {{17, 5}, {130, 67}, {64, 1001}};
    if (block == 32) return {{17, 32}, {130, 288}, {64, 1056}};
    return {{17, block}, {130, 2 * block}, {64, 5 * block}};
}

void checkProducts(OpCheck& check, DType type) {
    const bool int8 = check.ops().canMultiply(type, true);
    if (check.ops().canMultiply(type, false))
        checkProduct(check, type, ProductPath::F32, shapesOf(type, ProductPath::F32), kTokens);
    if (!int8) return;
    for (const ProductPath path : {ProductPath::Int8, ProductPath::TwoTerms})
        checkProduct(check, type, path, shapesOf(type, path), kTokens);
}

/// Shapes of every head size that models have, all with grouped heads.
std::vector<AttentionShape> heads(const OpCheck& check, const AttentionShape& like) {
    std::vector<AttentionShape> out;
    for (const std::int64_t headDim : {64, 80, 96, 128, 256}) {
        if (!check.ops().canAttend(headDim)) continue;
        AttentionShape shape = like;
        shape.headDim = headDim;
        out.push_back(std::move(shape));
    }
    return out;
}

void checkAttentions(OpCheck& check, kernels::KvFormat format) {
    const CheckedCache type{format, format};
    AttentionShape causal{3, 1, 0, {{70, 18}}};
    checkAttention(check, type, "", heads(check, causal));
    causal.sequences = {{37, 20}, {70, 1}, {5, 5}};
    causal.nHeads = 4;
    causal.nKvHeads = 2;
    checkAttention(check, type, ", sequences", heads(check, causal));
    AttentionShape window = causal;
    window.window = 33;
    checkAttention(check, type, ", window", heads(check, window));
    AttentionShape sinks = window;
    sinks.sinks = 5;
    checkAttention(check, type, ", sinks", heads(check, sinks));
    AttentionShape mask = causal;
    mask.sequences.push_back({300, 3});
    mask.maskGroup = 16;
    checkAttention(check, type, ", mask", heads(check, mask));
    AttentionShape softcap = causal;
    softcap.softcap = 2.0F;
    checkAttention(check, type, ", softcap", heads(check, softcap));
    AttentionShape split{2, 1, 0, {{1100, 2}, {40, 1}}};
    split.nSplits = 3;
    checkAttention(check, type, ", split keys", heads(check, split));
}

/// Caches whose keys and values are converted on their way.
void checkCodedAttention(OpCheck& check) {
    using kernels::KvFormat;
    const AttentionShape shape{4, 2, 0, {{37, 20}, {70, 1}, {5, 5}}};
    AttentionShape odd = shape;
    odd.blockTokens = 9;  // slices begin at multiples of 4 bytes only
    for (const CheckedCache& cache :
         {CheckedCache{KvFormat::E4M3, KvFormat::E4M3},
          CheckedCache{KvFormat::E5M2, KvFormat::E5M2},
          CheckedCache{KvFormat::Int8, KvFormat::Int8},
          CheckedCache{KvFormat::Int4, KvFormat::Int4}, CheckedCache{KvFormat::Int4, KvFormat::F32},
          CheckedCache{KvFormat::BF16, KvFormat::Int8}}) {
        std::vector<AttentionShape> shapes = heads(check, shape);
        for (AttentionShape& each : heads(check, odd)) shapes.push_back(std::move(each));
        checkAttention(check, cache, "", shapes);
    }
}

}  // namespace

bool OpSuite::passed() const {
    return std::all_of(rows.begin(), rows.end(),
                       [](const OpCheckRow& row) { return row.passed(); });
}

Result<OpSuite> runOpSuite(GpuDevice& device, const kernels::cuda::OpTable& ops,
                           const CancelToken& cancel) {
    OpCheck check(device, ops);
    std::vector<std::function<void()>> parts{
        [&] { checkEmbed(check); },        [&] { checkNorms(check); },
        [&] { checkQuantiseActs(check); }, [&] { checkRopeKv(check); },
        [&] { checkRoundActs(check); },    [&] { checkSampling(check); },
        [&] { checkActivations(check); },  [&] { checkAddAndSoftcap(check); },
        [&] { checkHadamard(check); },     [&] { checkKeyBits(check); }};
    for (int type = 0; type < kernels::kDTypes; ++type)
        parts.emplace_back([&check, type] { checkProducts(check, static_cast<DType>(type)); });
    for (const DType type : {DType::F16, DType::BF16})
        parts.emplace_back([&check, type] {
            checkProduct(check, type, ProductPath::Tensor, shapesOf(type, ProductPath::Tensor),
                         kTokens);
        });
    using kernels::KvFormat;
    for (const KvFormat type : {KvFormat::F32, KvFormat::F16, KvFormat::BF16})
        parts.emplace_back([&check, type] { checkAttentions(check, type); });
    parts.emplace_back([&] { checkCodedAttention(check); });
    for (const auto& part : parts) {
        if (cancel.requested()) return cancelled();
        part();
    }
    return OpSuite{check.rows()};
}

}  // namespace lanescope

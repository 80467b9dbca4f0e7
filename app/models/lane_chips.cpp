#include "app/models/lane_chips.h"

#include <QCoreApplication>

#include "app/bridge/model_info.h"
#include "app/models/template_library.h"

namespace lanescope::app {

namespace {
struct Chips {
    Q_DECLARE_TR_FUNCTIONS(LaneChips)
};

/// "fp16", "int8 / int4" (keys / values), "int4 turned".
QString cacheText(const LaneSpec& lane) {
    if (lane.exact) return QStringLiteral("fp32");
    QString text = QString::fromStdString(lane.kv);
    if (!lane.kvValues.empty() && lane.kvValues != lane.kv)
        text += QStringLiteral(" / ") + QString::fromStdString(lane.kvValues);
    return lane.kvRotate ? Chips::tr("%1 turned").arg(text) : text;
}

QString attentionTip(const std::string& attention) {
    if (attention == "naive")
        return Chips::tr("Attention that writes the whole score matrix, kept for comparison");
    if (attention.starts_with("window"))
        return Chips::tr(
            "Only the last keys and the first ones are looked at; what lies between "
            "is given up");
    if (attention.starts_with("block-sparse"))
        return Chips::tr("Only the last blocks of keys and every so many-th are looked at");
    if (attention.starts_with("pages"))
        return Chips::tr("Only the blocks whose keys may match a query best are looked at");
    if (attention.starts_with("heavy"))
        return Chips::tr(
            "Beside the last keys only those that got the most weight so far are kept; the others "
            "are given up");
    return Chips::tr("Tiled attention with an online softmax: the score matrix is never stored");
}
}  // namespace

std::vector<LaneChip> laneChips(const LaneSpec& lane, const LaneSpec& first,
                                const QString& weightType) {
    std::vector<LaneChip> chips;
    const auto add = [&chips](const char* key, const QString& text, const QString& tip,
                              bool bright) {
        chips.push_back({QString::fromLatin1(key), text, tip, bright});
    };
    const auto text = [](const std::string& s) { return QString::fromStdString(s); };
    add("backend", text(lane.backend), Chips::tr("Where the lane computes"),
        lane.backend != first.backend);
    const bool stored = lane.weights == "as-is";
    const QString weights = stored ? weightType : text(lane.weights);
    if (!weights.isEmpty())
        add("weights", weights, Chips::tr("Type that most weight bytes are stored in"),
            lane.weights != first.weights);
    add("kv", Chips::tr("kv %1").arg(cacheText(lane)), Chips::tr("Number format of the KV cache"),
        cacheText(lane) != cacheText(first));
    add("attention", text(lane.attention), attentionTip(lane.attention),
        lane.attention != first.attention || lane.denseLayers != first.denseLayers);
    if (lane.threads > 0 || first.threads != lane.threads)
        add("threads",
            lane.threads > 0 ? Chips::tr("threads %1").arg(lane.threads) : Chips::tr("all threads"),
            Chips::tr("Threads that do the maths"), lane.threads != first.threads);
    if (lane.kvBlock != 16 || lane.kvBlock != first.kvBlock)
        add("block", Chips::tr("block %1").arg(lane.kvBlock),
            Chips::tr("Tokens in a block of the paged KV cache"), lane.kvBlock != first.kvBlock);
    if (lane.context > 0 || lane.context != first.context)
        add("context",
            lane.context > 0 ? Chips::tr("ctx %1").arg(lane.context) : Chips::tr("ctx default"),
            Chips::tr("Tokens the KV cache has room for"), lane.context != first.context);
    if (!lane.chatTemplate.empty() || lane.chatTemplate != first.chatTemplate)
        add("template",
            lane.chatTemplate.empty()
                ? Chips::tr("own template")
                : Chips::tr("template %1").arg(templateTitle(lane.chatTemplate)),
            Chips::tr("Chat template chosen by hand instead of the checkpoint's own"),
            lane.chatTemplate != first.chatTemplate);
    if (!lane.exact && (lane.acts != "int8" || lane.acts != first.acts))
        add("acts", Chips::tr("acts %1").arg(QString::fromStdString(lane.acts)),
            Chips::tr("Activations that meet quantised weights: int8, or int8 in two terms; bf16: "
                      "all products are of bf16 numbers"),
            lane.acts != first.acts);
    if (lane.affinity != "none" || lane.affinity != first.affinity)
        add("affinity",
            lane.affinity == "cores" ? Chips::tr("pinned threads") : Chips::tr("free threads"),
            Chips::tr("Pinned: every thread stays on a core of its own"),
            lane.affinity != first.affinity);
    if (lane.products != "own" || lane.products != first.products)
        add("products",
            lane.products == "cublaslt" ? QStringLiteral("cuBLASLt") : Chips::tr("own products"),
            Chips::tr("Who multiplies f16 and bf16 matrices on a GPU: the lane's own kernels, or "
                      "NVIDIA's cuBLASLt"),
            lane.products != first.products);
    if (lane.sampling != "host" || lane.sampling != first.sampling)
        add("sampling",
            lane.sampling == "device" ? Chips::tr("sampled on the GPU")
                                      : Chips::tr("sampled on the processor"),
            Chips::tr("Where a GPU lane's tokens are chosen: on the GPU only they are copied back, "
                      "on the processor all logits are"),
            lane.sampling != first.sampling);
    if (!lane.exact && (!lane.pack || !first.pack))
        add("pack", lane.pack ? Chips::tr("packed") : Chips::tr("not packed"),
            Chips::tr("Packed: weights are laid out for the processor when they are loaded"),
            lane.pack != first.pack);
    if (lane.exact || first.exact)
        add("exact", lane.exact ? Chips::tr("exact") : Chips::tr("fast path"),
            Chips::tr("Exact: fp32 activations and KV, no activation quantisation"),
            lane.exact != first.exact);
    return chips;
}

}  // namespace lanescope::app

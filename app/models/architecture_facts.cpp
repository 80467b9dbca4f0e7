// What sets an architecture apart, as rows for the Model page.
#include <QCoreApplication>
#include <QStringList>

#include "app/models/model_facts.h"
#include "app/models/number_text.h"

namespace lanescope::app {

namespace {

struct SpecFacts {
    Q_DECLARE_TR_FUNCTIONS(ModelFacts)
};

QString biasText(BiasRule rule) {
    switch (rule) {
        case BiasRule::Never:
            return SpecFacts::tr("no");
        case BiasRule::Always:
            return SpecFacts::tr("yes");
        case BiasRule::IfPresent:
            return SpecFacts::tr("where the file has one");
    }
    return {};
}

QString significant(double value) {
    return QString::number(value, 'g', 8);
}

/// How tokens are told apart by their place: a learned table, or rotations.
void addPositionFacts(const ModelSpec& s, const FactList& add) {
    if (s.learnedPositions > 0) {
        add(SpecFacts::tr("Positions"),
            SpecFacts::tr("a learned table of %1 rows").arg(s.learnedPositions),
            SpecFacts::tr("No text can be longer than the table"));
        return;
    }
    add(SpecFacts::tr("RoPE"),
        SpecFacts::tr("%1 of %2 values a head, base %3")
            .arg(s.rotaryDim)
            .arg(s.headDim)
            .arg(significant(s.ropeTheta)),
        SpecFacts::tr("Rotary position embedding"));
    if (!s.localRopeInvFreq.empty())
        add(SpecFacts::tr("RoPE of windowed layers"),
            SpecFacts::tr("base %1, scaling %2")
                .arg(significant(s.localRopeTheta), QString::fromStdString(s.localRopeScaling)));
    add(SpecFacts::tr("RoPE layout"), s.ropeLayout == kernels::RopeLayout::HalfSplit
                                          ? SpecFacts::tr("halves (i, i + n/2)")
                                          : SpecFacts::tr("neighbours (2i, 2i + 1)"));
    add(SpecFacts::tr("RoPE scaling"), QString::fromStdString(s.ropeScaling),
        SpecFacts::tr("How positions beyond the first trained context are reached"));
}

void addAttentionFacts(const ModelSpec& s, const FactList& add) {
    add(SpecFacts::tr("Attention heads"), headsText(s));
    add(SpecFacts::tr("Head size"), QString::number(s.headDim));
    if (s.slidingWindow > 0) {
        int windowed = 0;
        for (int i = 0; i < static_cast<int>(s.nLayers); ++i) windowed += s.window(i) > 0 ? 1 : 0;
        add(SpecFacts::tr("Sliding window"),
            SpecFacts::tr("%1 tokens, in %2 of %3 layers")
                .arg(s.slidingWindow)
                .arg(windowed)
                .arg(s.nLayers),
            SpecFacts::tr("A token sees only so many before it there"));
    }
    if (s.queryScale > 0.0F)
        add(SpecFacts::tr("Attention scale"), significant(static_cast<double>(s.queryScale)));
    if (s.attentionSoftcap > 0.0F)
        add(SpecFacts::tr("Attention soft cap"),
            significant(static_cast<double>(s.attentionSoftcap)));
}

/// What follows what within a layer, and with which functions.
void addBlockFacts(const ModelSpec& s, const FactList& add) {
    QStringList norms{s.normKind == NormKind::Layer ? SpecFacts::tr("layer norm")
                                                    : SpecFacts::tr("RMS norm")};
    if (s.postNorms) norms << SpecFacts::tr("again after each half");
    if (s.qkNorm) norms << SpecFacts::tr("on Q and K of each head");
    add(SpecFacts::tr("Norms"), norms.join(QStringLiteral(", ")));
    add(SpecFacts::tr("Norm epsilon"), QString::number(static_cast<double>(s.normEps), 'g', 4));
    add(SpecFacts::tr("MLP"),
        (s.mlp == MlpKind::Gated ? SpecFacts::tr("gated, %1") : SpecFacts::tr("plain, %1"))
            .arg(s.activation == kernels::Activation::Silu ? QStringLiteral("SiLU")
                                                           : QStringLiteral("GELU")));
    add(SpecFacts::tr("Order"), s.block == BlockKind::Parallel
                                    ? SpecFacts::tr("attention and MLP side by side")
                                    : SpecFacts::tr("attention, then MLP"));
    const auto addScale = [&add](const QString& label, float scale) {
        if (scale != 1.0F) add(label, significant(static_cast<double>(scale)));
    };
    addScale(SpecFacts::tr("Embedding scale"), s.embeddingScale);
    addScale(SpecFacts::tr("Residual scale"), s.residualScale);
    addScale(SpecFacts::tr("Logit scale"), s.logitScale);
    if (s.logitSoftcap > 0.0F)
        add(SpecFacts::tr("Logit soft cap"), significant(static_cast<double>(s.logitSoftcap)));
}

}  // namespace

std::vector<Fact> architectureFacts(const ModelInspection& m) {
    if (!m.model) return mainFacts(m);
    const ModelSpec& s = m.model->spec();
    std::vector<Fact> out;
    const FactList add(out);
    add(SpecFacts::tr("Architecture"), m.architecture);
    add(SpecFacts::tr("Parameters"), parameterText(m.model->parameters().total()),
        SpecFacts::tr("Counted from the tensors"));
    add(SpecFacts::tr("Layers"), QString::number(s.nLayers));
    add(SpecFacts::tr("Width"), QString::number(s.dim),
        SpecFacts::tr("Size of the residual stream"));
    add(SpecFacts::tr("MLP width"), QString::number(s.ffnDim));
    addAttentionFacts(s, add);
    add(SpecFacts::tr("Vocabulary"),
        m.model->usableVocab() < s.vocab
            ? SpecFacts::tr("%1 rows, %2 of them tokens").arg(s.vocab).arg(m.model->usableVocab())
            : QString::number(s.vocab),
        SpecFacts::tr("Rows of the embedding; those without a token are never sampled"));
    add(SpecFacts::tr("Trained context"), SpecFacts::tr("%1 tokens").arg(s.contextLength));
    add(SpecFacts::tr("Output head"),
        s.tiedHead ? SpecFacts::tr("shares the embedding") : SpecFacts::tr("its own matrix"));
    addPositionFacts(s, add);
    addBlockFacts(s, add);
    add(SpecFacts::tr("Bias on Q, K, V"), biasText(s.qkvBias));
    add(SpecFacts::tr("Bias on the output"), biasText(s.outBias));
    add(SpecFacts::tr("Bias in the MLP"), biasText(s.mlpBias));
    add(SpecFacts::tr("KV cache a token"), bytesText(s.kvBytesPerToken(2)),
        SpecFacts::tr("2 x layers x KV heads x head size x 2 bytes (fp16)"));
    return out;
}

}  // namespace lanescope::app

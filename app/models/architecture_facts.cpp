// What sets an architecture apart, as rows for the Model page.
#include <QCoreApplication>
#include <QStringList>

#include "app/models/model_facts.h"
#include "app/models/number_text.h"

namespace lanescope::app {

namespace {

struct Facts {
    Q_DECLARE_TR_FUNCTIONS(ModelFacts)
};

QString biasText(BiasRule rule) {
    switch (rule) {
        case BiasRule::Never:
            return Facts::tr("no");
        case BiasRule::Always:
            return Facts::tr("yes");
        case BiasRule::IfPresent:
            return Facts::tr("where the file has one");
    }
    return {};
}

QString significant(double value) {
    return QString::number(value, 'g', 8);
}

/// How tokens are told apart by their place: a learned table, or rotations.
void addPositionFacts(const ModelSpec& s, const FactList& add) {
    if (s.learnedPositions > 0) {
        add(Facts::tr("Positions"), Facts::tr("a learned table of %1 rows").arg(s.learnedPositions),
            Facts::tr("No text can be longer than the table"));
        return;
    }
    add(Facts::tr("RoPE"),
        Facts::tr("%1 of %2 values a head, base %3")
            .arg(s.rotaryDim)
            .arg(s.headDim)
            .arg(significant(s.ropeTheta)),
        Facts::tr("Rotary position embedding"));
    if (!s.localRopeInvFreq.empty())
        add(Facts::tr("RoPE of windowed layers"),
            Facts::tr("base %1, scaling %2")
                .arg(significant(s.localRopeTheta), QString::fromStdString(s.localRopeScaling)));
    add(Facts::tr("RoPE layout"), s.ropeLayout == kernels::RopeLayout::HalfSplit
                                      ? Facts::tr("halves (i, i + n/2)")
                                      : Facts::tr("neighbours (2i, 2i + 1)"));
    add(Facts::tr("RoPE scaling"), QString::fromStdString(s.ropeScaling),
        Facts::tr("How positions beyond the first trained context are reached"));
}

void addAttentionFacts(const ModelSpec& s, const FactList& add) {
    add(Facts::tr("Attention heads"), headsText(s));
    add(Facts::tr("Head size"), QString::number(s.headDim));
    if (s.slidingWindow > 0) {
        int windowed = 0;
        for (int i = 0; i < static_cast<int>(s.nLayers); ++i) windowed += s.window(i) > 0 ? 1 : 0;
        add(Facts::tr("Sliding window"),
            Facts::tr("%1 tokens, in %2 of %3 layers")
                .arg(s.slidingWindow)
                .arg(windowed)
                .arg(s.nLayers),
            Facts::tr("A token sees only so many before it there"));
    }
    if (s.queryScale > 0.0F)
        add(Facts::tr("Attention scale"), significant(static_cast<double>(s.queryScale)));
    if (s.attentionSoftcap > 0.0F)
        add(Facts::tr("Attention soft cap"), significant(static_cast<double>(s.attentionSoftcap)));
}

/// What follows what within a layer, and with which functions.
void addBlockFacts(const ModelSpec& s, const FactList& add) {
    QStringList norms{s.normKind == NormKind::Layer ? Facts::tr("layer norm")
                                                    : Facts::tr("RMS norm")};
    if (s.postNorms) norms << Facts::tr("again after each half");
    if (s.qkNorm) norms << Facts::tr("on Q and K of each head");
    add(Facts::tr("Norms"), norms.join(QStringLiteral(", ")));
    add(Facts::tr("Norm epsilon"), QString::number(static_cast<double>(s.normEps), 'g', 4));
    add(Facts::tr("MLP"),
        (s.mlp == MlpKind::Gated ? Facts::tr("gated, %1") : Facts::tr("plain, %1"))
            .arg(s.activation == kernels::Activation::Silu ? QStringLiteral("SiLU")
                                                           : QStringLiteral("GELU")));
    add(Facts::tr("Order"), s.block == BlockKind::Parallel
                                ? Facts::tr("attention and MLP side by side")
                                : Facts::tr("attention, then MLP"));
    const auto addScale = [&add](const QString& label, float scale) {
        if (scale != 1.0F) add(label, significant(static_cast<double>(scale)));
    };
    addScale(Facts::tr("Embedding scale"), s.embeddingScale);
    addScale(Facts::tr("Residual scale"), s.residualScale);
    addScale(Facts::tr("Logit scale"), s.logitScale);
    if (s.logitSoftcap > 0.0F)
        add(Facts::tr("Logit soft cap"), significant(static_cast<double>(s.logitSoftcap)));
}

}  // namespace

std::vector<Fact> architectureFacts(const ModelInspection& m) {
    if (!m.model) return mainFacts(m);
    const ModelSpec& s = m.model->spec();
    std::vector<Fact> out;
    const FactList add(out);
    add(Facts::tr("Architecture"), m.architecture);
    add(Facts::tr("Parameters"), parameterText(m.model->parameters().total()),
        Facts::tr("Counted from the tensors"));
    add(Facts::tr("Layers"), QString::number(s.nLayers));
    add(Facts::tr("Width"), QString::number(s.dim), Facts::tr("Size of the residual stream"));
    add(Facts::tr("MLP width"), QString::number(s.ffnDim));
    addAttentionFacts(s, add);
    add(Facts::tr("Vocabulary"),
        m.model->usableVocab() < s.vocab
            ? Facts::tr("%1 rows, %2 of them tokens").arg(s.vocab).arg(m.model->usableVocab())
            : QString::number(s.vocab),
        Facts::tr("Rows of the embedding; those without a token are never sampled"));
    add(Facts::tr("Trained context"), Facts::tr("%1 tokens").arg(s.contextLength));
    add(Facts::tr("Output head"),
        s.tiedHead ? Facts::tr("shares the embedding") : Facts::tr("its own matrix"));
    addPositionFacts(s, add);
    addBlockFacts(s, add);
    add(Facts::tr("Bias on Q, K, V"), biasText(s.qkvBias));
    add(Facts::tr("Bias on the output"), biasText(s.outBias));
    add(Facts::tr("Bias in the MLP"), biasText(s.mlpBias));
    add(Facts::tr("KV cache a token"), bytesText(s.kvBytesPerToken(2)),
        Facts::tr("2 x layers x KV heads x head size x 2 bytes (fp16)"));
    return out;
}

}  // namespace lanescope::app

#include "app/models/kv_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/decode/engine.h"

namespace lanescope::app {

namespace {

using kernels::KvFormat;
using kernels::KvPart;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(KvWords)
};

/// Bytes of one number, and its share of what scales it.
QString bytesOfNumber(KvFormat format, KvPart part, const KvShape& shape) {
    switch (format) {
        case KvFormat::F32:
            return Words::tr("4 bytes");
        case KvFormat::F16:
        case KvFormat::BF16:
            return Words::tr("2 bytes");
        case KvFormat::E4M3:
        case KvFormat::E5M2:
            return Words::tr("1 byte");
        case KvFormat::Int8:
            return Words::tr("(1 + 4/%1) bytes").arg(shape.headDim);
        case KvFormat::Int4:
            return Words::tr("(1/2 + 4/%1) bytes")
                .arg(part == KvPart::Keys ? shape.blockTokens : shape.headDim);
    }
    return {};
}

}  // namespace

KvLayout kvLayoutOf(const KvShape& shape) {
    KvLayout layout;
    layout.nLayers = shape.nLayers;
    layout.nKvHeads = shape.nKvHeads;
    layout.headDim = shape.headDim;
    layout.blockTokens = shape.blockTokens;
    layout.keys = shape.keys;
    layout.values = shape.values;
    return layout;
}

KvMemory kvMemoryOf(const KvShape& shape) {
    const EngineSettings defaults;
    return kvMemory(kvLayoutOf(shape), shape.contextTokens, shape.batch,
                    std::max(defaults.prefillChunk, shape.batch));
}

QString kvFormula(const KvShape& shape) {
    const QString dims = Words::tr("%1 layers × %2 KV heads × %3 columns × ")
                             .arg(shape.nLayers)
                             .arg(shape.nKvHeads)
                             .arg(shape.headDim);
    const QString keys = bytesOfNumber(shape.keys, KvPart::Keys, shape);
    const QString values = bytesOfNumber(shape.values, KvPart::Values, shape);
    const QString numbers = keys == values
                                ? Words::tr("2 (K, V) × ") + dims + keys
                                : dims + Words::tr("(%1 of K + %2 of V)").arg(keys, values);
    return Words::tr("%1 = %2 bytes a token")
        .arg(numbers, QString::number(std::llround(kvMemoryOf(shape).bytesPerToken)));
}

QString kvProblem(const KvShape& shape) {
    for (const KvFormat format : {shape.keys, shape.values})
        if (!kernels::canStore(format, shape.headDim))
            return Words::tr("Heads of %1 columns cannot be stored as %2: choose another format.")
                .arg(shape.headDim)
                .arg(QString::fromUtf8(kernels::kvFormatName(format).data()));
    return {};
}

}  // namespace lanescope::app

#include "app/timeline/op_style.h"

#include <QCoreApplication>

namespace lanescope::app {

QColor opColor(trace::Op op) {
    using trace::Op;
    switch (op) {
        case Op::Embed:
            return QColor(0x8c, 0x6d, 0x31);
        case Op::Norm:
            return QColor(0x9e, 0x9e, 0x9e);
        case Op::QuantiseActs:
            return QColor(0xbd, 0xb7, 0x6b);
        case Op::Qkv:
            return QColor(0x33, 0x82, 0xc4);
        case Op::Rope:
            return QColor(0x17, 0xa2, 0xa2);
        case Op::KvWrite:
            return QColor(0x6a, 0x4f, 0xb8);
        case Op::Attention:
            return QColor(0xd6, 0x6a, 0x1e);
        case Op::OutProj:
            return QColor(0x6f, 0xa8, 0xdc);
        case Op::GateUp:
            return QColor(0x2e, 0x8b, 0x57);
        case Op::Activation:
            return QColor(0xa3, 0xc6, 0x44);
        case Op::Down:
            return QColor(0x66, 0xb5, 0x8a);
        case Op::Residual:
            return QColor(0xb0, 0x9a, 0xa0);
        case Op::Head:
            return QColor(0xc2, 0x3b, 0x6b);
        case Op::Sample:
            return QColor(0xe0, 0xa8, 0x00);
        case Op::Detokenise:
            return QColor(0x99, 0x66, 0x99);
        case Op::Prefill:
            return QColor(0x4a, 0x6a, 0x8a);
        case Op::DecodeStep:
            return QColor(0x7a, 0x92, 0xaa);
        case Op::Load:
            return QColor(0x70, 0x70, 0x70);
        case Op::Warmup:
            return QColor(0x8a, 0x80, 0x70);
    }
    return Qt::gray;
}

QColor opTextColor(trace::Op op) {
    return opColor(op).lightnessF() > 0.52 ? QColor(0x10, 0x10, 0x10) : QColor(0xff, 0xff, 0xff);
}

QString opLabel(trace::Op op) {
    using trace::Op;
    // Not called tr: lupdate would take the macro for its argument and find no string.
    const auto named = [](const char* text) { return QCoreApplication::translate("Ops", text); };
    switch (op) {
        case Op::Embed:
            return named(QT_TRANSLATE_NOOP("Ops", "Embedding"));
        case Op::Norm:
            return named(QT_TRANSLATE_NOOP("Ops", "Norm"));
        case Op::QuantiseActs:
            return named(QT_TRANSLATE_NOOP("Ops", "Quantise activations"));
        case Op::Qkv:
            return named(QT_TRANSLATE_NOOP("Ops", "QKV projection"));
        case Op::Rope:
            return named(QT_TRANSLATE_NOOP("Ops", "RoPE"));
        case Op::KvWrite:
            return named(QT_TRANSLATE_NOOP("Ops", "KV write"));
        case Op::Attention:
            return named(QT_TRANSLATE_NOOP("Ops", "Attention"));
        case Op::OutProj:
            return named(QT_TRANSLATE_NOOP("Ops", "Output projection"));
        case Op::GateUp:
            return named(QT_TRANSLATE_NOOP("Ops", "Gate + up"));
        case Op::Activation:
            return named(QT_TRANSLATE_NOOP("Ops", "Activation"));
        case Op::Down:
            return named(QT_TRANSLATE_NOOP("Ops", "Down projection"));
        case Op::Residual:
            return named(QT_TRANSLATE_NOOP("Ops", "Residual add"));
        case Op::Head:
            return named(QT_TRANSLATE_NOOP("Ops", "Head"));
        case Op::Sample:
            return named(QT_TRANSLATE_NOOP("Ops", "Sampling"));
        case Op::Detokenise:
            return named(QT_TRANSLATE_NOOP("Ops", "Detokenise"));
        case Op::Prefill:
            return named(QT_TRANSLATE_NOOP("Ops", "Prefill"));
        case Op::DecodeStep:
            return named(QT_TRANSLATE_NOOP("Ops", "Decode step"));
        case Op::Load:
            return named(QT_TRANSLATE_NOOP("Ops", "Load"));
        case Op::Warmup:
            return named(QT_TRANSLATE_NOOP("Ops", "Warm-up"));
    }
    return {};
}

}  // namespace lanescope::app

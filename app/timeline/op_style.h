#pragma once
// How an op looks and is called in every pane: one colour and one translated name an op.

#include <QColor>
#include <QString>

#include "engine/trace/events.h"

namespace lanescope::app {

/// Fill colour of an op's bars; readable with opTextColor() on it in both themes.
QColor opColor(trace::Op op);
QColor opTextColor(trace::Op op);
/// Translated name ("Attention", "Gate + up" …).
QString opLabel(trace::Op op);

}  // namespace lanescope::app

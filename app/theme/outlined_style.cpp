#include "app/theme/outlined_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {

void outline(QPainter* painter, const QStyleOption& option, const QColor& color) {
    if (!themeColors().dark || option.state.testFlag(QStyle::State_HasFocus)) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(color);
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
}

}  // namespace

OutlinedStyle::OutlinedStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void OutlinedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                  QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck)
        outline(painter, *option, themeColors().textFaint);
    else if (element == PE_FrameLineEdit)
        outline(painter, *option, themeColors().border);
}

void OutlinedStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                       QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox) outline(painter, *option, themeColors().border);
}

}  // namespace lanescope::app

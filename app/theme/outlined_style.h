#pragma once
// Fusion with outlines that are seen on dark windows: its own are darker than the window.

#include <QProxyStyle>

namespace lanescope::app {

class OutlinedStyle : public QProxyStyle {
  public:
    OutlinedStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
};

}  // namespace lanescope::app

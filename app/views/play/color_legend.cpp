#include "app/views/play/color_legend.h"

#include <QFontMetrics>
#include <QPainter>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kRamp = 72, kGap = 6;
}

ColorLegend::ColorLegend(QWidget* parent) : QWidget(parent) {
    setFont(uiFont(-1));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void ColorLegend::setColoring(TokenColoring coloring) {
    m_coloring = coloring;
    updateGeometry();
    update();
}

QString ColorLegend::lowText() const {
    switch (m_coloring) {
        case TokenColoring::Probability:
            return tr("p = 1");
        case TokenColoring::Latency:
            return tr("0 ms");
        case TokenColoring::Disagreement:
        case TokenColoring::None:
            break;
    }
    return {};
}

QString ColorLegend::highText() const {
    switch (m_coloring) {
        case TokenColoring::Probability:
            return tr("p = 0");
        case TokenColoring::Latency:
            return tr("p95 and slower");
        case TokenColoring::Disagreement:
            return tr("not the baseline's token");
        case TokenColoring::None:
            break;
    }
    return {};
}

QSize ColorLegend::sizeHint() const {
    if (m_coloring == TokenColoring::None) return {0, 0};
    const QFontMetrics metrics(font());
    const int ramp = m_coloring == TokenColoring::Disagreement ? 18 : kRamp;
    const QString low = lowText();
    return {(low.isEmpty() ? 0 : metrics.horizontalAdvance(low) + kGap) + ramp + kGap +
                metrics.horizontalAdvance(highText()) + 2,
            metrics.height() + 2};
}

void ColorLegend::paintEvent(QPaintEvent*) {
    if (m_coloring == TokenColoring::None) return;
    QPainter painter(this);
    const ThemeColors& c = themeColors();
    const QFontMetrics metrics(font());
    int x = 0;
    painter.setPen(c.textMuted);
    const QString low = lowText();
    if (!low.isEmpty()) {
        const int w = metrics.horizontalAdvance(low);
        painter.drawText(QRect(x, 0, w, height()), Qt::AlignVCenter, low);
        x += w + kGap;
    }
    const int ramp = m_coloring == TokenColoring::Disagreement ? 18 : kRamp;
    const int swatch = 12;
    const int top = (height() - swatch) / 2;
    painter.fillRect(x, top, ramp, swatch, c.base);
    for (int i = 0; i < ramp; ++i) {
        const double strength =
            m_coloring == TokenColoring::Disagreement ? 1.0 : static_cast<double>(i) / (ramp - 1);
        painter.fillRect(x + i, top, 1, swatch, tokenBackground(m_coloring, strength, c.dark));
    }
    painter.setPen(c.border);
    painter.drawRect(x, top, ramp - 1, swatch - 1);
    x += ramp + kGap;
    painter.setPen(c.textMuted);
    painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter, highText());
}

}  // namespace lanescope::app

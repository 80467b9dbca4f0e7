#include "app/widgets/elided_label.h"

#include <QFontMetrics>
#include <QMouseEvent>
#include <QPainter>

namespace lanescope::app {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    setToolTip(text);
    setAccessibleName(text);
    updateGeometry();
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
    m_mode = mode;
}

void ElidedLabel::setColor(const QColor& color) {
    m_color = color;
    update();
}

QSize ElidedLabel::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_text) + 2, metrics.height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {16, QFontMetrics(font()).height()};
}

void ElidedLabel::setClickable(bool clickable) {
    m_clickable = clickable;
    setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ElidedLabel::mousePressEvent(QMouseEvent* event) {
    // Taken only where it means something: a click on plain text belongs to what holds it.
    if (m_clickable && event->button() == Qt::LeftButton) return;
    QWidget::mousePressEvent(event);
}

void ElidedLabel::mouseReleaseEvent(QMouseEvent* event) {
    if (m_clickable && event->button() == Qt::LeftButton) {
        if (rect().contains(event->position().toPoint())) emit clicked();
        return;
    }
    QWidget::mouseReleaseEvent(event);
}

void ElidedLabel::enterEvent(QEnterEvent*) {
    m_hovered = true;
    update();
}

void ElidedLabel::leaveEvent(QEvent*) {
    m_hovered = false;
    update();
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (m_clickable && m_hovered) {
        QFont underlined = font();
        underlined.setUnderline(true);
        painter.setFont(underlined);
    }
    painter.setPen(m_color.isValid() ? m_color : palette().color(QPalette::WindowText));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font()).elidedText(m_text, m_mode, width()));
}

}  // namespace lanescope::app

#include "app/widgets/bar_list.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "app/theme/theme.h"

namespace lanescope::app {

BarList::BarList(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void BarList::setRows(std::vector<BarRow> rows, double labelShare, bool mono) {
    const bool resized = rows.size() != m_rows.size();
    m_rows = std::move(rows);
    m_labelShare = labelShare;
    m_mono = mono;
    if (resized) updateGeometry();
    update();
}

int BarList::rowHeight() const {
    return fontMetrics().height() + kSpaceS;
}

QSize BarList::sizeHint() const {
    return {200, rowHeight() * static_cast<int>(m_rows.size())};
}

void BarList::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& colors = themeColors();
    const int h = rowHeight();
    const int labelWidth = static_cast<int>(width() * m_labelShare);
    int valueWidth = 0;
    for (const auto& row : m_rows)
        valueWidth = std::max(valueWidth, fontMetrics().horizontalAdvance(row.value) + kSpaceS);
    const int barLeft = labelWidth + kSpaceS;
    const int barWidth = std::max(8, width() - barLeft - valueWidth - kSpaceS);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto& row = m_rows[i];
        const int y = static_cast<int>(i) * h;
        QFont labelFont = m_mono ? monoFont(-1) : font();
        labelFont.setBold(row.strong);
        painter.setFont(labelFont);
        painter.setPen(colors.text);
        const QString label =
            QFontMetrics(labelFont).elidedText(row.label, Qt::ElideRight, labelWidth - 2);
        painter.drawText(QRect(0, y, labelWidth, h),
                         Qt::AlignVCenter | Qt::AlignLeft | Qt::TextDontClip, label);
        painter.fillRect(QRect(barLeft, y + h / 4, barWidth, h / 2), colors.panel);
        const double w = std::clamp(row.fraction, 0.0, 1.0) * barWidth;
        painter.fillRect(
            QRectF(barLeft, y + h / 4, std::max(w, row.fraction > 0 ? 1.0 : 0.0), h / 2),
            row.color);
        painter.setFont(font());
        painter.setPen(colors.textMuted);
        painter.drawText(QRect(width() - valueWidth, y, valueWidth, h),
                         Qt::AlignVCenter | Qt::AlignRight, row.value);
    }
}

void BarList::mousePressEvent(QMouseEvent* event) {
    const auto i = static_cast<std::size_t>(std::max(0.0, event->position().y())) /
                   static_cast<std::size_t>(rowHeight());
    if (event->button() == Qt::LeftButton && i < m_rows.size() && m_rows[i].tag >= 0)
        emit clicked(m_rows[i].tag);
}

QString BarList::toMarkdown() const {
    QString text = QStringLiteral("| | |\n|---|---:|\n");
    for (const auto& row : m_rows) {
        QString label = row.label;
        label.replace(QLatin1Char('|'), QStringLiteral("\\|"));
        text += QStringLiteral("| %1 | %2 |\n").arg(label, row.value);
    }
    return text;
}

void BarList::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy as Markdown"), this,
                   [this] { QApplication::clipboard()->setText(toMarkdown()); });
    menu.exec(event->globalPos());
}

bool BarList::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const auto i = static_cast<std::size_t>(std::max(0, help->pos().y())) /
                       static_cast<std::size_t>(rowHeight());
        if (i < m_rows.size() && !m_rows[i].toolTip.isEmpty()) {
            QToolTip::showText(help->globalPos(), m_rows[i].toolTip, this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace lanescope::app

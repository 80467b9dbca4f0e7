#include "app/widgets/chip_row.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>
#include <algorithm>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kChipPad = 6, kChipGap = 4;
}

ChipRow::ChipRow(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFont(uiFont(-1));
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void ChipRow::setChips(std::vector<LaneChip> chips) {
    // Differences first: they must not be the ones that do not fit.
    std::stable_partition(chips.begin(), chips.end(), [](const LaneChip& c) { return c.bright; });
    m_chips = std::move(chips);
    QStringList words;
    for (const auto& chip : m_chips) words << chip.text;
    setAccessibleName(tr("Settings"));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

void ChipRow::setLaneColor(const QColor& color) {
    m_color = color;
    update();
}

int ChipRow::chipHeight() const {
    return QFontMetrics(font()).height() + 4;
}
QSize ChipRow::sizeHint() const {
    return {200, chipHeight()};
}
QSize ChipRow::minimumSizeHint() const {
    return {60, chipHeight()};
}

std::vector<ChipRow::Placed> ChipRow::place() const {
    const QFontMetrics metrics(font());
    std::vector<Placed> placed;
    const int moreWidth = metrics.horizontalAdvance(QStringLiteral("+9")) + 2 * kChipPad;
    int x = 0;
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        const int w = metrics.horizontalAdvance(m_chips[i].text) + 2 * kChipPad;
        const bool last = i + 1 == m_chips.size();
        if (x + w + (last ? 0 : kChipGap + moreWidth) > width() && !(placed.empty() && last)) {
            placed.push_back({QRect(x, 0, moreWidth, chipHeight()), -1});
            break;
        }
        placed.push_back({QRect(x, 0, w, chipHeight()), static_cast<int>(i)});
        x += w + kChipGap;
    }
    return placed;
}

void ChipRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& c = themeColors();
    for (const auto& [rect, index] : place()) {
        const bool bright = index >= 0 && m_chips[static_cast<std::size_t>(index)].bright;
        const QString text = index >= 0
                                 ? m_chips[static_cast<std::size_t>(index)].text
                                 : QStringLiteral("+%1").arg(m_chips.size() - (place().size() - 1));
        QRectF area = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(bright ? blend(c.panel, m_color, 0.9) : c.border);
        painter.setBrush(bright ? blend(c.panel, m_color, c.dark ? 0.30 : 0.16) : c.panel);
        painter.drawRoundedRect(area, 3, 3);
        painter.setPen(bright ? c.text : c.textMuted);
        painter.drawText(rect, Qt::AlignCenter, text);
    }
}

bool ChipRow::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    for (const auto& [rect, index] : place()) {
        if (!rect.contains(help->pos())) continue;
        QStringList lines;
        if (index >= 0) {
            lines << m_chips[static_cast<std::size_t>(index)].tip;
        } else {
            for (const auto& chip : m_chips) lines << chip.text;
        }
        QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

}  // namespace lanescope::app

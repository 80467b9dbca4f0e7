#include "app/widgets/legend_row.h"

#include <QPainter>
#include <algorithm>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kSquare = 10;
}

LegendRow::LegendRow(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void LegendRow::setEntries(std::vector<LegendEntry> entries) {
    m_entries = std::move(entries);
    QStringList names;
    for (const LegendEntry& entry : m_entries) names << entry.name;
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

int LegendRow::place(int width, std::vector<QPoint>* at) const {
    const int line = fontMetrics().height() + kSpaceS;
    int x = 0, y = 0;
    for (const LegendEntry& entry : m_entries) {
        const int wide = kSquare + kSpaceS + fontMetrics().horizontalAdvance(entry.name);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += line;
        }
        if (at != nullptr) at->emplace_back(x, y);
        x += wide + kSpaceL;
    }
    return y + line;
}

QSize LegendRow::sizeHint() const {
    int wide = 0;
    for (const LegendEntry& entry : m_entries)
        wide += kSquare + kSpaceS + fontMetrics().horizontalAdvance(entry.name) + kSpaceL;
    return {wide, fontMetrics().height() + kSpaceS};
}

QSize LegendRow::minimumSizeHint() const {
    return {60, fontMetrics().height() + kSpaceS};
}

int LegendRow::heightForWidth(int width) const {
    return place(width, nullptr);
}

void LegendRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    std::vector<QPoint> at;
    place(width(), &at);
    const int line = fontMetrics().height() + kSpaceS;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const LegendEntry& entry = m_entries[i];
        const QRect square(at[i].x(), at[i].y() + (line - kSquare) / 2, kSquare, kSquare);
        if (entry.frame) {
            painter.setPen(entry.color);
            painter.setBrush(QBrush(entry.color, entry.brush));
            painter.drawRect(square.adjusted(0, 0, -1, -1));
        } else {
            painter.fillRect(square, QBrush(entry.color, entry.brush));
        }
        if (entry.inner.isValid()) painter.fillRect(square.adjusted(3, 3, -3, -3), entry.inner);
        painter.setPen(themeColors().textMuted);
        painter.drawText(at[i].x() + kSquare + kSpaceS,
                         at[i].y() + (line - fontMetrics().height()) / 2 + fontMetrics().ascent(),
                         entry.name);
    }
}

}  // namespace lanescope::app

#include "app/widgets/stats_bar.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>
#include <algorithm>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kCellPad = 4;

QColor verdictColor(profiler::Delta::Verdict verdict) {
    const ThemeColors& c = themeColors();
    switch (verdict) {
        case profiler::Delta::Verdict::Better:
            return c.good;
        case profiler::Delta::Verdict::Worse:
            return c.bad;
        case profiler::Delta::Verdict::WithinNoise:
            return c.textFaint;
        case profiler::Delta::Verdict::NotComparable:
            return c.textMuted;
    }
    return c.textMuted;
}
}  // namespace

StatsBar::StatsBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void StatsBar::setCells(std::vector<StatCell> cells) {
    const bool had = withDeltas();
    const std::size_t count = m_cells.size();
    m_cells = std::move(cells);
    QStringList words;
    for (const auto& cell : m_cells)
        words << cell.label + QLatin1Char(' ') + cell.value + QLatin1Char(' ') + cell.delta;
    setAccessibleName(tr("Figures"));
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    if (had != withDeltas() || count != m_cells.size())
        fitHeight();
    else
        update();
}

bool StatsBar::withDeltas() const {
    return std::any_of(m_cells.begin(), m_cells.end(),
                       [](const StatCell& cell) { return !cell.delta.isEmpty(); });
}

int StatsBar::cellHeight() const {
    const int small = QFontMetrics(uiFont(-2)).height();
    return small + QFontMetrics(uiFont(0)).height() + (withDeltas() ? small : 0) + kCellPad;
}

bool StatsBar::longDeltas(int width) const {
    const QFontMetrics delta(uiFont(-2));
    return width / 4 >=
           delta.horizontalAdvance(QStringLiteral("▲ +1.23 ms (+12.3 %)")) + 2 * kCellPad;
}

int StatsBar::columns(int width) const {
    // What the widest value or change usually needs.
    const bool spread = std::any_of(m_cells.begin(), m_cells.end(), [](const StatCell& cell) {
        return cell.value.contains(QStringLiteral("±"));
    });
    const QFontMetrics value(uiFont(0, true));
    const QFontMetrics delta(uiFont(-2));
    const int valueWidth = value.horizontalAdvance(spread ? QStringLiteral("123 ± 12.3 ms")
                                                          : QStringLiteral("12.3 MiB"));
    const int deltaWidth =
        !withDeltas()
            ? 0
            : delta.horizontalAdvance(longDeltas(width) ? QStringLiteral("▲ +1.23 ms (+12.3 %)")
                                                        : QStringLiteral("▲ +12.3 %"));
    const int wanted = std::max(valueWidth, deltaWidth) + 2 * kCellPad;
    const int count = std::max(1, static_cast<int>(m_cells.size()));
    const int most = std::clamp(width / std::max(1, wanted), 1, count);
    const int lines = (count + most - 1) / most;
    return (count + lines - 1) / lines;
}

int StatsBar::rows(int width) const {
    const int perRow = columns(width);
    const int all = (static_cast<int>(m_cells.size()) + perRow - 1) / perRow;
    return std::clamp((m_limit - kCellPad) / std::max(1, cellHeight()), 1, std::max(1, all));
}

int StatsBar::heightForWidth(int width) const {
    return rows(width) * cellHeight() + kCellPad;
}

int StatsBar::shownCount() const {
    return std::min(static_cast<int>(m_cells.size()), rows(width()) * columns(width()));
}

void StatsBar::setHeightLimit(int limit) {
    if (limit == m_limit) return;
    m_limit = limit;
    fitHeight();
}

void StatsBar::fitHeight() {
    const int wanted = heightForWidth(width());
    if (wanted != height() || minimumHeight() != wanted) setFixedHeight(wanted);
    update();
}

QSize StatsBar::sizeHint() const {
    return {200, heightForWidth(std::max(80, width()))};
}
QSize StatsBar::minimumSizeHint() const {
    return {80, cellHeight()};
}

void StatsBar::resizeEvent(QResizeEvent*) {
    fitHeight();
}

QRect StatsBar::cellRect(int index) const {
    const int perRow = columns(width());
    const int w = width() / perRow;
    return {index % perRow * w, index / perRow * cellHeight() + kCellPad / 2, w, cellHeight()};
}

void StatsBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& c = themeColors();
    const QFont small = uiFont(-2);
    const QFont strong = uiFont(0, true);
    const int smallHeight = QFontMetrics(small).height();
    const int strongHeight = QFontMetrics(strong).height();
    const auto draw = [&painter](const QFont& font, const QColor& color, const QRect& area,
                                 const QString& text) {
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
    };
    const bool longForm = longDeltas(width());
    for (int i = 0; i < shownCount(); ++i) {
        const StatCell& cell = m_cells[static_cast<std::size_t>(i)];
        QRect area = cellRect(i).adjusted(kCellPad, 0, -kCellPad, 0);
        area.setHeight(smallHeight);
        draw(small, c.textMuted, area, cell.label);
        area.translate(0, smallHeight);
        area.setHeight(strongHeight);
        draw(strong, c.text, area, cell.value);
        area.translate(0, strongHeight);
        area.setHeight(smallHeight);
        const QString& change = longForm ? cell.delta : cell.shortDelta;
        if (!change.isEmpty()) draw(small, verdictColor(cell.verdict), area, change);
    }
}

bool StatsBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    for (int i = 0; i < shownCount(); ++i) {
        if (!cellRect(i).contains(help->pos())) continue;
        const StatCell& cell = m_cells[static_cast<std::size_t>(i)];
        QString text = cell.label + QStringLiteral(": ") + cell.value;
        if (!cell.delta.isEmpty()) text += QStringLiteral("  ") + cell.delta;
        QToolTip::showText(help->globalPos(), text + QLatin1Char('\n') + cell.tip, this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

}  // namespace lanescope::app

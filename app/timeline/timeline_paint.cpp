// How the timeline is painted. Only what lies in the exposed rectangle is worked out, so that a
// moving crosshair costs two pixels' worth.

#include <QImage>
#include <QLocale>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/item_style.h"
#include "app/timeline/timeline_metrics.h"
#include "app/timeline/timeline_view.h"

namespace lanescope::app {

namespace {

constexpr double kTextBar = 34.0;  ///< bars narrower than this carry no text
constexpr double kSummaryHeight = 8.0;

/// A time with as many decimals as the ticks are apart.
QString tickText(std::int64_t tNs, std::int64_t stepNs) {
    struct Unit {
        double ns;
        const char* name;
    };
    static constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1.0, "ns"}};
    const double size = std::max(std::abs(static_cast<double>(tNs)), static_cast<double>(stepNs));
    const Unit* unit = kUnits;
    while (unit->ns > size && unit->ns > 1.0) ++unit;
    const int decimals = std::clamp(
        static_cast<int>(std::ceil(std::log10(unit->ns / static_cast<double>(stepNs)) - 1e-9)), 0,
        9);
    return fixedNumber(static_cast<double>(tNs) / unit->ns, decimals) + QLatin1Char(' ') +
           QString::fromUtf8(unit->name);
}

/// The columns of a row as one line of pixels, painted at once: thousands of rectangles would take
/// longer than finding them.
class Columns {
  public:
    Columns(QPainter& painter, int left, int right, double top, double height)
        : m_painter(painter),
          m_place(left, static_cast<int>(top), std::max(1, right - left), static_cast<int>(height)),
          m_line(m_place.width(), 1, QImage::Format_ARGB32_Premultiplied),
          m_pixels(reinterpret_cast<QRgb*>(m_line.scanLine(0))) {
        m_line.fill(Qt::transparent);
    }
    ~Columns() { m_painter.drawImage(m_place, m_line); }
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;

    /// Precondition: within the row.
    void add(int left, int right, QRgb color) {
        if (right > left)
            std::fill(m_pixels + (left - m_place.left()), m_pixels + (right - m_place.left()),
                      color);
    }

  private:
    QPainter& m_painter;
    QRect m_place;
    QImage m_line;
    QRgb* m_pixels;
};

}  // namespace

QString TimelineView::emptyText() const {
    if (m_loader.busy()) {
        const std::size_t n = m_wanted == nullptr ? 0
                              : m_wanted->imported != nullptr
                                  ? m_wanted->imported->events.size()
                                  : m_wanted->spans.size() + m_wanted->deviceActivities.size();
        return tr("Sorting %1 spans… %2 %")
            .arg(locale().toString(static_cast<qulonglong>(n)))
            .arg(static_cast<int>(100.0 * m_loader.fraction()));
    }
    return tr("No spans yet: run the lanes with op tracing on, or open a trace file.");
}

void TimelineView::paintEmpty(QPainter& painter) const {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                     emptyText());
}

void TimelineView::paintRuler(QPainter& painter) const {
    const QPalette& colors = palette();
    painter.setPen(colors.color(QPalette::Mid));
    painter.drawLine(QPointF(0, kTimelineRuler), QPointF(width(), kTimelineRuler));
    const auto ticks = rulerTicks(m_visible, plotWidth(), 110.0);
    const std::int64_t step = ticks.size() > 1 ? ticks[1] - ticks[0] : m_visible.length();
    for (const std::int64_t t : ticks) {
        const double x = plotLeft() + timeToX(t, m_visible, plotWidth());
        painter.setPen(colors.color(QPalette::Mid));
        painter.drawLine(QPointF(x, kTimelineRuler - 5), QPointF(x, kTimelineRuler));
        painter.setPen(colors.color(QPalette::PlaceholderText));
        painter.drawText(QRectF(x + 3, 2, 140, kTimelineRuler - 6),
                         Qt::AlignLeft | Qt::AlignVCenter, tickText(t, step));
    }
}

bool TimelineView::dimmed(const Track& track, std::uint32_t item) const {
    const auto& state = m_selection->state();
    if (state.op < 0 && state.layer < 0) return false;
    if (track.items == ItemKind::Device) {
        const auto& activity = m_timeline->run->deviceActivities[item];
        return (state.op >= 0 && activity.op != state.op) ||
               (state.layer >= 0 && activity.layer != state.layer);
    }
    if (track.kind != TrackKind::Ops) return false;
    const trace::Span& span = m_timeline->run->spans[item];
    return (state.op >= 0 && static_cast<int>(span.op) != state.op) ||
           (state.layer >= 0 && span.layer != state.layer);
}

void TimelineView::paintBars(QPainter& painter, const Track& track, const IntervalIndex& row,
                             const QRectF& rect, const QRectF& clip, bool withText) const {
    const Items items = m_timeline->items(track);
    const double from = clip.left() - rect.left() - 1.0, to = clip.right() - rect.left() + 1.0;
    const auto bars = visibleBars(row, items, m_visible, rect.width(), std::max(0.0, from),
                                  std::min(rect.width(), to));
    const QColor under = palette().color(QPalette::AlternateBase);
    const int first = static_cast<int>(rect.left());
    const int last = static_cast<int>(rect.right());
    {
        Columns columns(painter, first, last, rect.top(), rect.height());
        for (const Bar& bar : bars) {
            QColor color = itemColor(items, bar.item);
            double strength = 0.35 + 0.65 * static_cast<double>(bar.fill);
            if (dimmed(track, bar.item)) strength *= 0.3;
            if (strength < 0.995) color = blend(under, color, strength);
            const int left = std::max(first, static_cast<int>(rect.left() + bar.x));
            int right = std::min(
                last, std::max(left + 1, static_cast<int>(rect.left() + bar.x + bar.width)));
            if (right - left > 3) --right;  // a hair's breadth between neighbours
            columns.add(left, right, color.rgb());
        }
    }
    if (!withText) return;
    const QFontMetricsF metrics(painter.font());
    for (const Bar& bar : bars) {
        if (bar.width <= kTextBar) continue;
        const QRectF box =
            QRectF(rect.left() + bar.x, rect.top(), bar.width, rect.height()).intersected(rect);
        if (box.width() <= kTextBar) continue;
        const QString text =
            metrics.elidedText(itemLabel(items, bar.item), Qt::ElideRight, box.width() - 6.0);
        if (text.size() < 2) continue;
        painter.setPen(dimmed(track, bar.item) ? palette().color(QPalette::PlaceholderText)
                                               : itemTextColor(itemColor(items, bar.item)));
        painter.drawText(QPointF(box.left() + 4.0, box.center().y() + metrics.ascent() / 2.0 - 1.0),
                         text);
    }
}

void TimelineView::paintHeader(QPainter& painter, const TimelineLine& line,
                               const QRectF& clip) const {
    const TrackGroup& group = m_timeline->groups[line.group];
    const QRectF rect(0, line.y, width(), line.height);
    painter.fillRect(rect, palette().color(QPalette::Window));
    if (group.lane >= 0) painter.fillRect(QRectF(0, line.y, 4, line.height), laneColor(group.lane));
    painter.setPen(palette().color(QPalette::Text));
    // A triangle: down when open, right when collapsed.
    const QPointF c(14, rect.center().y());
    const QPolygonF open({c + QPointF(-4, -2.5), c + QPointF(4, -2.5), c + QPointF(0, 3)});
    const QPolygonF closed({c + QPointF(-2.5, -4), c + QPointF(3, 0), c + QPointF(-2.5, 4)});
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Text));
    painter.drawPolygon(line.collapsed ? closed : open);
    painter.restore();
    const double room = line.collapsed ? plotLeft() - 28.0 : rect.width() - 36.0;
    painter.drawText(QRectF(24, rect.top(), room, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(groupTitle(*m_timeline, line.group),
                                                      Qt::ElideRight, static_cast<int>(room)));
    if (!line.collapsed) return;
    // What is inside, small: the track that holds the most.
    const Track* fullest = nullptr;
    for (const std::size_t t : group.tracks) {
        const Track& track = m_timeline->tracks[t];
        if (fullest == nullptr || track.size() > fullest->size()) fullest = &track;
    }
    if (fullest == nullptr) return;
    const QRectF strip(plotLeft(), rect.center().y() - kSummaryHeight / 2, plotWidth(),
                       kSummaryHeight);
    paintBars(painter, *fullest, fullest->rows[0], strip, clip, false);
}

void TimelineView::paintRow(QPainter& painter, const TimelineLine& line, const QRectF& clip) const {
    const Track& track = m_timeline->tracks[static_cast<std::size_t>(line.track)];
    const TrackGroup& group = m_timeline->groups[line.group];
    if (group.lane >= 0) painter.fillRect(QRectF(0, line.y, 4, line.height), laneColor(group.lane));
    if (clip.left() < plotLeft() && line.row == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        const QRectF label(24, line.y, plotLeft() - 28, line.height);
        painter.drawText(
            label, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(trackTitle(*m_timeline, track), Qt::ElideRight,
                                             static_cast<int>(label.width())));
    }
    const QRectF rect(plotLeft(), line.y, plotWidth(), line.height);
    painter.fillRect(rect, palette().color(QPalette::AlternateBase));
    paintBars(painter, track, rowOf(line), rect, clip, true);
}

void TimelineView::paintMarks(QPainter& painter, const QRectF& clip) const {
    const auto& state = m_selection->state();
    painter.setClipRect(QRectF(plotLeft(), kTimelineRuler, plotWidth(), height()) & clip);
    if (state.tStartNs >= 0 && state.tEndNs > state.tStartNs) {
        const double x0 = plotLeft() + timeToX(state.tStartNs, m_visible, plotWidth());
        const double x1 = plotLeft() + timeToX(state.tEndNs, m_visible, plotWidth());
        QColor fill = palette().color(QPalette::Highlight);
        fill.setAlphaF(0.16F);
        painter.fillRect(
            QRectF(QPointF(x0, kTimelineRuler), QPointF(std::max(x1, x0 + 1), height())), fill);
    }
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    for (const ItemRef& item : m_links) {
        const QRectF box = itemRect(item);
        if (!box.isEmpty() && box.intersects(clip)) painter.drawRect(box.adjusted(0, 1, 0, -1));
    }
    if (m_selected.valid()) {
        const QRectF box = itemRect(m_selected);
        painter.setPen(QPen(palette().color(QPalette::Text), 2));
        if (!box.isEmpty())
            painter.drawRect(
                QRectF(box.left(), box.top() + 1, std::max(2.0, box.width()), box.height() - 2));
    }
    if (m_hoverX >= plotLeft()) {
        painter.setPen(QPen(palette().color(QPalette::PlaceholderText), 1, Qt::DotLine));
        painter.drawLine(QPointF(m_hoverX, kTimelineRuler), QPointF(m_hoverX, height()));
    }
    painter.setClipping(false);
}

void TimelineView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const QRectF clip = event->rect();
    painter.fillRect(clip, palette().color(QPalette::Base));
    QFont small = font();
    small.setPointSizeF(std::max(7.0, small.pointSizeF() - 1.5));
    painter.setFont(small);
    if (m_timeline == nullptr || m_lines.empty()) {
        paintEmpty(painter);
    } else {
        if (clip.top() <= kTimelineRuler) paintRuler(painter);
        auto line =
            std::lower_bound(m_lines.begin(), m_lines.end(), clip.top(),
                             [](const TimelineLine& l, double y) { return l.y + l.height < y; });
        for (; line != m_lines.end() && line->y <= clip.bottom(); ++line) {
            if (line->isHeader())
                paintHeader(painter, *line, clip);
            else
                paintRow(painter, *line, clip);
        }
        paintMarks(painter, clip);
    }
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

}  // namespace lanescope::app

#include "app/timeline/timeline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"

namespace lanescope::app {

namespace {
constexpr double kRulerHeight = 24.0;
constexpr double kPhaseHeight = 16.0;
constexpr double kOpHeight = 26.0;
constexpr double kGroupGap = 10.0;
constexpr double kLabelWidth = 96.0;
constexpr std::size_t kMaxZoomHistory = 64;

}  // namespace

TimelineView::TimelineView(Selection* selection, QWidget* parent)
    : QWidget(parent), m_selection(selection) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Kernel timeline"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(m_selection, &Selection::changed, this, [this] { update(); });
}

void TimelineView::setRun(profiler::RunSnapshot run) {
    const bool sameRun = run && m_run && run->header.id == m_run->header.id;
    if (sameRun && run->spans.size() == m_spanCount) {
        m_run = std::move(run);
        return;
    }
    const bool wasAll = !sameRun || m_visible == m_full;
    m_run = std::move(run);
    bool appended = sameRun && m_run->spans.size() > m_spanCount;
    for (std::size_t i = m_spanCount; appended && i < m_run->spans.size(); ++i) {
        appended = appendSpan(m_tracks, m_run->spans[i]);
    }
    if (!appended) {
        std::vector<trace::Span> spans;
        if (m_run) spans.assign(m_run->spans.begin(), m_run->spans.end());
        m_tracks = buildTracks(spans);
    }
    m_spanCount = m_run ? m_run->spans.size() : 0;
    m_full = fullRange(m_tracks);
    if (!sameRun) {
        m_selected = {};
        m_marked = {};
        m_zoomHistory.clear();
    }
    if (wasAll) m_visible = m_full;
    updateGeometry();
    update();
    emit visibleRangeChanged();
}

double TimelineView::plotLeft() const {
    return kLabelWidth;
}
double TimelineView::plotWidth() const {
    return std::max(1.0, static_cast<double>(width()) - kLabelWidth - 8.0);
}

QRectF TimelineView::trackRect(int index) const {
    double y = kRulerHeight + 4.0;
    for (int i = 0; i < static_cast<int>(m_tracks.size()); ++i) {
        const auto& track = m_tracks[static_cast<std::size_t>(i)];
        if (i > 0 && m_tracks[static_cast<std::size_t>(i - 1)].lane != track.lane) y += kGroupGap;
        const double height = track.phases ? kPhaseHeight : kOpHeight;
        if (i == index) return {plotLeft(), y, plotWidth(), height};
        y += height + 2.0;
    }
    return {};
}

QSize TimelineView::sizeHint() const {
    double bottom = kRulerHeight + 40.0;
    if (!m_tracks.empty()) bottom = trackRect(static_cast<int>(m_tracks.size()) - 1).bottom() + 8.0;
    return {640, static_cast<int>(bottom)};
}
QSize TimelineView::minimumSizeHint() const {
    return {240, std::min(sizeHint().height(), 120)};
}

std::int64_t TimelineView::timeAt(double x) const {
    return xToTime(x - plotLeft(), m_visible, plotWidth());
}

TimelineView::Hit TimelineView::hitTest(const QPointF& pos) const {
    for (int i = 0; i < static_cast<int>(m_tracks.size()); ++i) {
        const QRectF rect = trackRect(i);
        if (!rect.contains(pos)) continue;
        const auto& track = m_tracks[static_cast<std::size_t>(i)];
        const double x = pos.x() - plotLeft();
        for (const auto& bar : visibleBars(track, m_visible, plotWidth())) {
            if (x >= bar.x - 0.5 && x <= bar.x + std::max(bar.width, 1.0) + 0.5)
                return {i, bar.first};
        }
        return {i, -1};
    }
    return {};
}

void TimelineView::paintRuler(QPainter& painter) {
    const QPalette& colors = palette();
    painter.setPen(colors.color(QPalette::Mid));
    painter.drawLine(QPointF(0, kRulerHeight), QPointF(width(), kRulerHeight));
    for (const std::int64_t t : rulerTicks(m_visible, plotWidth())) {
        const double x = plotLeft() + timeToX(t, m_visible, plotWidth());
        painter.setPen(colors.color(QPalette::Mid));
        painter.drawLine(QPointF(x, kRulerHeight - 5), QPointF(x, kRulerHeight));
        painter.setPen(colors.color(QPalette::PlaceholderText));
        painter.drawText(QRectF(x + 3, 2, 120, kRulerHeight - 6), Qt::AlignLeft | Qt::AlignVCenter,
                         durationText(static_cast<double>(t) / 1e6));
    }
}

void TimelineView::paintTrack(QPainter& painter, int index) {
    const auto& track = m_tracks[static_cast<std::size_t>(index)];
    const QRectF rect = trackRect(index);
    painter.fillRect(rect, palette().color(QPalette::AlternateBase));
    const auto& state = m_selection->state();
    const bool dimOthers = state.op >= 0 || state.layer >= 0;
    painter.save();
    painter.setClipRect(rect);
    for (const auto& bar : visibleBars(track, m_visible, rect.width())) {
        const QRectF box(rect.left() + bar.x, rect.top(), std::max(bar.width, 1.0), rect.height());
        QColor color = opColor(bar.op);
        const auto& span = track.spans[static_cast<std::size_t>(bar.first)];
        if (dimOthers && !track.phases) {
            const bool match = (state.op < 0 || static_cast<int>(span.op) == state.op) &&
                               (state.layer < 0 || span.layer == state.layer);
            if (!match) color.setAlphaF(0.25F);
        }
        painter.fillRect(box.adjusted(0, 0, box.width() > 3 ? -0.5 : 0, 0), color);
        if (bar.count == 1 && box.width() > 34) {
            painter.setPen(opTextColor(bar.op));
            const QRectF visibleBox = box.intersected(rect);
            QString text = opLabel(bar.op);
            if (span.layer >= 0) text += QStringLiteral(" · L%1").arg(span.layer);
            painter.drawText(visibleBox.adjusted(4, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(
                                 text, Qt::ElideRight, static_cast<int>(visibleBox.width()) - 6));
        }
    }
    if (m_selected.track == index && m_selected.span >= 0 &&
        m_selected.span < static_cast<int>(track.spans.size())) {
        const auto& span = track.spans[static_cast<std::size_t>(m_selected.span)];
        const double x0 = rect.left() + timeToX(span.tStartNs, m_visible, rect.width());
        const double x1 = rect.left() + timeToX(span.tEndNs, m_visible, rect.width());
        painter.setPen(QPen(palette().color(QPalette::Text), 2));
        painter.drawRect(QRectF(x0, rect.top() + 1, std::max(2.0, x1 - x0), rect.height() - 2));
    }
    painter.restore();
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    QFont small = font();
    small.setPointSizeF(std::max(7.0, small.pointSizeF() - 1.5));
    painter.setFont(small);
    if (m_tracks.empty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect(), Qt::AlignCenter,
                         tr("No spans yet: run the lanes with op tracing on."));
        return;
    }
    paintRuler(painter);
    for (int i = 0; i < static_cast<int>(m_tracks.size()); ++i) {
        const auto& track = m_tracks[static_cast<std::size_t>(i)];
        const QRectF rect = trackRect(i);
        const bool first = i == 0 || m_tracks[static_cast<std::size_t>(i - 1)].lane != track.lane;
        if (first && track.lane >= 0)
            painter.fillRect(QRectF(0, rect.top(), 4, kPhaseHeight + kOpHeight + 2),
                             laneColor(track.lane));
        painter.setPen(palette().color(QPalette::Text));
        QString name = track.phases ? tr("steps") : tr("CPU ops");
        if (track.lane >= 0 && m_run && track.lane < static_cast<int>(m_run->lanes.size())) {
            name = QString::fromStdString(m_run->lanes[static_cast<std::size_t>(track.lane)].name) +
                   QStringLiteral("  ") + name;
        }
        const QRectF labelRect(10, rect.top(), kLabelWidth - 14, rect.height());
        painter.drawText(labelRect, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideRight,
                                                          static_cast<int>(labelRect.width())));
        paintTrack(painter, i);
    }
    const auto& state = m_selection->state();
    if (state.tStartNs >= 0 && state.tEndNs > state.tStartNs) {
        const double x0 = plotLeft() + timeToX(state.tStartNs, m_visible, plotWidth());
        const double x1 = plotLeft() + timeToX(state.tEndNs, m_visible, plotWidth());
        QColor fill = palette().color(QPalette::Highlight);
        fill.setAlphaF(0.16F);
        painter.fillRect(QRectF(QPointF(std::max(x0, plotLeft()), kRulerHeight),
                                QPointF(std::max(x1, x0 + 1), height())),
                         fill);
    }
    if (m_hoverX >= plotLeft()) {
        painter.setPen(QPen(palette().color(QPalette::PlaceholderText), 1, Qt::DotLine));
        painter.drawLine(QPointF(m_hoverX, kRulerHeight), QPointF(m_hoverX, height()));
    }
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineView::pushZoom() {
    if (!m_zoomHistory.empty() && m_zoomHistory.back() == m_visible) return;
    m_zoomHistory.push_back(m_visible);
    if (m_zoomHistory.size() > kMaxZoomHistory) m_zoomHistory.erase(m_zoomHistory.begin());
}

void TimelineView::setVisibleRange(TimeRange range) {
    const TimeRange next = zoomed(panned(range, 0, m_full), 1.0, range.startNs, m_full);
    if (next == m_visible) return;
    m_visible = next;
    update();
    emit visibleRangeChanged();
}

void TimelineView::fitAll() {
    pushZoom();
    setVisibleRange(m_full);
}

void TimelineView::fitSelection() {
    const auto& state = m_selection->state();
    if (state.tStartNs < 0 || state.tEndNs <= state.tStartNs) return;
    pushZoom();
    const std::int64_t margin = (state.tEndNs - state.tStartNs) / 10;
    setVisibleRange({state.tStartNs - margin, state.tEndNs + margin});
}

void TimelineView::selectSpan(const Hit& hit) {
    m_selected = hit;
    auto state = m_selection->state();
    if (hit.track >= 0 && hit.span >= 0) {
        const auto& span =
            m_tracks[static_cast<std::size_t>(hit.track)].spans[static_cast<std::size_t>(hit.span)];
        state.lane = span.lane;
        state.request = span.request;
        state.token = span.step;
        state.tokenEnd = span.step;
        state.tStartNs = span.tStartNs;
        state.tEndNs = span.tEndNs;
        state.layer = -1;
        state.op = -1;
    }
    m_selection->set(state);
    update();
}

void TimelineView::stepSelection(int direction) {
    if (m_tracks.empty()) return;
    if (m_selected.track < 0 || m_selected.track >= static_cast<int>(m_tracks.size()))
        m_selected = {0, -1};
    const auto& spans = m_tracks[static_cast<std::size_t>(m_selected.track)].spans;
    if (spans.empty()) return;
    const int next = std::clamp(m_selected.span + direction, 0, static_cast<int>(spans.size()) - 1);
    selectSpan({m_selected.track, next});
    const auto& span = spans[static_cast<std::size_t>(next)];
    if (span.tStartNs < m_visible.startNs || span.tEndNs > m_visible.endNs) {
        setVisibleRange(panned(
            m_visible,
            (span.tStartNs + span.tEndNs) / 2 - (m_visible.startNs + m_visible.endNs) / 2, m_full));
    }
}

bool TimelineView::findNext(const QString& text) {
    if (text.isEmpty() || m_tracks.empty()) return false;
    const std::int64_t from = m_selected.track >= 0 && m_selected.span >= 0
                                  ? m_tracks[static_cast<std::size_t>(m_selected.track)]
                                        .spans[static_cast<std::size_t>(m_selected.span)]
                                        .tStartNs
                                  : m_visible.startNs - 1;
    Hit best, wrapped;
    std::int64_t bestTime = 0, wrappedTime = 0;
    for (int t = 0; t < static_cast<int>(m_tracks.size()); ++t) {
        const auto& spans = m_tracks[static_cast<std::size_t>(t)].spans;
        for (int s = 0; s < static_cast<int>(spans.size()); ++s) {
            const auto& span = spans[static_cast<std::size_t>(s)];
            if (!opLabel(span.op).contains(text, Qt::CaseInsensitive)) continue;
            if (span.tStartNs > from && (best.track < 0 || span.tStartNs < bestTime)) {
                best = {t, s};
                bestTime = span.tStartNs;
            }
            if (wrapped.track < 0 || span.tStartNs < wrappedTime) {
                wrapped = {t, s};
                wrappedTime = span.tStartNs;
            }
        }
    }
    const Hit found = best.track >= 0 ? best : wrapped;
    if (found.track < 0) return false;
    selectSpan(found);
    const auto& span =
        m_tracks[static_cast<std::size_t>(found.track)].spans[static_cast<std::size_t>(found.span)];
    if (span.tStartNs < m_visible.startNs || span.tEndNs > m_visible.endNs) fitSelection();
    return true;
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const double delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers() & Qt::ShiftModifier) {
        setVisibleRange(panned(
            m_visible,
            static_cast<std::int64_t>(-delta / 1200.0 * static_cast<double>(m_visible.length())),
            m_full));
    } else if (event->modifiers() & Qt::ControlModifier) {
        setVisibleRange(
            zoomed(m_visible, std::pow(0.8, delta / 120.0), timeAt(event->position().x()), m_full));
    } else {
        event->ignore();  // plain wheel scrolls the page
        return;
    }
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    m_dragStart = event->position();
    m_dragRange = m_visible;
    if (event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ShiftModifier)) {
        m_drag = Drag::Pan;
    } else if (event->button() == Qt::LeftButton) {
        m_drag = Drag::Mark;
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    m_hoverX = event->position().x();
    const double dx = event->position().x() - m_dragStart.x();
    if (m_drag == Drag::Pan) {
        m_visible = panned(m_dragRange,
                           static_cast<std::int64_t>(-dx / plotWidth() *
                                                     static_cast<double>(m_dragRange.length())),
                           m_full);
        emit visibleRangeChanged();
    } else if (m_drag == Drag::Mark && std::abs(dx) > 4) {
        m_marked = {std::min(timeAt(m_dragStart.x()), timeAt(m_hoverX)),
                    std::max(timeAt(m_dragStart.x()), timeAt(m_hoverX))};
        auto state = m_selection->state();
        state.tStartNs = std::max(m_marked.startNs, std::int64_t{0});
        state.tEndNs = m_marked.endNs;
        state.op = state.layer = -1;
        m_selection->set(state);
    }
    update();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = std::abs(event->position().x() - m_dragStart.x()) <= 4;
    if (m_drag == Drag::Mark && click) selectSpan(hitTest(event->position()));
    m_drag = Drag::None;
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Hit hit = hitTest(event->position());
    if (hit.span >= 0) {
        selectSpan(hit);
        fitSelection();
    }
}

void TimelineView::leaveEvent(QEvent*) {
    m_hoverX = -1.0;
    update();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const std::int64_t anchor =
        m_hoverX >= plotLeft() ? timeAt(m_hoverX) : (m_visible.startNs + m_visible.endNs) / 2;
    switch (event->key()) {
        case Qt::Key_W:
            setVisibleRange(zoomed(m_visible, 0.7, anchor, m_full));
            break;
        case Qt::Key_S:
            setVisibleRange(zoomed(m_visible, 1.0 / 0.7, anchor, m_full));
            break;
        case Qt::Key_A:
            setVisibleRange(panned(m_visible, -m_visible.length() / 5, m_full));
            break;
        case Qt::Key_D:
            setVisibleRange(panned(m_visible, m_visible.length() / 5, m_full));
            break;
        case Qt::Key_F:
            fitSelection();
            break;
        case Qt::Key_Home:
        case Qt::Key_0:
            fitAll();
            break;
        case Qt::Key_Period:
            stepSelection(1);
            break;
        case Qt::Key_Comma:
            stepSelection(-1);
            break;
        case Qt::Key_R: {
            auto state = m_selection->state();
            state.tStartNs = std::max(m_visible.startNs, std::int64_t{0});
            state.tEndNs = m_visible.endNs;
            m_selection->set(state);
            break;
        }
        case Qt::Key_Backspace:
            if (!m_zoomHistory.empty()) {
                const TimeRange previous = m_zoomHistory.back();
                m_zoomHistory.pop_back();
                setVisibleRange(previous);
            }
            break;
        case Qt::Key_Escape:
            m_selected = {};
            m_selection->clear();
            break;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    event->accept();
}

QString TimelineView::spanTooltip(const trace::Span& span) const {
    const double ns = static_cast<double>(span.tEndNs - span.tStartNs);
    QString text = QStringLiteral("<b>%1</b>").arg(opLabel(span.op).toHtmlEscaped());
    if (span.layer >= 0) text += QStringLiteral(" · ") + tr("layer %1").arg(span.layer);
    if (span.step >= 0) text += QStringLiteral(" · ") + tr("step %1").arg(span.step);
    text += QStringLiteral("<br>") + durationText(ns / 1e6);
    if (ns > 0 && span.bytes > 0)
        text +=
            QStringLiteral(" · %1 GB/s").arg(fixedNumber(static_cast<double>(span.bytes) / ns, 1));
    if (ns > 0 && span.flops > 0)
        text += QStringLiteral(" · %1 GFLOP/s")
                    .arg(fixedNumber(static_cast<double>(span.flops) / ns, 1));
    return text;
}

bool TimelineView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const Hit hit = hitTest(help->pos());
        if (hit.span >= 0) {
            QToolTip::showText(help->globalPos(),
                               spanTooltip(m_tracks[static_cast<std::size_t>(hit.track)]
                                               .spans[static_cast<std::size_t>(hit.span)]),
                               this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace lanescope::app

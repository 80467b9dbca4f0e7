// Mouse, wheel and keys of the timeline.

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/timeline/item_style.h"
#include "app/timeline/timeline_metrics.h"
#include "app/timeline/timeline_view.h"

namespace lanescope::app {

void TimelineView::pan(double share) {
    setVisibleRange(panned(
        m_visible, static_cast<std::int64_t>(share * static_cast<double>(m_visible.length())),
        fullTimeRange()));
}

void TimelineView::zoomAt(double factor, std::int64_t anchorNs) {
    setVisibleRange(zoomed(m_visible, factor, anchorNs, fullTimeRange()));
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const double delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers() & Qt::ShiftModifier) {
        pan(-delta / 1200.0);
    } else if (event->modifiers() & Qt::ControlModifier) {
        zoomAt(std::pow(0.8, delta / 120.0), timeAt(event->position().x()));
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

void TimelineView::setHoverX(double x) {
    const double old = m_hoverX;
    m_hoverX = x;
    for (const double at : {old, x})
        if (at >= plotLeft()) update(QRect(static_cast<int>(at) - 2, 0, 5, height()));
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    setHoverX(event->position().x());
    const double dx = event->position().x() - m_dragStart.x();
    if (m_drag == Drag::Pan) {
        const double length = static_cast<double>(m_dragRange.length());
        setVisibleRange(panned(m_dragRange, static_cast<std::int64_t>(-dx / plotWidth() * length),
                               fullTimeRange()));
    } else if (m_drag == Drag::Mark && std::abs(dx) > 4) {
        auto state = m_selection->state();
        state.tStartNs =
            std::max(std::min(timeAt(m_dragStart.x()), timeAt(m_hoverX)), std::int64_t{0});
        state.tEndNs = std::max(timeAt(m_dragStart.x()), timeAt(m_hoverX));
        state.op = state.layer = -1;
        m_selection->set(state);
    }
    const int line = lineAt(m_lines, event->position().y());
    const bool header = line >= 0 && m_lines[static_cast<std::size_t>(line)].isHeader();
    setCursor(header ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = std::abs(event->position().x() - m_dragStart.x()) <= 4;
    const bool marking = m_drag == Drag::Mark;
    m_drag = Drag::None;
    if (!marking || !click) return;
    const int line = lineAt(m_lines, event->position().y());
    if (line >= 0 && m_lines[static_cast<std::size_t>(line)].isHeader()) {
        const TimelineLine header = m_lines[static_cast<std::size_t>(line)];
        setCollapsed(header.group, !header.collapsed);
        return;
    }
    selectItem(hitTest(event->position()));
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const ItemRef hit = hitTest(event->position());
    if (!hit.valid()) return;
    selectItem(hit);
    fitSelection();
}

void TimelineView::leaveEvent(QEvent*) {
    setHoverX(-1.0);
}

void TimelineView::markVisibleRange() {
    auto state = m_selection->state();
    state.tStartNs = std::max(m_visible.startNs, std::int64_t{0});
    state.tEndNs = m_visible.endNs;
    m_selection->set(state);
}

bool TimelineView::navigationKey(int key, bool shift) {
    switch (key) {
        case Qt::Key_Period:
            stepSelection(1);
            return true;
        case Qt::Key_Comma:
            stepSelection(-1);
            return true;
        case Qt::Key_Up:
            moveTrack(-1);
            return true;
        case Qt::Key_Down:
            moveTrack(1);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (shift)
                leaveSelection();
            else
                enterSelection();
            return true;
        case Qt::Key_C:
            if (shift) {
                const bool any = std::any_of(m_lines.begin(), m_lines.end(),
                                             [](const auto& l) { return l.collapsed; });
                setAllCollapsed(!any);
            } else if (m_timeline != nullptr && !m_timeline->groups.empty()) {
                const auto place = m_timeline->find(m_selected);
                const std::size_t group =
                    place.track < 0
                        ? 0
                        : m_timeline->tracks[static_cast<std::size_t>(place.track)].group;
                setCollapsed(group, !collapsed(group));
            }
            return true;
        default:
            return false;
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    const std::int64_t anchor =
        m_hoverX >= plotLeft() ? timeAt(m_hoverX) : (m_visible.startNs + m_visible.endNs) / 2;
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
        case Qt::Key_W:
            zoomAt(0.7, anchor);
            break;
        case Qt::Key_S:
            zoomAt(1.0 / 0.7, anchor);
            break;
        case Qt::Key_A:
        case Qt::Key_Left:
            pan(-0.2);
            break;
        case Qt::Key_D:
        case Qt::Key_Right:
            pan(0.2);
            break;
        case Qt::Key_F:
            fitSelection();
            break;
        case Qt::Key_Home:
        case Qt::Key_0:
            fitAll();
            break;
        case Qt::Key_R:
            markVisibleRange();
            break;
        case Qt::Key_Backspace:
            if (!m_zoomHistory.empty()) {
                const TimeRange previous = m_zoomHistory.back();
                m_zoomHistory.pop_back();
                setVisibleRange(previous);
            }
            break;
        case Qt::Key_Escape:
            setSelectedItem({});
            m_selection->clear();
            break;
        default:
            if (!navigationKey(event->key(), event->modifiers() & Qt::ShiftModifier)) {
                QWidget::keyPressEvent(event);
                return;
            }
    }
    event->accept();
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (m_timeline == nullptr) return;
    QMenu menu(this);
    menu.addAction(tr("Fit everything"), this, &TimelineView::fitAll);
    menu.addAction(tr("Fit the selection"), this, &TimelineView::fitSelection)
        ->setEnabled(!m_selection->empty());
    menu.addSeparator();
    menu.addAction(tr("Collapse all"), this, [this] { setAllCollapsed(true); });
    menu.addAction(tr("Expand all"), this, [this] { setAllCollapsed(false); });
    menu.exec(event->globalPos());
}

bool TimelineView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const ItemRef hit = hitTest(help->pos());
    const int line = lineAt(m_lines, help->pos().y());
    if (hit.valid()) {
        QToolTip::showText(help->globalPos(),
                           itemToolTip(itemsOf(hit), static_cast<std::uint32_t>(hit.index)), this);
    } else if (line >= 0 && help->pos().x() < plotLeft()) {
        const TimelineLine& at = m_lines[static_cast<std::size_t>(line)];
        const QString text =
            at.isHeader()
                ? groupTitle(*m_timeline, at.group) + QLatin1Char('\n') +
                      (at.collapsed ? tr("Click to expand") : tr("Click to collapse"))
                : trackTitle(*m_timeline, m_timeline->tracks[static_cast<std::size_t>(at.track)]);
        QToolTip::showText(help->globalPos(), text, this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

}  // namespace lanescope::app

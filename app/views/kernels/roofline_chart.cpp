#include "app/views/kernels/roofline_chart.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"
#include "app/widgets/svg_picture.h"

namespace lanescope::app {

namespace {
constexpr double kHitRadius = 14.0;
}

RooflineChart::RooflineChart(Selection* selection, QWidget* parent)
    : QWidget(parent), m_selection(selection) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(m_selection, &Selection::changed, this, [this] { update(); });
}

void RooflineChart::setData(std::vector<RooflineMark> marks, std::vector<profiler::Roof> roofs,
                            const QString& emptyText) {
    // The longest first: they choose the place of their label, and lie under the small ones.
    std::stable_sort(marks.begin(), marks.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    m_marks = std::move(marks);
    m_roofs = std::move(roofs);
    m_emptyText = emptyText;
    m_hovered = -1;
    if (!m_zoomed) fitAll();
    update();
}

void RooflineChart::fitAll() {
    std::vector<double> x, y;
    for (const RooflineMark& mark : m_marks) {
        x.push_back(mark.point.intensity);
        y.push_back(mark.point.gflopPerS);
    }
    for (const profiler::Roof& roof : m_roofs) {
        if (roof.int8Gops <= 0.0) continue;                // a device: only its bandwidth is known
        x.push_back(roof.int8Gops / roof.readGBps * 2.0);  // both bends, and some flat roof
        x.push_back(roof.fp32Gflops / roof.readGBps);
        y.push_back(roof.int8Gops);
        y.push_back(roof.fp32Gflops);
        if (roof.bf16Gflops > 0) y.push_back(roof.bf16Gflops);
    }
    m_x = logRange(x);
    m_y = logRange(y);
    m_zoomed = false;
    update();
}

QPointF RooflineChart::toPixel(const QPointF& value) const {
    const QRectF area = plot();
    return {logToPixel(value.x(), m_x, area.left(), area.right()),
            logToPixel(value.y(), m_y, area.bottom(), area.top())};
}

QPointF RooflineChart::markPosition(std::size_t index) const {
    const profiler::RooflinePoint& point = m_marks[index].point;
    return toPixel({point.intensity, point.gflopPerS});
}

std::vector<QPointF> RooflineChart::positions() const {
    std::vector<QPointF> out;
    out.reserve(m_marks.size());
    for (std::size_t i = 0; i < m_marks.size(); ++i) out.push_back(markPosition(i));
    return out;
}

int RooflineChart::markAt(const QPointF& pos) const {
    if (!plot().adjusted(-kHitRadius, -kHitRadius, kHitRadius, kHitRadius).contains(pos)) return -1;
    return nearestPoint(positions(), pos, kHitRadius);
}

bool RooflineChart::isSelected(const RooflineMark& mark) const {
    const auto& state = m_selection->state();
    return state.op == static_cast<int>(mark.op) && (state.lane < 0 || state.lane == mark.lane);
}

QString RooflineChart::markTip(const RooflineMark& mark) const {
    const profiler::RooflinePoint& p = mark.point;
    QStringList lines{
        tr("Lane %1 · %2").arg(mark.laneName, opLabel(mark.op)),
        tr("%1 FLOP/byte · %2 GFLOP/s · %3 GB/s")
            .arg(shortNumber(p.intensity), shortNumber(p.gflopPerS), shortNumber(p.gbPerS)),
        tr("%1, %2 % of the lane's op time")
            .arg(durationText(mark.totalMs), fixedNumber(100.0 * mark.share, 1))};
    if (p.limit == profiler::Limit::Unknown) {
        lines << roofMissingText();
    } else {
        lines << tr("%1 of roof (at most %2 GFLOP/s) · limit: %3")
                     .arg(ofRoofText(p), shortNumber(p.attainableGflopPerS), limitText(p.limit));
    }
    if (p.fromCache) lines << tr("Above the roof: the data came from the caches");
    return lines.join(QLatin1Char('\n'));
}

void RooflineChart::setHovered(int index) {
    if (index == m_hovered) return;
    m_hovered = index;
    setAccessibleDescription(index < 0 ? QString()
                                       : markTip(m_marks[static_cast<std::size_t>(index)]));
    setCursor(index < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void RooflineChart::mousePressEvent(QMouseEvent* event) {
    event->accept();  // the release is wanted
}

void RooflineChart::mouseMoveEvent(QMouseEvent* event) {
    const int index = markAt(event->position());
    if (index == m_hovered) return;
    setHovered(index);
    if (index < 0) {
        QToolTip::hideText();
        return;
    }
    QToolTip::showText(event->globalPosition().toPoint(),
                       markTip(m_marks[static_cast<std::size_t>(index)]), this);
}

void RooflineChart::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int index = markAt(event->position());
    if (index < 0) return;
    const RooflineMark& mark = m_marks[static_cast<std::size_t>(index)];
    emit opClicked(mark.lane, static_cast<int>(mark.op));
}

void RooflineChart::mouseDoubleClickEvent(QMouseEvent*) {
    fitAll();
}

void RooflineChart::wheelEvent(QWheelEvent* event) {
    const QRectF area = plot();
    const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
    const QPointF at = event->position();
    m_x = zoomedLog(m_x, factor, pixelToLog(at.x(), m_x, area.left(), area.right()));
    m_y = zoomedLog(m_y, factor, pixelToLog(at.y(), m_y, area.bottom(), area.top()));
    m_zoomed = true;
    update();
    event->accept();
}

void RooflineChart::keyPressEvent(QKeyEvent* event) {
    const int n = static_cast<int>(m_marks.size());
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
        case Qt::Key_Comma:
            if (n > 0) setHovered(m_hovered < 0 ? n - 1 : (m_hovered + n - 1) % n);
            break;
        case Qt::Key_Right:
        case Qt::Key_Down:
        case Qt::Key_Period:
            if (n > 0) setHovered((m_hovered + 1) % n);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (m_hovered >= 0) {
                const RooflineMark& mark = m_marks[static_cast<std::size_t>(m_hovered)];
                emit opClicked(mark.lane, static_cast<int>(mark.op));
            }
            break;
        case Qt::Key_Home:
        case Qt::Key_0:
            fitAll();
            break;
        case Qt::Key_Escape:
            m_selection->clear();
            break;
        default:
            if (event->matches(QKeySequence::Copy)) {
                copyPng();
                break;
            }
            QWidget::keyPressEvent(event);
            return;
    }
    event->accept();
}

void RooflineChart::leaveEvent(QEvent*) {
    setHovered(-1);
}

bool RooflineChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int index = markAt(help->pos());
    if (index >= 0) {
        QToolTip::showText(help->globalPos(), markTip(m_marks[static_cast<std::size_t>(index)]),
                           this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

void RooflineChart::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy as PNG"), this, &RooflineChart::copyPng);
    menu.addAction(tr("Copy as SVG"), this, &RooflineChart::copySvg);
    menu.addAction(tr("Reset zoom"), this, &RooflineChart::fitAll);
    menu.exec(event->globalPos());
}

void RooflineChart::copyPng() {
    QApplication::clipboard()->setPixmap(grab());
}

QByteArray RooflineChart::toSvg() {
    return svgPicture(rect(), accessibleName(), [this](QPainter& painter) { paintAll(painter); });
}

void RooflineChart::copySvg() {
    copySvgPicture(toSvg());
}

}  // namespace lanescope::app

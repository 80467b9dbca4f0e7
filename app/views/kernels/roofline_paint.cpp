// How the roofline chart is drawn; what it does is in roofline_chart.cpp.
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionFocusRect>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"
#include "app/views/kernels/roofline_chart.h"

namespace lanescope::app {

namespace {

constexpr double kMinRadius = 3.5;
constexpr double kMostRadius = 9.0;
constexpr double kTopRow = 24.0;  ///< legend

/// What a mark's shape says.
enum class Family { Product, Attention, Other };

Family familyOf(trace::Op op) {
    using trace::Op;
    switch (op) {
        case Op::Qkv:
        case Op::OutProj:
        case Op::GateUp:
        case Op::Down:
        case Op::Head:
            return Family::Product;
        case Op::Attention:
            return Family::Attention;
        default:
            return Family::Other;
    }
}

QPainterPath shapeOf(Family family, const QPointF& at, double r) {
    QPainterPath path;
    if (family == Family::Product) {
        path.addEllipse(at, r, r);
    } else if (family == Family::Attention) {
        path.addRect(QRectF(at.x() - r * 0.9, at.y() - r * 0.9, r * 1.8, r * 1.8));
    } else {
        const double d = r * 1.25;
        path.addPolygon(QPolygonF({{at.x(), at.y() - d},
                                   {at.x() + d, at.y()},
                                   {at.x(), at.y() + d},
                                   {at.x() - d, at.y()},
                                   {at.x(), at.y() - d}}));
    }
    return path;
}

/// Of a device only the bandwidth was measured: its slope goes on for ever.
double peakOrNone(const profiler::Roof& roof, profiler::Peak peak) {
    const double gflops = profiler::peakGflops(roof, peak);
    return gflops > 0.0 ? gflops : std::numeric_limits<double>::infinity();
}

QString tickText(double value) {
    return QString::number(value, 'g', 6);
}

}  // namespace

double RooflineChart::radiusOf(const RooflineMark& mark) const {
    return kMinRadius + (kMostRadius - kMinRadius) * std::sqrt(std::clamp(mark.share, 0.0, 1.0));
}

QRectF RooflineChart::plot() const {
    const QFontMetricsF metrics(uiFont(-2));
    double widest = 0.0;
    for (const LogTick& tick : logTicks(m_y, height(), metrics.height() + 6.0)) {
        if (tick.label) widest = std::max(widest, metrics.horizontalAdvance(tickText(tick.value)));
    }
    const double left = widest + metrics.height() + 16.0;  // numbers and the title on its side
    const double bottom = 2.0 * metrics.height() + 10.0;
    return {left, kTopRow + 6.0, std::max(40.0, width() - left - 14.0),
            std::max(40.0, height() - kTopRow - 6.0 - bottom)};
}

void RooflineChart::paintAxes(QPainter& painter) const {
    const ThemeColors& colors = themeColors();
    const QRectF area = plot();
    painter.setFont(uiFont(-2));
    const QFontMetricsF metrics(painter.font());
    const QColor faint = blend(colors.base, colors.grid, 0.5);
    const double line = metrics.height();
    for (const LogTick& tick : logTicks(m_x, area.width(), metrics.horizontalAdvance("0000000"))) {
        const double x = logToPixel(tick.value, m_x, area.left(), area.right());
        painter.setPen(tick.decade ? colors.grid : faint);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        if (!tick.label) continue;
        painter.setPen(colors.textMuted);
        const double w = metrics.horizontalAdvance(tickText(tick.value));
        const double left = std::min(x - w / 2, width() - w - 2.0);
        painter.drawText(QRectF(left, area.bottom() + 3, w + 1, line), Qt::AlignLeft,
                         tickText(tick.value));
    }
    for (const LogTick& tick : logTicks(m_y, area.height(), line + 6.0)) {
        const double y = logToPixel(tick.value, m_y, area.bottom(), area.top());
        painter.setPen(tick.decade ? colors.grid : faint);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        if (!tick.label) continue;
        painter.setPen(colors.textMuted);
        painter.drawText(QRectF(0, y - line / 2, area.left() - 6, line),
                         Qt::AlignRight | Qt::AlignVCenter, tickText(tick.value));
    }
    painter.setPen(colors.border);
    painter.drawRect(area);
    painter.setPen(colors.textMuted);
    painter.drawText(QRectF(area.left(), area.bottom() + line + 5, area.width(), line + 2),
                     Qt::AlignCenter, tr("Arithmetic intensity (FLOP/byte)"));
    painter.save();
    painter.translate(2, area.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, area.height(), line + 2), Qt::AlignCenter, tr("GFLOP/s"));
    painter.restore();
}

std::vector<QRectF> RooflineChart::paintRoofs(QPainter& painter) const {
    const QRectF area = plot();
    painter.setFont(uiFont(-2));
    std::vector<QRectF> taken;
    const std::array<Qt::PenStyle, 4> styles{Qt::SolidLine, Qt::DashLine, Qt::DotLine,
                                             Qt::DashDotLine};
    for (std::size_t i = 0; i < m_roofs.size(); ++i) {
        const profiler::Roof& roof = m_roofs[i];
        const QString threads =
            m_roofs.size() > 1 ? QStringLiteral(" · ") + tr("%n thread(s)", nullptr, roof.threads)
                               : QString();
        for (const auto peak : {profiler::Peak::Int8, profiler::Peak::Bf16, profiler::Peak::Fp32}) {
            if (peak == profiler::Peak::Bf16 && roof.bf16Gflops <= 0.0) continue;
            const double gflops = peakOrNone(roof, peak);
            QPolygonF line;
            for (const QPointF& p : roofLine(roof.readGBps, gflops, m_x, m_y)) line << toPixel(p);
            if (line.size() < 2) continue;
            painter.setPen(QPen(themeColors().textMuted, 1.6, styles[i % styles.size()]));
            painter.save();
            painter.setClipRect(area);
            painter.drawPolyline(line);
            painter.restore();
            if (!std::isfinite(gflops)) continue;
            const QString text = (peak == profiler::Peak::Int8   ? tr("int8 %1 GOP/s")
                                  : peak == profiler::Peak::Bf16 ? tr("bf16 %1 GFLOP/s")
                                                                 : tr("fp32 %1 GFLOP/s"))
                                     .arg(shortNumber(gflops));
            paintPeakLabel(painter, gflops, text + threads, taken);
        }
        paintBandwidthLabel(painter, roof, threads, taken);
    }
    return taken;
}

void RooflineChart::paintPeakLabel(QPainter& painter, double gflops, const QString& text,
                                   std::vector<QRectF>& taken) const {
    const QRectF area = plot();
    const QFontMetricsF metrics(painter.font());
    const double w = metrics.horizontalAdvance(text) + 2, h = metrics.height();
    const double y = logToPixel(gflops, m_y, area.bottom(), area.top());
    if (y < area.top() || y > area.bottom()) return;
    QRectF box(area.right() - w - 4, y - h - 1 < area.top() ? y + 2 : y - h - 1, w, h);
    // Labels of like roofs come to lie on each other: the later one moves down.
    while (std::any_of(taken.begin(), taken.end(),
                       [&box](const QRectF& other) { return other.intersects(box); }))
        box.translate(0, h);
    painter.setPen(themeColors().text);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
    taken.push_back(box);
}

/// Along the slope, where no mark is.
void RooflineChart::paintBandwidthLabel(QPainter& painter, const profiler::Roof& roof,
                                        const QString& threads, std::vector<QRectF>& taken) const {
    const double peak = std::max({peakOrNone(roof, profiler::Peak::Int8),
                                  peakOrNone(roof, profiler::Peak::Fp32), roof.bf16Gflops});
    const std::vector<QPointF> slope = roofLine(roof.readGBps, peak, m_x, m_y);
    if (slope.size() < 2) return;
    const QPointF from = toPixel(slope[0]), to = toPixel(slope[1]);
    const bool device = roof.int8Gops <= 0.0;
    const QString text =
        device ? tr("%1 GB/s copied · %2")
                     .arg(shortNumber(roof.readGBps), QString::fromStdString(roof.isa))
               : tr("%1 GB/s read").arg(shortNumber(roof.readGBps)) + threads;
    const QFontMetricsF metrics(painter.font());
    const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
    std::vector<QPointF> points = positions();
    for (const QRectF& box : taken) points.push_back(box.center());  // of other roofs
    const double at = placeOnSlope(points, from, to, size, kMostRadius);
    if (at < 0.0) return;
    const double angle = std::atan2(to.y() - from.y(), to.x() - from.x());
    painter.save();
    painter.setPen(themeColors().text);
    painter.translate(from);
    painter.rotate(angle * 180.0 / M_PI);
    painter.drawText(QPointF(at, -4.0 - metrics.descent() / 2), text);
    painter.restore();
    const double h = size.height();
    for (double x = at + h / 2; x < at + size.width(); x += h / 2) {
        const QPointF centre(from.x() + x * std::cos(angle) + h / 2 * std::sin(angle),
                             from.y() + x * std::sin(angle) - h / 2 * std::cos(angle));
        taken.emplace_back(centre.x() - h / 2, centre.y() - h / 2, h, h);
    }
}

/// Lanes' marks of one op often lie together: one name is enough for them.
bool RooflineChart::needsName(std::size_t index, const std::vector<QPointF>& points) const {
    constexpr double kNear = 70.0;
    for (std::size_t i = 0; i < index; ++i) {
        const QPointF d = points[i] - points[index];
        if (m_marks[i].op == m_marks[index].op && std::hypot(d.x(), d.y()) < kNear) return false;
    }
    return true;
}

void RooflineChart::paintMarks(QPainter& painter, const std::vector<QRectF>& taken) const {
    const ThemeColors& colors = themeColors();
    const QRectF area = plot();
    const std::vector<QPointF> points = positions();
    const bool anySelected = std::any_of(m_marks.begin(), m_marks.end(),
                                         [this](const auto& m) { return isSelected(m); });
    painter.setRenderHint(QPainter::Antialiasing);
    painter.save();
    painter.setClipRect(area.adjusted(-1, -1, 1, 1));
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const RooflineMark& mark = m_marks[i];
        const bool strong = isSelected(mark) || static_cast<int>(i) == m_hovered;
        QColor fill = laneColor(mark.lane);
        if (anySelected && !strong) fill = blend(colors.base, fill, 0.35);
        const QPainterPath shape =
            shapeOf(familyOf(mark.op), points[i], radiusOf(mark) + (strong ? 1.5 : 0.0));
        painter.setPen(QPen(strong ? colors.text : colors.base, strong ? 2.0 : 1.0));
        painter.setBrush(fill);
        painter.drawPath(shape);
    }
    painter.restore();
    painter.setFont(uiFont(-2));
    const QFontMetricsF metrics(painter.font());
    std::vector<QSizeF> sizes;
    std::vector<QString> names;
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        names.push_back(needsName(i, points) ? opLabel(m_marks[i].op) : QString());
        sizes.emplace_back(
            names.back().isEmpty() ? 0.0 : metrics.horizontalAdvance(names.back()) + 2.0,
            metrics.height());
    }
    const auto boxes = placeLabels(points, sizes, area, kMostRadius * 0.8, taken);
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        if (boxes[i].isEmpty()) continue;
        QColor behind = colors.base;
        behind.setAlpha(200);
        painter.fillRect(boxes[i], behind);  // readable where it lies on a roof
        const bool strong = isSelected(m_marks[i]) || static_cast<int>(i) == m_hovered;
        painter.setPen(anySelected && !strong ? colors.textFaint : colors.text);
        painter.drawText(boxes[i], Qt::AlignCenter, names[i]);
    }
}

void RooflineChart::paintLegend(QPainter& painter) const {
    const ThemeColors& colors = themeColors();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(uiFont(-1));
    const QFontMetricsF metrics(painter.font());
    double x = 12.0;
    const double y = kTopRow / 2 + 2.0;
    const auto entry = [&](Family family, const QColor& fill, const QColor& edge,
                           const QString& text) {
        const double w = metrics.horizontalAdvance(text);
        if (x + 16.0 + w > width()) return;
        painter.setPen(QPen(edge, 1.2));
        painter.setBrush(fill);
        painter.drawPath(shapeOf(family, {x + 5.0, y}, 4.5));
        painter.setPen(colors.text);
        painter.drawText(QRectF(x + 15.0, y - kTopRow / 2, w + 2, kTopRow),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += 15.0 + w + 16.0;
    };
    std::vector<const RooflineMark*> lanes;
    for (const RooflineMark& mark : m_marks) {
        if (std::none_of(lanes.begin(), lanes.end(),
                         [&mark](const auto* seen) { return seen->lane == mark.lane; }))
            lanes.push_back(&mark);
    }
    std::sort(lanes.begin(), lanes.end(),
              [](const auto* a, const auto* b) { return a->lane < b->lane; });
    for (const RooflineMark* mark : lanes)
        entry(Family::Product, laneColor(mark->lane), laneColor(mark->lane),
              tr("Lane %1").arg(mark->laneName));
    x += 8.0;
    entry(Family::Product, Qt::transparent, colors.textMuted, tr("matrix products"));
    entry(Family::Attention, Qt::transparent, colors.textMuted, tr("attention"));
    entry(Family::Other, Qt::transparent, colors.textMuted, tr("other ops"));
    painter.setPen(colors.textMuted);
    const QString hint =
        m_roofs.empty() ? roofMissingText() : tr("size: share of the lane's op time");
    const QRectF rest(x, 2, width() - x - 14.0, kTopRow);
    if (metrics.horizontalAdvance(hint) <= rest.width())
        painter.drawText(rest, Qt::AlignRight | Qt::AlignVCenter, hint);
}

void RooflineChart::paintAll(QPainter& painter) const {
    const ThemeColors& colors = themeColors();
    painter.fillRect(rect(), colors.base);
    if (m_marks.empty()) {
        painter.setPen(colors.textMuted);
        painter.setFont(uiFont());
        painter.drawText(rect().adjusted(kSpaceL, kSpaceL, -kSpaceL, -kSpaceL),
                         Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    paintAxes(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<QRectF> taken = paintRoofs(painter);
    paintMarks(painter, taken);
    paintLegend(painter);
}

void RooflineChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintAll(painter);
    if (!hasFocus()) return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(themeColors().accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace lanescope::app

#include "app/views/charts/trace_chart.h"

#include <QApplication>
#include <QChart>
#include <QClipboard>
#include <QGraphicsLayout>
#include <QGraphicsLineItem>
#include <QGraphicsSimpleTextItem>
#include <QLegendMarker>
#include <QLineSeries>
#include <QMenu>
#include <QMouseEvent>
#include <QRubberBand>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/svg_picture.h"
#include "engine/base/format.h"
#include "profiler/analyse/series.h"

namespace lanescope::app {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
}

std::ptrdiff_t nearestIndex(const std::vector<double>& xs, double x) {
    if (xs.empty()) return -1;
    const auto it = std::lower_bound(xs.begin(), xs.end(), x);
    if (it == xs.begin()) return 0;
    if (it == xs.end()) return static_cast<std::ptrdiff_t>(xs.size()) - 1;
    const auto index = it - xs.begin();
    return x - *(it - 1) <= *it - x ? index - 1 : index;
}

TraceChart::TraceChart(QString title, QString unit, int decimals, QWidget* parent)
    : QChartView(parent),
      m_title(std::move(title)),
      m_unit(std::move(unit)),
      m_decimals(decimals),
      m_marker(new QScatterSeries),
      m_xAxis(new QValueAxis),
      m_yAxis(new QValueAxis),
      m_crossX(kNone) {
    auto* c = new QChart;
    c->setAnimationOptions(QChart::NoAnimation);
    c->setMargins(QMargins(2, 14, 6, 0));
    c->layout()->setContentsMargins(0, 0, 0, 0);
    c->setBackgroundRoundness(0);
    c->legend()->hide();
    setChart(c);
    c->addAxis(m_xAxis, Qt::AlignBottom);
    c->addAxis(m_yAxis, Qt::AlignLeft);
    c->addSeries(m_marker);
    m_marker->attachAxis(m_xAxis);
    m_marker->attachAxis(m_yAxis);
    m_marker->setMarkerSize(9.0);
    m_cross = new QGraphicsLineItem(c);
    m_readout = new QGraphicsSimpleTextItem(c);
    m_caption = new QGraphicsSimpleTextItem(c);
    m_cross->setZValue(20);
    m_readout->setZValue(21);
    m_caption->setZValue(21);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setMinimumHeight(96);
    setAccessibleName(m_title);
    connect(c, &QChart::plotAreaChanged, this, [this] { layoutCrosshair(); });
    applyTheme();
}

void TraceChart::setTitle(const QString& title, const QString& unit) {
    if (title == m_title && unit == m_unit) return;
    m_title = title;
    m_unit = unit;
    setAccessibleName(title);
    refresh();
}

void TraceChart::applyTheme() {
    const ThemeColors& colors = themeColors();
    chart()->setBackgroundBrush(colors.base);
    chart()->setPlotAreaBackgroundVisible(false);
    setBackgroundBrush(colors.base);
    QFont small = uiFont(-2);
    for (auto* axis : {m_xAxis, m_yAxis}) {
        axis->setLabelsColor(colors.textMuted);
        axis->setTitleBrush(colors.textMuted);
        axis->setGridLineColor(colors.grid);
        axis->setLinePenColor(colors.border);
        axis->setLabelsFont(small);
        axis->setTitleFont(small);
    }
    m_cross->setPen(QPen(colors.textMuted, 1, Qt::DashLine));
    m_readout->setBrush(colors.text);
    m_readout->setFont(uiFont(-1));
    m_caption->setBrush(colors.text);
    m_caption->setFont(uiFont(-1, true));
    m_marker->setColor(colors.accent);
    m_marker->setBorderColor(colors.base);
    refresh();
}

bool TraceChart::hasPoints() const {
    return std::any_of(m_lines.begin(), m_lines.end(),
                       [](const auto& line) { return !line.x.empty(); });
}

void TraceChart::setLines(std::vector<PlotLine> lines, const QString& xLabel) {
    m_lines = std::move(lines);
    m_xAxis->setTitleText(xLabel);
    while (m_series.size() < m_lines.size()) {
        auto* series = new QLineSeries;
        chart()->addSeries(series);
        series->attachAxis(m_xAxis);
        series->attachAxis(m_yAxis);
        m_series.push_back(series);
    }
    while (m_series.size() > m_lines.size()) {
        chart()->removeSeries(m_series.back());
        delete m_series.back();
        m_series.pop_back();
    }
    refresh();
}

std::pair<double, double> TraceChart::dataXRange() const {
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (const auto& line : m_lines) {
        if (line.x.empty()) continue;
        lo = std::min(lo, line.x.front());
        hi = std::max(hi, line.x.back());
    }
    if (!(hi > lo)) return {std::isfinite(lo) ? lo - 0.5 : 0.0, std::isfinite(lo) ? lo + 0.5 : 1.0};
    return {lo, hi};
}

std::pair<double, double> TraceChart::xRange() const {
    return m_xMax > m_xMin ? std::pair{m_xMin, m_xMax} : dataXRange();
}

void TraceChart::setXRange(double min, double max) {
    if (min == m_xMin && max == m_xMax) return;
    m_xMin = min;
    m_xMax = max;
    refresh();
}

void TraceChart::fitY(double xMin, double xMax) {
    double hi = 0.0;
    for (const auto& line : m_lines) {
        const auto begin = std::lower_bound(line.x.begin(), line.x.end(), xMin) - line.x.begin();
        for (auto i = static_cast<std::size_t>(begin); i < line.x.size() && line.x[i] <= xMax;
             ++i) {
            if (std::isfinite(line.y[i])) hi = std::max(hi, std::min(line.y[i], 1e300));
        }
    }
    const bool fits = m_yTop <= 0.0;
    const double step = fits ? roundStep(hi > 0.0 ? hi * 1.08 / 4.0 : 0.25) : m_yTop / 4.0;
    const double top = fits ? std::max(step, std::ceil(hi * 1.04 / step) * step) : m_yTop;
    m_yAxis->setRange(0.0, top);
    m_yAxis->setTickCount(std::clamp(static_cast<int>(std::lround(top / step)) + 1, 2, 8));
    m_yAxis->setLabelFormat(step >= 1.0   ? QStringLiteral("%.0f")
                            : step >= 0.1 ? QStringLiteral("%.1f")
                                          : QStringLiteral("%.2g"));
}

void TraceChart::refresh() {
    const auto [lo, hi] = xRange();
    const double step = roundStep((hi - lo) / std::max(3, width() / 110));
    m_xAxis->setTickType(QValueAxis::TicksDynamic);
    m_xAxis->setTickAnchor(0.0);
    m_xAxis->setTickInterval(step);
    m_xAxis->setLabelFormat(step >= 1.0 ? QStringLiteral("%.0f") : QStringLiteral("%.2f"));
    m_xAxis->setRange(lo, hi);
    fitY(lo, hi);
    const auto buckets =
        static_cast<std::size_t>(std::max(64, static_cast<int>(chart()->plotArea().width())));
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const auto& line = m_lines[i];
        const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(
            0, std::lower_bound(line.x.begin(), line.x.end(), lo) - line.x.begin() - 1));
        const auto to =
            std::min(line.x.size(),
                     static_cast<std::size_t>(std::upper_bound(line.x.begin(), line.x.end(), hi) -
                                              line.x.begin()) +
                         1);
        QList<QPointF> points;
        if (from < to) {
            profiler::Series part;
            part.x.assign(line.x.begin() + static_cast<std::ptrdiff_t>(from),
                          line.x.begin() + static_cast<std::ptrdiff_t>(to));
            part.y.assign(line.y.begin() + static_cast<std::ptrdiff_t>(from),
                          line.y.begin() + static_cast<std::ptrdiff_t>(to));
            const profiler::Series thin = profiler::thinned(part, buckets);
            points.reserve(static_cast<qsizetype>(thin.x.size()));
            for (std::size_t k = 0; k < thin.x.size(); ++k) {
                if (!std::isfinite(thin.y[k])) continue;
                const QPointF point(thin.x[k], std::min(thin.y[k], 1e300));
                if (m_steps && !points.empty() && points.back().y() != point.y())
                    points.append(QPointF(point.x(), points.back().y()));
                points.append(point);
            }
        }
        m_series[i]->setPen(QPen(line.color, 1.6));
        m_series[i]->replace(points);
    }
    QList<QPointF> marked;
    for (const auto& line : m_lines) {
        if (line.lane != m_markedLane || m_markedToken < 0) continue;
        for (std::size_t k = 0; k < line.token.size(); ++k) {
            if (line.token[k] == m_markedToken && std::isfinite(line.y[k]) && line.x[k] >= lo &&
                line.x[k] <= hi) {
                marked.append(QPointF(line.x[k], line.y[k]));
            }
        }
    }
    m_marker->replace(marked);
    layoutCrosshair();
}

void TraceChart::layoutCrosshair() {
    const QRectF plot = chart()->plotArea();
    m_caption->setText(m_unit.isEmpty() ? m_title : QStringLiteral("%1 (%2)").arg(m_title, m_unit));
    m_caption->setPos(6, 0);
    const auto [lo, hi] = xRange();
    const bool shown = std::isfinite(m_crossX) && m_crossX >= lo && m_crossX <= hi && hasPoints() &&
                       plot.width() > 0;
    m_cross->setVisible(shown);
    m_readout->setVisible(shown);
    if (!shown) return;
    const double x = plot.left() + (m_crossX - lo) / (hi - lo) * plot.width();
    m_cross->setLine(x, plot.top(), x, plot.bottom());
    QStringList parts;
    for (const auto& line : m_lines) {
        const auto i = nearestIndex(line.x, m_crossX);
        if (i < 0) continue;
        const double y = line.y[static_cast<std::size_t>(i)];
        const QString value = fixedNumber(y, m_decimals);
        parts << QStringLiteral("%1 %2").arg(line.name, value);
    }
    m_readout->setText(parts.join(QStringLiteral("   ")));
    m_readout->setPos(std::max(6.0 + m_caption->boundingRect().width() + 16.0,
                               chart()->size().width() - m_readout->boundingRect().width() - 8.0),
                      0);
}

void TraceChart::setCrosshair(double x) {
    m_crossX = x;
    layoutCrosshair();
}

void TraceChart::setMarked(int lane, int token) {
    if (lane == m_markedLane && token == m_markedToken) return;
    m_markedLane = lane;
    m_markedToken = token;
    refresh();
}

double TraceChart::xAt(const QPointF& pos) const {
    const QRectF plot = chart()->plotArea();
    const auto [lo, hi] = xRange();
    if (plot.width() <= 0) return lo;
    return lo + (pos.x() - plot.left()) / plot.width() * (hi - lo);
}

void TraceChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_pressed = true;
    m_pressPos = event->position();
}

void TraceChart::mouseMoveEvent(QMouseEvent* event) {
    emit hovered(xAt(event->position()));
    if (!m_pressed || std::abs(event->position().x() - m_pressPos.x()) < 6) return;
    if (m_band == nullptr) m_band = new QRubberBand(QRubberBand::Rectangle, this);
    const QRectF plot = chart()->plotArea();
    const auto left = static_cast<int>(std::min(event->position().x(), m_pressPos.x()));
    const auto right = static_cast<int>(std::max(event->position().x(), m_pressPos.x()));
    m_band->setGeometry(left, static_cast<int>(plot.top()), right - left,
                        static_cast<int>(plot.height()));
    m_band->show();
}

void TraceChart::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_pressed) return;
    m_pressed = false;
    const double a = xAt(m_pressPos), b = xAt(event->position());
    if (m_band != nullptr && m_band->isVisible()) {
        m_band->hide();
        emit rangeChosen(std::min(a, b), std::max(a, b));
        return;
    }
    // A click selects the point nearest in both directions.
    const QRectF plot = chart()->plotArea();
    double best = 400.0;  // squared pixels: 20 px
    int lane = -1, token = -1;
    for (const auto& line : m_lines) {
        const auto i = nearestIndex(line.x, b);
        if (i < 0 || line.token.size() != line.x.size()) continue;
        const QPointF p = chart()->mapToPosition(
            QPointF(line.x[static_cast<std::size_t>(i)], line.y[static_cast<std::size_t>(i)]));
        const double dx = p.x() - event->position().x(), dy = p.y() - event->position().y();
        const double distance = dx * dx + std::min(dy * dy, plot.height() * plot.height()) * 0.2;
        if (std::isfinite(distance) && distance < best) {
            best = distance;
            lane = line.lane;
            token = line.token[static_cast<std::size_t>(i)];
        }
    }
    if (lane >= 0) emit pointClicked(lane, token);
}

void TraceChart::mouseDoubleClickEvent(QMouseEvent*) {
    emit rangeChosen(0.0, 0.0);
}

void TraceChart::wheelEvent(QWheelEvent* event) {
    const auto [lo, hi] = xRange();
    const auto [dataLo, dataHi] = dataXRange();
    const double delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers() & Qt::ShiftModifier) {
        const double shift = -delta / 1200.0 * (hi - lo);
        const double from = std::clamp(lo + shift, dataLo, std::max(dataLo, dataHi - (hi - lo)));
        emit rangeChosen(from, from + (hi - lo));
    } else {
        const double x = std::clamp(xAt(event->position()), lo, hi);
        const double factor = std::pow(0.85, delta / 120.0);
        const double from = std::max(dataLo, x - (x - lo) * factor),
                     to = std::min(dataHi, x + (hi - x) * factor);
        if (from <= dataLo && to >= dataHi) {
            emit rangeChosen(0.0, 0.0);
        } else if (to - from > (dataHi - dataLo) * 1e-5) {
            emit rangeChosen(from, to);
        }
    }
    event->accept();
}

void TraceChart::leaveEvent(QEvent*) {
    emit hovered(kNone);
}

void TraceChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    refresh();
}

void TraceChart::keyPressEvent(QKeyEvent* event) {
    const auto [lo, hi] = xRange();
    const double step = std::max((hi - lo) / 100.0, 1e-9);
    const double x = std::isfinite(m_crossX) ? m_crossX : (lo + hi) / 2;
    switch (event->key()) {
        case Qt::Key_Left:
            emit hovered(std::max(lo, x - step));
            break;
        case Qt::Key_Right:
            emit hovered(std::min(hi, x + step));
            break;
        case Qt::Key_Home:
            emit rangeChosen(0.0, 0.0);
            break;
        default:
            QChartView::keyPressEvent(event);
            return;
    }
    event->accept();
}

void TraceChart::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Reset zoom"), this, [this] { emit rangeChosen(0.0, 0.0); });
    menu.addSeparator();
    menu.addAction(tr("Copy as PNG"), this, &TraceChart::copyPng);
    menu.addAction(tr("Copy as SVG"), this, &TraceChart::copySvg);
    menu.exec(event->globalPos());
}

void TraceChart::copyPng() {
    QApplication::clipboard()->setPixmap(grab());
}

QByteArray TraceChart::toSvg() {
    return svgPicture(rect(), m_title, [this](QPainter& painter) { scene()->render(&painter); });
}

void TraceChart::copySvg() {
    copySvgPicture(toSvg());
}

}  // namespace lanescope::app

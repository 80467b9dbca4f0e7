#include "app/views/charts/chart_deck.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/theme/theme.h"
#include "app/views/charts/trace_chart.h"
#include "profiler/analyse/stats.h"

namespace lanescope::app {

namespace {
constexpr int kSideBySideWidth = 620;
constexpr auto kAxisKey = "charts/xAxis";
constexpr auto kOfKey = "charts/of";
}  // namespace

ChartDeck::ChartDeck(Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_latency(new TraceChart(QString(), QString(), 2, this)),
      m_kv(new TraceChart(QString(), QString(), 2, this)),
      m_charts(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_axisLabel(new QLabel(this)),
      m_axis(new QComboBox(this)),
      m_ofLabel(new QLabel(this)),
      m_of(new QComboBox(this)),
      m_hint(new QLabel(this)) {
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kSpace, kSpaceXs, kSpace, 0);
    bar->setSpacing(kSpace);
    for (QWidget* w : std::initializer_list<QWidget*>{m_axisLabel, m_axis, m_ofLabel, m_of})
        bar->addWidget(w);
    bar->addStretch(1);
    bar->addWidget(m_hint);
    for (int i = 0; i < 3; ++i) m_axis->addItem(QString());
    for (int i = 0; i < 2; ++i) m_of->addItem(QString());
    m_axisLabel->setBuddy(m_axis);
    m_ofLabel->setBuddy(m_of);
    const QSettings settings;
    m_axis->setCurrentIndex(std::clamp(settings.value(kAxisKey, 0).toInt(), 0, 2));
    m_of->setCurrentIndex(std::clamp(settings.value(kOfKey, 0).toInt(), 0, 1));

    m_kv->setSteps(true);
    m_charts->setContentsMargins(0, 0, 0, 0);
    m_charts->setSpacing(1);
    m_charts->addWidget(m_latency, 1);
    m_charts->addWidget(m_kv, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpaceXs);
    layout->addLayout(bar);
    layout->addLayout(m_charts, 1);

    for (TraceChart* chart : {m_latency, m_kv}) {
        connect(chart, &TraceChart::hovered, this, [this](double x) {
            m_latency->setCrosshair(x);
            m_kv->setCrosshair(x);
        });
        connect(chart, &TraceChart::rangeChosen, this, &ChartDeck::setRange);
        connect(chart, &TraceChart::pointClicked, this, &ChartDeck::selectPoint);
        connect(themeNotifier(), &ThemeNotifier::changed, chart, &TraceChart::applyTheme);
    }
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int index) {
        QSettings().setValue(kAxisKey, index);
        setRange(0.0, 0.0);
        rebuild();
    });
    connect(m_of, &QComboBox::currentIndexChanged, this, [this](int index) {
        QSettings().setValue(kOfKey, index);
        rebuild();
    });
    connect(m_selection, &Selection::changed, this, &ChartDeck::followSelection);
    retranslate();
}

void ChartDeck::retranslate() {
    m_axisLabel->setText(tr("x axis"));
    m_axis->setItemText(0, tr("Token"));
    m_axis->setItemText(1, tr("Time"));
    m_axis->setItemText(2, tr("Context"));
    m_ofLabel->setText(tr("of"));
    m_of->setItemText(0, tr("last request"));
    m_of->setItemText(1, tr("mean of repetitions"));
    m_of->setToolTip(
        tr("Last request: what was generated last. Mean: position by position over all timed "
           "repetitions of all prompts."));
    m_hint->setToolTip(
        tr("Wheel zooms, drag zooms into a box, Shift+wheel pans, double-click resets, a click "
           "selects the token."));
    m_latency->setTitle(tr("Per-token latency"), QStringLiteral("ms"));
    m_latency->setToolTip(
        tr("ITL: time between two emitted tokens. The first token's wait is TTFT and not part of "
           "this line."));
    m_kv->setTitle(tr("KV cache"), QStringLiteral("MiB"));
    m_kv->setToolTip(
        tr("Bytes of the KV blocks the sequence holds, keys and values of all layers."));
    rebuild();
}

void ChartDeck::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void ChartDeck::setRun(profiler::RunSnapshot run) {
    const bool sameRun = run && m_run && run->header.id == m_run->header.id;
    m_run = std::move(run);
    if (!sameRun) setRange(0.0, 0.0);
    rebuild();
}

std::int32_t ChartDeck::shownRequest(int lane) const {
    std::int32_t found = -1;
    if (!m_run) return found;
    for (const auto& request : m_run->requests) {
        if (request.record.lane == lane && !request.tokens.empty()) found = request.record.id;
    }
    return found;
}

void ChartDeck::rebuild() {
    const auto axis = static_cast<profiler::XAxis>(m_axis->currentIndex());
    const auto averaging =
        m_of->currentIndex() == 1 ? profiler::Averaging::Mean : profiler::Averaging::LastRequest;
    std::vector<PlotLine> latency, kv;
    if (m_run) {
        for (const auto& lane : m_run->lanes) {
            PlotLine line;
            line.lane = lane.index;
            line.name = QString::fromStdString(lane.name);
            line.color = laneColor(lane.index);
            for (const auto kind : {profiler::SeriesKind::ItlMs, profiler::SeriesKind::KvBytes}) {
                auto points = profiler::series(*m_run, lane.index, kind, axis, averaging);
                const double scale =
                    kind == profiler::SeriesKind::KvBytes ? 1.0 / (1024.0 * 1024.0) : 1.0;
                for (double& y : points.y) y *= scale;
                for (double& x : points.x) x *= axis == profiler::XAxis::TimeMs ? 1e-3 : 1.0;
                line.x = std::move(points.x);
                line.y = std::move(points.y);
                line.token = std::move(points.token);
                (kind == profiler::SeriesKind::ItlMs ? latency : kv).push_back(line);
            }
        }
    }
    const QString label = axis == profiler::XAxis::Token    ? tr("output token")
                          : axis == profiler::XAxis::TimeMs ? tr("time since request start (s)")
                                                            : tr("context (tokens)");
    m_latency->setLines(std::move(latency), label);
    m_kv->setLines(std::move(kv), label);
    m_hint->setText(m_latency->hasPoints() || m_kv->hasPoints()
                        ? QString()
                        : tr("Run the lanes to fill the charts."));
    followSelection();
}

void ChartDeck::followSelection() {
    const auto& state = m_selection->state();
    m_latency->setMarked(state.lane, state.token);
    m_kv->setMarked(state.lane, state.token);
}

void ChartDeck::selectPoint(int lane, int token) {
    auto state = m_selection->state();
    state.lane = lane;
    state.token = token;
    state.tokenEnd = -1;
    state.request = shownRequest(lane);
    state.tStartNs = state.tEndNs = -1;
    m_selection->set(state);
}

void ChartDeck::setRange(double min, double max) {
    // Both charts share the axis; a reset fits the longest line of either.
    if (!(max > min)) {
        m_latency->setXRange(0.0, 0.0);
        m_kv->setXRange(0.0, 0.0);
        return;
    }
    m_latency->setXRange(min, max);
    m_kv->setXRange(min, max);
}

void ChartDeck::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_charts->setDirection(width() >= kSideBySideWidth ? QBoxLayout::LeftToRight
                                                       : QBoxLayout::TopToBottom);
}

}  // namespace lanescope::app

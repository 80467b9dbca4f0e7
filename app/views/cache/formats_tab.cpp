#include "app/views/cache/formats_tab.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QStackedWidget>
#include <algorithm>

#include "app/bridge/model_info.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/charts/trace_chart.h"
#include "app/widgets/data_table.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/legend_row.h"
#include "kernels/ops/kv_format.h"

/// Outside all namespaces: the macro declares a function there.
static void initTextResource() {
    Q_INIT_RESOURCE(text);
}

namespace lanescope::app {

namespace {

constexpr qint64 kMostTextBytes = qint64{16} << 20;

/// A colour for each format, the same whichever are measured; the palette has one fewer.
QColor formatColor(const QString& format) {
    for (int i = 0; i < kernels::kKvFormats; ++i)
        if (kvFormatLabel(i) == format) return i == 0 ? laneColor(-1) : laneColor(i - 1);
    return laneColor(-1);
}

QString key(const char* name) {
    return QStringLiteral("cache/formats/") + QLatin1String(name);
}

std::vector<std::int64_t> depthsOf(const QString& text) {
    std::vector<std::int64_t> depths;
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool ok = false;
        const qlonglong n = part.trimmed().toLongLong(&ok);
        if (!ok || n < 2 || n > (1 << 20)) return {};
        depths.push_back(n);
    }
    std::sort(depths.begin(), depths.end());
    depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
    return depths;
}

}  // namespace

QString builtInText() {
    initTextResource();
    QString text;
    for (int i = 0;; ++i) {
        QFile file(QStringLiteral(":/text/%1.md").arg(i));
        if (!file.open(QIODevice::ReadOnly)) break;
        text += QString::fromUtf8(file.readAll()) + QLatin1Char('\n');
    }
    return text;
}

FormatsTab::FormatsTab(PlanDocument* document, DivergenceController* controller, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_controller(controller),
      m_lane(new QComboBox),
      m_reference(new QComboBox),
      m_depths(new QLineEdit(QStringLiteral("128, 256, 512, 1024"))),
      m_file(new QLineEdit),
      m_windows(new QSpinBox),
      m_run(new QPushButton(tr("Measure"))),
      m_stop(new QPushButton(tr("Stop"))),
      m_error(new ErrorBanner),
      m_progress(new QWidget),
      m_stage(new ElidedLabel),
      m_bar(new QProgressBar),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(
          tr("How far predictions move when keys and values are stored in fewer bits: the KL "
             "divergence from the reference cache, on the same text, apart by how many positions "
             "came before. Measured here, in the background."))),
      m_chart(new TraceChart(tr("KLD by positions before"), tr("nats"), 6)),
      m_legend(new LegendRow),
      m_note(new QLabel),
      m_model(new CellModel(this)),
      m_table(new DataTable) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(buildForm());
    row->addWidget(buildResult(), 1);
    m_empty->button()->setText(tr("Measure the ticked formats"));
    m_error->setClosable(true);
    connect(m_document, &PlanDocument::lanesChanged, this, &FormatsTab::fillLanes);
    for (QPushButton* button : {m_run, m_empty->button()})
        connect(button, &QPushButton::clicked, this, &FormatsTab::start);
    connect(m_stop, &QPushButton::clicked, m_controller, &BackgroundJob::cancel);
    connect(m_controller, &DivergenceController::changed, this, &FormatsTab::refresh);
    connect(m_controller, &BackgroundJob::runningChanged, this, &FormatsTab::setRunning);
    connect(m_controller, &BackgroundJob::failed, m_error, &ErrorBanner::setError);
    connect(m_controller, &BackgroundJob::progressChanged, this,
            [this](double fraction, qint64 etaMs, const QString& text) {
                m_bar->setValue(static_cast<int>(1000 * fraction));
                m_stage->setText(etaMs > 0 ? text + QStringLiteral(" · ") +
                                                 tr("est. %1 left").arg(clockText(etaMs))
                                           : text);
                m_stop->setEnabled(m_controller->running() && !m_controller->cancelling());
            });
    connect(themeNotifier(), &ThemeNotifier::changed, m_chart, &TraceChart::applyTheme);
    connect(m_chart, &TraceChart::hovered, m_chart, &TraceChart::setCrosshair);
    connect(m_chart, &TraceChart::rangeChosen, m_chart, &TraceChart::setXRange);
    fillLanes();
    restore();
    setRunning(m_controller->running());
    refresh();
}

void FormatsTab::fillLanes() {
    const int before = std::max(m_lane->currentIndex(), 0);
    m_lane->clear();
    for (const LaneSpec& lane : m_document->plan().lanes)
        m_lane->addItem(QStringLiteral("%1 · %2").arg(QString::fromStdString(lane.name),
                                                      shortModelName(lane.model)));
    if (m_lane->count() > 0) m_lane->setCurrentIndex(std::min(before, m_lane->count() - 1));
    updateRun();
}

void FormatsTab::setBlocked(const QString& reason) {
    m_blocked = reason;
    updateRun();
}

void FormatsTab::setDepths(const QString& depths, int windows) {
    m_depths->setText(depths);
    m_windows->setValue(windows);
}

void FormatsTab::setTextFile(const QString& path) {
    m_file->setText(path);
}

void FormatsTab::updateRun() {
    const bool some = std::ranges::any_of(m_formats, &QCheckBox::isChecked);
    const bool can = !m_controller->running() && m_blocked.isEmpty() && m_lane->count() > 0 && some;
    for (QPushButton* button : {m_run, m_empty->button()}) {
        button->setEnabled(can);
        button->setToolTip(!m_blocked.isEmpty()   ? m_blocked
                           : m_lane->count() == 0 ? tr("Open a model first")
                           : !some                ? tr("Tick a format first")
                                                  : QString());
    }
}

void FormatsTab::setRunning(bool running) {
    m_progress->setVisible(running);
    m_stop->setEnabled(running && !m_controller->cancelling());
    updateRun();
}

void FormatsTab::start() {
    if (m_controller->running() || m_lane->currentIndex() < 0) return;
    m_error->setError({}, {});
    DivergenceSpec spec;
    spec.lane = m_document->plan().lanes[static_cast<std::size_t>(m_lane->currentIndex())];
    spec.reference = m_reference->currentText().toStdString();
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        if (m_formats[i]->isChecked() && m_formats[i]->text() != m_reference->currentText())
            spec.formats.push_back(m_formats[i]->text().toStdString());
    spec.depths = depthsOf(m_depths->text());
    if (spec.depths.empty()) {
        m_error->setError(tr("The depths are not a list of numbers"),
                          tr("Write for example 128, 256, 512, 1024."));
        return;
    }
    spec.windows = m_windows->value();
    spec.textName = "built-in text";
    if (m_file->text().isEmpty()) {
        spec.text = builtInText().toStdString();
    } else {
        QFile file(m_file->text());
        if (!file.open(QIODevice::ReadOnly)) {
            m_error->setError(tr("The text cannot be read"),
                              m_file->text() + QLatin1Char('\n') + file.errorString());
            return;
        }
        spec.text = file.read(kMostTextBytes).toStdString();
        spec.textName = m_file->text().toStdString();
    }
    remember();
    m_controller->start(spec);
}

void FormatsTab::refresh() {
    const DivergenceRun& run = m_controller->run();
    m_stack->setCurrentIndex(run.formats.empty() ? 0 : 1);
    if (run.formats.empty()) return;
    std::vector<PlotLine> lines;
    std::vector<LegendEntry> entries;
    std::vector<std::vector<Cell>> rows;
    QStringList problems;
    const auto number = [](double value, int decimals) {
        return numberCell(fixedNumber(value, decimals), value);
    };
    for (const FormatDivergence& format : run.formats) {
        const QString name = QString::fromStdString(format.format);
        if (!format.error.isEmpty()) {
            problems << tr("%1: %2.").arg(name, format.error);
            continue;
        }
        PlotLine line;
        line.lane = static_cast<int>(lines.size());
        line.name = name;
        line.color = formatColor(name);
        for (const DepthFigure& d : format.depths) {
            // In the middle of its positions.
            line.x.push_back(static_cast<double>(d.from + d.to) / 2.0);
            line.y.push_back(d.kldMean);
            Cell cell = textCell(name);
            cell.decoration = line.color;
            rows.push_back({cell,
                            numberCell(QStringLiteral("%1–%2").arg(d.from).arg(d.to - 1),
                                       static_cast<qlonglong>(d.from)),
                            number(static_cast<double>(d.nTokens), 0), number(d.kldMean, 6),
                            number(d.kldMedian, 6), number(d.kldP99, 6),
                            number(100.0 * d.sameBest, 2), number(d.perplexity, 3),
                            number(format.bytesPerToken, 0)});
        }
        entries.push_back({name, line.color});
        lines.push_back(std::move(line));
    }
    m_legend->setEntries(std::move(entries));
    m_chart->setLines(std::move(lines), tr("position in the text (middle of each stretch)"));
    m_model->setHeaders({tr("KV as"), tr("Positions"), tr("Tokens"), tr("KLD mean"), tr("Median"),
                         tr("99 %"), tr("Same best %"), tr("Perplexity"), tr("Bytes a token")},
                        {{},
                         tr("Where in the window: so many tokens came before"),
                         tr("Positions that were compared"),
                         tr("KL(reference ‖ this), nats, mean over the positions"),
                         {},
                         {},
                         tr("Positions at which both find the same token best"),
                         tr("exp(mean negative log probability) with this cache"),
                         tr("K and V of all layers")});
    m_model->setRows(std::move(rows));
    m_table->resizeColumnsToContents();
    problems.prepend(
        tr("Against %1, %2 of %3, the same text.")
            .arg(QString::fromStdString(run.spec.reference),
                 tr("%n window(s)", nullptr, static_cast<int>(run.windows)),
                 tr("%n token(s)", nullptr, static_cast<int>(run.spec.depths.back()))));
    m_note->setText(problems.join(QLatin1Char(' ')));
}

void FormatsTab::remember() const {
    QSettings settings;
    settings.setValue(key("reference"), m_reference->currentIndex());
    settings.setValue(key("depths"), m_depths->text());
    settings.setValue(key("windows"), m_windows->value());
    settings.setValue(key("file"), m_file->text());
    int ticked = 0;
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        ticked |= m_formats[i]->isChecked() ? 1 << i : 0;
    settings.setValue(key("ticked"), ticked);
}

void FormatsTab::restore() {
    const QSettings settings;
    if (!settings.contains(key("depths"))) return;
    m_reference->setCurrentIndex(
        std::clamp(settings.value(key("reference")).toInt(), 0, m_reference->count() - 1));
    m_depths->setText(settings.value(key("depths")).toString());
    m_windows->setValue(settings.value(key("windows")).toInt());
    m_file->setText(settings.value(key("file")).toString());
    const int ticked = settings.value(key("ticked")).toInt();
    for (std::size_t i = 0; i < m_formats.size(); ++i)
        m_formats[i]->setChecked((ticked >> i & 1) != 0);
}

}  // namespace lanescope::app

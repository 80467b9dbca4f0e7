#include "app/window/status_line.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QPointer>
#include <QThreadPool>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bridge/ui_watchdog.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/elided_label.h"
#include "engine/lane/run.h"

namespace lanescope::app {

/// QProgressBar repaints at once at every value; this one waits for the next frame like the rest.
class ProgressLine : public QWidget {
  public:
    explicit ProgressLine(QWidget* parent) : QWidget(parent) { setFixedSize(160, 8); }
    void setFraction(double fraction) {
        m_fraction = std::clamp(fraction, 0.0, 1.0);
        setAccessibleDescription(QStringLiteral("%1 %").arg(static_cast<int>(m_fraction * 100)));
        update();
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(themeColors().border);
        painter.drawRoundedRect(rect(), 3, 3);
        painter.setBrush(themeColors().accent);
        painter.drawRoundedRect(QRectF(0, 0, width() * m_fraction, height()), 3, 3);
    }

  private:
    double m_fraction = 0.0;
};

namespace {

QString describe(const nlohmann::ordered_json& machine) {
    QStringList parts;
    const auto text = [&machine](const char* key) {
        return machine.contains(key) && machine[key].is_string()
                   ? QString::fromStdString(machine[key].get<std::string>())
                   : QString();
    };
    const auto number = [&machine](const char* key) {
        return machine.contains(key) && machine[key].is_number() ? machine[key].get<double>() : 0.0;
    };
    if (!text("cpu").isEmpty()) parts << text("cpu").simplified();
    if (!text("isa").isEmpty()) parts << text("isa");
    if (number("threads") > 0)
        parts << StatusLine::tr("%1 threads").arg(static_cast<int>(number("threads")));
    if (number("memoryBytes") > 0)
        parts << bytesText(static_cast<std::uint64_t>(number("memoryBytes")));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

QString overheadText(const profiler::RunData& run) {
    std::int64_t firstNs = -1;
    std::int64_t lastNs = 0;
    for (const auto& request : run.requests) {
        if (firstNs < 0) firstNs = request.record.tStartNs;
        lastNs = std::max(
            lastNs, request.tokens.empty() ? request.record.tEndNs : request.tokens.back().tNs);
    }
    if (run.overheadNs == 0 || firstNs < 0 || lastNs <= firstNs) return {};
    const double share =
        100.0 * static_cast<double>(run.overheadNs) / static_cast<double>(lastNs - firstNs);
    return StatusLine::tr("profiler est. %1 %").arg(shortNumber(share));
}

StatusLine::StatusLine(QWidget* parent)
    : QWidget(parent),
      m_machine(new ElidedLabel(this)),
      m_overhead(new QLabel(this)),
      m_text(new QLabel(this)),
      m_bar(new ProgressLine(this)),
      m_eta(new QLabel(this)),
      m_cancel(new QToolButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kSpaceS, 0, kSpaceS, 0);
    row->setSpacing(kSpaceL);
    m_bar->setAccessibleName(tr("Progress of the run"));
    m_cancel->setText(tr("Stop"));
    m_cancel->setAutoRaise(true);
    m_overhead->setToolTip(
        tr("Recorded events times the measured cost of recording one, as a share of the run."));
    row->addWidget(m_machine, 1);
    row->addWidget(m_overhead);
    row->addWidget(m_text);
    row->addWidget(m_bar);
    row->addWidget(m_eta);
    row->addWidget(m_cancel);
    connect(m_cancel, &QToolButton::clicked, this, &StatusLine::cancelRequested);
    setRunning(false, false);
    readMachine();
}

void StatusLine::readMachine() {
    QPointer<StatusLine> self(this);
    QThreadPool::globalInstance()->start([self] {
        auto machine = describeMachine();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, machine = std::move(machine)] {
                if (self) self->m_machine->setText(tr("CPU: %1").arg(describe(machine)));
            },
            Qt::QueuedConnection);
    });
}

void StatusLine::setRun(const profiler::RunSnapshot& run) {
    QString text;
    if (run) {
        text = overheadText(*run);
        if (run->droppedSpans > 0)
            text += QStringLiteral(" · ") + tr("%1 spans dropped").arg(run->droppedSpans);
    }
    if (text != m_overhead->text()) m_overhead->setText(text);
}

void StatusLine::setProgress(double fraction, qint64 etaMs, const QString& text) {
    m_text->setText(text);
    m_bar->setFraction(fraction);
    m_eta->setText(etaMs > 0 ? tr("%1 left").arg(clockText(etaMs)) : QString());
}

void StatusLine::setRunning(bool running, bool cancelling) {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_text, m_bar, m_eta, m_cancel})
        widget->setVisible(running);
    m_cancel->setEnabled(running && !cancelling);
    if (!running) m_text->clear();
}

void StatusLine::setStoreError(const QString& error) {
    m_storeError = error;
    m_overhead->setText(tr("runs are not stored"));
    m_overhead->setToolTip(error);
}

void StatusLine::setWatchdog(const UiWatchdog* watchdog) {
    m_watchdog = watchdog;
}

QString StatusLine::progressText() const {
    return m_text->text();
}

bool StatusLine::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && m_watchdog != nullptr) {
        auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(
            help->globalPos(),
            tr("Longest pause of the interface: %1").arg(durationText(m_watchdog->worstGapMs())),
            this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace lanescope::app

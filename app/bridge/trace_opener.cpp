#include "app/bridge/trace_opener.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QStringList>
#include <algorithm>

namespace lanescope::app {

namespace {

struct TraceWords {
    Q_DECLARE_TR_FUNCTIONS(TraceOpener)
};

QString number(std::uint64_t n) {
    return QLocale().toString(static_cast<qulonglong>(n));
}

profiler::RunSnapshot runOf(std::shared_ptr<const profiler::ImportedTrace> trace,
                            const QString& path) {
    auto run = std::make_shared<profiler::RunData>();
    run->header.id = "trace:" + path.toStdString();
    run->header.name = QFileInfo(path).fileName().toStdString();
    run->status = trace::RunStatus::Finished;
    run->imported = std::move(trace);
    return run;
}

/// What a phase letter of the format stands for, where people may know it.
QString phaseName(const std::string& phase) {
    if (phase == "C") return TraceWords::tr("counters");
    if (phase == "i" || phase == "I" || phase == "R") return TraceWords::tr("instants");
    if (phase == "b" || phase == "e" || phase == "n") return TraceWords::tr("asynchronous");
    return {};
}

}  // namespace

TraceOpener::TraceOpener(QObject* parent)
    : QObject(parent), m_task(this, [this](const Outcome& outcome) { deliver(outcome); }) {
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this,
            [this] { emit progressed(std::min(0.99, m_reading->fraction.load())); });
}

TraceOpener::~TraceOpener() {
    if (m_reading != nullptr) m_reading->cancel = true;
}

bool TraceOpener::looksLikeTrace(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return false;
    const QByteArray head = file.read(1 << 16);
    if (head.startsWith("\x1f\x8b")) return true;
    const QByteArray trimmed = head.trimmed();
    if (trimmed.startsWith('[')) return true;
    if (!trimmed.startsWith('{')) return false;
    // The list of events may come late: a plan has its schema, a trace one of these.
    return trimmed.contains("\"traceEvents\"") || trimmed.contains("\"displayTimeUnit\"") ||
           trimmed.contains("\"deviceProperties\"") || trimmed.contains("\"schemaVersion\"");
}

void TraceOpener::open(const QString& path) {
    cancel();
    m_path = path;
    m_reading = std::make_shared<profiler::TraceReading>();
    m_timer.start();
    emit progressed(0.0);
    m_task.start([path, reading = m_reading]() -> Outcome {
        auto trace = profiler::readChromeTrace(path.toStdString(), {}, reading.get());
        if (!trace) return std::make_shared<Result<profiler::RunSnapshot>>(trace.error());
        return std::make_shared<Result<profiler::RunSnapshot>>(runOf(*trace, path));
    });
}

void TraceOpener::cancel() {
    if (m_reading != nullptr) m_reading->cancel = true;
    m_task.drop();
    if (m_timer.isActive()) emit progressed(1.0);
    m_timer.stop();
}

void TraceOpener::deliver(const Outcome& outcome) {
    m_timer.stop();
    emit progressed(1.0);
    if (outcome->ok()) {
        emit opened(**outcome);
        return;
    }
    const Error& error = outcome->error();
    if (error.code == ErrorCode::Cancelled) return;
    QStringList details;
    if (!error.nextStep.empty()) details << QString::fromStdString(error.nextStep);
    details << QString::fromStdString(error.context);
    emit failed(QString::fromStdString(error.message), details.join(QLatin1Char('\n')));
}

QString traceSummary(const profiler::ImportedTrace& trace) {
    QStringList parts{TraceWords::tr("%1 events on %2 threads")
                          .arg(number(trace.events.size()), number(trace.tracks.size()))};
    if (trace.cutOff) parts << TraceWords::tr("the file ends in the middle");
    if (trace.overLimit > 0)
        parts << TraceWords::tr("only the first %1 events are shown").arg(number(trace.overLimit));
    if (trace.unclosed > 0)
        parts << TraceWords::tr("%1 never ended: drawn to the end of their thread")
                     .arg(number(trace.unclosed));
    if (trace.unopened > 0)
        parts
            << TraceWords::tr("%1 ended without a beginning: left out").arg(number(trace.unopened));
    if (trace.broken > 0)
        parts << TraceWords::tr("%1 without a valid time: left out").arg(number(trace.broken));
    QStringList kinds;
    for (const auto& [phase, count] : trace.notShown) {
        const QString name = phaseName(phase);
        const QString letter = QString::fromStdString(phase).toHtmlEscaped();
        kinds << (name.isEmpty() ? QStringLiteral("%1 × “%2”").arg(number(count), letter)
                                 : QStringLiteral("%1 × %2").arg(number(count), name));
        if (kinds.size() == 6) break;
    }
    if (!kinds.isEmpty())
        parts << TraceWords::tr("not shown: %1").arg(kinds.join(QStringLiteral(", ")));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace lanescope::app

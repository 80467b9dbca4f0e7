#include "app/report/pdf_report.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QLocale>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QUrl>
#include <cmath>

#include "app/theme/theme.h"
#include "engine/base/format.h"
#include "profiler/analyse/series.h"
#include "profiler/analyse/stats.h"
#include "profiler/export/export.h"

namespace lanescope::app {

namespace {

constexpr int kChartWidth = 1000, kChartHeight = 300;
constexpr std::size_t kMaxAnswerChars = 4000;

QString tr(const char* text) {
    return QCoreApplication::translate("PdfReport", text);
}
QString escaped(const std::string& text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).toHtmlEscaped();
}
QString figure(const profiler::Distribution& d, int decimals) {
    if (d.n == 0) return QStringLiteral("–");
    const QString mean = QLocale::c().toString(d.mean, 'f', decimals);
    return d.n > 1 ? mean + QStringLiteral(" ± ") + QLocale::c().toString(d.sd, 'f', decimals)
                   : mean;
}
QString plain(double value, std::int64_t n, int decimals) {
    return n == 0 ? QStringLiteral("–") : QLocale::c().toString(value, 'f', decimals);
}

std::string chart(const profiler::RunData& run, profiler::SeriesKind kind) {
    profiler::ChartSpec spec;
    const bool kv = kind == profiler::SeriesKind::KvBytes;
    spec.title =
        kv ? tr(QT_TRANSLATE_NOOP("PdfReport", "KV cache (MiB)")).toStdString()
           : tr(QT_TRANSLATE_NOOP("PdfReport", "Per-token latency, ITL (ms)")).toStdString();
    spec.xLabel = tr(QT_TRANSLATE_NOOP("PdfReport", "output token")).toStdString();
    spec.yLabel = kv ? "MiB" : "ms";
    spec.width = kChartWidth;
    spec.height = kChartHeight;
    for (const auto& lane : run.lanes) {
        auto data = profiler::series(run, lane.index, kind, profiler::XAxis::Token);
        if (kv) {
            for (double& y : data.y) y /= 1024.0 * 1024.0;
        }
        spec.series.push_back(
            {lane.name, profiler::laneColor(lane.index), std::move(data.x), std::move(data.y)});
    }
    return profiler::chartSvg(spec);
}

QImage rendered(const std::string& svg) {
    QSvgRenderer renderer(QByteArray(svg.data(), static_cast<qsizetype>(svg.size())));
    QImage image(kChartWidth * 2, kChartHeight * 2, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    renderer.render(&painter);
    return image;
}

}  // namespace

QString pdfReportHtml(const profiler::RunData& run) {
    const QString started = QDateTime::fromMSecsSinceEpoch(run.header.startedUnixMs)
                                .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    QString html = QStringLiteral(
        "<style>body{font-size:9pt;color:#111} h1{font-size:16pt} h2{font-size:12pt} "
        "td,th{padding:2px 6px} th{text-align:left}"
        " .muted{color:#555} pre{font-size:8pt}</style>");
    html += QStringLiteral("<h1>%1</h1>").arg(escaped(run.header.name));
    html += QStringLiteral("<p class='muted'>%1 · %2 · Lanescope %3 · %4</p>")
                .arg(started, QString::fromStdString(std::string(trace::runStatusName(run.status))),
                     escaped(run.header.version), escaped(run.header.id));
    html += QStringLiteral("<h2>%1</h2>")
                .arg(tr(QT_TRANSLATE_NOOP("PdfReport", "Summary")).toHtmlEscaped());
    html += QStringLiteral("<table border='1' cellspacing='0' cellpadding='3' width='100%'><tr>");
    for (const char* name :
         {QT_TRANSLATE_NOOP("PdfReport", "Lane"), QT_TRANSLATE_NOOP("PdfReport", "Model"),
          QT_TRANSLATE_NOOP("PdfReport", "TTFT ms"),
          QT_TRANSLATE_NOOP("PdfReport", "ITL p50 / p95 / p99 ms"),
          QT_TRANSLATE_NOOP("PdfReport", "TPOT ms"), QT_TRANSLATE_NOOP("PdfReport", "decode tok/s"),
          QT_TRANSLATE_NOOP("PdfReport", "prefill tok/s"),
          QT_TRANSLATE_NOOP("PdfReport", "KV peak"), QT_TRANSLATE_NOOP("PdfReport", "requests")}) {
        html += QStringLiteral("<th>%1</th>").arg(tr(name).toHtmlEscaped());
    }
    html += QStringLiteral("</tr>");
    const auto stats = profiler::laneStats(run);
    for (std::size_t i = 0; i < run.lanes.size() && i < stats.size(); ++i) {
        const auto& lane = run.lanes[i];
        const auto& s = stats[i];
        html += QStringLiteral("<tr><td><b style='color:%1'>%2</b></td><td>%3</td>")
                    .arg(QString::fromLatin1(profiler::laneColor(lane.index)), escaped(lane.name),
                         escaped(lane.model));
        if (!lane.error.empty()) {
            html += QStringLiteral("<td colspan='7'>%1</td></tr>").arg(escaped(lane.error));
            continue;
        }
        html += QStringLiteral(
                    "<td>%1</td><td>%2 / %3 / "
                    "%4</td><td>%5</td><td>%6</td><td>%7</td><td>%8</td><td>%9</td></tr>")
                    .arg(figure(s.ttftMs, 1), plain(s.itlMs.p50, s.itlMs.n, 2),
                         plain(s.itlMs.p95, s.itlMs.n, 2), plain(s.itlMs.p99, s.itlMs.n, 2),
                         figure(s.tpotMs, 2), figure(s.decodeTps, 1), figure(s.prefillTps, 1),
                         QString::fromStdString(formatBytes(s.kvBytesPeak)))
                    .arg(s.requests);
    }
    html += QStringLiteral("</table><p class='muted'>%1</p>")
                .arg(tr(QT_TRANSLATE_NOOP("PdfReport",
                                          "Mean ± standard deviation over the timed requests; "
                                          "warm-up left out. Host clock."))
                         .toHtmlEscaped());
    html +=
        QStringLiteral(
            "<h2>%1</h2><p><img src='chart:0' width='%3'></p><p><img src='chart:1' width='%3'></p>")
            .arg(tr(QT_TRANSLATE_NOOP("PdfReport", "Charts")).toHtmlEscaped())
            .arg(660);
    if (run.droppedSpans + run.droppedEvents > 0) {
        html += QStringLiteral("<p>%1: %2</p>")
                    .arg(tr(QT_TRANSLATE_NOOP("PdfReport", "Dropped records")).toHtmlEscaped())
                    .arg(run.droppedSpans + run.droppedEvents);
    }
    html += QStringLiteral("<h2>%1</h2>")
                .arg(tr(QT_TRANSLATE_NOOP("PdfReport", "Settings in effect")).toHtmlEscaped());
    for (const auto& lane : run.lanes) {
        html += QStringLiteral("<p><b>%1</b> <span class='muted'>%2</span></p>")
                    .arg(escaped(lane.name), escaped(lane.settingsJson));
    }
    html += QStringLiteral("<h2>%1</h2>")
                .arg(tr(QT_TRANSLATE_NOOP("PdfReport", "Answers")).toHtmlEscaped());
    std::vector<std::pair<int, int>> shown;
    for (const auto& request : run.requests) {
        const std::pair key{request.record.prompt, request.record.lane};
        if (request.record.warmup || std::find(shown.begin(), shown.end(), key) != shown.end())
            continue;
        shown.push_back(key);
        const auto lane = static_cast<std::size_t>(request.record.lane);
        std::string text = request.record.text;
        const bool cut = text.size() > kMaxAnswerChars;
        if (cut) {
            std::size_t end = kMaxAnswerChars;
            while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
            text.resize(end);
        }
        html += QStringLiteral("<p><b>%1</b> · %2 %3</p><p style='white-space:pre-wrap'>%4%5</p>")
                    .arg(lane < run.lanes.size() ? escaped(run.lanes[lane].name) : QString(),
                         tr(QT_TRANSLATE_NOOP("PdfReport", "prompt")).toHtmlEscaped())
                    .arg(request.record.prompt + 1)
                    .arg(escaped(text), cut ? QStringLiteral("…") : QString());
    }
    html +=
        QStringLiteral(
            "<h2>%1</h2><p style='white-space:pre-wrap'><code>%2</code></p><p class='muted'>%3</p>")
            .arg(tr(QT_TRANSLATE_NOOP("PdfReport", "Run it again")).toHtmlEscaped(),
                 escaped(run.header.command), escaped(run.header.machineJson));
    return html;
}

Result<void> writePdfReport(const profiler::RunData& run, const QString& path) {
    const QString part = path + QStringLiteral(".part");
    {
        QFile probe(part);
        if (!probe.open(QIODevice::WriteOnly)) {
            return ioError("cannot be written: " + probe.errorString().toStdString(),
                           path.toStdString(), "choose another folder");
        }
        QPdfWriter writer(&probe);
        writer.setResolution(144);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(14, 14, 14, 14), QPageLayout::Millimeter);
        writer.setTitle(QString::fromStdString(run.header.name));
        writer.setCreator(QStringLiteral("Lanescope"));
        QTextDocument document;
        document.setDefaultFont(QFont(uiFont().family(), 9));
        document.addResource(QTextDocument::ImageResource, QUrl(QStringLiteral("chart:0")),
                             rendered(chart(run, profiler::SeriesKind::ItlMs)));
        document.addResource(QTextDocument::ImageResource, QUrl(QStringLiteral("chart:1")),
                             rendered(chart(run, profiler::SeriesKind::KvBytes)));
        document.setHtml(pdfReportHtml(run));
        document.print(&writer);
        if (!probe.flush() || probe.error() != QFileDevice::NoError) {
            const std::string why = probe.errorString().toStdString();
            probe.close();
            QFile::remove(part);
            return ioError("cannot be written: " + why, path.toStdString(),
                           "free some space or choose another folder");
        }
    }
    QFile::remove(path);
    if (!QFile::rename(part, path)) {
        QFile::remove(part);
        return ioError("cannot be put in place", path.toStdString(), "choose another folder");
    }
    return {};
}

}  // namespace lanescope::app

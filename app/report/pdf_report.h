#pragma once
// The report as PDF: the same figures and charts as the HTML one, laid out for A4 paper.

#include <QString>

#include "engine/base/result.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

/// Writes beside and renames. Needs a QGuiApplication. Errors: Io with path and reason.
Result<void> writePdfReport(const profiler::RunData& run, const QString& path);

/// The document's HTML (the part of HTML that QTextDocument renders); charts are images "chart:0" …
/// Exposed for tests.
QString pdfReportHtml(const profiler::RunData& run);

}  // namespace lanescope::app

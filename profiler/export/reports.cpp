#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/base/mapped_file.h"
#include "profiler/export/export.h"

namespace lanescope::profiler {

namespace fs = std::filesystem;

namespace {

/// A file name from a run's name: letters, digits, dots and dashes; never empty, never hidden.
std::string fileStem(const RunData& run) {
    std::string stem;
    for (const char c : run.header.name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (plain) {
            stem += c;
        } else if (!stem.empty() && stem.back() != '-') {
            stem += '-';
        }
        if (stem.size() >= 60) break;
    }
    while (stem.ends_with('-')) stem.pop_back();
    return stem.empty() ? "run" : stem;
}

}  // namespace

const char* fileSuffix(ReportFormat format) {
    switch (format) {
        case ReportFormat::Html:
            return ".html";
        case ReportFormat::Csv:
            return ".csv";
        case ReportFormat::Json:
            return ".json";
        case ReportFormat::Markdown:
            return ".md";
        case ReportFormat::Trace:
            return ".trace.json";
    }
    return "";
}

Result<std::vector<ReportFormat>> parseFormats(const std::string& list) {
    static const std::pair<const char*, ReportFormat> kNames[] = {
        {"html", ReportFormat::Html},   {"csv", ReportFormat::Csv},
        {"json", ReportFormat::Json},   {"md", ReportFormat::Markdown},
        {"trace", ReportFormat::Trace}, {"markdown", ReportFormat::Markdown}};
    std::vector<ReportFormat> formats;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        std::size_t end = list.find(',', begin);
        if (end == std::string::npos) end = list.size();
        std::string name = list.substr(begin, end - begin);
        while (name.starts_with(' ')) name.erase(0, 1);
        while (name.ends_with(' ')) name.pop_back();
        begin = end + 1;
        bool known = false;
        for (const auto& [text, format] : kNames) {
            if (name != text) continue;
            known = true;
            bool twice = false;
            for (const ReportFormat f : formats) twice = twice || f == format;
            if (!twice) formats.push_back(format);
        }
        if (!known) {
            return usageError("report format '" + name + "' is unknown",
                              "use html, csv, json, md or trace, separated by commas");
        }
    }
    return formats;
}

Result<std::vector<std::string>> writeReports(const RunData& run, const std::string& dir,
                                              const std::vector<ReportFormat>& formats) {
    std::error_code error;
    fs::create_directories(dir, error);
    if (error) {
        return ioError("cannot be made: " + error.message(), dir, "choose another folder");
    }
    std::vector<std::string> paths;
    auto write = [&](const std::string& suffix, const std::string& content) -> Result<void> {
        const std::string path = (fs::path(dir) / (fileStem(run) + suffix)).string();
        if (auto ok = writeFileAtomically(path, content); !ok) return ok;
        paths.push_back(path);
        return {};
    };
    for (const ReportFormat format : formats) {
        Result<void> ok;
        switch (format) {
            case ReportFormat::Html:
                ok = write(fileSuffix(format), exportHtml(run));
                break;
            case ReportFormat::Csv:
                ok = write(fileSuffix(format), exportCsv(run));
                if (ok) ok = write(".summary.csv", exportSummaryCsv(run));
                if (ok && !run.deviceActivities.empty()) {
                    ok = write(".device.csv", exportDeviceCsv(run));
                }
                break;
            case ReportFormat::Json:
                ok = write(fileSuffix(format), exportJson(run));
                break;
            case ReportFormat::Markdown:
                ok = write(fileSuffix(format), exportMarkdown(run));
                break;
            case ReportFormat::Trace:
                ok = write(fileSuffix(format), exportTrace(run));
                break;
        }
        if (!ok) return ok.error();
    }
    return paths;
}

}  // namespace lanescope::profiler

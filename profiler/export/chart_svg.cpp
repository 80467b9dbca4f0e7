#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/format.h"
#include "profiler/analyse/series.h"
#include "profiler/export/chart_axis.h"
#include "profiler/export/export.h"
#include "profiler/export/text.h"

namespace lanescope::profiler {

namespace {

constexpr double kCharWidth = 6.8;       // at 12 px, the widest digits of common sans-serif fonts
constexpr const char* kInk = "#6b7280";  // readable on white and on near-black
constexpr const char* kGrid = "#9ca3af";

std::string num(double v) {
    std::string s = formatNumber(v, 2);
    while (s.ends_with('0')) s.pop_back();
    if (s.ends_with('.')) s.pop_back();
    return s == "-0" ? "0" : s;
}

double textWidth(std::string_view s) {
    // Code points, wide ones (CJK, emoji) counted double.
    double width = 0.0;
    for (const char c : s) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0) == 0x80) continue;
        width += byte >= 0xE0 ? 2.0 * kCharWidth : kCharWidth;
    }
    return width;
}

std::string textAt(double x, double y, const char* anchor, const std::string& s,
                   const std::string& more = "") {
    return "<text x=\"" + num(x) + "\" y=\"" + num(y) + "\" text-anchor=\"" + anchor +
           "\" fill=\"" + kInk + "\"" + more + ">" + text::html(s) + "</text>\n";
}

std::string lineAt(double x1, double y1, double x2, double y2, const char* color, double opacity) {
    return "<line x1=\"" + num(x1) + "\" y1=\"" + num(y1) + "\" x2=\"" + num(x2) + "\" y2=\"" +
           num(y2) + "\" stroke=\"" + color + "\" stroke-opacity=\"" + num(opacity) + "\"/>\n";
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool integers = true;
    void add(double v) {
        low = std::min(low, v);
        high = std::max(high, v);
        integers = integers && v == std::floor(v);
    }
    [[nodiscard]] bool empty() const { return low > high; }
};

/// Where data goes on the paper.
struct Plot {
    double left = 0, top = 0, width = 0, height = 0;
    Axis x, y;
    [[nodiscard]] double px(double v) const {
        return left + width * std::clamp((v - x.low) / (x.high - x.low), 0.0, 1.0);
    }
    [[nodiscard]] double py(double v) const {
        return top + height * (1.0 - std::clamp((v - y.low) / (y.high - y.low), 0.0, 1.0));
    }
};

std::string drawSeries(const ChartSeries& series, const Plot& plot) {
    const std::size_t n = std::min(series.x.size(), series.y.size());
    Series full;
    full.x.assign(series.x.begin(), series.x.begin() + static_cast<std::ptrdiff_t>(n));
    full.y.assign(series.y.begin(), series.y.begin() + static_cast<std::ptrdiff_t>(n));
    const Series line = std::is_sorted(full.x.begin(), full.x.end())
                            ? thinned(full, static_cast<std::size_t>(plot.width))
                            : full;
    std::string path, dots;
    bool pen = false;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i])) {
            pen = false;
            continue;
        }
        const std::string x = num(plot.px(line.x[i]));
        const std::string y = num(plot.py(line.y[i]));
        if (pen && series.steps) path += "H" + x;
        path += (pen ? "L" : "M") + x + " " + y;
        const bool alone = !pen && (i + 1 == line.x.size() || !std::isfinite(line.y[i + 1]));
        if (alone || (n <= 64 && !series.steps)) {
            dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"2.2\" fill=\"" +
                    text::html(series.color) + "\"/>\n";
        }
        pen = true;
    }
    if (path.empty()) return {};
    return "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + text::html(series.color) +
           "\" stroke-width=\"1.6\" stroke-linejoin=\"round\"/>\n" + dots;
}

/// Legend entries in rows under the title; returns the y below them.
double drawLegend(const ChartSpec& spec, double left, double right, double y, std::string& out) {
    double x = left;
    for (const auto& series : spec.series) {
        const double width = 22.0 + textWidth(series.name) + 18.0;
        if (x > left && x + width > right) {
            x = left;
            y += 18.0;
        }
        out += "<line x1=\"" + num(x) + "\" y1=\"" + num(y - 4) + "\" x2=\"" + num(x + 16) +
               "\" y2=\"" + num(y - 4) + "\" stroke=\"" + text::html(series.color) +
               "\" stroke-width=\"3\"/>\n";
        out += textAt(x + 22, y, "start", series.name);
        x += width;
    }
    return spec.series.empty() ? y - 14.0 : y;
}

std::string drawAxes(const ChartSpec& spec, const Plot& plot) {
    std::string out;
    const double bottom = plot.top + plot.height;
    for (std::size_t i = 0; i < plot.y.ticks.size(); ++i) {
        const double y = plot.py(plot.y.ticks[i]);
        out += lineAt(plot.left, y, plot.left + plot.width, y, kGrid, i == 0 ? 0.9 : 0.3);
        out += textAt(plot.left - 8, y + 4, "end", plot.y.labels[i]);
    }
    for (std::size_t i = 0; i < plot.x.ticks.size(); ++i) {
        const double x = plot.px(plot.x.ticks[i]);
        out += lineAt(x, bottom, x, bottom + 4, kGrid, 0.9);
        out += textAt(x, bottom + 18, "middle", plot.x.labels[i]);
    }
    out += textAt(plot.left + plot.width / 2, bottom + 36, "middle", spec.xLabel);
    const std::string at = num(plot.top + plot.height / 2);
    out += textAt(14, plot.top + plot.height / 2, "middle", spec.yLabel,
                  " transform=\"rotate(-90 14 " + at + ")\"");
    return out;
}

/// The x axis with as many ticks as fit without touching.
Axis xAxisThatFits(const Range& range, double width) {
    int nTicks = std::max(1, static_cast<int>(width / 50.0));
    while (true) {
        Axis axis = niceAxis(range.low, range.high, nTicks, range.integers);
        double widest = 0.0;
        for (const auto& label : axis.labels) widest = std::max(widest, textWidth(label));
        const double gap = width / static_cast<double>(axis.ticks.size() - 1);
        if (gap >= widest + 14.0 || nTicks == 1) return axis;
        --nTicks;
    }
}

}  // namespace

std::string chartSvg(const ChartSpec& spec) {
    const double width = std::max(160, spec.width);
    const double height = std::max(120, spec.height);
    Range xs, ys;
    for (const auto& series : spec.series) {
        for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
            if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
            xs.add(series.x[i]);
            ys.add(series.y[i]);
        }
    }
    const std::string w = num(width);
    const std::string h = num(height);
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 " +
                      w + " " + h + "\" width=\"" + w + "\" height=\"" + h +
                      "\" font-family=\"system-ui, sans-serif\" font-size=\"12\" role=\"img\">\n"
                      "<title>" +
                      text::html(spec.title) + "</title>\n";
    out += textAt(12, 20, "start", spec.title, " font-size=\"14\" font-weight=\"600\"");
    if (xs.empty()) {
        out += textAt(width / 2, height / 2, "middle", "no data");
        return out + "</svg>\n";
    }
    const double legendBottom = drawLegend(spec, 12, width - 12, 40, out);
    Plot plot;
    plot.top = legendBottom + 16.0;
    plot.height = std::max(30.0, height - plot.top - 48.0);
    const double yLow = ys.low >= 0.0 ? 0.0 : ys.low;  // lengths from zero are honest
    plot.y = niceAxis(yLow, std::max(ys.high, yLow), static_cast<int>(plot.height / 36.0));
    double widest = 0.0;
    for (const auto& label : plot.y.labels) widest = std::max(widest, textWidth(label));
    plot.left = 30.0 + widest + 8.0;
    plot.width = std::max(40.0, width - plot.left - 24.0);
    plot.x = xAxisThatFits(xs, plot.width);
    out += drawAxes(spec, plot);
    for (const auto& series : spec.series) out += drawSeries(series, plot);
    return out + "</svg>\n";
}

const char* laneColor(std::int32_t lane) {
    static constexpr const char* kColors[] = {"#0072B2", "#E69F00", "#009E73",
                                              "#CC79A7", "#56B4E9", "#D55E00"};
    const std::int32_t n = static_cast<std::int32_t>(std::size(kColors));
    return kColors[((lane % n) + n) % n];
}

}  // namespace lanescope::profiler

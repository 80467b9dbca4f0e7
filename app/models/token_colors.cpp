#include "app/models/token_colors.h"

#include <algorithm>
#include <cmath>

namespace lanescope::app {

std::vector<double> tokenValues(TokenColoring coloring, const profiler::RequestData& request,
                                const profiler::RequestData* baseline) {
    std::vector<double> values;
    if (coloring == TokenColoring::None) return values;
    values.reserve(request.tokens.size());
    std::int64_t previousNs =
        request.record.tPrefillEndNs > 0 ? request.record.tPrefillEndNs : request.record.tStartNs;
    for (std::size_t i = 0; i < request.tokens.size(); ++i) {
        const auto& token = request.tokens[i];
        switch (coloring) {
            case TokenColoring::None:
                break;
            case TokenColoring::Probability:
                values.push_back(std::exp(static_cast<double>(token.logProbability)));
                break;
            case TokenColoring::Latency:
                if (i == 0 && previousNs > token.tNs) previousNs = token.tNs;
                values.push_back(static_cast<double>(token.tNs - previousNs) / 1e6);
                previousNs = token.tNs;
                break;
            case TokenColoring::Disagreement: {
                const bool same = baseline != nullptr && i < baseline->tokens.size() &&
                                  baseline->tokens[i].token == token.token;
                values.push_back(baseline == nullptr || same ? 0.0 : 1.0);
                break;
            }
        }
    }
    return values;
}

double latencyScaleMs(const std::vector<double>& values) {
    if (values.empty()) return 1.0;
    std::vector<double> sorted = values;
    const auto rank = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
    return std::max(0.001, sorted[static_cast<std::size_t>(rank)]);
}

double tokenStrength(TokenColoring coloring, double value, double latencyScale) {
    switch (coloring) {
        case TokenColoring::None:
            return 0.0;
        case TokenColoring::Probability:
            return std::clamp(1.0 - value, 0.0, 1.0);
        case TokenColoring::Latency:
            return std::clamp(value / latencyScale, 0.0, 1.0);
        case TokenColoring::Disagreement:
            return value > 0.5 ? 1.0 : 0.0;
    }
    return 0.0;
}

QColor tokenBackground(TokenColoring coloring, double strength, bool dark) {
    if (strength <= 0.0) return QColor(0, 0, 0, 0);
    QColor color;
    switch (coloring) {
        case TokenColoring::None:
            return QColor(0, 0, 0, 0);
        case TokenColoring::Probability:
            color = dark ? QColor(0xE0A84A) : QColor(0xF0A020);
            break;
        case TokenColoring::Latency:
            color = dark ? QColor(0x8F7BF0) : QColor(0x8B6FF0);
            break;
        case TokenColoring::Disagreement:
            color = dark ? QColor(0xF2776B) : QColor(0xE5483A);
            strength = 0.6;
            break;
    }
    color.setAlphaF(static_cast<float>(strength * 0.7));
    return color;
}

}  // namespace lanescope::app

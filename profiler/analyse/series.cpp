#include "profiler/analyse/series.h"

#include <algorithm>
#include <cmath>

#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

namespace {

double xOf(const RequestData& request, std::size_t i, XAxis axis) {
    const auto& token = request.tokens[i];
    switch (axis) {
        case XAxis::Token:
            return static_cast<double>(token.index);
        case XAxis::TimeMs:
            return static_cast<double>(token.tNs - request.record.tStartNs) / 1e6;
        case XAxis::Context:
            return static_cast<double>(token.contextTokens);
    }
    return 0.0;
}

double yOf(const RequestData& request, std::size_t i, SeriesKind kind) {
    const auto& token = request.tokens[i];
    switch (kind) {
        case SeriesKind::ItlMs:
            return static_cast<double>(token.tNs - request.tokens[i - 1].tNs) / 1e6;
        case SeriesKind::KvBytes:
            return static_cast<double>(token.kvBytes);
        case SeriesKind::LogProbability:
            return static_cast<double>(token.logProbability);
        case SeriesKind::Entropy:
            return static_cast<double>(token.entropy);
    }
    return 0.0;
}

Series meanOf(const std::vector<Series>& parts) {
    Series out;
    std::size_t longest = 0;
    for (const auto& part : parts) longest = std::max(longest, part.x.size());
    for (std::size_t i = 0; i < longest; ++i) {
        double x = 0.0;
        double y = 0.0;
        double n = 0.0;
        std::int32_t token = 0;
        for (const auto& part : parts) {
            if (i >= part.x.size() || !std::isfinite(part.y[i])) continue;
            x += part.x[i];
            y += part.y[i];
            n += 1.0;
            token = part.token[i];
        }
        if (n == 0.0) continue;
        out.x.push_back(x / n);
        out.y.push_back(y / n);
        out.token.push_back(token);
    }
    return out;
}

void append(Series& to, const Series& from, std::size_t i) {
    to.x.push_back(from.x[i]);
    to.y.push_back(from.y[i]);
    to.token.push_back(i < from.token.size() ? from.token[i] : static_cast<std::int32_t>(i));
}

}  // namespace

Series requestSeries(const RequestData& request, SeriesKind kind, XAxis axis) {
    Series out;
    for (std::size_t i = kind == SeriesKind::ItlMs ? 1 : 0; i < request.tokens.size(); ++i) {
        out.x.push_back(xOf(request, i, axis));
        out.y.push_back(yOf(request, i, kind));
        out.token.push_back(request.tokens[i].index);
    }
    return out;
}

Series series(const RunData& run, std::int32_t lane, SeriesKind kind, XAxis axis,
              Averaging averaging, std::int32_t prompt) {
    if (averaging == Averaging::LastRequest) {
        for (std::size_t i = run.requests.size(); i-- > 0;) {
            const RequestData& request = run.requests[i];
            if (request.record.lane != lane || request.tokens.empty()) continue;
            if (prompt >= 0 && request.record.prompt != prompt) continue;
            return requestSeries(request, kind, axis);
        }
        return {};
    }
    std::vector<Series> parts;
    for (const RequestData* request : timedRequests(run, lane)) {
        if (prompt >= 0 && request->record.prompt != prompt) continue;
        parts.push_back(requestSeries(*request, kind, axis));
    }
    return meanOf(parts);
}

Series thinned(const Series& full, std::size_t nBuckets) {
    const std::size_t n = std::min(full.x.size(), full.y.size());
    if (nBuckets == 0 || n <= 2 * nBuckets) return full;
    const double first = full.x.front();
    const double width = (full.x[n - 1] - first) / static_cast<double>(nBuckets);
    auto bucketOf = [&](std::size_t i) {
        if (!(width > 0.0)) return std::size_t{0};
        return std::min(nBuckets - 1, static_cast<std::size_t>((full.x[i] - first) / width));
    };
    Series out;
    std::size_t begin = 0;
    while (begin < n) {
        std::size_t end = begin;
        std::size_t low = n;
        std::size_t high = n;
        std::size_t gap = n;
        const std::size_t bucket = bucketOf(begin);
        while (end < n && bucketOf(end) == bucket) {
            if (!std::isfinite(full.y[end])) {
                gap = end;
            } else {
                if (low == n || full.y[end] < full.y[low]) low = end;
                if (high == n || full.y[end] > full.y[high]) high = end;
            }
            ++end;
        }
        std::vector<std::size_t> keep{low, high, gap};
        if (begin == 0) keep.push_back(0);
        if (end == n) keep.push_back(n - 1);
        std::sort(keep.begin(), keep.end());
        keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
        for (const std::size_t i : keep) {
            if (i < n) append(out, full, i);
        }
        begin = end;
    }
    return out;
}

}  // namespace lanescope::profiler

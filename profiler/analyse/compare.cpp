// Two lanes against each other: Welch's t-test, because two configurations need not scatter alike.

#include <cmath>
#include <limits>

#include "profiler/analyse/stats.h"

namespace lanescope::profiler {

namespace {

/// Continued fraction of the incomplete beta function, by Lentz's method.
double betaFraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    double c = 1.0;
    double d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
    double h = d;
    for (int m = 1; m <= 300; ++m) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        if (std::abs(c) < kTiny) c = kTiny;
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        if (std::abs(c) < kTiny) c = kTiny;
        const double step = d * c;
        h *= step;
        if (std::abs(step - 1.0) < 1e-14) break;
    }
    return h;
}

/// std::lgamma writes a global (signgam); this one does not.
double logGamma(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);
}

/// Regularised incomplete beta function I_x(a, b).
double incompleteBeta(double a, double b, double x) {
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    const double front = std::exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * std::log(x) +
                                  b * std::log1p(-x));
    if (x < (a + 1.0) / (a + b + 2.0)) return front * betaFraction(a, b, x) / a;
    return 1.0 - front * betaFraction(b, a, 1.0 - x) / b;
}

struct Figure {
    const char* metric;
    const char* unit;
    bool lowerIsBetter;
};

Delta::Verdict judge(const Delta& d) {
    using Verdict = Delta::Verdict;
    if (d.beforeN < 2 || d.afterN < 2) return Verdict::NotComparable;
    if (d.before == d.after) return Verdict::WithinNoise;
    const double p = welchP(d.before, d.beforeSd, d.beforeN, d.after, d.afterSd, d.afterN);
    if (std::isfinite(p) && p >= 0.05) return Verdict::WithinNoise;
    return (d.after < d.before) == d.lowerIsBetter ? Verdict::Better : Verdict::Worse;
}

Delta makeDelta(const Figure& figure, const Distribution& before, const Distribution& after) {
    Delta d;
    d.metric = figure.metric;
    d.unit = figure.unit;
    d.lowerIsBetter = figure.lowerIsBetter;
    d.before = before.mean;
    d.after = after.mean;
    d.beforeSd = before.sd;
    d.afterSd = after.sd;
    d.beforeN = before.n;
    d.afterN = after.n;
    if (before.n > 0 && after.n > 0) {
        d.absolute = d.after - d.before;
        if (d.before != 0.0) d.percent = 100.0 * d.absolute / std::abs(d.before);
    }
    d.verdict = judge(d);
    return d;
}

/// A figure without spread of its own (bytes, an order statistic): shown, not tested.
Delta plainDelta(const Figure& figure, double before, double after, bool present) {
    Delta d;
    d.metric = figure.metric;
    d.unit = figure.unit;
    d.lowerIsBetter = figure.lowerIsBetter;
    d.before = before;
    d.after = after;
    d.beforeN = d.afterN = present ? 1 : 0;
    if (present) {
        d.absolute = after - before;
        if (before != 0.0) d.percent = 100.0 * d.absolute / std::abs(before);
    }
    return d;
}

}  // namespace

double welchP(double meanA, double sdA, std::int64_t nA, double meanB, double sdB,
              std::int64_t nB) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    if (nA < 2 || nB < 2) return kNaN;
    const double va = sdA * sdA / static_cast<double>(nA);
    const double vb = sdB * sdB / static_cast<double>(nB);
    const double v = va + vb;
    if (!(v > 0.0) || !std::isfinite(v)) return kNaN;
    const double t = (meanA - meanB) / std::sqrt(v);
    const double df =
        v * v / (va * va / static_cast<double>(nA - 1) + vb * vb / static_cast<double>(nB - 1));
    return incompleteBeta(df / 2.0, 0.5, df / (df + t * t));
}

std::vector<Delta> compareLanes(const LaneStats& before, const LaneStats& after) {
    std::vector<Delta> all;
    all.push_back(makeDelta({"TTFT", "ms", true}, before.ttftMs, after.ttftMs));
    all.push_back(makeDelta({"ITL mean", "ms", true}, before.itlMs, after.itlMs));
    const bool gaps = before.itlMs.n > 0 && after.itlMs.n > 0;
    all.push_back(plainDelta({"ITL p50", "ms", true}, before.itlMs.p50, after.itlMs.p50, gaps));
    all.push_back(plainDelta({"ITL p95", "ms", true}, before.itlMs.p95, after.itlMs.p95, gaps));
    all.push_back(plainDelta({"ITL p99", "ms", true}, before.itlMs.p99, after.itlMs.p99, gaps));
    all.push_back(makeDelta({"TPOT", "ms", true}, before.tpotMs, after.tpotMs));
    all.push_back(makeDelta({"decode", "tok/s", false}, before.decodeTps, after.decodeTps));
    all.push_back(makeDelta({"prefill", "tok/s", false}, before.prefillTps, after.prefillTps));
    all.push_back(makeDelta({"end-to-end", "ms", true}, before.endToEndMs, after.endToEndMs));
    all.push_back(plainDelta({"KV peak", "bytes", true}, static_cast<double>(before.kvBytesPeak),
                             static_cast<double>(after.kvBytesPeak),
                             before.outputTokens > 0 && after.outputTokens > 0));
    return all;
}

const char* verdictName(Delta::Verdict verdict) {
    switch (verdict) {
        case Delta::Verdict::Better:
            return "better";
        case Delta::Verdict::Worse:
            return "worse";
        case Delta::Verdict::WithinNoise:
            return "within noise";
        case Delta::Verdict::NotComparable:
            return "not comparable";
    }
    return "";
}

bool isSlower(const std::vector<Delta>& deltas) {
    for (const char* metric : {"decode", "end-to-end"}) {
        for (const auto& d : deltas) {
            if (d.metric != metric || d.beforeN == 0 || d.afterN == 0) continue;
            if (d.verdict == Delta::Verdict::NotComparable) {
                return (d.after > d.before) == d.lowerIsBetter && d.after != d.before;
            }
            return d.verdict == Delta::Verdict::Worse;
        }
    }
    return false;
}

}  // namespace lanescope::profiler

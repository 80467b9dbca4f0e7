#include "app/models/number_text.h"

#include <algorithm>
#include <cmath>

#include "engine/base/format.h"

namespace lanescope::app {

QString shortNumber(double value) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    const double size = std::abs(value);
    int decimals = 0;
    if (size < 99.95 && size > 0) decimals = size < 0.9995 ? 3 : size < 9.995 ? 2 : 1;
    return QString::number(value, 'f', decimals).replace(QLatin1Char('-'), QStringLiteral("−"));
}

QString fixedNumber(double value, int decimals) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    return QString::number(value, 'f', decimals);
}

QString durationText(double ms) {
    if (!std::isfinite(ms)) return QStringLiteral("–");
    const double size = std::abs(ms);
    if (size > 0 && size < 0.0009995) return shortNumber(ms * 1e6) + QStringLiteral(" ns");
    if (size > 0 && size < 0.9995) return shortNumber(ms * 1000.0) + QStringLiteral(" µs");
    if (size < 999.5) return shortNumber(ms) + QStringLiteral(" ms");
    return shortNumber(ms / 1000.0) + QStringLiteral(" s");
}

QString bytesText(std::uint64_t bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString signedNumber(double value) {
    const QString text = shortNumber(value);
    return value > 0 ? QLatin1Char('+') + text : text;
}

QString percentText(double percent) {
    if (!std::isfinite(percent)) return QStringLiteral("–");
    return signedNumber(percent) + QStringLiteral(" %");
}

QString clockText(std::int64_t ms) {
    const std::int64_t seconds = std::max<std::int64_t>(0, (ms + 500) / 1000);
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace lanescope::app

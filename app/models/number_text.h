#pragma once
// Numbers for people, with units, the same in every language: '.' as decimal sign, narrow enough
// for a cell.

#include <QString>
#include <cstdint>

namespace lanescope::app {

/// Three significant digits: 0.123, 12.3, 123, 1234; "–" when not finite.
QString shortNumber(double value);
/// Fixed decimals, for columns of like numbers; "–" when not finite.
QString fixedNumber(double value, int decimals);
/// "850 µs", "12.3 ms", "1.25 s".
QString durationText(double ms);
/// "93.8 MiB".
QString bytesText(std::uint64_t bytes);
/// "+12.3 %" with sign, "−" as minus.
QString percentText(double percent);
/// shortNumber with an explicit sign.
QString signedNumber(double value);
/// "1:05" from ms.
QString clockText(std::int64_t ms);

}  // namespace lanescope::app

#pragma once
// Text for each format: what came from a model or a person is data and stays data. Numbers never
// depend on the locale.

#include <string>
#include <string_view>

namespace lanescope::profiler::text {

/// Valid UTF-8 in: the same; broken bytes become U+FFFD.
std::string validUtf8(std::string_view s);
/// & < > " ' escaped; control characters that HTML forbids become U+FFFD.
std::string html(std::string_view s);
/// One table cell: | and line breaks escaped, HTML inert.
std::string markdown(std::string_view s);
/// A text cell, RFC 4180: quoted where needed; a leading = + - @ tab or CR is guarded by an
/// apostrophe, so that no spreadsheet runs it.
std::string csvText(std::string_view s);
/// A number cell: the shortest form that reads back to the same bits; empty when not finite.
std::string csvNumber(double value);

/// 1234.5678 → "1235", 12.345 → "12.3", 0.01234 → "0.0123": three significant digits or all whole
/// ones; NaN → "n/a".
std::string shortNumber(double value);
/// "+12.3 %" with its sign.
std::string percent(double value);
/// "12.3 ± 0.4"; without ± when n < 2; "n/a" when n = 0.
std::string meanSd(double mean, double sd, long long n);
/// "2023-11-14 22:13:20 UTC".
std::string utcTime(long long unixMs);

}  // namespace lanescope::profiler::text

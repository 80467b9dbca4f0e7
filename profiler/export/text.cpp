#include "profiler/export/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "engine/base/format.h"

namespace lanescope::profiler::text {

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// Bytes of the well-formed sequence at s[i]; 0 when it is broken (overlong, surrogate, cut).
std::size_t sequenceLength(std::string_view s, std::size_t i) {
    auto at = [&](std::size_t k) {
        return k < s.size() ? static_cast<std::uint8_t>(s[k]) : std::uint8_t{0};
    };
    const std::uint8_t c = at(i);
    if (c < 0x80) return 1;
    auto trail = [&](std::size_t k) { return (at(k) & 0xC0) == 0x80; };
    if (c >= 0xC2 && c <= 0xDF) return trail(i + 1) ? 2 : 0;
    if (c >= 0xE0 && c <= 0xEF) {
        if (!trail(i + 1) || !trail(i + 2)) return 0;
        if (c == 0xE0 && at(i + 1) < 0xA0) return 0;
        if (c == 0xED && at(i + 1) > 0x9F) return 0;
        return 3;
    }
    if (c >= 0xF0 && c <= 0xF4) {
        if (!trail(i + 1) || !trail(i + 2) || !trail(i + 3)) return 0;
        if (c == 0xF0 && at(i + 1) < 0x90) return 0;
        if (c == 0xF4 && at(i + 1) > 0x8F) return 0;
        return 4;
    }
    return 0;
}

}  // namespace

std::string validUtf8(std::string_view s) {
    std::string out;
    out.reserve(s.size());
    for (std::size_t i = 0; i < s.size();) {
        const std::size_t n = sequenceLength(s, i);
        if (n == 0) {
            out += kReplacement;
            ++i;
        } else {
            out.append(s.substr(i, n));
            i += n;
        }
    }
    return out;
}

std::string html(std::string_view s) {
    std::string out;
    for (const char c : validUtf8(s)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default: {
                const auto code = static_cast<std::uint8_t>(c);
                const bool forbidden =
                    (code < 0x20 && c != '\n' && c != '\t' && c != '\r') || code == 0x7F;
                if (forbidden) {
                    out += kReplacement;
                } else {
                    out += c;
                }
            }
        }
    }
    return out;
}

std::string markdown(std::string_view s) {
    std::string out;
    for (const char c : html(s)) {
        if (c == '\n' || c == '\r') {
            out += ' ';
        } else {
            if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '[') out += '\\';
            out += c;
        }
    }
    return out;
}

std::string csvText(std::string_view s) {
    std::string cell = validUtf8(s);
    if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string::npos) {
        cell.insert(cell.begin(), '\'');
    }
    if (cell.find_first_of(",;\"\r\n\t") == std::string::npos) return cell;
    std::string quoted = "\"";
    for (const char c : cell) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string csvNumber(double value) {
    if (!std::isfinite(value)) return {};
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

std::string shortNumber(double value) {
    if (!std::isfinite(value)) return "n/a";
    const double size = std::abs(value);
    if (size == 0.0) return "0";
    if (size >= 1e15 || size < 1e-6) {
        std::array<char, 64> buffer{};
        const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::scientific, 2);
        return {buffer.data(), end.ptr};
    }
    const int digits = static_cast<int>(std::floor(std::log10(size)));
    return formatNumber(value, std::max(0, 2 - digits));
}

std::string percent(double value) {
    if (!std::isfinite(value)) return "n/a";
    return (value > 0.0 ? "+" : "") + formatNumber(value, 1) + " %";
}

std::string meanSd(double mean, double sd, long long n) {
    if (n == 0) return "n/a";
    if (n < 2) return shortNumber(mean);
    return shortNumber(mean) + " ± " + shortNumber(sd);
}

std::string utcTime(long long unixMs) {
    // Days since 1970 to a date (H. Hinnant, "chrono-compatible low-level date algorithms").
    const long long seconds = unixMs >= 0 ? unixMs / 1000 : (unixMs - 999) / 1000;
    long long days = seconds / 86400;
    long long rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        --days;
    }
    days += 719468;
    const long long era = (days >= 0 ? days : days - 146096) / 146097;
    const long long doe = days - era * 146097;
    const long long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    const long long doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    const long long mp = (5 * doy + 2) / 153;
    const long long month = mp < 10 ? mp + 3 : mp - 9;
    const long long year = yoe + era * 400 + (month <= 2 ? 1 : 0);
    auto two = [](long long v) { return (v < 10 ? "0" : "") + std::to_string(v); };
    return std::to_string(year) + "-" + two(month) + "-" + two(doy - (153 * mp + 2) / 5 + 1) + " " +
           two(rest / 3600) + ":" + two(rest / 60 % 60) + ":" + two(rest % 60) + " UTC";
}

}  // namespace lanescope::profiler::text

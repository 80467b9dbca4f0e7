#pragma once
// One line of a CSV file as RFC 4180 has it.

#include <string>
#include <string_view>
#include <type_traits>

#include "profiler/export/text.h"

namespace lanescope::profiler {

/// Cells joined by commas, CRLF behind.
class CsvRow {
  public:
    CsvRow& text(std::string_view s) { return raw(text::csvText(s)); }
    CsvRow& number(double v) { return raw(text::csvNumber(v)); }
    CsvRow& number(float v) { return raw(text::csvNumber(static_cast<double>(v))); }
    template <class Int>
    requires std::is_integral_v<Int> CsvRow& number(Int v) { return raw(std::to_string(v)); }
    CsvRow& raw(const std::string& cell) {
        if (!m_line.empty() || m_started) m_line += ',';
        m_started = true;
        m_line += cell;
        return *this;
    }
    [[nodiscard]] std::string end() const { return m_line + "\r\n"; }

  private:
    std::string m_line;
    bool m_started = false;
};

}  // namespace lanescope::profiler

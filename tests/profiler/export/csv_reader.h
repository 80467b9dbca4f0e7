#pragma once
// A plain RFC 4180 reader, to see the export as others see it.

#include <string>
#include <vector>

namespace lanescope::profiler::test {

inline std::vector<std::vector<std::string>> readCsv(const std::string& text) {
    std::vector<std::vector<std::string>> rows(1);
    std::string cell;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                cell += '"';
                ++i;
            } else if (c == '"') {
                quoted = false;
            } else {
                cell += c;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            rows.back().push_back(std::move(cell));
            cell.clear();
            if (c == '\n') rows.emplace_back();
        } else if (c != '\r') {
            cell += c;
        }
    }
    rows.pop_back();
    return rows;
}

inline std::string cellAt(const std::vector<std::vector<std::string>>& rows, std::size_t row,
                          const std::string& column) {
    for (std::size_t i = 0; i < rows[0].size(); ++i) {
        if (rows[0][i] == column) return rows[row].at(i);
    }
    return "no column " + column;
}

}  // namespace lanescope::profiler::test

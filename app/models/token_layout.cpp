#include "app/models/token_layout.h"

#include <QFontMetricsF>
#include <QTextLayout>
#include <QTextOption>
#include <algorithm>
#include <cmath>

namespace lanescope::app {

void TokenLayout::reset(const QFont& font, qreal width) {
    m_font = font;
    m_width = std::max<qreal>(width, 16);
    const QFontMetricsF metrics(font);
    m_lineHeight = std::ceil(metrics.height() * 1.3);
    m_ascent = metrics.ascent() + (m_lineHeight - metrics.height()) / 2;
    m_length = 0;
    m_firstChanged = 0;
    m_lines.clear();
}

void TokenLayout::update(const QString& text) {
    if (text.size() == m_length && !m_lines.empty()) {
        m_firstChanged = static_cast<int>(m_lines.size());
        return;
    }
    // The last line grows; the one before it may take back a word that only now became longer.
    const int keep = std::max(0, static_cast<int>(m_lines.size()) - 2);
    const int from =
        keep < static_cast<int>(m_lines.size()) ? m_lines[static_cast<std::size_t>(keep)].start : 0;
    m_lines.resize(static_cast<std::size_t>(keep));
    m_firstChanged = keep;
    layoutFrom(text, from);
    m_length = static_cast<int>(text.size());
}

void TokenLayout::layoutFrom(const QString& text, int position) {
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    for (;;) {
        int paragraphEnd = static_cast<int>(text.indexOf(u'\n', position));
        const bool hardBreak = paragraphEnd >= 0;
        if (!hardBreak) paragraphEnd = static_cast<int>(text.size());
        if (paragraphEnd == position) {
            m_lines.push_back({position, 0, hardBreak});
        } else {
            QTextLayout layout(text.mid(position, paragraphEnd - position), m_font);
            layout.setTextOption(option);
            layout.beginLayout();
            for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
                line.setLineWidth(m_width);
                m_lines.push_back({position + line.textStart(), line.textLength(), false});
            }
            layout.endLayout();
            m_lines.back().hardBreak = hardBreak;
        }
        if (!hardBreak) return;
        position = paragraphEnd + 1;
    }
}

int TokenLayout::lineAt(int position) const {
    const auto after =
        std::upper_bound(m_lines.begin(), m_lines.end(), position,
                         [](int value, const Line& line) { return value < line.start; });
    return std::max(0, static_cast<int>(after - m_lines.begin()) - 1);
}

}  // namespace lanescope::app

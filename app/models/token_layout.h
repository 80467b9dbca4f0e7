#pragma once
// Breaks a growing text into lines of a width. Only the last two lines are laid out again when text
// is appended, so the cost of a token does not grow with the answer. Lines are broken greedily, so
// a line's break depends on nothing before its start.

#include <QFont>
#include <QString>
#include <vector>

namespace lanescope::app {

class TokenLayout {
  public:
    struct Line {
        int start = 0;
        int length = 0;  ///< without the newline
        bool hardBreak = false;
    };

    /// Start anew with this font and width (px).
    void reset(const QFont& font, qreal width);
    /// `text` continues what the last update saw, or reset() was called in between.
    void update(const QString& text);

    [[nodiscard]] const std::vector<Line>& lines() const { return m_lines; }
    [[nodiscard]] int lineAt(int position) const;
    [[nodiscard]] qreal lineHeight() const { return m_lineHeight; }
    [[nodiscard]] qreal ascent() const { return m_ascent; }
    [[nodiscard]] qreal height() const { return m_lineHeight * static_cast<qreal>(m_lines.size()); }
    [[nodiscard]] const QFont& font() const { return m_font; }
    /// Index of the first line that the last update changed: caches of later ones are stale.
    [[nodiscard]] int firstChanged() const { return m_firstChanged; }

  private:
    void layoutFrom(const QString& text, int position);

    QFont m_font;
    qreal m_width = 0;
    qreal m_lineHeight = 0;
    qreal m_ascent = 0;
    int m_length = 0;
    int m_firstChanged = 0;
    std::vector<Line> m_lines;
};

}  // namespace lanescope::app

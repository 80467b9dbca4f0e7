#pragma once
// The streamed text of one answer, token by token: painted line by line, only what is visible, so
// that thousands of tokens stay cheap. Click, drag or arrow keys select tokens. Layout is
// models/token_layout.h, colours are models/token_colors.h.

#include <QAbstractScrollArea>
#include <QTextLayout>
#include <memory>
#include <unordered_map>
#include <vector>

#include "app/models/token_colors.h"
#include "app/models/token_layout.h"
#include "app/models/token_text.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

class TokenView : public QAbstractScrollArea {
    Q_OBJECT
  public:
    explicit TokenView(QWidget* parent = nullptr);

    /// request null: nothing to show. Both must live until the next call (the caller holds the
    /// snapshot).
    void setRequest(const profiler::RequestData* request, const profiler::RequestData* baseline);
    void setColoring(TokenColoring coloring);
    /// What is said while there is no text.
    void setPlaceholder(const QString& text);
    /// first -1: none. end: one past the last.
    void setSelectedTokens(int first, int end);
    /// Scrolls so that the token can be seen.
    void ensureTokenVisible(int token);

    [[nodiscard]] const QString& text() const { return m_text.text(); }
    [[nodiscard]] QString selectedText() const;
    [[nodiscard]] int tokenCount() const { return m_text.size(); }
    /// Token under a point of the viewport; -1: none.
    [[nodiscard]] int tokenAt(const QPoint& position) const;
    /// Where a token is drawn in the viewport (its first line); for tests.
    [[nodiscard]] QRect tokenRect(int token);

  signals:
    void tokensSelected(int first, int end);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

  private:
    QTextLayout& lineLayout(int line) const;
    void relayout();
    void updateScrollRange();
    /// True when colours that were painted before mean something else now.
    bool updateValues();
    void updateFromLine(int line);
    void paintLine(QPainter& painter, int line, qreal top) const;
    void paintTokenMarks(QPainter& painter, int line, qreal top) const;
    [[nodiscard]] QRectF spanRect(int line, int from, int to, qreal top) const;
    void select(int anchor, int token);
    void moveSelection(int token, bool extend);
    [[nodiscard]] int tokenOnNeighbourLine(int token, int direction) const;
    [[nodiscard]] QString tokenTip(int token) const;

    TokenText m_text;
    TokenLayout m_layout;
    mutable std::unordered_map<int, std::unique_ptr<QTextLayout>> m_lineCache;
    const profiler::RequestData* m_request = nullptr;
    const profiler::RequestData* m_baseline = nullptr;
    TokenColoring m_coloring = TokenColoring::None;
    std::vector<double> m_values;
    double m_latencyScale = 1.0;
    QString m_placeholder;
    int m_first = -1;
    int m_end = -1;
    int m_anchor = -1;
};

}  // namespace lanescope::app

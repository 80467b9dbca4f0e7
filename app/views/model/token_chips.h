#pragma once
// Tokens as coloured chips with their ids, painted: only the visible lines. Arrow keys walk.

#include <QAbstractScrollArea>
#include <QHash>
#include <vector>

#include "app/models/tokenized_text.h"

namespace lanescope::app {

class TokenChips : public QAbstractScrollArea {
    Q_OBJECT
  public:
    explicit TokenChips(QWidget* parent = nullptr);
    void setTokens(std::vector<ShownToken> tokens);

    [[nodiscard]] int count() const { return static_cast<int>(m_tokens.size()); }
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int index);  ///< -1: none
    /// In viewport coordinates.
    [[nodiscard]] QRect chipRect(int index) const;
    [[nodiscard]] QString toolTipOf(int index) const;

  signals:
    void currentChanged(int index);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    void layoutChips();
    [[nodiscard]] int chipHeight() const;
    [[nodiscard]] int chipAt(const QPoint& place) const;
    [[nodiscard]] int widthOf(const ShownToken& token);

    std::vector<ShownToken> m_tokens;
    std::vector<QRect> m_places;  ///< from the top of all lines
    QHash<QString, int> m_widths;
    int m_current = -1;
};

}  // namespace lanescope::app

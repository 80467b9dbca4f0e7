#pragma once
// What the colours of the tokens mean right now.

#include <QWidget>

#include "app/models/token_colors.h"

namespace lanescope::app {

class ColorLegend : public QWidget {
    Q_OBJECT
  public:
    explicit ColorLegend(QWidget* parent = nullptr);
    void setColoring(TokenColoring coloring);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] QString lowText() const;
    [[nodiscard]] QString highText() const;
    TokenColoring m_coloring = TokenColoring::None;
};

}  // namespace lanescope::app

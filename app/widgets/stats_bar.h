#pragma once
// The figures of one lane as a grid of cells: label, value, change. As many cells a row as fit.

#include <QWidget>
#include <vector>

#include "app/models/stats_cells.h"

namespace lanescope::app {

class StatsBar : public QWidget {
    Q_OBJECT
  public:
    explicit StatsBar(QWidget* parent = nullptr);
    void setCells(std::vector<StatCell> cells);
    [[nodiscard]] const std::vector<StatCell>& cells() const { return m_cells; }
    /// No taller than this: cells from the end are left out, one row always stays.
    void setHeightLimit(int limit);

    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] bool withDeltas() const;
    [[nodiscard]] int cellHeight() const;
    /// Whether the long form of changes fits.
    [[nodiscard]] bool longDeltas(int width) const;
    [[nodiscard]] int columns(int width) const;
    [[nodiscard]] int rows(int width) const;
    [[nodiscard]] QRect cellRect(int index) const;
    [[nodiscard]] int shownCount() const;
    void fitHeight();
    int m_limit = 10000;

    std::vector<StatCell> m_cells;
};

}  // namespace lanescope::app

#pragma once
// Settings as chips on one or two lines; what does not fit is counted, and named in the tooltip.

#include <QWidget>
#include <vector>

#include "app/models/lane_chips.h"

namespace lanescope::app {

class ChipRow : public QWidget {
    Q_OBJECT
  public:
    explicit ChipRow(QWidget* parent = nullptr);
    void setChips(std::vector<LaneChip> chips);
    void setLaneColor(const QColor& color);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Placed {
        QRect rect;
        int chip = -1;  ///< -1: the "+2" at the end
    };
    [[nodiscard]] std::vector<Placed> place() const;
    [[nodiscard]] int chipHeight() const;

    std::vector<LaneChip> m_chips;
    QColor m_color;
};

}  // namespace lanescope::app

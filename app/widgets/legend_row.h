#pragma once
// What the colours of some charts stand for: a square and a name each, wrapped into lines.

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace lanescope::app {

struct LegendEntry {
    QString name;
    QColor color;
    Qt::BrushStyle brush = Qt::SolidPattern;
    bool frame = false;  ///< only its border in the colour
    QColor inner = {};   ///< of a mark in its middle; invalid: none
};

class LegendRow : public QWidget {
    Q_OBJECT
  public:
    explicit LegendRow(QWidget* parent = nullptr);
    void setEntries(std::vector<LegendEntry> entries);
    [[nodiscard]] const std::vector<LegendEntry>& entries() const { return m_entries; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    /// Where each entry begins; returns the height.
    int place(int width, std::vector<QPoint>* at) const;
    std::vector<LegendEntry> m_entries;
};

}  // namespace lanescope::app

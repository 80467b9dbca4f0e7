#pragma once
// A short list of labelled bars (top-k probabilities, time by op): painted, with copy as Markdown.

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace lanescope::app {

struct BarRow {
    QString label;
    QString value;
    double fraction = 0.0;  ///< 0 … 1 of the widest bar
    QColor color;
    bool strong = false;  ///< the row that was chosen
    QString toolTip;
    int tag = -1;  ///< given back by clicked()
};

class BarList : public QWidget {
    Q_OBJECT
  public:
    explicit BarList(QWidget* parent = nullptr);
    /// labelShare: part of the width for labels. mono: labels in the fixed-pitch font (token
    /// pieces).
    void setRows(std::vector<BarRow> rows, double labelShare, bool mono);
    [[nodiscard]] const std::vector<BarRow>& rows() const { return m_rows; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QString toMarkdown() const;

  signals:
    void clicked(int tag);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] int rowHeight() const;
    std::vector<BarRow> m_rows;
    double m_labelShare = 0.4;
    bool m_mono = false;
};

}  // namespace lanescope::app

#pragma once
// One chart of the deck: a line a lane on a shared x axis, a crosshair that all charts follow,
// wheel and box zoom, copy as PNG or SVG. Knows points and labels, nothing of runs. Read next:
// chart_deck.h, which feeds several of these.

#include <QChartView>
#include <QColor>
#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

class QGraphicsLineItem;
class QGraphicsSimpleTextItem;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace lanescope::app {

/// One line. Non-finite y is a gap; skipped counts them.
struct PlotLine {
    int lane = 0;
    QString name;
    QColor color;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<std::int32_t> token;  ///< output position of each point, -1 if none
};

class TraceChart : public QChartView {
    Q_OBJECT
  public:
    /// unit is appended to hover values ("ms"); decimals: of the hover values.
    TraceChart(QString title, QString unit, int decimals, QWidget* parent = nullptr);

    void setTitle(const QString& title, const QString& unit);
    /// Values hold until the next point (an amount that grows by steps) instead of being joined.
    void setSteps(bool steps) { m_steps = steps; }
    /// The y axis ends here (100 %) instead of fitting the data; 0: it fits.
    void setYTop(double top) { m_yTop = top; }
    /// Replaces all lines in one go; points are thinned to the pixels (peaks kept).
    void setLines(std::vector<PlotLine> lines, const QString& xLabel);
    [[nodiscard]] const std::vector<PlotLine>& lines() const { return m_lines; }
    [[nodiscard]] bool hasPoints() const;

    /// x range shared by all charts; an empty range (min >= max) fits the data.
    void setXRange(double min, double max);
    [[nodiscard]] std::pair<double, double> xRange() const;
    [[nodiscard]] std::pair<double, double> dataXRange() const;

    /// Draws the crosshair at x with the nearest value of every line; NaN hides it.
    void setCrosshair(double x);
    /// Marks output positions of a lane (the selected token).
    void setMarked(int lane, int token);
    void applyTheme();

    [[nodiscard]] QByteArray toSvg();

  public slots:
    void copyPng();
    void copySvg();

  signals:
    void hovered(double x);                    ///< NaN when the pointer left
    void rangeChosen(double min, double max);  ///< by wheel or box; min >= max: reset
    void pointClicked(int lane, int token);

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void refresh();
    void fitY(double xMin, double xMax);
    [[nodiscard]] double xAt(const QPointF& pos) const;
    void layoutCrosshair();

    QString m_title, m_unit;
    int m_decimals;
    bool m_steps = false;
    double m_yTop = 0.0;
    std::vector<PlotLine> m_lines;
    std::vector<QLineSeries*> m_series;
    QScatterSeries* m_marker;
    QValueAxis* m_xAxis;
    QValueAxis* m_yAxis;
    QGraphicsLineItem* m_cross;
    QGraphicsSimpleTextItem* m_readout;
    QGraphicsSimpleTextItem* m_caption;
    double m_xMin = 0.0, m_xMax = 0.0;
    double m_crossX;
    int m_markedLane = -1, m_markedToken = -1;
    QPointF m_pressPos;
    bool m_pressed = false;
    QRubberBand* m_band = nullptr;
};

/// Index of the point nearest to x in ascending xs; -1 when empty.
std::ptrdiff_t nearestIndex(const std::vector<double>& xs, double x);

}  // namespace lanescope::app

#pragma once
// The roofline (Williams, Waterman, Patterson 2009): every op of every lane by its arithmetic
// intensity and its speed, under the roofs of the machine. Both axes are logarithmic. Colour is the
// lane, shape the kind of op, size its share of the time. Geometry is in roofline_math.h.

#include <QWidget>
#include <vector>

#include "app/bridge/selection.h"
#include "app/views/kernels/op_rows.h"
#include "app/views/kernels/roofline_math.h"

namespace lanescope::app {

class RooflineChart : public QWidget {
    Q_OBJECT
  public:
    explicit RooflineChart(Selection* selection, QWidget* parent = nullptr);

    /// emptyText: shown where there are no marks.
    void setData(std::vector<RooflineMark> marks, std::vector<profiler::Roof> roofs,
                 const QString& emptyText);
    [[nodiscard]] const std::vector<RooflineMark>& marks() const { return m_marks; }
    [[nodiscard]] const std::vector<profiler::Roof>& roofs() const { return m_roofs; }
    /// Where a mark is drawn, in pixels of this widget.
    [[nodiscard]] QPointF markPosition(std::size_t index) const;
    [[nodiscard]] LogRange xRange() const { return m_x; }
    void fitAll();

    [[nodiscard]] QSize sizeHint() const override { return {640, 360}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 160}; }
    [[nodiscard]] QByteArray toSvg();

  public slots:
    void copyPng();
    void copySvg();

  signals:
    void opClicked(int lane, int op);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] QPointF toPixel(const QPointF& value) const;
    [[nodiscard]] std::vector<QPointF> positions() const;
    [[nodiscard]] int markAt(const QPointF& pos) const;
    [[nodiscard]] double radiusOf(const RooflineMark& mark) const;
    [[nodiscard]] bool isSelected(const RooflineMark& mark) const;
    [[nodiscard]] QString markTip(const RooflineMark& mark) const;
    void setHovered(int index);
    void paintAxes(QPainter& painter) const;
    /// Returns the rectangles of their labels.
    std::vector<QRectF> paintRoofs(QPainter& painter) const;
    void paintPeakLabel(QPainter& painter, double gflops, const QString& text,
                        std::vector<QRectF>& taken) const;
    void paintBandwidthLabel(QPainter& painter, const profiler::Roof& roof, const QString& threads,
                             std::vector<QRectF>& taken) const;
    [[nodiscard]] bool needsName(std::size_t index, const std::vector<QPointF>& points) const;
    void paintMarks(QPainter& painter, const std::vector<QRectF>& taken) const;
    void paintLegend(QPainter& painter) const;
    void paintAll(QPainter& painter) const;

    Selection* m_selection;
    std::vector<RooflineMark> m_marks;
    std::vector<profiler::Roof> m_roofs;
    QString m_emptyText;
    LogRange m_x, m_y;
    bool m_zoomed = false;
    int m_hovered = -1;
};

}  // namespace lanescope::app

#pragma once
// The blocks of a lane's KV cache as a map: a cell each, in the order of their numbers. Colour is
// the sequence that holds it; shared, kept, free and evicted have marks of their own. Only cells
// that changed are painted, at most once a frame. Geometry and state are the map's
// (bridge/block_map.h); this draws and explains.

#include <QImage>
#include <QTimer>
#include <QWidget>

#include "app/bridge/block_map.h"
#include "app/widgets/legend_row.h"

namespace lanescope::app {

class BlockView : public QWidget {
    Q_OBJECT
  public:
    explicit BlockView(QWidget* parent = nullptr);

    /// Not owned, must outlive its being shown; null: nothing. Its marks of change are cleared as
    /// they are painted.
    void setMap(BlockMap* map);
    /// The map has changed: it is painted with the next frame.
    void refresh();
    /// Shown where there are no blocks.
    void setEmptyText(const QString& text);

    [[nodiscard]] QRect cellRect(std::int32_t block) const;
    [[nodiscard]] std::int32_t blockAt(const QPoint& pos) const;  ///< -1: none
    [[nodiscard]] QString blockTip(std::int32_t block) const;
    [[nodiscard]] std::int32_t shownBlocks() const;
    [[nodiscard]] std::int64_t paintedCells() const { return m_paintedCells; }
    [[nodiscard]] QByteArray toSvg();
    static QColor ownerColor(std::int32_t request);
    static std::vector<LegendEntry> legend();

    [[nodiscard]] QSize sizeHint() const override { return {480, 240}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 100}; }

  public slots:
    void copyPng();
    void copySvg();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void arrange();
    void paintCells();
    void paintCell(QPainter& painter, std::int32_t block) const;
    void paintAll(QPainter& painter) const;
    void setCursorBlock(std::int32_t block);

    BlockMap* m_map = nullptr;
    QString m_emptyText;
    QImage m_picture;  ///< the cells as they were painted last
    QTimer m_frame;
    int m_cell = 12, m_gap = 1, m_columns = 1;
    std::size_t m_arranged = 0;  ///< cells that the grid was made for
    bool m_repaintAll = true;
    std::int32_t m_cursor = -1;
    std::int64_t m_paintedCells = 0;
};

}  // namespace lanescope::app

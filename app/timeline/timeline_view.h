#pragma once
// The timeline: a group of tracks for every lane (or process of an opened trace), painted from
// track_bars, so that painting costs pixels and not spans. Groups collapse, and stay so. Keys as in
// UI.md, and: arrows choose the track, C collapses its group, Enter goes into an item (step → ops →
// kernels), Shift+Enter out of it. Painting is in timeline_paint.cpp, mouse and keys in
// timeline_input.cpp.

#include <QStringList>
#include <QWidget>
#include <vector>

#include "app/bridge/selection.h"
#include "app/timeline/timeline_layout.h"
#include "app/timeline/timeline_loader.h"
#include "app/timeline/track_bars.h"

namespace lanescope::app {

class TimelineView : public QWidget {
    Q_OBJECT
  public:
    explicit TimelineView(Selection* selection, QWidget* parent = nullptr);

    void setRun(profiler::RunSnapshot run);
    /// Null until the first run is indexed.
    [[nodiscard]] const TimelinePtr& timeline() const { return m_timeline; }
    [[nodiscard]] bool building() const { return m_loader.busy(); }
    [[nodiscard]] TimeRange visibleRange() const { return m_visible; }
    [[nodiscard]] TimeRange fullTimeRange() const;
    void setVisibleRange(TimeRange range);
    void fitAll();
    void fitSelection();

    [[nodiscard]] const ItemRef& selectedItem() const { return m_selected; }
    /// Calls and kernels tied to the selected item.
    [[nodiscard]] const std::vector<ItemRef>& highlighted() const { return m_links; }
    void selectItem(const ItemRef& item);
    /// Selects the next (+1) or previous (-1) item of the selected row.
    void stepSelection(int direction);
    /// Into the selected item (its ops, its kernels), or out of it.
    void enterSelection();
    void leaveSelection();
    /// Selects the next item whose name contains the text, wrapping round; false if none does.
    bool findNext(const QString& text);

    [[nodiscard]] const std::vector<TimelineLine>& lines() const { return m_lines; }
    [[nodiscard]] bool collapsed(std::size_t group) const;
    /// Remembered for lanes and processes of this name.
    void setCollapsed(std::size_t group, bool collapsed);
    void setAllCollapsed(bool collapsed);
    /// Where an item is painted, in pixels of this widget; empty when its group is collapsed.
    [[nodiscard]] QRectF itemRect(const ItemRef& item) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void visibleRangeChanged();
    void timelineChanged();
    /// A line that should be in sight, in pixels of this widget.
    void lineNeeded(int y, int height);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] double plotLeft() const;
    [[nodiscard]] double plotWidth() const;
    [[nodiscard]] std::int64_t timeAt(double x) const;
    [[nodiscard]] ItemRef hitTest(const QPointF& pos) const;
    [[nodiscard]] const IntervalIndex& rowOf(const TimelineLine& line) const;
    [[nodiscard]] Items itemsOf(const ItemRef& item) const { return {*m_timeline->run, item.kind}; }
    void adopt(TimelinePtr timeline);
    void keepSelectedItem(const TimelinePtr& next);
    void relayout();
    void setSelectedItem(const ItemRef& item);
    void onSelectionChanged();
    void bringIntoView(const ItemRef& item);
    void moveTrack(int direction);
    void pan(double share);
    void zoomAt(double factor, std::int64_t anchorNs);
    void markVisibleRange();
    void pushZoom();
    void setHoverX(double x);
    bool navigationKey(int key, bool shift);

    void paintEmpty(QPainter& painter) const;
    void paintRuler(QPainter& painter) const;
    void paintHeader(QPainter& painter, const TimelineLine& line, const QRectF& clip) const;
    void paintRow(QPainter& painter, const TimelineLine& line, const QRectF& clip) const;
    void paintBars(QPainter& painter, const Track& track, const IntervalIndex& row,
                   const QRectF& rect, const QRectF& clip, bool withText) const;
    void paintMarks(QPainter& painter, const QRectF& clip) const;
    [[nodiscard]] bool dimmed(const Track& track, std::uint32_t item) const;
    [[nodiscard]] QString emptyText() const;

    Selection* m_selection;
    TimelineLoader m_loader;
    profiler::RunSnapshot m_wanted;
    TimelinePtr m_timeline;
    std::vector<TimelineLine> m_lines;
    QStringList m_collapsed;
    TimeRange m_visible{0, 1};
    std::vector<TimeRange> m_zoomHistory;
    ItemRef m_selected;
    std::int64_t m_selectedStartNs = 0;
    std::vector<ItemRef> m_links;
    bool m_selecting = false;  ///< it is this view that changes the selection
    enum class Drag { None, Pan, Mark } m_drag = Drag::None;
    QPointF m_dragStart;
    TimeRange m_dragRange;
    double m_hoverX = -1.0;
};

}  // namespace lanescope::app

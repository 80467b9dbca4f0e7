#pragma once
// The kernel timeline: one group of tracks a lane, painted from timeline_math's bars, so that
// painting costs pixels and not spans. Keys as in UI.md: W/S zoom, A/D pan, F fit selection, Home
// fit all, `.` `,` next/previous span, R range.

#include <QWidget>
#include <vector>

#include "app/bridge/selection.h"
#include "app/timeline/timeline_math.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

class TimelineView : public QWidget {
    Q_OBJECT
  public:
    explicit TimelineView(Selection* selection, QWidget* parent = nullptr);

    void setRun(profiler::RunSnapshot run);
    [[nodiscard]] TimeRange visibleRange() const { return m_visible; }
    [[nodiscard]] TimeRange fullTimeRange() const { return m_full; }
    [[nodiscard]] const std::vector<Track>& tracks() const { return m_tracks; }
    void setVisibleRange(TimeRange range);
    void fitAll();
    void fitSelection();
    /// Selects the next (+1) or previous (-1) span of the selected track.
    void stepSelection(int direction);
    /// Selects the next span whose name contains the text, wrapping round; false if none does.
    bool findNext(const QString& text);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void visibleRangeChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Hit {
        int track = -1;
        int span = -1;
    };
    [[nodiscard]] double plotLeft() const;
    [[nodiscard]] double plotWidth() const;
    [[nodiscard]] QRectF trackRect(int index) const;
    [[nodiscard]] Hit hitTest(const QPointF& pos) const;
    [[nodiscard]] std::int64_t timeAt(double x) const;
    void paintTrack(QPainter& painter, int index);
    void paintRuler(QPainter& painter);
    void selectSpan(const Hit& hit);
    void pushZoom();
    [[nodiscard]] QString spanTooltip(const trace::Span& span) const;

    Selection* m_selection;
    profiler::RunSnapshot m_run;
    std::size_t m_spanCount = 0;
    std::vector<Track> m_tracks;
    TimeRange m_full{0, 1};
    TimeRange m_visible{0, 1};
    std::vector<TimeRange> m_zoomHistory;
    Hit m_selected;
    TimeRange m_marked{0, 0};
    enum class Drag { None, Pan, Mark } m_drag = Drag::None;
    QPointF m_dragStart;
    TimeRange m_dragRange;
    double m_hoverX = -1.0;
};

}  // namespace lanescope::app

#pragma once
// The blocks of the last run or serving: the map, now or at a moment of the past, memory over time,
// and what sharing saves and fragmentation costs.

#include <QTimer>
#include <QWidget>

#include "app/bridge/cache_log.h"
#include "app/bridge/serving_controller.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace lanescope::app {

class BlockView;
class EmptyState;
class FactsGrid;
class LegendRow;
class TraceChart;

class BlocksTab : public QWidget {
    Q_OBJECT
  public:
    BlocksTab(CacheLog* log, ServingController* serving, QWidget* parent = nullptr);

    [[nodiscard]] BlockView* map() const { return m_map; }
    [[nodiscard]] TraceChart* memoryChart() const { return m_memory; }
    [[nodiscard]] TraceChart* blocksChart() const { return m_blocks; }
    [[nodiscard]] FactsGrid* facts() const { return m_facts; }
    [[nodiscard]] QPushButton* emptyButton() const;
    /// What the button of the empty state says, and whether it can be pressed.
    void setEmptyAction(const QString& text, bool enabled);
    /// Looks at a moment, 0 … 1 of what was recorded.
    void showMoment(double fraction);
    [[nodiscard]] bool follows() const;

  signals:
    void runRequested();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    /// Marks of the slider.
    static constexpr int kMoments = 1000;
    // blocks_layout.cpp
    QWidget* buildContent();
    QLayout* buildBar();
    QWidget* buildCharts();
    void fillLanes();
    void schedule();
    void refresh();
    void lookAtBusiest();
    void showMap();
    void showFacts();
    void showCharts();
    [[nodiscard]] const CacheLog::Lane* lane() const;
    [[nodiscard]] std::int64_t shownNs() const;
    /// The policy whose blocks these are; null: this was no serving.
    [[nodiscard]] const PolicyRun* policyOf(const CacheLog::Lane& lane) const;
    [[nodiscard]] QString nameOf(const CacheLog::Lane& lane) const;
    /// The pass that was under way then; null: none.
    [[nodiscard]] const trace::BatchStep* passAt(const CacheLog::Lane& lane,
                                                 std::int64_t tNs) const;

    CacheLog* m_log;
    ServingController* m_serving;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QComboBox* m_lane;
    QLabel* m_source;
    BlockView* m_map;
    LegendRow* m_legend;
    QSlider* m_time;
    QToolButton* m_follow;
    QLabel* m_timeText;
    FactsGrid* m_facts;
    TraceChart* m_memory;
    TraceChart* m_blocks;
    LegendRow *m_memoryLegend, *m_blocksLegend;
    QWidget* m_blocksCell;
    BlockMap m_past;
    std::int64_t m_pastNs = -1;
    QTimer m_timer;
    std::int64_t m_lastFactsNs = 0;
    std::int64_t m_costNs = 0;
};

}  // namespace lanescope::app

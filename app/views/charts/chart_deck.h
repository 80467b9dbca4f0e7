#pragma once
// The charts under the token columns: per-token latency and KV memory on one x axis (token, time or
// context) with one crosshair. Feeds TraceChart from a snapshot; the lines themselves come from
// profiler/analyse/series.h.

#include <QWidget>
#include <vector>

#include "app/bridge/selection.h"
#include "profiler/analyse/series.h"
#include "profiler/store/run_data.h"

class QBoxLayout;
class QComboBox;
class QLabel;

namespace lanescope::app {

class TraceChart;

class ChartDeck : public QWidget {
    Q_OBJECT
  public:
    explicit ChartDeck(Selection* selection, QWidget* parent = nullptr);

    /// Shows a snapshot; cheap to call at the display's rate.
    void setRun(profiler::RunSnapshot run);
    [[nodiscard]] TraceChart* latencyChart() const { return m_latency; }
    [[nodiscard]] TraceChart* kvChart() const { return m_kv; }

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void rebuild();
    void retranslate();
    void followSelection();
    void selectPoint(int lane, int token);
    void setRange(double min, double max);
    [[nodiscard]] std::int32_t shownRequest(int lane) const;

    Selection* m_selection;
    profiler::RunSnapshot m_run;
    TraceChart* m_latency;
    TraceChart* m_kv;
    QBoxLayout* m_charts;
    QLabel* m_axisLabel;
    QComboBox* m_axis;
    QLabel* m_ofLabel;
    QComboBox* m_of;
    QLabel* m_hint;
};

}  // namespace lanescope::app

#pragma once
// Serving as charts: one policy over time (arrivals and queue, the batch, tokens of a pass), and
// all policies beside each other (throughput, TTFT and ITL as cumulative shares). Time charts share
// axis and crosshair.

#include <QTimer>
#include <QWidget>
#include <array>

#include "app/bridge/serving_run.h"
#include "app/models/serving_series.h"

class QComboBox;
class QGridLayout;
class QLabel;

namespace lanescope::app {

class LegendRow;
class TraceChart;

class ServingCharts : public QWidget {
    Q_OBJECT
  public:
    explicit ServingCharts(QWidget* parent = nullptr);
    /// Follows the policy that runs, until another one is chosen by hand. The run is looked at
    /// again when another policy is chosen: it must outlive this or the next call.
    /// The charts that compare policies follow in an event of their own: showAll().
    void setRun(const ServingRun& run, const profiler::ServingGoal& goal);
    void showAll();
    enum Chart { Arrivals, Batch, Tokens, Throughput, Ttft, Itl, kCharts };
    [[nodiscard]] TraceChart* chart(Chart which) const {
        return m_charts.at(static_cast<std::size_t>(which));
    }
    [[nodiscard]] QComboBox* policyBox() const { return m_policy; }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// Lines of a policy that is over.
    struct Known {
        std::int64_t tStartNs = 0;  ///< 0: none
        double window = 0.0;        ///< of the throughput
        Points speed, ttft, itl;
    };

    void arrange();
    void fillPolicies(const ServingRun& run);
    void showPolicy(const ServingRun& run, const PolicyRun& policy);
    [[nodiscard]] Known known(std::size_t policy, double window);
    void refill();

    std::array<TraceChart*, kCharts> m_charts{};
    std::array<QWidget*, kCharts> m_cells{};
    std::array<LegendRow*, 3> m_legends{};  ///< of the charts of one policy
    LegendRow* m_policies;                  ///< of the others
    QComboBox* m_policy;
    QGridLayout* m_grid;
    QTimer m_next;
    int m_columns = 0;
    bool m_byHand = false;
    std::vector<Known> m_known;  ///< by policy
    const ServingRun* m_run = nullptr;
    std::vector<double> m_arrivals;  ///< of the run shown, to notice another
    profiler::ServingGoal m_goal;
};

}  // namespace lanescope::app

#pragma once
// One lane's column: whose it is, its text, its figures.

#include <QFrame>

#include "app/models/token_colors.h"
#include "profiler/analyse/stats.h"
#include "profiler/store/run_data.h"

class QLabel;

namespace lanescope::app {

class ElidedLabel;
class ErrorBanner;
class IconButton;
class StatsBar;
class TokenView;

class TokenColumn : public QFrame {
    Q_OBJECT
  public:
    explicit TokenColumn(QWidget* parent = nullptr);

    /// request and baselineRequest point into `run`, which the caller keeps alive.
    void setContent(const profiler::RunData& run, const trace::LaneRecord& lane,
                    const profiler::RequestData* request,
                    const profiler::RequestData* baselineRequest);
    /// A lane that has not run yet.
    void setPending(int lane, const QString& name, const QString& model);
    void setStats(const profiler::LaneStats* stats, const profiler::LaneStats* baseline,
                  const QString& baselineName, bool isBaseline);
    void setColoring(TokenColoring coloring);
    /// Height there is for a column: the figures take at most two fifths of it.
    void setAvailableHeight(int height);

    [[nodiscard]] int lane() const { return m_lane; }
    [[nodiscard]] int request() const { return m_request; }
    [[nodiscard]] TokenView* view() const { return m_view; }
    [[nodiscard]] StatsBar* stats() const { return m_stats; }
    [[nodiscard]] const QString& speedText() const;

  signals:
    void tokensSelected(int lane, int request, int first, int end);

  private:
    void restyle();
    void setHeader(int lane, const QString& name, const QString& model);

    int m_lane = -1;
    int m_request = -1;
    QLabel* m_badge;
    ElidedLabel* m_title;
    IconButton* m_copy;
    ErrorBanner* m_error;
    TokenView* m_view;
    ElidedLabel* m_status;  ///< how the request goes or ended
    ElidedLabel* m_speed;   ///< against the baseline, in words
    StatsBar* m_stats;
};

/// "streaming", "stopped: length" …
QString requestStatusText(const profiler::RequestData& request);

}  // namespace lanescope::app

#pragma once
// What is served and how: lane, arrivals, lengths, limits, policies, goal. Remembers what was set.

#include <QWidget>
#include <array>

#include "app/bridge/plan_document.h"
#include "app/bridge/serving_run.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace lanescope::app {

class ServingForm : public QWidget {
    Q_OBJECT
  public:
    explicit ServingForm(PlanDocument* document, QWidget* parent = nullptr);

    [[nodiscard]] bool hasLane() const;
    [[nodiscard]] QString laneText() const;
    /// Precondition: hasLane().
    [[nodiscard]] ServingSpec spec() const;
    [[nodiscard]] profiler::ServingGoal goal() const;
    void setRunning(bool running, bool cancelling);
    /// Why nothing can be started now; empty: it can.
    void setBlocked(const QString& reason);
    /// Sets the arrivals as the command line writes them: "burst:16", "poisson:4", a path.
    void setArrivals(const QString& text);
    void setLoad(int requests, const QString& promptTokens, const QString& outputTokens,
                 int sharedPrefix = 0);
    void setLimits(int maxRunning, int tokenBudget, int kvBlocks);
    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QPushButton* stopButton() const { return m_stop; }

    [[nodiscard]] QSize sizeHint() const override { return {280, 400}; }

  signals:
    void runRequested();
    void stopRequested();
    void goalChanged();
    void laneChanged();

  private:
    void buildLoad(QFormLayout* form);
    void buildEngine(QFormLayout* form);
    void buildPolicies(QFormLayout* form);
    void fillLanes();
    void restore();
    void remember() const;
    void updateRun();
    void browse();
    [[nodiscard]] std::string arrivals() const;

    PlanDocument* m_document;
    QComboBox *m_lane, *m_pattern;
    QStackedWidget* m_patterns;
    QDoubleSpinBox *m_rate, *m_every;
    QSpinBox *m_burst, *m_requests, *m_shared, *m_seed, *m_maxRunning, *m_budget, *m_blocks;
    QLineEdit *m_file, *m_prompt, *m_output;
    std::array<QCheckBox*, 3> m_policies;
    QDoubleSpinBox *m_ttft, *m_tpot;
    QPushButton *m_run, *m_stop;
    QString m_blocked;
    bool m_running = false;
};

}  // namespace lanescope::app

#pragma once
// The first page: lanes, prompt, answers side by side, charts under them, inspector at the right.

#include <QTimer>
#include <QWidget>

#include "app/bridge/model_info.h"
#include "app/bridge/plan_document.h"
#include "app/bridge/selection.h"
#include "profiler/store/run_data.h"

class QSplitter;
class QStackedLayout;

namespace lanescope::app {

class ChartDeck;
class ErrorBanner;
class Inspector;
class LaneStrip;
class PromptBar;
class StartPage;
class TokenColumns;

class PlayPage : public QWidget {
    Q_OBJECT
  public:
    PlayPage(PlanDocument* document, ModelInfoCache* models, Selection* selection,
             QWidget* parent = nullptr);

    void setRun(profiler::RunSnapshot run);
    void setRunning(bool running, bool cancelling);
    void showError(const QString& message, const QString& details);
    void setInspectorVisible(bool visible);

    [[nodiscard]] LaneStrip* lanes() const { return m_lanes; }
    [[nodiscard]] PromptBar* prompt() const { return m_prompt; }
    [[nodiscard]] TokenColumns* columns() const { return m_columns; }
    [[nodiscard]] StartPage* start() const { return m_start; }
    [[nodiscard]] ErrorBanner* errorBanner() const { return m_error; }
    [[nodiscard]] Inspector* inspector() const { return m_inspector; }
    [[nodiscard]] ChartDeck* charts() const { return m_charts; }
    [[nodiscard]] bool showsStart() const;
    void saveLayout() const;

  private:
    void showFitting();
    void updateCharts();
    void updateInspector();

    PlanDocument* m_document;
    profiler::RunSnapshot m_run;
    QStackedLayout* m_stack;
    StartPage* m_start;
    QWidget* m_work;
    ErrorBanner* m_error;
    LaneStrip* m_lanes;
    PromptBar* m_prompt;
    TokenColumns* m_columns;
    ChartDeck* m_charts;
    Inspector* m_inspector;
    QSplitter* m_across;
    QSplitter* m_down;
    QTimer m_chartTimer;
    QTimer m_inspectorTimer;
};

}  // namespace lanescope::app

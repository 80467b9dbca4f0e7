#pragma once
// The cards of all lanes in a row, and the button that adds one.

#include <QTimer>
#include <QWidget>
#include <vector>

#include "app/bridge/model_info.h"
#include "app/bridge/plan_document.h"
#include "profiler/store/run_data.h"

class QHBoxLayout;
class QScrollArea;

namespace lanescope::app {

class IconButton;
class LaneCard;

class LaneStrip : public QWidget {
    Q_OBJECT
  public:
    LaneStrip(PlanDocument* document, ModelInfoCache* models, QWidget* parent = nullptr);

    void setRun(profiler::RunSnapshot run);
    void setRunning(bool running);
    [[nodiscard]] const std::vector<LaneCard*>& cards() const { return m_cards; }
    /// Opens the dialog for a lane; -1: for a new one.
    void editLane(int index);

  signals:
    void detailsRequested(const QString& model);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    /// A card whose error was unfolded needs a taller strip.
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void rebuild();
    void refresh();
    LaneCard* addCard(int lane);

    PlanDocument* m_document;
    ModelInfoCache* m_models;
    profiler::RunSnapshot m_run;
    bool m_running = false;
    QScrollArea* m_scroll;
    QHBoxLayout* m_row;
    IconButton* m_add;
    std::vector<LaneCard*> m_cards;
    QTimer m_refresh;
};

}  // namespace lanescope::app

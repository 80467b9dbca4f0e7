#pragma once
// The columns of all lanes beside each other, with what they have in common: colouring, legend,
// which prompt and repetition is shown.

#include <QTimer>
#include <QWidget>
#include <vector>

#include "app/bridge/plan_document.h"
#include "app/bridge/selection.h"
#include "app/models/token_colors.h"
#include "profiler/store/run_data.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QScrollArea;

namespace lanescope::app {

class ColorLegend;
class TokenColumn;

class TokenColumns : public QWidget {
    Q_OBJECT
  public:
    TokenColumns(PlanDocument* document, Selection* selection, QWidget* parent = nullptr);

    void setRun(profiler::RunSnapshot run);
    void setColoring(TokenColoring coloring);
    [[nodiscard]] const std::vector<TokenColumn*>& columns() const { return m_columns; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void rebuild();
    void refreshText();
    void refreshStats();
    void refreshPickers();
    void applySelection(bool scroll);
    [[nodiscard]] int baselineLane() const;
    TokenColumn* columnAt(std::size_t index);

    PlanDocument* m_document;
    Selection* m_selection;
    profiler::RunSnapshot m_run;
    std::vector<TokenColumn*> m_columns;
    QScrollArea* m_scroll;
    QHBoxLayout* m_row;
    QComboBox* m_coloring;
    ColorLegend* m_legend;
    QLabel* m_pickLabel;
    QComboBox* m_prompt;
    QComboBox* m_repetition;
    QTimer m_statsTimer;
};

}  // namespace lanescope::app

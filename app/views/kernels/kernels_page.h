#pragma once
// Where the time went: the CPU spans of every lane in one timeline, or its ops under the machine's
// roof, and a table of ops below.

#include <QWidget>
#include <cstdint>

#include "app/bridge/selection.h"
#include "profiler/store/run_data.h"

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QStackedWidget;
class QTabBar;

namespace lanescope::app {

class CellModel;
class DataTable;
class RooflineChart;
class TimelineView;

class KernelsPage : public QWidget {
    Q_OBJECT
  public:
    explicit KernelsPage(Selection* selection, QWidget* parent = nullptr);
    /// While a run streams the page follows at about twice a second, and not at all while hidden.
    void setRun(profiler::RunSnapshot run);

    [[nodiscard]] TimelineView* timeline() const { return m_timeline; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] RooflineChart* roofline() const { return m_roofline; }
    /// What is above the table.
    enum class Pane : std::uint8_t { Timeline, Roofline };
    void showPane(Pane pane);

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    QLayout* buildTop();
    QWidget* buildTable();
    void connectAll();
    void rebuildTable();
    /// Selects the op, or clears it when it is selected already.
    void toggleOp(int lane, int op);
    void retranslate();
    void updateSelectionBar();
    void apply();

    Selection* m_selection;
    profiler::RunSnapshot m_run;    ///< newest
    profiler::RunSnapshot m_shown;  ///< what is painted
    std::int64_t m_lastApplyNs = 0;
    TimelineView* m_timeline;
    CellModel* m_model;
    DataTable* m_table;
    RooflineChart* m_roofline;
    QTabBar* m_tabs;
    QStackedWidget* m_panes;
    QComboBox* m_steps;  ///< which steps of the requests count
    QLineEdit* m_find;
    QLabel* m_selectionText;
    QLabel* m_dropped;
    QLabel* m_note;  ///< footnotes of the table
    QWidget* m_selectionBar;
};

}  // namespace lanescope::app

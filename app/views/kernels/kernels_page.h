#pragma once
// Where the time went: the CPU spans of every lane in one timeline, and a table of ops under it.

#include <QWidget>

#include "app/bridge/selection.h"
#include "profiler/store/run_data.h"

class QLabel;
class QLineEdit;
class QSplitter;

namespace lanescope::app {

class CellModel;
class DataTable;
class TimelineView;

class KernelsPage : public QWidget {
    Q_OBJECT
  public:
    explicit KernelsPage(Selection* selection, QWidget* parent = nullptr);
    /// While a run streams the page follows at about twice a second, and not at all while hidden.
    void setRun(profiler::RunSnapshot run);

    [[nodiscard]] TimelineView* timeline() const { return m_timeline; }
    [[nodiscard]] DataTable* table() const { return m_table; }

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    void rebuildTable();
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
    QLineEdit* m_find;
    QLabel* m_selectionText;
    QLabel* m_dropped;
    QWidget* m_selectionBar;
};

}  // namespace lanescope::app

#pragma once
// Where the time went: the spans of every lane in one timeline, or its ops under the machine's
// roof, and a table of ops, layers, kernels or tokens below. Also shows a trace file that was
// opened, until it is closed or another run begins. What the page is made of is in
// kernels_layout.cpp.

#include <QWidget>
#include <cstdint>

#include "app/bridge/latest_task.h"
#include "app/bridge/selection.h"
#include "app/views/kernels/kernel_summary.h"
#include "engine/base/result.h"
#include "profiler/store/run_data.h"

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace lanescope::app {

class CellModel;
class DataTable;
class ErrorBanner;
class RooflineChart;
class TimelineView;

class KernelsPage : public QWidget {
    Q_OBJECT
  public:
    explicit KernelsPage(Selection* selection, QWidget* parent = nullptr);
    /// While a run streams the page follows at about twice a second, and not at all while hidden.
    void setRun(profiler::RunSnapshot run);
    /// Shows an opened trace in place of the run.
    void setTrace(profiler::RunSnapshot trace);
    void closeTrace();
    [[nodiscard]] bool showsTrace() const { return m_trace != nullptr; }
    /// fraction 0 … 1 while a file is being read; 1: done.
    void setTraceProgress(const QString& name, double fraction);
    void showError(const QString& message, const QString& details);
    /// Writes the run as Chrome trace JSON on a pool thread; traceSaved() follows.
    void saveTrace(const QString& path);

    [[nodiscard]] TimelineView* timeline() const { return m_timeline; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] RooflineChart* roofline() const { return m_roofline; }
    [[nodiscard]] const KernelSummary& summary() const { return m_summary; }
    /// What is above the table.
    enum class Pane : std::uint8_t { Timeline, Roofline };
    void showPane(Pane pane);
    void setGroupBy(profiler::GroupBy by);

  signals:
    void traceOpenRequested();
    void traceReadingCancelled();
    void traceClosed();
    void traceSaved(bool ok);
    /// The table shows what was asked for last.
    void tableReady();

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    // kernels_layout.cpp
    QLayout* buildTop();
    QWidget* buildTraceBar();
    QWidget* buildTable();
    void connectAll();
    void retranslate();

    [[nodiscard]] const profiler::RunSnapshot& wanted() const { return m_trace ? m_trace : m_run; }
    [[nodiscard]] profiler::GroupBy groupBy() const;
    void apply();
    void rebuildTable();
    void showRows(const KernelRows& rows);
    void showNotes();
    void showRoofline();
    void onSelectionChanged();
    void selectChosenRow();
    void activateRow(const QVariant& id);
    /// Selects the op, or clears it when it is selected already.
    void toggleOp(int lane, int op);
    void askWhereToSave();
    void updateTraceBar();
    void updateSelectionBar();

    Selection* m_selection;
    profiler::RunSnapshot m_run;    ///< newest
    profiler::RunSnapshot m_trace;  ///< opened; null: none
    profiler::RunSnapshot m_shown;  ///< what is painted
    std::int64_t m_lastApplyNs = 0;
    KernelRows m_rows;
    KernelSummary m_summary;
    LatestTask<std::shared_ptr<Error>> m_saving;  ///< null: it went well
    TimelineView* m_timeline;
    QScrollArea* m_scroll;
    CellModel* m_model;
    DataTable* m_table;
    RooflineChart* m_roofline;
    QTabBar* m_tabs;
    QStackedWidget* m_panes;
    QComboBox* m_groups;    ///< what rows are
    QComboBox* m_steps;     ///< which steps of the requests count
    QToolButton* m_follow;  ///< the table counts the selection only
    QLineEdit* m_filter;
    QLineEdit* m_find;
    QComboBox* m_timedBy;  ///< whose clock the roofline goes by
    QPushButton* m_open;
    QPushButton* m_save;
    QLabel* m_counted;
    QLabel* m_selectionText;
    QLabel* m_dropped;
    QLabel* m_note;  ///< footnotes of the table
    QWidget* m_selectionBar;
    ErrorBanner* m_error;
    QWidget* m_traceBar;
    QLabel* m_traceText;
    QProgressBar* m_traceProgress;
    QPushButton* m_traceClose;
    bool m_reading = false;
};

}  // namespace lanescope::app

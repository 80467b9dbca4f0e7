#pragma once
// How far predictions move when the KV cache is stored in another format, by how much came before:
// measured here in the background, as a chart and a table.

#include <QWidget>
#include <vector>

#include "app/bridge/divergence_controller.h"
#include "app/bridge/plan_document.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace lanescope::app {

class CellModel;
class DataTable;
class ElidedLabel;
class EmptyState;
class ErrorBanner;
class LegendRow;
class TraceChart;

class FormatsTab : public QWidget {
    Q_OBJECT
  public:
    FormatsTab(PlanDocument* document, DivergenceController* controller, QWidget* parent = nullptr);
    void setBlocked(const QString& reason);
    /// "128, 256, 512"; how many windows at most.
    void setDepths(const QString& depths, int windows);
    /// A file, or the built-in text when empty.
    void setTextFile(const QString& path);
    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QPushButton* stopButton() const { return m_stop; }
    [[nodiscard]] TraceChart* chart() const { return m_chart; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] ErrorBanner* errorBanner() const { return m_error; }

  private:
    // formats_layout.cpp
    QWidget* buildForm();
    QWidget* buildResult();
    void fillLanes();
    void start();
    void refresh();
    void setRunning(bool running);
    void updateRun();
    void remember() const;
    void restore();

    PlanDocument* m_document;
    DivergenceController* m_controller;
    QComboBox *m_lane, *m_reference;
    std::vector<QCheckBox*> m_formats;  ///< by kernels::KvFormat
    QLineEdit *m_depths, *m_file;
    QSpinBox* m_windows;
    QPushButton *m_run, *m_stop;
    ErrorBanner* m_error;
    QWidget* m_progress;
    ElidedLabel* m_stage;
    QProgressBar* m_bar;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    TraceChart* m_chart;
    LegendRow* m_legend;
    QLabel* m_note;
    CellModel* m_model;
    DataTable* m_table;
    QString m_blocked;
};

/// "fp32" … of a kernels::KvFormat.
QString kvFormatLabel(int format);
/// The text that is measured on when none is given.
QString builtInText();

}  // namespace lanescope::app

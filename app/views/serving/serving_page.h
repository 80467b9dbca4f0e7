#pragma once
// Many requests on one engine: how they arrive, wait and are served, under one or several policies
// on the same arrivals, and which goals are kept. What is measured comes from ServingController;
// this page asks for it and shows it while it happens.

#include <QTimer>
#include <QWidget>

#include "app/bridge/serving_controller.h"
#include "app/views/serving/serving_rows.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace lanescope::app {

class CellModel;
class DataTable;
class ElidedLabel;
class EmptyState;
class ErrorBanner;
class PlanDocument;
class ServingCharts;
class ServingForm;

class ServingPage : public QWidget {
    Q_OBJECT
  public:
    ServingPage(PlanDocument* document, ServingController* controller, QWidget* parent = nullptr);

    /// Starts what the form says, unless something else is being measured.
    void start();
    /// Why nothing can be started now; empty: it can.
    void setBlocked(const QString& reason);
    [[nodiscard]] ServingForm* form() const { return m_form; }
    [[nodiscard]] ServingCharts* charts() const { return m_charts; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] ErrorBanner* errorBanner() const { return m_error; }
    [[nodiscard]] QPushButton* emptyButton() const;

  signals:
    void openModelRequested();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    QWidget* buildResults();
    QWidget* buildProgress();
    void connectAll();
    void schedule();
    void refresh();
    void refreshTable();
    void updateEmpty();
    void setRunning(bool running);

    ServingController* m_controller;
    ServingForm* m_form;
    ServingCharts* m_charts;
    CellModel* m_model;
    DataTable* m_table;
    ErrorBanner* m_error;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QLabel* m_verdict;
    QWidget* m_progress;
    ElidedLabel* m_stage;
    QProgressBar* m_bar;
    ServingStatsCache m_stats;
    QTimer m_timer;
    std::int64_t m_costNs = 0;
    QString m_blocked;
};

}  // namespace lanescope::app

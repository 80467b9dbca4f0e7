#pragma once
// The frame: rail, pages, status bar. What is on a page is the page's own business.

#include <QMainWindow>
#include <memory>

#include "app/bridge/run_controller.h"
#include "app/bridge/selection.h"
#include "profiler/store/run_store.h"

class QButtonGroup;
class QStackedWidget;
class QVBoxLayout;

namespace lanescope::app {

class ChartDeck;
class Inspector;
class KernelsPage;
class RunsPage;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(std::shared_ptr<profiler::RunStore> store, QWidget* parent = nullptr);

    [[nodiscard]] RunController* controller() const { return m_controller; }
    [[nodiscard]] Selection* selection() const { return m_selection; }

  private:
    void addPage(const QString& name, QWidget* page);
    void showSnapshot(const profiler::RunSnapshot& run);

    RunController* m_controller;
    Selection* m_selection;
    QVBoxLayout* m_rail = nullptr;
    QButtonGroup* m_railButtons = nullptr;
    QStackedWidget* m_pages = nullptr;
    ChartDeck* m_charts = nullptr;
    Inspector* m_inspector = nullptr;
    KernelsPage* m_kernels = nullptr;
    RunsPage* m_runs = nullptr;
};

}  // namespace lanescope::app

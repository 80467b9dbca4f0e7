#pragma once
// The frame: menu, rail, pages, status bar. What is on a page is the page's own business; what
// outlives the window is in AppContext.

#include <QMainWindow>
#include <QStringList>

#include "app/bridge/ui_watchdog.h"
#include "app/window/app_context.h"

class QActionGroup;
class QAction;
class QButtonGroup;
class QMenu;
class QStackedWidget;
class QVBoxLayout;

namespace lanescope::app {

class BackgroundJob;
class CachePage;
class KernelsPage;
class ModelPage;
class OpenDialog;
class PlayPage;
class RunsPage;
class ServingPage;
class StatusLine;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(AppContext* context, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] AppContext* context() const { return m_context; }
    [[nodiscard]] PlayPage* play() const { return m_play; }
    [[nodiscard]] ModelPage* model() const { return m_model; }
    [[nodiscard]] KernelsPage* kernels() const { return m_kernels; }
    [[nodiscard]] CachePage* cache() const { return m_cache; }
    [[nodiscard]] ServingPage* serving() const { return m_serving; }
    [[nodiscard]] RunsPage* runs() const { return m_runs; }
    [[nodiscard]] StatusLine* status() const { return m_status; }
    /// File-name-like keys of the pages, in the rail's order: "play", "model", …
    [[nodiscard]] const QStringList& pageKeys() const { return m_pageKeys; }
    void showPage(int index);
    [[nodiscard]] int currentPage() const;
    [[nodiscard]] const QList<QAction*>& commands() const { return m_commands; }
    [[nodiscard]] QMenu* recentMenu() const { return m_recentMenu; }
    void fillRecentMenu();

    void startRun();
    void stopRun();
    /// The open dialog; what is chosen in it goes into the lanes.
    OpenDialog* showOpenDialog();
    /// The page about one model.
    void showModel(const QString& model);

  signals:
    void languageRequested(const QString& language);
    /// The window has closed for good; a run in progress has ended before.
    void closed();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void buildPages();
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void connectContext();
    void connectTraces();
    void connectMeasurements();
    QAction* addCommand(class QMenu* menu, const QString& text, const QKeySequence& keys,
                        std::function<void()> run);
    void addPage(const QString& key, const QString& name, const QString& icon, QWidget* page);
    void showPageOf(const QString& key);
    void showSnapshot(const profiler::RunSnapshot& run);
    void setRunning(bool running);
    /// Progress, Stop and what may be started, after anything began or ended.
    void updateBusy();
    void endClosing();
    void showProblem(const QString& message, const QString& details);
    void openPlanOrRun();
    void openTrace();
    void savePlan(bool askForPath);
    void escape();
    void updateTitle();
    void refreshRail();

    AppContext* m_context;
    UiWatchdog m_watchdog;
    QVBoxLayout* m_rail = nullptr;
    QButtonGroup* m_railButtons = nullptr;
    QStackedWidget* m_pages = nullptr;
    QStringList m_pageKeys;
    QStringList m_pageIcons;
    PlayPage* m_play = nullptr;
    ModelPage* m_model = nullptr;
    KernelsPage* m_kernels = nullptr;
    CachePage* m_cache = nullptr;
    ServingPage* m_serving = nullptr;
    RunsPage* m_runs = nullptr;
    StatusLine* m_status = nullptr;
    QMenu* m_recentMenu = nullptr;
    QAction* m_runAction = nullptr;
    QAction* m_stopAction = nullptr;
    QAction* m_exportAction = nullptr;
    QList<QAction*> m_commands;
    bool m_closing = false;
};

}  // namespace lanescope::app

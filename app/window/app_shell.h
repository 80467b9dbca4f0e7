#pragma once
// Puts a window around the context and replaces it when the language changes. main() is this and
// nothing else, so that the tests start the app the way a person does.

#include <QObject>
#include <memory>

#include "app/window/app_context.h"
#include "app/window/command_line.h"

class QApplication;

namespace lanescope::app {

class MainWindow;

class AppShell : public QObject {
    Q_OBJECT
  public:
    AppShell(QApplication& app, const CommandLine& line);
    ~AppShell() override;

    [[nodiscard]] MainWindow* window() const { return m_window.get(); }
    [[nodiscard]] AppContext* context() const { return m_context.get(); }
    void setLanguage(const QString& language);

  signals:
    /// All is done; main() leaves the event loop.
    void finished(int exitCode);

  private:
    void makeWindow();

    QApplication& m_app;
    CommandLine m_line;
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace lanescope::app

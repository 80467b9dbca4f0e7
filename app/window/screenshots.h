#pragma once
// --screenshot: runs the plan (unless a stored run was opened), saves one PNG a page, then says how
// it went.

#include <QObject>
#include <QString>
#include <QStringList>

namespace lanescope::app {

class MainWindow;

class Screenshots : public QObject {
    Q_OBJECT
  public:
    Screenshots(MainWindow* window, const QString& dir, QObject* parent = nullptr);
    void start();
    [[nodiscard]] const QStringList& written() const { return m_written; }

  signals:
    /// exitCode: 0 when every page was saved and the run did not fail.
    void finished(int exitCode);

  private:
    void runEnded();
    void shootNext();

    MainWindow* m_window;
    QString m_dir;
    int m_page = 0;
    bool m_failed = false;
    QStringList m_written;
};

}  // namespace lanescope::app

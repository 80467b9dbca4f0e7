#pragma once
// What is shown while there is no lane: how to get a model in.

#include <QWidget>

class QListWidget;
class QVBoxLayout;

namespace lanescope::app {

class ErrorBanner;

class StartPage : public QWidget {
    Q_OBJECT
  public:
    explicit StartPage(QWidget* parent = nullptr);
    /// Reads the known and recent models again.
    void refresh();
    void setError(const QString& message, const QString& details);

  signals:
    void openRequested();
    void modelChosen(const QString& model);

  private:
    QListWidget* m_models;
    ErrorBanner* m_error;
};

}  // namespace lanescope::app

#pragma once
// An error where it happened: one sentence, details on request. Hidden while there is none.

#include <QFrame>

class QLabel;
class QToolButton;

namespace lanescope::app {

class ErrorBanner : public QFrame {
    Q_OBJECT
  public:
    explicit ErrorBanner(QWidget* parent = nullptr);

    /// Empty message hides the banner.
    void setError(const QString& message, const QString& details);
    void setClosable(bool closable);
    /// Opens the details at once, where there is room for them.
    void showDetails();
    [[nodiscard]] QString message() const;

  private:
    void restyle();
    void updateDetails();

    QLabel* m_icon;
    QLabel* m_message;
    QLabel* m_details;
    QToolButton* m_more;
    QToolButton* m_close;
};

}  // namespace lanescope::app

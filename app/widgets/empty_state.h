#pragma once
// What a page shows while there is nothing to show: what it will show, and the one button that
// makes it.

#include <QWidget>

class QLabel;
class QPushButton;

namespace lanescope::app {

class EmptyState : public QWidget {
    Q_OBJECT
  public:
    explicit EmptyState(const QString& text, QWidget* parent = nullptr);
    [[nodiscard]] QPushButton* button() const { return m_button; }
    [[nodiscard]] QLabel* text() const { return m_text; }

  private:
    QLabel* m_text;
    QPushButton* m_button;
};

}  // namespace lanescope::app

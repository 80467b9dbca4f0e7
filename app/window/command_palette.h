#pragma once
// Ctrl+K: every action of the window by name.

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace lanescope::app {

class CommandPalette : public QDialog {
    Q_OBJECT
  public:
    CommandPalette(const QList<QAction*>& actions, QWidget* parent);
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] QLineEdit* field() const { return m_field; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void filter(const QString& text);
    void run();

    QList<QAction*> m_actions;
    QLineEdit* m_field;
    QListWidget* m_list;
};

/// An action's text without mnemonics and dots.
QString plainActionText(const QAction& action);

}  // namespace lanescope::app

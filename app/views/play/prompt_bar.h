#pragma once
// What is sent through every lane, and the button that sends it.

#include <QWidget>

#include "app/bridge/plan_document.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace lanescope::app {

class SamplingPanel;

class PromptBar : public QWidget {
    Q_OBJECT
  public:
    explicit PromptBar(PlanDocument* document, QWidget* parent = nullptr);

    void setRunning(bool running, bool cancelling);
    [[nodiscard]] QPushButton* runButton() const { return m_run; }
    [[nodiscard]] QPlainTextEdit* textEdit() const { return m_text; }

  signals:
    void runRequested();
    void stopRequested();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildLayout();
    void load();   ///< document → fields
    void store();  ///< fields → document
    void loadPrompt();
    void refreshRun();
    bool dropFile(const QString& path);

    PlanDocument* m_document;
    bool m_loading = false;
    bool m_running = false;
    bool m_cancelling = false;
    QToolButton* m_systemToggle;
    QLineEdit* m_system;
    QPlainTextEdit* m_text;
    QComboBox* m_which;
    QComboBox* m_mode;
    QSpinBox* m_maxTokens;
    QDoubleSpinBox* m_temperature;
    QSpinBox* m_seed;
    QToolButton* m_more;
    SamplingPanel* m_panel;
    QPushButton* m_run;
};

}  // namespace lanescope::app

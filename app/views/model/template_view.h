#pragma once
// The chat template of a model: its own or one chosen by hand, edited with what it makes of a
// conversation beside it, and given to the lanes that use the model.

#include <QTimer>
#include <QWidget>
#include <memory>

#include "app/bridge/latest_task.h"
#include "app/bridge/model_inspection.h"
#include "app/bridge/plan_document.h"
#include "app/models/chat_samples.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lanescope::app {

class CodeEdit;
class ErrorBanner;

class TemplateView : public QWidget {
    Q_OBJECT
  public:
    explicit TemplateView(PlanDocument* document, QWidget* parent = nullptr);
    void setModel(const ModelInspection& model);

    [[nodiscard]] QComboBox* sourceBox() const { return m_source; }
    [[nodiscard]] QComboBox* sampleBox() const { return m_sample; }
    [[nodiscard]] QComboBox* targetBox() const { return m_target; }
    [[nodiscard]] CodeEdit* editor() const { return m_editor; }
    [[nodiscard]] QPlainTextEdit* preview() const { return m_preview; }
    [[nodiscard]] ErrorBanner* error() const { return m_error; }
    [[nodiscard]] QPushButton* useButton() const { return m_use; }
    [[nodiscard]] QPushButton* ownButton() const { return m_own; }
    [[nodiscard]] QPushButton* resetButton() const { return m_reset; }
    [[nodiscard]] bool busy() const { return m_typing.isActive() || m_task.busy(); }

  public slots:
    /// The edited template for the chosen lanes; one undoable step.
    void useInLanes();
    /// The model's own template again for the chosen lanes.
    void useOwn();
    void reset();

  private:
    void buildLayout();
    void fillSources();
    void fillTargets();
    void loadSource();
    void start();
    void show(const TemplatePreview& result);
    void updateState();
    /// What is edited and in no lane yet outlives the window.
    void saveDraft() const;
    void restoreDraft();
    [[nodiscard]] std::string sourceText() const;  ///< of the choice, unedited
    [[nodiscard]] std::string edited() const;
    [[nodiscard]] std::vector<int> targets() const;
    void setTemplateOf(const std::vector<int>& lanes, const std::string& source,
                       const QString& what);

    PlanDocument* m_document;
    LatestTask<TemplatePreview> m_task;
    QTimer m_typing;
    std::string m_model;  ///< as lanes name it
    std::string m_ownSource;
    std::shared_ptr<const Tokenizer> m_tokenizer;
    bool m_valid = false;
    QComboBox* m_source;
    QComboBox* m_sample;
    QComboBox* m_target;
    QCheckBox* m_prompt;
    CodeEdit* m_editor;
    QPlainTextEdit* m_preview;
    ErrorBanner* m_error;
    QLabel* m_figures;
    QLabel* m_state;
    QPushButton* m_use;
    QPushButton* m_own;
    QPushButton* m_reset;
};

}  // namespace lanescope::app

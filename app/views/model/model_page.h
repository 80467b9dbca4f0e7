#pragma once
// Everything about one checkpoint: overview, tensors, metadata, tokenizer, chat template. Reads it
// when the page is first looked at, not before.

#include <QWidget>
#include <memory>

#include "app/bridge/latest_task.h"
#include "app/bridge/model_inspection.h"
#include "app/bridge/plan_document.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;

namespace lanescope::app {

class ErrorBanner;
class MetadataView;
class OverviewView;
class TemplateView;
class TensorsView;
class TokenizerView;

class ModelPage : public QWidget {
    Q_OBJECT
  public:
    explicit ModelPage(PlanDocument* document, QWidget* parent = nullptr);

    enum class Tab : std::uint8_t { Overview, Tensors, Metadata, Tokenizer, Template };
    /// Chooses the model; it is read as soon as the page is seen.
    void setModel(const QString& model);
    void showTab(Tab tab);
    [[nodiscard]] QString model() const;
    /// What is shown; null: nothing, or still reading.
    [[nodiscard]] const std::shared_ptr<const ModelInspection>& inspection() const {
        return m_inspection;
    }

    [[nodiscard]] QComboBox* modelBox() const { return m_models; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] ErrorBanner* error() const { return m_error; }
    [[nodiscard]] OverviewView* overview() const { return m_overview; }
    [[nodiscard]] TensorsView* tensors() const { return m_tensors; }
    [[nodiscard]] MetadataView* metadata() const { return m_metadata; }
    [[nodiscard]] TokenizerView* tokenizer() const { return m_tokenizer; }
    [[nodiscard]] TemplateView* chatTemplate() const { return m_template; }
    [[nodiscard]] bool showsContent() const;

  signals:
    void openRequested();
    void inspected();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void fillModels();
    void inspectIfSeen();
    void show(const std::shared_ptr<const ModelInspection>& inspection);

    PlanDocument* m_document;
    LatestTask<std::shared_ptr<const ModelInspection>> m_task;
    std::shared_ptr<const ModelInspection> m_inspection;
    QString m_asked;  ///< model that was last read
    QComboBox* m_models;
    QPushButton* m_open;
    QLabel* m_summary;
    ErrorBanner* m_error;
    QStackedWidget* m_stack;
    QLabel* m_empty;
    QTabWidget* m_tabs;
    OverviewView* m_overview;
    TensorsView* m_tensors;
    MetadataView* m_metadata;
    TokenizerView* m_tokenizer;
    TemplateView* m_template;
};

}  // namespace lanescope::app

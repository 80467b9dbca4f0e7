#pragma once
// One checkpoint before it is loaded: facts, tensor types, and what it would need here with the
// context and KV format chosen.

#include <QWidget>
#include <memory>

#include "app/bridge/latest_task.h"
#include "app/bridge/model_inspection.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace lanescope::app {

class BarList;
class ElidedLabel;
class ErrorBanner;
class FactsGrid;
class MemoryBar;

class ModelCard : public QWidget {
    Q_OBJECT
  public:
    explicit ModelCard(QWidget* parent = nullptr);

    /// Reads on a pool thread; inspected() follows. An empty name shows nothing.
    void inspect(const QString& model);
    [[nodiscard]] bool reading() const { return m_task.busy(); }
    /// What is shown; null: nothing yet, or still reading.
    [[nodiscard]] const std::shared_ptr<const ModelInspection>& inspection() const {
        return m_inspection;
    }
    [[nodiscard]] std::int64_t context() const;
    [[nodiscard]] std::string kv() const;

    [[nodiscard]] FactsGrid* factsGrid() const { return m_facts; }
    [[nodiscard]] BarList* types() const { return m_types; }
    [[nodiscard]] ErrorBanner* error() const { return m_error; }
    [[nodiscard]] QLabel* memoryLabel() const { return m_memoryText; }
    [[nodiscard]] QSpinBox* contextBox() const { return m_context; }
    [[nodiscard]] QComboBox* kvBox() const { return m_kv; }

  signals:
    void inspected();

  private:
    void show(const std::shared_ptr<const ModelInspection>& inspection);
    void updateMemory();

    LatestTask<std::shared_ptr<const ModelInspection>> m_task;
    std::shared_ptr<const ModelInspection> m_inspection;
    ElidedLabel* m_title;
    ElidedLabel* m_path;
    ErrorBanner* m_error;
    FactsGrid* m_facts;
    QLabel* m_typesTitle;
    BarList* m_types;
    QWidget* m_need;
    QSpinBox* m_context;
    QComboBox* m_kv;
    QPushButton* m_largest;
    MemoryBar* m_memory;
    QLabel* m_memoryText;
    QLabel* m_hint;
    std::int64_t m_largestContext = 0;
};

}  // namespace lanescope::app

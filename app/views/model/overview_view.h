#pragma once
// What a checkpoint is: its architecture, its file, bytes by type, parameters by part.

#include <QWidget>

#include "app/bridge/model_inspection.h"

namespace lanescope::app {

class BarList;
class FactsGrid;

class OverviewView : public QWidget {
    Q_OBJECT
  public:
    explicit OverviewView(QWidget* parent = nullptr);
    void setModel(const ModelInspection& model);
    [[nodiscard]] FactsGrid* architecture() const { return m_architecture; }
    [[nodiscard]] FactsGrid* file() const { return m_file; }

  private:
    FactsGrid* m_architecture;
    FactsGrid* m_file;
    BarList* m_types;
    BarList* m_parts;
};

}  // namespace lanescope::app

#pragma once
// The KV cache calculator: a shape in numbers (or a lane's model), its bytes in closed form with
// the formula in words, every format beside each other.

#include <QWidget>

#include "app/bridge/model_info.h"
#include "app/bridge/plan_document.h"
#include "app/models/kv_words.h"
#include "profiler/store/run_data.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace lanescope::app {

class CellModel;
class DataTable;
class FactsGrid;

class CalculatorTab : public QWidget {
    Q_OBJECT
  public:
    CalculatorTab(PlanDocument* document, ModelInfoCache* models, QWidget* parent = nullptr);
    /// For what lanes really allocated.
    void setRun(profiler::RunSnapshot run);

    [[nodiscard]] KvShape shape() const;
    void setShape(const KvShape& shape);
    /// Fills the numbers in from a lane's model, now or once it has been read.
    void takeLane(int lane);
    [[nodiscard]] QString formula() const;
    [[nodiscard]] FactsGrid* facts() const { return m_facts; }
    [[nodiscard]] DataTable* table() const { return m_table; }

  private:
    QWidget* buildForm();
    QWidget* buildResult();
    void fillLanes();
    void onModelRead(const QString& model);
    void recompute();
    void fillTable(const KvShape& shape);
    void remember() const;
    void restore();

    PlanDocument* m_document;
    ModelInfoCache* m_models;
    profiler::RunSnapshot m_run;
    QComboBox* m_lane;
    QSpinBox *m_layers, *m_heads, *m_dim, *m_context, *m_batch, *m_block;
    QComboBox *m_keys, *m_values;
    QLabel *m_formula, *m_problem;
    FactsGrid* m_facts;
    CellModel* m_model;
    DataTable* m_table;
    bool m_filling = false;
};

}  // namespace lanescope::app

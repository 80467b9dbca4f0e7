#pragma once
// Every tensor of a checkpoint: sorted, searched, copied.

#include <QWidget>

#include "app/bridge/model_inspection.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace lanescope::app {

class CellModel;
class DataTable;

class TensorsView : public QWidget {
    Q_OBJECT
  public:
    explicit TensorsView(QWidget* parent = nullptr);
    void setModel(const ModelInspection& model);

    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }
    [[nodiscard]] QLabel* totals() const { return m_totals; }

  public slots:
    void copyCell();
    void copyRowsAsTsv();  ///< the selected ones
    void copyAllAsTsv();   ///< all that pass the search
    void copyAllAsCsv();

  private:
    void refill();
    void updateTotals();

    std::shared_ptr<const Checkpoint> m_checkpoint;
    CellModel* m_model;
    DataTable* m_table;
    QLineEdit* m_search;
    QComboBox* m_type;
    QToolButton* m_copy;
    QLabel* m_totals;
};

}  // namespace lanescope::app

#pragma once
// The description of a checkpoint, key by key; the whole value of the selected key underneath.

#include <QWidget>

#include "app/models/model_facts.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSplitter;

namespace lanescope::app {

class CellModel;
class DataTable;

class MetadataView : public QWidget {
    Q_OBJECT
  public:
    explicit MetadataView(QWidget* parent = nullptr);
    void setModel(const ModelInspection& model);

    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QPlainTextEdit* value() const { return m_value; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }

  private:
    void showSelected();

    std::shared_ptr<const Checkpoint> m_checkpoint;
    std::vector<MetadataRow> m_rows;
    CellModel* m_model;
    DataTable* m_table;
    QLineEdit* m_search;
    QLabel* m_count;
    QLabel* m_key;
    QPlainTextEdit* m_value;
};

}  // namespace lanescope::app

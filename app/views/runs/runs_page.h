#pragma once
// The history: every stored run, newest first; open, compare two, rename, delete, export.

#include <QWidget>
#include <memory>

#include "profiler/store/run_store.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace lanescope::app {

class CellModel;
class CompareView;
class DataTable;

class RunsPage : public QWidget {
    Q_OBJECT
  public:
    /// store may be null (it could not be opened): storeError says why.
    explicit RunsPage(std::shared_ptr<profiler::RunStore> store, QWidget* parent = nullptr);
    /// Why there is no store; shown in place.
    void setStoreError(const QString& error);
    void refresh();

    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] CompareView* compareView() const { return m_compare; }

  public slots:
    void openSelected();
    void compareSelected();
    void renameSelected();
    void deleteSelected();
    void undoDelete();
    void exportSelected();
    void saveSelectedAs();
    void importRun();

  signals:
    void openRunRequested(QString id);
    void compareRequested(QString a, QString b);

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    void retranslate();
    void updateButtons();
    void showMessage(const QString& text, bool isError);
    [[nodiscard]] QStringList selected() const;

    std::shared_ptr<profiler::RunStore> m_store;
    QString m_storeError;
    CellModel* m_model;
    DataTable* m_table;
    CompareView* m_compare;
    QLineEdit* m_filter;
    QLabel* m_message;
    QLabel* m_empty;
    QPushButton *m_open, *m_compareButton, *m_rename, *m_export, *m_save, *m_import, *m_delete,
        *m_undo;
    std::vector<profiler::RunSnapshot> m_deleted;  ///< of the last delete, for undo
};

}  // namespace lanescope::app

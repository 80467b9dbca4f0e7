#pragma once
// Models to choose from: recent, known, and found in remembered folders, with size, architecture
// and type. Picks nothing by itself; tells what was chosen.

#include <QWidget>

#include "app/bridge/model_library.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lanescope::app {

class ModelList : public QWidget {
    Q_OBJECT
  public:
    /// library outlives the list.
    explicit ModelList(ModelLibrary* library, QWidget* parent = nullptr);

    [[nodiscard]] QTreeWidget* tree() const { return m_tree; }
    [[nodiscard]] QPushButton* stopButton() const { return m_stop; }
    /// Marks the entry of this model, if there is one; says nothing.
    void select(const QString& model);

  signals:
    void chosen(const QString& model);
    void activated(const QString& model);  ///< double click, Enter

  private:
    void refresh();
    QTreeWidgetItem* addGroup(const QString& title, const QString& toolTip);
    void addModel(QTreeWidgetItem* group, const FoundModel& model);
    void applyFilter();
    void addFolder();
    void forgetFolder();
    void showMenu(const QPoint& place);

    ModelLibrary* m_library;
    QTreeWidget* m_tree;
    QLineEdit* m_filter;
    QPushButton* m_add;
    QPushButton* m_again;
    QPushButton* m_stop;
    QLabel* m_progress;
    QString m_current;
    bool m_filling = false;
};

}  // namespace lanescope::app

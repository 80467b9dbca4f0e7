#pragma once
// Ctrl+O: choose a model and see what it is and needs before anything is loaded.

#include <QDialog>
#include <QTimer>

#include "app/bridge/model_library.h"
#include "app/bridge/plan_document.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QSplitter;

namespace lanescope::app {

class ModelCard;
class ModelList;

/// What to do with the model that was chosen.
struct OpenChoice {
    enum class Into : std::uint8_t { NewLane, AllLanes } into = Into::NewLane;
    QString model;
    std::int64_t context = 0;
    std::string kv = "fp16";
};

class OpenDialog : public QDialog {
    Q_OBJECT
  public:
    OpenDialog(ModelLibrary* library, const PlanDocument* document, QWidget* parent = nullptr);

    /// As if typed: a path, a known name, or "synthetic:…".
    void setModel(const QString& model);
    [[nodiscard]] OpenChoice choice() const;

    [[nodiscard]] QLineEdit* field() const { return m_field; }
    [[nodiscard]] ModelList* list() const { return m_list; }
    [[nodiscard]] ModelCard* card() const { return m_card; }
    [[nodiscard]] QPushButton* openButton() const { return m_open; }

  public slots:
    void done(int result) override;

  private:
    void buildLayout(bool hasLanes, bool canAdd);
    void chooseFile();
    void chooseFolder();
    void inspectNow();
    void updateButtons();

    QLineEdit* m_field;
    ModelList* m_list;
    ModelCard* m_card;
    QSplitter* m_splitter;
    QComboBox* m_into;
    QPushButton* m_open;
    QTimer m_typing;
    QString m_shown;              ///< model that the card shows
    bool m_openWhenRead = false;  ///< Enter or a double click came before the figures
};

}  // namespace lanescope::app

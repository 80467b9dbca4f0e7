#pragma once
// The pane at the right: what the selected token is, what else the model might have said, and where
// its time went.

#include <QScrollArea>

#include "app/bridge/selection.h"
#include "profiler/store/run_data.h"

class QLabel;

namespace lanescope::app {

class BarList;

class Inspector : public QScrollArea {
    Q_OBJECT
  public:
    explicit Inspector(Selection* selection, QWidget* parent = nullptr);
    void setRun(profiler::RunSnapshot run);

    [[nodiscard]] BarList* candidates() const { return m_candidates; }
    [[nodiscard]] BarList* ops() const { return m_ops; }
    [[nodiscard]] QString titleText() const;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void showToken(const profiler::RequestData& request, std::size_t index);
    void showTimeRange();
    void clearSections(const QString& hint);

    Selection* m_selection;
    profiler::RunSnapshot m_run;
    QLabel* m_title;
    QLabel* m_facts;
    QLabel* m_candidatesTitle;
    BarList* m_candidates;
    QLabel* m_opsTitle;
    BarList* m_ops;
    QLabel* m_opsNote;
};

/// A token's text so that blanks and control characters can be seen: "·" for space, "↵" for
/// newline.
QString visiblePiece(const std::string& piece);

}  // namespace lanescope::app

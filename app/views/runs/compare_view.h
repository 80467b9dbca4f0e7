#pragma once
// Two runs beside each other: every figure of lanes of the same name, with its change and whether
// that is more than noise.

#include <QWidget>

#include "profiler/store/run_data.h"

class QLabel;

namespace lanescope::app {

class CellModel;
class DataTable;

class CompareView : public QWidget {
    Q_OBJECT
  public:
    explicit CompareView(QWidget* parent = nullptr);
    /// before / after; nulls clear the view.
    void setRuns(profiler::RunSnapshot before, profiler::RunSnapshot after);
    [[nodiscard]] DataTable* table() const { return m_table; }

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void rebuild();
    profiler::RunSnapshot m_before, m_after;
    QLabel* m_title;
    CellModel* m_model;
    DataTable* m_table;
};

}  // namespace lanescope::app

#pragma once
// Labels and values in pairs, one or more pairs a row; values can be selected and copied.

#include <QString>
#include <QWidget>
#include <vector>

#include "app/models/model_facts.h"

class QGridLayout;

namespace lanescope::app {

class FactsGrid : public QWidget {
    Q_OBJECT
  public:
    explicit FactsGrid(int pairsPerRow, QWidget* parent = nullptr);
    void setFacts(const std::vector<Fact>& facts);
    /// The value under a label; empty: there is none.
    [[nodiscard]] QString value(const QString& label) const;
    [[nodiscard]] const std::vector<Fact>& facts() const { return m_facts; }

  private:
    int m_pairs;
    QGridLayout* m_grid;
    std::vector<Fact> m_facts;
};

}  // namespace lanescope::app

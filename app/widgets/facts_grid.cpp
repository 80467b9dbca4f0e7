#include "app/widgets/facts_grid.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "app/theme/theme.h"

namespace lanescope::app {

FactsGrid::FactsGrid(int pairsPerRow, QWidget* parent)
    : QWidget(parent), m_pairs(pairsPerRow), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(kSpaceL);
    m_grid->setVerticalSpacing(kSpaceS);
    for (int pair = 0; pair < m_pairs; ++pair) m_grid->setColumnStretch(pair * 2 + 1, 1);
}

void FactsGrid::setFacts(const std::vector<Fact>& facts) {
    m_facts = facts;
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const int rows = (static_cast<int>(facts.size()) + m_pairs - 1) / m_pairs;
    for (int i = 0; i < static_cast<int>(facts.size()); ++i) {
        const Fact& fact = facts[static_cast<std::size_t>(i)];
        // Down the first pair of columns, then down the next: related facts stay together.
        const int row = i % rows;
        const int column = i / rows * 2;
        auto* label = new QLabel(fact.label, this);
        label->setForegroundRole(QPalette::PlaceholderText);
        QPalette muted = label->palette();
        muted.setColor(QPalette::PlaceholderText, themeColors().textMuted);
        label->setPalette(muted);
        auto* value = new QLabel(fact.value, this);
        value->setTextFormat(Qt::PlainText);
        value->setWordWrap(true);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setAccessibleName(fact.label);
        // Scripts differ in height: one line of either is as tall as the other.
        const int line =
            std::max(label->sizeHint().height(), QLabel(fact.value.left(24)).sizeHint().height());
        label->setMinimumHeight(line);
        value->setMinimumHeight(line);
        label->setToolTip(fact.toolTip);
        value->setToolTip(fact.toolTip);
        m_grid->addWidget(label, row, column, Qt::AlignTop | Qt::AlignLeft);
        m_grid->addWidget(value, row, column + 1, Qt::AlignTop);
    }
}

QString FactsGrid::value(const QString& label) const {
    for (const Fact& fact : m_facts)
        if (fact.label == label) return fact.value;
    return {};
}

}  // namespace lanescope::app

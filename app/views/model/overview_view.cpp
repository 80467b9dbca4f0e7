#include "app/views/model/overview_view.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/models/model_facts.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/bar_list.h"
#include "app/widgets/facts_grid.h"
#include "app/widgets/type_bars.h"

namespace lanescope::app {

OverviewView::OverviewView(QWidget* parent)
    : QWidget(parent),
      m_architecture(new FactsGrid(1)),
      m_file(new FactsGrid(1)),
      m_types(new BarList),
      m_parts(new BarList) {
    const auto section = [](const QString& title, QWidget* content) {
        auto* box = new QWidget;
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(kSpace);
        auto* label = new QLabel(title);
        label->setFont(uiFont(1, true));
        column->addWidget(label);
        column->addWidget(content);
        column->addStretch(1);
        content->setAccessibleName(title);
        return box;
    };
    auto* inner = new QWidget;
    auto* grid = new QGridLayout(inner);
    grid->setContentsMargins(kSpaceL, kSpaceL, kSpaceL, kSpaceL);
    grid->setHorizontalSpacing(2 * kSpaceXl);
    grid->setVerticalSpacing(kSpaceXl);
    auto* right = new QWidget;
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(0, 0, 0, 0);
    rightColumn->setSpacing(kSpaceXl);
    rightColumn->addWidget(section(tr("File"), m_file));
    rightColumn->addWidget(section(tr("Bytes by tensor type"), m_types));
    rightColumn->addWidget(section(tr("Parameters by part"), m_parts));
    rightColumn->addStretch(1);
    grid->addWidget(section(tr("Architecture"), m_architecture), 0, 0, Qt::AlignTop);
    grid->addWidget(right, 0, 1, Qt::AlignTop);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(1, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(inner);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
}

void OverviewView::setModel(const ModelInspection& model) {
    m_architecture->setFacts(architectureFacts(model));
    m_file->setFacts(fileFacts(model));
    showTypes(m_types, model.types, model.tensorBytes);
    std::vector<BarRow> rows;
    if (model.model) {
        const ParameterCounts& counts = model.model->parameters();
        const std::vector<std::pair<QString, std::int64_t>> parts{
            {tr("Embedding"), counts.embedding},
            {tr("Attention"), counts.attention},
            {tr("MLP"), counts.mlp},
            {tr("Norms"), counts.norms},
            {tr("Output head"), counts.head}};
        std::int64_t most = 1;
        for (const auto& part : parts) most = std::max(most, part.second);
        for (const auto& [name, count] : parts) {
            BarRow row;
            row.label = name;
            row.value =
                QStringLiteral("%1 · %2 %")
                    .arg(parameterText(count),
                         fixedNumber(
                             100.0 * static_cast<double>(count) /
                                 static_cast<double>(std::max<std::int64_t>(1, counts.total())),
                             1));
            row.fraction = static_cast<double>(count) / static_cast<double>(most);
            row.color = themeColors().accent;
            row.toolTip = tr("%1 parameters").arg(count);
            rows.push_back(std::move(row));
        }
    }
    m_parts->setRows(std::move(rows), 0.25, false);
}

}  // namespace lanescope::app

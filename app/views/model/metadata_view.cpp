#include "app/views/model/metadata_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/widgets/data_table.h"
#include "app/widgets/icon_button.h"

namespace lanescope::app {

MetadataView::MetadataView(QWidget* parent)
    : QWidget(parent),
      m_model(new CellModel(this)),
      m_table(new DataTable),
      m_search(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_key(new QLabel),
      m_value(new QPlainTextEdit) {
    m_search->setPlaceholderText(tr("Search keys and values"));
    m_search->setAccessibleName(tr("Search keys and values"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(320);
    m_count->setForegroundRole(QPalette::PlaceholderText);
    m_model->setHeaders({tr("Key"), tr("Type"), tr("Value")});
    m_table->setSource(m_model);
    m_table->setAccessibleName(tr("Metadata"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_value->setReadOnly(true);
    m_value->setFont(monoFont());
    m_value->setAccessibleName(tr("Whole value"));
    m_value->setPlaceholderText(tr("Select a key: its whole value is shown here"));
    m_key->setFont(uiFont(0, true));
    auto* copy = new IconButton(QStringLiteral("copy"), tr("Copy the value"));

    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    top->addWidget(m_search, 1);
    top->addStretch(1);
    top->addWidget(m_count);
    auto* lower = new QWidget;
    auto* head = new QHBoxLayout;
    head->addWidget(m_key, 1);
    head->addWidget(copy);
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(kSpace, kSpaceS, kSpace, kSpace);
    lowerLayout->setSpacing(kSpaceS);
    lowerLayout->addLayout(head);
    lowerLayout->addWidget(m_value, 1);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(m_table);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(splitter, 1);

    connect(m_search, &QLineEdit::textChanged, m_table, &DataTable::setFilterText);
    connect(m_table, &DataTable::selectedIdsChanged, this, &MetadataView::showSelected);
    connect(m_table, &DataTable::activatedId, this, [this] { m_value->setFocus(); });
    connect(copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_value->toPlainText()); });
    auto* find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
}

void MetadataView::setModel(const ModelInspection& model) {
    m_checkpoint = model.checkpoint;
    m_rows = m_checkpoint ? metadataRows(*m_checkpoint) : std::vector<MetadataRow>{};
    std::vector<std::vector<Cell>> rows;
    std::vector<QVariant> ids;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        rows.push_back(
            {textCell(m_rows[i].key), textCell(m_rows[i].type), textCell(m_rows[i].summary)});
        ids.emplace_back(static_cast<int>(i));
    }
    m_model->setRows(std::move(rows), std::move(ids));
    m_table->resizeColumnToContents(0);
    m_table->resizeColumnToContents(1);
    m_table->setColumnWidth(0, std::min(m_table->columnWidth(0), 360));
    m_count->setText(tr("%n key(s)", nullptr, static_cast<int>(m_rows.size())));
    showSelected();
}

void MetadataView::showSelected() {
    const QVariantList ids = m_table->selectedIds();
    const int row = ids.isEmpty() ? -1 : ids.front().toInt();
    if (!m_checkpoint || row < 0 || row >= static_cast<int>(m_rows.size())) {
        m_key->clear();
        m_value->clear();
        return;
    }
    const MetadataRow& shown = m_rows[static_cast<std::size_t>(row)];
    m_key->setText(shown.key);
    m_value->setPlainText(metadataText(*m_checkpoint, shown));
}

}  // namespace lanescope::app

#include "app/views/model/tensors_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/model_facts.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/data_table.h"

namespace lanescope::app {

TensorsView::TensorsView(QWidget* parent)
    : QWidget(parent),
      m_model(new CellModel(this)),
      m_table(new DataTable(this)),
      m_search(new QLineEdit(this)),
      m_type(new QComboBox(this)),
      m_copy(new QToolButton(this)),
      m_totals(new QLabel(this)) {
    m_search->setPlaceholderText(tr("Search tensors"));
    m_search->setAccessibleName(tr("Search tensors"));
    m_search->setToolTip(tr("Part of a name, shape or type (Ctrl+F)"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(320);
    m_type->setAccessibleName(tr("Tensor type"));
    m_type->setToolTip(tr("Only tensors of this type"));
    m_type->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_copy->setText(tr("Copy"));
    m_copy->setIcon(themeIcon(QStringLiteral("copy")));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    menu->addAction(tr("Cell"), this, &TensorsView::copyCell);
    menu->addAction(tr("Selected rows as TSV"), this, &TensorsView::copyRowsAsTsv);
    menu->addAction(tr("All shown as TSV"), this, &TensorsView::copyAllAsTsv);
    menu->addAction(tr("All shown as CSV"), this, &TensorsView::copyAllAsCsv);
    m_copy->setMenu(menu);
    m_totals->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_totals->setForegroundRole(QPalette::PlaceholderText);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    top->addWidget(m_search, 1);
    top->addWidget(m_type);
    top->addWidget(m_copy);
    top->addStretch(1);
    top->addWidget(m_totals);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_table, 1);

    m_model->setHeaders({tr("Name"), tr("Shape"), tr("Type"), tr("Elements"), tr("Size"),
                         tr("Share"), tr("Offset"), tr("File")},
                        {{},
                         tr("Outermost first: a matrix is [rows, columns]"),
                         tr("How the numbers are stored"),
                         {},
                         tr("Bytes of its data"),
                         tr("Part of all tensor bytes"),
                         tr("Where its data starts in the file, bytes"),
                         {}});
    m_table->setSource(m_model);
    m_table->setAccessibleName(tr("Tensors"));
    m_table->horizontalHeader()->setStretchLastSection(false);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_table->setFilterText(text);
        updateTotals();
    });
    connect(m_type, &QComboBox::currentIndexChanged, this, &TensorsView::refill);
    auto* find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
}

void TensorsView::setModel(const ModelInspection& model) {
    m_checkpoint = model.checkpoint;
    const QSignalBlocker blocker(m_type);
    m_type->clear();
    m_type->addItem(tr("all types"));
    for (const TypeTotal& total : model.types) m_type->addItem(total.type);
    refill();
    m_table->resizeColumnsToContents();
    for (int column = 0; column < m_model->columnCount(); ++column)
        m_table->setColumnWidth(column, m_table->columnWidth(column) + kSpaceL);
    m_table->setColumnHidden(7, !m_checkpoint || m_checkpoint->files().size() < 2);
}

void TensorsView::refill() {
    std::vector<std::vector<Cell>> rows;
    if (m_checkpoint) {
        const QString type = m_type->currentIndex() > 0 ? m_type->currentText() : QString();
        for (const TensorRow& row : tensorRows(*m_checkpoint)) {
            if (!type.isEmpty() && row.type != type) continue;
            rows.push_back(
                {textCell(row.name), textCell(row.shape), textCell(row.type),
                 numberCell(QString::number(row.nElements), static_cast<qlonglong>(row.nElements)),
                 numberCell(bytesText(row.bytes), static_cast<qlonglong>(row.bytes),
                            tr("%1 bytes").arg(row.bytes)),
                 numberCell(fixedNumber(row.share * 100.0, 2) + QStringLiteral(" %"),
                            static_cast<qlonglong>(row.bytes)),
                 numberCell(
                     row.fileOffset < 0 ? QStringLiteral("–") : QString::number(row.fileOffset),
                     static_cast<qlonglong>(row.fileOffset)),
                 textCell(row.file)});
        }
    }
    m_model->setRows(std::move(rows));
    updateTotals();
}

void TensorsView::updateTotals() {
    if (!m_checkpoint) {
        m_totals->clear();
        return;
    }
    // Summed over what is shown: the search answers "how big is the attention".
    std::uint64_t bytes = 0;
    std::int64_t elements = 0;
    const QAbstractItemModel* shown = m_table->model();
    for (int row = 0; row < shown->rowCount(); ++row) {
        elements += shown->index(row, 3).data(kSortRole).toLongLong();
        bytes += static_cast<std::uint64_t>(shown->index(row, 4).data(kSortRole).toLongLong());
    }
    m_totals->setText(tr("%1 of %2 tensors · %3 elements · %4")
                          .arg(shown->rowCount())
                          .arg(m_checkpoint->tensors().size())
                          .arg(parameterText(elements), bytesText(bytes)));
}

void TensorsView::copyCell() {
    QApplication::clipboard()->setText(m_table->currentCellText());
}

void TensorsView::copyRowsAsTsv() {
    QApplication::clipboard()->setText(m_table->toTsv(DataTable::Rows::Selected));
}

void TensorsView::copyAllAsTsv() {
    QApplication::clipboard()->setText(m_table->toTsv(DataTable::Rows::All));
}

void TensorsView::copyAllAsCsv() {
    QApplication::clipboard()->setText(m_table->toCsv(DataTable::Rows::All));
}

}  // namespace lanescope::app

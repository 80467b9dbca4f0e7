#include "app/widgets/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFont>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <algorithm>

#include "app/theme/theme.h"
#include "profiler/export/text.h"

namespace lanescope::app {

Cell textCell(const QString& text) {
    Cell cell;
    cell.text = text;
    return cell;
}

Cell numberCell(const QString& text, const QVariant& value, const QString& toolTip) {
    Cell cell;
    cell.text = text;
    cell.sortBy = value;
    cell.rightAligned = true;
    cell.toolTip = toolTip;
    return cell;
}

void CellModel::setHeaders(QStringList headers, QStringList toolTips) {
    beginResetModel();
    m_headers = std::move(headers);
    m_headerTips = std::move(toolTips);
    endResetModel();
}

void CellModel::setRows(std::vector<std::vector<Cell>> rows, std::vector<QVariant> ids) {
    // Same shape: only values change, so that selection and scroll position stay while a run
    // streams.
    if (rows.size() == m_rows.size() && ids == m_ids) {
        m_rows = std::move(rows);
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    m_ids = std::move(ids);
    endResetModel();
}

int CellModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int CellModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_headers.size());
}

QVariant CellModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<std::size_t>(index.row());
    if (role == kIdRole) return row < m_ids.size() ? m_ids[row] : QVariant();
    if (static_cast<std::size_t>(index.column()) >= m_rows[row].size()) return {};
    const Cell& cell = m_rows[row][static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole:
            return cell.text;
        case kSortRole:
            return cell.sortBy.isValid() ? cell.sortBy : QVariant(cell.text);
        case Qt::ToolTipRole:
            return cell.toolTip.isEmpty() ? QVariant() : QVariant(cell.toolTip);
        case Qt::ForegroundRole:
            return cell.foreground;
        case Qt::DecorationRole:
            return cell.decoration;
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter |
                                    (cell.rightAligned ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::FontRole:
            if (cell.bold) {
                QFont font = uiFont(0, true);
                return font;
            }
            return {};
        default:
            return {};
    }
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= m_headers.size()) return {};
    if (role == Qt::DisplayRole) return m_headers[section];
    if (role == Qt::ToolTipRole && section < m_headerTips.size() &&
        !m_headerTips[section].isEmpty())
        return m_headerTips[section];
    return {};
}

DataTable::DataTable(QWidget* parent)
    : QTableView(parent), m_proxy(new QSortFilterProxyModel(this)) {
    m_proxy->setSortRole(kSortRole);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setFilterKeyColumn(-1);
    QTableView::setModel(m_proxy);
    setSortingEnabled(true);
    m_proxy->sort(-1);  // the model's own order until a header is clicked
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + kSpace);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setTabKeyNavigation(false);
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit activatedId(index.data(kIdRole)); });
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { emit selectedIdsChanged(); });
}

void DataTable::setSource(QAbstractItemModel* model) {
    m_proxy->setSourceModel(model);
}

void DataTable::setFilterText(const QString& text) {
    m_proxy->setFilterFixedString(text);
}

QVariantList DataTable::selectedIds() const {
    QVariantList ids;
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.row() < b.row(); });
    for (const auto& index : rows) ids << index.data(kIdRole);
    return ids;
}

void DataTable::selectId(const QVariant& id) {
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        const QModelIndex index = m_proxy->index(row, 0);
        if (index.data(kIdRole) == id) {  // whatever keys are held
            selectionModel()->setCurrentIndex(
                index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
            return;
        }
    }
}

std::vector<int> DataTable::copiedRows(Rows which) const {
    std::vector<int> rows;
    for (const auto& index : selectionModel()->selectedRows()) rows.push_back(index.row());
    if (which == Rows::All || (which == Rows::Fitting && rows.size() < 2)) {
        rows.clear();
        for (int i = 0; i < m_proxy->rowCount(); ++i) rows.push_back(i);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

QString DataTable::toMarkdown() const {
    const auto escaped = [](QString text) {
        return text.replace(QLatin1Char('|'), QStringLiteral("\\|"))
            .replace(QLatin1Char('\n'), QLatin1Char(' '));
    };
    QString out = QStringLiteral("|"), rule = QStringLiteral("|");
    for (int c = 0; c < m_proxy->columnCount(); ++c) {
        out +=
            QStringLiteral(" %1 |").arg(escaped(m_proxy->headerData(c, Qt::Horizontal).toString()));
        const bool right =
            m_proxy->rowCount() > 0 &&
            (m_proxy->index(0, c).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
        rule += right ? QStringLiteral("---:|") : QStringLiteral("---|");
    }
    out += QLatin1Char('\n') + rule + QLatin1Char('\n');
    for (int row : copiedRows()) {
        out += QLatin1Char('|');
        for (int c = 0; c < m_proxy->columnCount(); ++c) {
            out += QStringLiteral(" %1 |").arg(escaped(m_proxy->index(row, c).data().toString()));
        }
        out += QLatin1Char('\n');
    }
    return out;
}

QString DataTable::toCsv(Rows rows) const {
    const auto quoted = [](const QString& text) {
        bool isNumber = false;
        (void)text.toDouble(&isNumber);
        return isNumber ? text
                        : QString::fromStdString(profiler::text::csvText(text.toStdString()));
    };
    QString out;
    const int columns = m_proxy->columnCount();
    for (int c = 0; c < columns; ++c) {
        out += quoted(m_proxy->headerData(c, Qt::Horizontal).toString()) +
               (c + 1 < columns ? QStringLiteral(",") : QStringLiteral("\r\n"));
    }
    for (int row : copiedRows(rows)) {
        for (int c = 0; c < columns; ++c) {
            out += quoted(m_proxy->index(row, c).data().toString()) +
                   (c + 1 < columns ? QStringLiteral(",") : QStringLiteral("\r\n"));
        }
    }
    return out;
}

QString DataTable::toTsv(Rows rows) const {
    const auto plain = [](QString text) {
        return text.replace(QLatin1Char('\t'), QLatin1Char(' '))
            .replace(QLatin1Char('\n'), QLatin1Char(' '));
    };
    QString out;
    const int columns = m_proxy->columnCount();
    const auto end = [columns](int c) { return QLatin1Char(c + 1 < columns ? '\t' : '\n'); };
    for (int c = 0; c < columns; ++c)
        out += plain(m_proxy->headerData(c, Qt::Horizontal).toString()) + end(c);
    for (int row : copiedRows(rows))
        for (int c = 0; c < columns; ++c)
            out += plain(m_proxy->index(row, c).data().toString()) + end(c);
    return out;
}

QString DataTable::currentCellText() const {
    return currentIndex().data().toString();
}

int DataTable::shownRows() const {
    return m_proxy->rowCount();
}

void DataTable::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy as Markdown"), this,
                   [this] { QApplication::clipboard()->setText(toMarkdown()); });
    menu.addAction(tr("Copy as CSV"), this,
                   [this] { QApplication::clipboard()->setText(toCsv()); });
    menu.addAction(tr("Copy as TSV"), this,
                   [this] { QApplication::clipboard()->setText(toTsv()); });
    menu.addAction(tr("Copy cell"), this,
                   [this] { QApplication::clipboard()->setText(currentCellText()); })
        ->setEnabled(currentIndex().isValid());
    for (QAction* action : actions()) menu.addAction(action);
    menu.exec(event->globalPos());
}

void DataTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(toMarkdown());
        return;
    }
    QTableView::keyPressEvent(event);
}

}  // namespace lanescope::app

#pragma once
// A table people can work with: sorts by any column, filters by text, copies as Markdown or CSV.
// Cells come from any item model; numbers sort as numbers when the model gives them under
// kSortRole.

#include <QAbstractTableModel>
#include <QTableView>
#include <QVariant>
#include <vector>

class QSortFilterProxyModel;

namespace lanescope::app {

/// Role under which a model gives the value to sort by.
inline constexpr int kSortRole = Qt::UserRole + 1;
/// Role under which a model gives an id of the row.
inline constexpr int kIdRole = Qt::UserRole + 2;

/// One cell: what is shown, what is sorted by, how it is aligned.
struct Cell {
    QString text;
    QVariant sortBy;  ///< empty: the text
    QString toolTip;
    QVariant foreground;  ///< QColor or empty
    QVariant decoration;  ///< QColor or QIcon, or empty
    bool rightAligned = false;
    bool bold = false;
};

Cell textCell(const QString& text);
/// Right-aligned and sorted by its value, however it is written.
Cell numberCell(const QString& text, const QVariant& value, const QString& toolTip = {});

/// Rows of cells as an item model; replaced as a whole.
class CellModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    using QAbstractTableModel::QAbstractTableModel;

    void setHeaders(QStringList headers, QStringList toolTips = {});
    /// ids: one a row (kIdRole), may be empty.
    void setRows(std::vector<std::vector<Cell>> rows, std::vector<QVariant> ids = {});

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    QStringList m_headers, m_headerTips;
    std::vector<std::vector<Cell>> m_rows;
    std::vector<QVariant> m_ids;
};

class DataTable : public QTableView {
    Q_OBJECT
  public:
    explicit DataTable(QWidget* parent = nullptr);

    /// The table sorts and filters through a proxy of its own; the model is not owned.
    void setSource(QAbstractItemModel* model);
    void setFilterText(const QString& text);
    /// kIdRole of the selected rows, in view order.
    [[nodiscard]] QVariantList selectedIds() const;
    void selectId(const QVariant& id);

    /// Which rows are copied. Fitting: the selected ones, or all when fewer than two are selected.
    enum class Rows : std::uint8_t { Fitting, Selected, All };
    [[nodiscard]] QString toMarkdown() const;
    [[nodiscard]] QString toCsv(Rows rows = Rows::Fitting) const;
    [[nodiscard]] QString toTsv(Rows rows = Rows::Fitting) const;
    /// Of the cell with focus; empty: none.
    [[nodiscard]] QString currentCellText() const;
    /// Rows that pass the filter.
    [[nodiscard]] int shownRows() const;

  signals:
    void activatedId(const QVariant& id);
    void selectedIdsChanged();

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] std::vector<int> copiedRows(Rows which = Rows::Fitting) const;
    QSortFilterProxyModel* m_proxy;
};

}  // namespace lanescope::app

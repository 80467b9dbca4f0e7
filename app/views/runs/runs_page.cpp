#include "app/views/runs/runs_page.h"

#include <QDateTime>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/report/report_dialog.h"
#include "app/theme/theme.h"
#include "app/views/runs/compare_view.h"
#include "app/widgets/data_table.h"

namespace lanescope::app {

namespace {

QString statusText(trace::RunStatus status) {
    switch (status) {
        case trace::RunStatus::Running:
            return RunsPage::tr("running");
        case trace::RunStatus::Finished:
            return RunsPage::tr("finished");
        case trace::RunStatus::Cancelled:
            return RunsPage::tr("cancelled");
        case trace::RunStatus::Failed:
            return RunsPage::tr("failed");
        case trace::RunStatus::Interrupted:
            return RunsPage::tr("interrupted");
    }
    return {};
}

QString reason(const Error& error) {
    return QString::fromStdString(error.toString());
}

Cell cell(const QString& text, const QVariant& sortBy = {}, bool right = false) {
    Cell c;
    c.text = text;
    c.sortBy = sortBy;
    c.rightAligned = right;
    c.toolTip = right ? QString() : text;
    return c;
}

}  // namespace

RunsPage::RunsPage(std::shared_ptr<profiler::RunStore> store, QWidget* parent)
    : QWidget(parent),
      m_store(std::move(store)),
      m_model(new CellModel(this)),
      m_table(new DataTable),
      m_compare(new CompareView),
      m_filter(new QLineEdit),
      m_message(new QLabel),
      m_empty(new QLabel),
      m_open(new QPushButton),
      m_compareButton(new QPushButton),
      m_rename(new QPushButton),
      m_export(new QPushButton),
      m_save(new QPushButton),
      m_import(new QPushButton),
      m_delete(new QPushButton),
      m_undo(new QPushButton) {
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    bar->setSpacing(kSpaceS);
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(120);
    m_filter->setMaximumWidth(240);
    bar->addWidget(m_filter, 1);
    for (QPushButton* button :
         {m_open, m_compareButton, m_rename, m_export, m_save, m_import, m_delete})
        bar->addWidget(button);
    bar->addStretch(1);
    auto* messageRow = new QHBoxLayout;
    messageRow->setContentsMargins(kSpace, 0, kSpace, kSpaceS);
    m_message->setWordWrap(true);
    messageRow->addWidget(m_message, 1);
    messageRow->addWidget(m_undo);
    m_message->hide();
    m_undo->hide();
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(kSpaceXl);

    auto* list = new QWidget;
    auto* listLayout = new QVBoxLayout(list);
    listLayout->setContentsMargins(0, 0, 0, 0);
    listLayout->addWidget(m_table, 1);
    listLayout->addWidget(m_empty, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(list);
    splitter->addWidget(m_compare);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addLayout(messageRow);
    layout->addWidget(splitter, 1);

    m_table->setSource(m_model);
    connect(m_filter, &QLineEdit::textChanged, m_table, &DataTable::setFilterText);
    connect(m_table, &DataTable::activatedId, this,
            [this](const QVariant& id) { emit openRunRequested(id.toString()); });
    connect(m_table, &DataTable::selectedIdsChanged, this, &RunsPage::updateButtons);
    connect(m_open, &QPushButton::clicked, this, &RunsPage::openSelected);
    connect(m_compareButton, &QPushButton::clicked, this, &RunsPage::compareSelected);
    connect(m_rename, &QPushButton::clicked, this, &RunsPage::renameSelected);
    connect(m_export, &QPushButton::clicked, this, &RunsPage::exportSelected);
    connect(m_save, &QPushButton::clicked, this, &RunsPage::saveSelectedAs);
    connect(m_import, &QPushButton::clicked, this, &RunsPage::importRun);
    connect(m_delete, &QPushButton::clicked, this, &RunsPage::deleteSelected);
    connect(m_undo, &QPushButton::clicked, this, &RunsPage::undoDelete);
    retranslate();
    refresh();
}

void RunsPage::setStoreError(const QString& error) {
    m_storeError = error;
    refresh();
}

void RunsPage::retranslate() {
    m_filter->setPlaceholderText(tr("Filter runs"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_open->setText(tr("Open"));
    m_compareButton->setText(tr("Compare"));
    m_compareButton->setToolTip(tr("Select two runs: the older one is the \"before\""));
    m_rename->setText(tr("Rename…"));
    m_export->setText(tr("Export report…"));
    m_save->setText(tr("Save as file…"));
    m_save->setToolTip(
        tr("Saves the run as one .lanescope file that can be opened on another machine"));
    m_import->setText(tr("Import file…"));
    m_delete->setText(tr("Delete"));
    m_undo->setText(tr("Undo"));
    m_table->setAccessibleName(tr("Stored runs"));
    m_model->setHeaders({tr("Started"), tr("Name"), tr("Status"), tr("Lanes"), tr("Requests"),
                         tr("Settings"), tr("Id")});
}

void RunsPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refresh();
    }
    QWidget::changeEvent(event);
}

void RunsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void RunsPage::showMessage(const QString& text, bool isError) {
    m_message->setText(text);
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::WindowText, isError ? themeColors().bad : themeColors().text);
    m_message->setPalette(palette);
    m_message->setVisible(!text.isEmpty());
}

void RunsPage::refresh() {
    std::vector<std::vector<Cell>> rows;
    std::vector<QVariant> ids;
    QString empty = tr("No runs yet. Every run is kept here: run the lanes on the Play page.");
    if (!m_store) {
        empty = m_storeError.isEmpty() ? tr("Runs are not stored in this session.") : m_storeError;
    } else if (auto list = m_store->list(); !list) {
        empty = reason(list.error());
    } else {
        for (const auto& run : *list) {
            const QDateTime started = QDateTime::fromMSecsSinceEpoch(run.startedUnixMs);
            rows.push_back({cell(started.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                                 QVariant::fromValue<qlonglong>(run.startedUnixMs)),
                            cell(QString::fromStdString(run.name)), cell(statusText(run.status)),
                            cell(QString::number(run.nLanes), run.nLanes, true),
                            cell(QString::number(run.nRequests), run.nRequests, true),
                            cell(QString::fromStdString(run.lanes)),
                            cell(QString::fromStdString(run.id).left(8))});
            ids.emplace_back(QString::fromStdString(run.id));
        }
    }
    const bool any = !rows.empty();
    const bool grew = m_model->rowCount() == 0 && any;
    m_model->setRows(std::move(rows), std::move(ids));
    if (grew) {
        m_table->resizeColumnsToContents();
        m_table->setColumnWidth(5, std::min(m_table->columnWidth(5), 420));
    }
    m_table->setVisible(any);
    m_empty->setVisible(!any);
    m_empty->setText(empty);
    m_compare->setVisible(any);
    updateButtons();
}

QStringList RunsPage::selected() const {
    QStringList ids;
    for (const auto& id : m_table->selectedIds()) ids << id.toString();
    return ids;
}

void RunsPage::updateButtons() {
    const auto n = selected().size();
    m_open->setEnabled(n == 1);
    m_compareButton->setEnabled(n == 2);
    m_rename->setEnabled(n == 1);
    m_export->setEnabled(n == 1);
    m_save->setEnabled(n == 1);
    m_delete->setEnabled(n >= 1);
    m_import->setEnabled(m_store != nullptr);
}

void RunsPage::openSelected() {
    const auto ids = selected();
    if (ids.size() == 1) emit openRunRequested(ids.front());
}

void RunsPage::compareSelected() {
    const auto ids = selected();
    if (ids.size() != 2 || !m_store) return;
    auto a = m_store->load(ids[0].toStdString());
    auto b = m_store->load(ids[1].toStdString());
    if (!a || !b) {
        showMessage(reason(!a ? a.error() : b.error()), true);
        return;
    }
    profiler::RunSnapshot before = *a, after = *b;
    if (before->header.startedUnixMs > after->header.startedUnixMs) std::swap(before, after);
    m_compare->setRuns(before, after);
    emit compareRequested(QString::fromStdString(before->header.id),
                          QString::fromStdString(after->header.id));
}

void RunsPage::renameSelected() {
    const auto ids = selected();
    if (ids.size() != 1 || !m_store) return;
    auto run = m_store->load(ids[0].toStdString());
    bool ok = false;
    const QString name =
        QInputDialog::getText(this, tr("Rename run"), tr("Name"), QLineEdit::Normal,
                              run ? QString::fromStdString((*run)->header.name) : QString(), &ok);
    if (!ok || name.trimmed().isEmpty()) return;
    auto done = m_store->rename(ids[0].toStdString(), name.trimmed().toStdString());
    showMessage(done ? QString() : reason(done.error()), true);
    refresh();
}

void RunsPage::deleteSelected() {
    const auto ids = selected();
    if (ids.isEmpty() || !m_store) return;
    m_deleted.clear();
    QString problem;
    for (const auto& id : ids) {
        auto run = m_store->load(id.toStdString());
        if (run) m_deleted.push_back(*run);
        if (auto done = m_store->remove(id.toStdString()); !done) problem = reason(done.error());
    }
    showMessage(problem.isEmpty() ? tr("%n run(s) deleted.", nullptr, static_cast<int>(ids.size()))
                                  : problem,
                !problem.isEmpty());
    m_undo->setVisible(!m_deleted.empty());
    m_compare->setRuns(nullptr, nullptr);
    refresh();
}

void RunsPage::undoDelete() {
    QString problem;
    for (const auto& run : m_deleted) {
        if (auto done = m_store->save(*run); !done) problem = reason(done.error());
    }
    m_deleted.clear();
    m_undo->hide();
    showMessage(problem, true);
    refresh();
}

void RunsPage::exportSelected() {
    const auto ids = selected();
    if (ids.size() != 1 || !m_store) return;
    auto run = m_store->load(ids[0].toStdString());
    if (!run) {
        showMessage(reason(run.error()), true);
        return;
    }
    showExportDialog(*run, this);
}

void RunsPage::saveSelectedAs() {
    const auto ids = selected();
    if (ids.size() != 1 || !m_store) return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save run"), QStringLiteral("run-%1.lanescope").arg(ids[0].left(8)),
        tr("Lanescope runs (*.lanescope)"));
    if (path.isEmpty()) return;
    auto done = m_store->exportRun(ids[0].toStdString(), path.toStdString());
    showMessage(done ? tr("Saved to %1").arg(path) : reason(done.error()), !done.ok());
}

void RunsPage::importRun() {
    if (!m_store) return;
    const QString path = QFileDialog::getOpenFileName(this, tr("Import run"), QString(),
                                                      tr("Lanescope runs (*.lanescope)"));
    if (path.isEmpty()) return;
    auto id = m_store->importRun(path.toStdString());
    showMessage(
        id ? tr("Imported as %1").arg(QString::fromStdString(*id).left(8)) : reason(id.error()),
        !id.ok());
    refresh();
}

}  // namespace lanescope::app

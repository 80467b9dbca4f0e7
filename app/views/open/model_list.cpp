#include "app/views/open/model_list.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/models/number_text.h"
#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kModelRole = Qt::UserRole;
constexpr int kFolderRole = Qt::UserRole + 1;
enum Column { kName, kSize, kArchitecture, kType, kColumns };
}  // namespace

ModelList::ModelList(ModelLibrary* library, QWidget* parent)
    : QWidget(parent),
      m_library(library),
      m_tree(new QTreeWidget(this)),
      m_filter(new QLineEdit(this)),
      m_add(new QPushButton(tr("Search a folder…"), this)),
      m_again(new QPushButton(tr("Search again"), this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_progress(new QLabel(this)) {
    m_filter->setPlaceholderText(tr("Filter models"));
    m_filter->setAccessibleName(tr("Filter models"));
    m_filter->setClearButtonEnabled(true);
    m_tree->setAccessibleName(tr("Models on this machine"));
    m_tree->setColumnCount(kColumns);
    m_tree->setHeaderLabels({tr("Model"), tr("Size"), tr("Architecture"), tr("Type")});
    m_tree->headerItem()->setToolTip(kType, tr("Tensor type that holds most bytes"));
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(kSpaceL);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(kName, QHeaderView::Stretch);
    for (const int column : {kSize, kArchitecture, kType})
        m_tree->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_add->setToolTip(tr("Finds the models in a folder and all folders in it; it is remembered"));
    m_again->setToolTip(tr("Searches the remembered folders again"));
    m_stop->setToolTip(tr("Keeps what was found until now"));
    m_progress->setForegroundRole(QPalette::PlaceholderText);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kSpaceS);
    buttons->addWidget(m_add);
    buttons->addWidget(m_again);
    buttons->addWidget(m_stop);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpaceS);
    layout->addWidget(m_filter);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_progress);
    layout->addLayout(buttons);

    connect(m_filter, &QLineEdit::textChanged, this, &ModelList::applyFilter);
    connect(m_add, &QPushButton::clicked, this, &ModelList::addFolder);
    connect(m_again, &QPushButton::clicked, m_library, &ModelLibrary::scan);
    connect(m_stop, &QPushButton::clicked, m_library, &ModelLibrary::cancel);
    connect(m_library, &ModelLibrary::changed, this, &ModelList::refresh);
    connect(m_library, &ModelLibrary::finished, this, &ModelList::refresh);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (m_filling || item == nullptr) return;
        const QString model = item->data(kName, kModelRole).toString();
        if (model.isEmpty()) return;
        m_current = model;
        emit chosen(model);
    });
    connect(m_tree, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        const QString model = item->data(kName, kModelRole).toString();
        if (!model.isEmpty()) emit activated(model);
    });
    connect(m_tree, &QWidget::customContextMenuRequested, this, &ModelList::showMenu);
    auto* forget = new QShortcut(QKeySequence::Delete, m_tree);
    forget->setContext(Qt::WidgetShortcut);
    connect(forget, &QShortcut::activated, this, &ModelList::forgetFolder);
    refresh();
    if (!m_library->scanned() && !ModelLibrary::folders().isEmpty()) m_library->scan();
}

QTreeWidgetItem* ModelList::addGroup(const QString& title, const QString& toolTip) {
    auto* group = new QTreeWidgetItem(m_tree, {title});
    group->setFirstColumnSpanned(true);
    group->setFont(kName, uiFont(0, true));
    group->setToolTip(kName, toolTip);
    group->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    group->setExpanded(true);
    return group;
}

void ModelList::addModel(QTreeWidgetItem* group, const FoundModel& model) {
    auto* item = new QTreeWidgetItem(group);
    item->setText(kName, model.title);
    item->setData(kName, kModelRole, model.model);
    item->setToolTip(
        kName, model.error.isEmpty() ? model.model : model.model + QLatin1Char('\n') + model.error);
    if (model.bytes > 0) item->setText(kSize, bytesText(model.bytes));
    item->setTextAlignment(kSize, Qt::AlignRight | Qt::AlignVCenter);
    item->setText(kArchitecture, model.architecture);
    item->setText(kType, model.type);
    if (!model.error.isEmpty()) {
        item->setText(kArchitecture, tr("cannot be read"));
        for (int column = 0; column < kColumns; ++column)
            item->setForeground(column, themeColors().textFaint);
        item->setIcon(kName, themeIcon(QStringLiteral("error"), themeColors().bad));
    }
    if (model.model == m_current) m_tree->setCurrentItem(item);
}

void ModelList::refresh() {
    m_filling = true;
    m_tree->clear();
    const auto fill = [this](QTreeWidgetItem* group, const std::vector<FoundModel>& models,
                             const QString& none) {
        for (const FoundModel& model : models) addModel(group, model);
        if (!models.empty()) return;
        auto* item = new QTreeWidgetItem(group, {none});
        item->setFirstColumnSpanned(true);
        item->setFlags(Qt::NoItemFlags);
    };
    fill(addGroup(tr("Recent"), tr("Files that were opened before")), m_library->recent(),
         tr("nothing yet"));
    fill(
        addGroup(tr("Models of the cache folder"), tr("Known models that ./dev models puts there")),
        m_library->known(), tr("none there: ./dev models fetches SmolLM2 135M"));
    for (const QString& folder : ModelLibrary::folders()) {
        auto* group =
            addGroup(folder, folder + QLatin1Char('\n') + tr("Delete: forget this folder"));
        group->setData(kName, kFolderRole, folder);
        std::vector<FoundModel> inside;
        const QString prefix =
            folder.endsWith(QLatin1Char('/')) ? folder : folder + QLatin1Char('/');
        for (const FoundModel& model : m_library->found())
            if (model.model == folder || model.model.startsWith(prefix)) inside.push_back(model);
        fill(group, inside,
             m_library->scanning()  ? tr("searching…")
             : m_library->scanned() ? tr("no models found")
                                    : tr("not searched yet"));
    }
    const bool scanning = m_library->scanning();
    m_stop->setVisible(scanning);
    m_again->setVisible(!scanning);
    m_again->setEnabled(!ModelLibrary::folders().isEmpty());
    const auto found = static_cast<int>(m_library->found().size());
    if (scanning)
        m_progress->setText(
            tr("Searching: %1 files seen, %2 models found").arg(m_library->filesSeen()).arg(found));
    else if (m_library->scanned() && !ModelLibrary::folders().isEmpty())
        m_progress->setText(tr("%n model(s) found in the folders", nullptr, found));
    else
        m_progress->clear();
    m_progress->setVisible(!m_progress->text().isEmpty());
    m_filling = false;
    applyFilter();
}

void ModelList::applyFilter() {
    const QString wanted = m_filter->text().trimmed();
    for (int g = 0; g < m_tree->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = m_tree->topLevelItem(g);
        int shown = 0;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* item = group->child(i);
            bool matches = wanted.isEmpty();
            for (int column = 0; column < kColumns && !matches; ++column)
                matches = item->text(column).contains(wanted, Qt::CaseInsensitive);
            item->setHidden(!matches);
            shown += matches ? 1 : 0;
        }
        group->setHidden(shown == 0);
    }
}

void ModelList::select(const QString& model) {
    m_current = model;
    m_filling = true;
    QTreeWidgetItem* match = nullptr;
    for (int g = 0; g < m_tree->topLevelItemCount() && match == nullptr; ++g)
        for (int i = 0; i < m_tree->topLevelItem(g)->childCount() && match == nullptr; ++i)
            if (m_tree->topLevelItem(g)->child(i)->data(kName, kModelRole) == model)
                match = m_tree->topLevelItem(g)->child(i);
    m_tree->setCurrentItem(match);
    m_filling = false;
}

void ModelList::addFolder() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Search a folder for models"));
    if (!folder.isEmpty()) m_library->addFolder(folder);
}

void ModelList::forgetFolder() {
    const QTreeWidgetItem* item = m_tree->currentItem();
    if (item == nullptr) return;
    const QString folder = item->data(kName, kFolderRole).toString();
    if (!folder.isEmpty()) m_library->removeFolder(folder);
}

void ModelList::showMenu(const QPoint& place) {
    QTreeWidgetItem* item = m_tree->itemAt(place);
    if (item == nullptr) return;
    m_tree->setCurrentItem(item);
    if (item->data(kName, kFolderRole).toString().isEmpty()) return;
    QMenu menu(this);
    menu.addAction(tr("Forget this folder"), this, &ModelList::forgetFolder);
    menu.exec(m_tree->viewport()->mapToGlobal(place));
}

}  // namespace lanescope::app

#include "app/views/play/start_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/widgets/error_banner.h"
#include "engine/lane/run.h"

namespace lanescope::app {

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), m_models(new QListWidget(this)), m_error(new ErrorBanner(this)) {
    auto* title = new QLabel(tr("Compare what makes a model cheaper"), this);
    title->setFont(uiFont(6, true));
    auto* text = new QLabel(
        tr("A lane is one model with one set of settings. Choose a model to start with; two lanes "
           "are made from it, and every prompt runs through both."),
        this);
    text->setWordWrap(true);
    auto* open = new QPushButton(tr("Open a model…"), this);
    open->setObjectName(QStringLiteral("openModel"));
    open->setIcon(themeIcon(QStringLiteral("model")));
    open->setToolTip(
        tr("Choose a file, a folder or a model that was found, and see what it is and "
           "needs before it is loaded (Ctrl+O)"));
    open->setDefault(true);
    auto* drop = new QLabel(
        tr("or drop a .gguf file, a folder with config.json, a plan or a stored run here"), this);
    drop->setForegroundRole(QPalette::PlaceholderText);
    auto* known = new QLabel(tr("Models on this machine"), this);
    known->setFont(uiFont(0, true));
    m_models->setAccessibleName(tr("Models on this machine"));
    m_models->setMaximumHeight(180);
    auto* hint = new QLabel(
        tr("No model yet? <code>./dev models</code> in the source folder puts SmolLM2 135M "
           "(98 MB, Apache-2.0) in the cache folder; it appears here by itself."),
        this);
    hint->setWordWrap(true);
    hint->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* panel = new QWidget(this);
    panel->setMaximumWidth(640);
    auto* column = new QVBoxLayout(panel);
    column->setSpacing(kSpaceL);
    column->addWidget(title);
    column->addWidget(text);
    column->addWidget(m_error);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addStretch();
    column->addLayout(buttons);
    column->addWidget(drop);
    column->addWidget(known);
    column->addWidget(m_models);
    column->addWidget(hint);
    auto* center = new QHBoxLayout;
    center->addStretch(1);
    center->addWidget(panel, 8);
    center->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(center);
    layout->addStretch(2);

    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    const auto choose = [this](QListWidgetItem* item) {
        if (item != nullptr) emit modelChosen(item->data(Qt::UserRole).toString());
    };
    connect(m_models, &QListWidget::itemActivated, this, choose);
    connect(m_models, &QListWidget::itemClicked, this, choose);
    refresh();
}

void StartPage::refresh() {
    m_models->clear();
    const auto add = [this](const QString& title, const QString& model) {
        auto* item = new QListWidgetItem(themeIcon(QStringLiteral("model")), title, m_models);
        item->setData(Qt::UserRole, model);
        item->setToolTip(model);
    };
    for (const auto& [name, path] : ModelStore::knownModels())
        if (!path.empty()) add(QString::fromStdString(name), QString::fromStdString(name));
    for (const QString& path : QSettings().value(QStringLiteral("recent/models")).toStringList())
        if (QFileInfo::exists(path)) add(path, path);
    if (m_models->count() == 0) {
        auto* none = new QListWidgetItem(tr("none found"), m_models);
        none->setFlags(Qt::NoItemFlags);
    }
}

void StartPage::setError(const QString& message, const QString& details) {
    m_error->setError(message, details);
}

}  // namespace lanescope::app

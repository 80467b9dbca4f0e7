#include "app/views/open/open_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/views/open/model_card.h"
#include "app/views/open/model_list.h"

namespace lanescope::app {

namespace {
constexpr int kTypingMs = 250;
const QString kSplitKey = QStringLiteral("open/split");
const QString kSizeKey = QStringLiteral("open/size");
const QString kLastFolderKey = QStringLiteral("open/lastFolder");
}  // namespace

OpenDialog::OpenDialog(ModelLibrary* library, const PlanDocument* document, QWidget* parent)
    : QDialog(parent),
      m_field(new QLineEdit(this)),
      m_list(new ModelList(library, this)),
      m_card(new ModelCard(this)),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_into(new QComboBox(this)),
      m_open(new QPushButton(tr("Open"), this)) {
    setWindowTitle(tr("Open a model"));
    setSizeGripEnabled(true);
    buildLayout(document->laneCount() > 0, document->canAddLane());
    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingMs);
    connect(&m_typing, &QTimer::timeout, this, &OpenDialog::inspectNow);
    connect(m_field, &QLineEdit::textChanged, this, [this] {
        m_openWhenRead = false;
        m_typing.start();
        updateButtons();
    });
    connect(m_field, &QLineEdit::returnPressed, this, [this] {
        if (m_open->isEnabled()) return;  // the default button takes it
        inspectNow();
        m_openWhenRead = true;
        updateButtons();
    });
    connect(m_list, &ModelList::chosen, this, [this](const QString& model) {
        m_field->setText(model);
        inspectNow();
    });
    connect(m_list, &ModelList::activated, this, [this](const QString& model) {
        setModel(model);
        m_openWhenRead = true;
        updateButtons();
    });
    connect(m_card, &ModelCard::inspected, this, &OpenDialog::updateButtons);
    connect(m_open, &QPushButton::clicked, this, &QDialog::accept);
    updateButtons();
}

void OpenDialog::buildLayout(bool hasLanes, bool canAdd) {
    m_field->setPlaceholderText(
        tr("a .gguf or .safetensors file, a model folder, a known name, or synthetic:CONFIG.json"));
    m_field->setAccessibleName(tr("Model"));
    m_field->setClearButtonEnabled(true);
    auto* file = new QPushButton(tr("&File…"), this);
    auto* folder = new QPushButton(tr("F&older…"), this);
    file->setToolTip(tr("Choose a .gguf or .safetensors file"));
    folder->setToolTip(tr("Choose a folder with config.json"));
    connect(file, &QPushButton::clicked, this, &OpenDialog::chooseFile);
    connect(folder, &QPushButton::clicked, this, &OpenDialog::chooseFolder);
    auto* top = new QHBoxLayout;
    top->setSpacing(kSpaceS);
    auto* label = new QLabel(tr("&Model"), this);
    label->setBuddy(m_field);
    top->addWidget(label);
    top->addWidget(m_field, 1);
    top->addWidget(file);
    top->addWidget(folder);

    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_card);
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(scroll);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({430, 470});
    m_splitter->restoreState(QSettings().value(kSplitKey).toByteArray());

    using Into = OpenChoice::Into;
    m_into->setAccessibleName(tr("What to do with it"));
    if (!hasLanes) {
        m_into->addItem(tr("as two lanes to begin with"), static_cast<int>(Into::NewLane));
        m_into->setEnabled(false);
    } else {
        if (canAdd) m_into->addItem(tr("as one more lane"), static_cast<int>(Into::NewLane));
        m_into->addItem(tr("in all lanes, instead of their model"),
                        static_cast<int>(Into::AllLanes));
    }
    auto* cancel = new QPushButton(tr("Cancel"), this);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    m_open->setDefault(true);
    m_open->setIcon(themeIcon(QStringLiteral("model")));
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(kSpace);
    bottom->addStretch(1);
    bottom->addWidget(m_into);
    bottom->addWidget(m_open);
    bottom->addWidget(cancel);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpaceL, kSpaceL, kSpaceL, kSpace);
    layout->setSpacing(kSpace);
    layout->addLayout(top);
    layout->addWidget(m_splitter, 1);
    layout->addLayout(bottom);
    const QSize most =
        parentWidget() != nullptr ? parentWidget()->size() - QSize(48, 48) : QSize(960, 640);
    resize(QSettings().value(kSizeKey, QSize(960, 640)).toSize().boundedTo(most));
}

void OpenDialog::setModel(const QString& model) {
    m_field->setText(model);
    m_list->select(model);
    inspectNow();
}

OpenChoice OpenDialog::choice() const {
    OpenChoice choice;
    choice.into = static_cast<OpenChoice::Into>(m_into->currentData().toInt());
    choice.model = m_field->text().trimmed();
    choice.context = m_card->context();
    choice.kv = m_card->kv();
    return choice;
}

void OpenDialog::done(int result) {
    QSettings().setValue(kSplitKey, m_splitter->saveState());
    QSettings().setValue(kSizeKey, size());
    QDialog::done(result);
}

void OpenDialog::chooseFile() {
    const QString start = QSettings().value(kLastFolderKey).toString();
    QString path = QFileDialog::getOpenFileName(
        this, tr("Open a model"), start,
        tr("Checkpoints (*.gguf *.safetensors config.json);;All files (*)"));
    if (path.isEmpty()) return;
    QSettings().setValue(kLastFolderKey, QFileInfo(path).absolutePath());
    // A Hugging Face model is its folder.
    if (path.endsWith(QLatin1String("/config.json"))) path.chop(12);
    setModel(path);
}

void OpenDialog::chooseFolder() {
    const QString start = QSettings().value(kLastFolderKey).toString();
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open a model folder"), start);
    if (path.isEmpty()) return;
    QSettings().setValue(kLastFolderKey, QFileInfo(path).absolutePath());
    setModel(path);
}

void OpenDialog::inspectNow() {
    m_typing.stop();
    const QString model = m_field->text().trimmed();
    if (model == m_shown) {
        updateButtons();
        return;
    }
    m_shown = model;
    m_card->inspect(model);
    updateButtons();
}

void OpenDialog::updateButtons() {
    const QString model = m_field->text().trimmed();
    const auto& inspection = m_card->inspection();
    const bool current = model == m_shown && inspection != nullptr;
    const bool usable = current && inspection->usable();
    m_open->setEnabled(usable);
    m_open->setToolTip(model.isEmpty() ? tr("Choose a model first")
                       : !current      ? tr("Reading…")
                       : usable        ? tr("Open the model in the lanes")
                                       : tr("This model cannot run: see the message above"));
    if (m_openWhenRead && current) {
        m_openWhenRead = false;
        if (usable) accept();
    }
}

}  // namespace lanescope::app

#include "app/views/play/prompt_bar.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <QWidgetAction>
#include <algorithm>

#include "app/theme/theme.h"
#include "app/views/play/sampling_panel.h"
#include "engine/base/mapped_file.h"

namespace lanescope::app {

namespace {

constexpr std::size_t kMaxPromptBytes = 8U << 20U;
const QString kSystemOpenKey = QStringLiteral("play/systemOpen");

QString tokensText(const std::vector<TokenId>& tokens) {
    QStringList parts;
    for (TokenId token : tokens) parts << QString::number(token);
    return parts.join(QStringLiteral(", "));
}

std::vector<TokenId> parseTokens(const QString& text) {
    std::vector<TokenId> tokens;
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool ok = false;
        const int id = part.trimmed().toInt(&ok);
        if (ok) tokens.push_back(id);
    }
    return tokens;
}

bool isTextFile(const QString& path) {
    static const QStringList kSuffixes{
        QStringLiteral("txt"), QStringLiteral("md"), QStringLiteral("py"),  QStringLiteral("cpp"),
        QStringLiteral("h"),   QStringLiteral("c"),  QStringLiteral("csv"), QStringLiteral("log"),
        QStringLiteral("rst"), QStringLiteral("tex")};
    const QFileInfo file(path);
    return file.isFile() &&
           (file.suffix().isEmpty() || kSuffixes.contains(file.suffix().toLower()));
}

}  // namespace

PromptBar::PromptBar(PlanDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_systemToggle(new QToolButton(this)),
      m_system(new QLineEdit(this)),
      m_text(new QPlainTextEdit(this)),
      m_which(new QComboBox(this)),
      m_mode(new QComboBox(this)),
      m_maxTokens(new QSpinBox(this)),
      m_temperature(new QDoubleSpinBox(this)),
      m_seed(new QSpinBox(this)),
      m_more(new QToolButton(this)),
      m_panel(new SamplingPanel),
      m_run(new QPushButton(this)) {
    buildLayout();
    load();
    const auto changed = [this] { store(); };
    connect(m_document, &PlanDocument::promptChanged, this, &PromptBar::load);
    connect(m_document, &PlanDocument::lanesChanged, this, &PromptBar::refreshRun);
    connect(m_system, &QLineEdit::textChanged, this, changed);
    connect(m_text, &QPlainTextEdit::textChanged, this, changed);
    connect(m_mode, &QComboBox::currentIndexChanged, this, changed);
    connect(m_which, &QComboBox::currentIndexChanged, this, &PromptBar::loadPrompt);
    connect(m_maxTokens, &QSpinBox::valueChanged, this, changed);
    connect(m_seed, &QSpinBox::valueChanged, this, changed);
    connect(m_temperature, &QDoubleSpinBox::valueChanged, this, changed);
    connect(m_panel, &SamplingPanel::changed, this, changed);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_running)
            emit stopRequested();
        else
            emit runRequested();
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &PromptBar::refreshRun);
    refreshRun();
}

void PromptBar::buildLayout() {
    m_systemToggle->setText(tr("System"));
    m_systemToggle->setToolTip(tr("System message of a chat"));
    m_systemToggle->setCheckable(true);
    m_systemToggle->setAutoRaise(true);
    m_systemToggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_system->setPlaceholderText(tr("System message (empty: none)"));
    m_system->setAccessibleName(tr("System message"));
    m_text->setPlaceholderText(tr("Prompt. Drop a text file here to use its text."));
    m_text->setAccessibleName(tr("Prompt"));
    m_text->setTabChangesFocus(true);
    m_text->setFixedHeight(64);
    m_text->installEventFilter(this);
    m_text->viewport()->installEventFilter(this);
    m_mode->addItem(tr("Chat"), static_cast<int>(PromptKind::Chat));
    m_mode->addItem(tr("Raw text"), static_cast<int>(PromptKind::Text));
    m_mode->addItem(tr("File"), static_cast<int>(PromptKind::File));
    m_mode->addItem(tr("Token ids"), static_cast<int>(PromptKind::Tokens));
    m_mode->setToolTip(tr("Chat: through the model's template. Raw text: as it is."));
    m_mode->setAccessibleName(tr("Prompt mode"));
    m_which->setAccessibleName(tr("Prompt edited"));
    m_maxTokens->setRange(1, 1 << 20);
    m_temperature->setLocale(QLocale::c());
    m_temperature->setRange(0.0, 5.0);
    m_temperature->setSingleStep(0.1);
    m_temperature->setDecimals(2);
    m_temperature->setToolTip(tr("0: greedy, always the most probable token"));
    m_seed->setRange(0, 2147483647);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setToolTip(tr("More sampling settings, repetitions, warm-up"));
    m_more->setAccessibleName(tr("More settings"));
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* menu = new QMenu(this);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(m_panel);
    menu->addAction(action);
    m_more->setMenu(menu);
    m_run->setMinimumWidth(104);
    m_run->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    m_run->setObjectName(QStringLiteral("runButton"));

    auto* left = new QVBoxLayout;
    left->setSpacing(kSpaceS);
    left->addWidget(m_system);
    left->addWidget(m_text);
    left->addStretch();
    auto* modes = new QVBoxLayout;
    modes->setSpacing(kSpaceS);
    modes->addWidget(m_mode);
    modes->addWidget(m_systemToggle);
    modes->addWidget(m_which);
    modes->addStretch();

    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(kSpace);
    grid->setVerticalSpacing(kSpaceS);
    const auto field = [this, grid](int row, int column, const QString& text, QWidget* widget) {
        auto* label = new QLabel(text, this);
        label->setBuddy(widget);
        grid->addWidget(label, row, column);
        grid->addWidget(widget, row, column + 1);
    };
    field(0, 0, tr("Ma&x tokens"), m_maxTokens);
    field(1, 0, tr("Temperatu&re"), m_temperature);
    field(0, 2, tr("S&eed"), m_seed);
    grid->addWidget(m_more, 1, 2, 1, 2);
    grid->setRowStretch(2, 1);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    layout->setSpacing(kSpace);
    layout->addLayout(modes);
    layout->addLayout(left, 1);
    layout->addLayout(grid);
    layout->addWidget(m_run);

    const bool open = QSettings().value(kSystemOpenKey, false).toBool();
    m_systemToggle->setChecked(open);
    m_system->setVisible(open);
    connect(m_systemToggle, &QToolButton::toggled, this, [this](bool on) {
        m_system->setVisible(on);
        QSettings().setValue(kSystemOpenKey, on);
        refreshRun();
        if (on) m_system->setFocus();
    });
}

void PromptBar::load() {
    m_loading = true;
    const Plan& plan = m_document->plan();
    const int count = static_cast<int>(plan.prompts.size());
    const int current = std::clamp(m_which->currentIndex(), 0, std::max(0, count - 1));
    m_which->clear();
    for (int i = 0; i < count; ++i) m_which->addItem(tr("Prompt %1 of %2").arg(i + 1).arg(count));
    m_which->setCurrentIndex(current);
    m_which->setVisible(count > 1);
    m_maxTokens->setValue(plan.sampling.maxTokens);
    m_temperature->setValue(static_cast<double>(plan.sampling.settings.temperature));
    m_seed->setValue(static_cast<int>(plan.sampling.settings.seed & 0x7FFFFFFFU));
    m_panel->setValues(plan.sampling, plan.warmup, plan.repetitions);
    m_loading = false;
    loadPrompt();
}

void PromptBar::loadPrompt() {
    if (m_loading) return;
    m_loading = true;
    const auto& prompts = m_document->plan().prompts;
    const int index = std::max(0, m_which->currentIndex());
    if (index < static_cast<int>(prompts.size())) {
        const PromptSpec& prompt = prompts[static_cast<std::size_t>(index)];
        m_mode->setCurrentIndex(std::max(0, m_mode->findData(static_cast<int>(prompt.kind))));
        const QString text = prompt.kind == PromptKind::Tokens
                                 ? tokensText(prompt.tokens)
                                 : QString::fromStdString(prompt.value);
        if (m_text->toPlainText() != text) m_text->setPlainText(text);
        m_system->setText(QString::fromStdString(prompt.system));
        if (!prompt.system.empty()) m_systemToggle->setChecked(true);
    }
    m_loading = false;
    refreshRun();
}

void PromptBar::store() {
    if (m_loading) return;
    PromptSpec prompt;
    prompt.kind = static_cast<PromptKind>(m_mode->currentData().toInt());
    if (prompt.kind == PromptKind::Tokens) {
        prompt.tokens = parseTokens(m_text->toPlainText());
    } else {
        prompt.value = m_text->toPlainText().toStdString();
        if (prompt.kind == PromptKind::File)
            prompt.value = QString::fromStdString(prompt.value).trimmed().toStdString();
    }
    if (prompt.kind == PromptKind::Chat) prompt.system = m_system->text().toStdString();
    m_document->setPrompt(std::max(0, m_which->currentIndex()), prompt);
    SamplingSpec sampling = m_document->plan().sampling;
    m_panel->apply(sampling);
    sampling.maxTokens = m_maxTokens->value();
    sampling.settings.temperature = static_cast<float>(m_temperature->value());
    sampling.settings.seed = static_cast<std::uint64_t>(m_seed->value());
    m_document->setSampling(sampling);
    m_document->setRepetitions(m_panel->warmup(), m_panel->repetitions());
    refreshRun();
}

void PromptBar::setRunning(bool running, bool cancelling) {
    m_running = running;
    m_cancelling = cancelling;
    refreshRun();
}

void PromptBar::refreshRun() {
    const ThemeColors& c = themeColors();
    const int set = m_panel->activeCount();
    m_more->setText(set > 0 ? tr("More (%1)").arg(set) : tr("More"));
    m_more->setIcon(themeIcon(QStringLiteral("more")));
    const bool chat = m_mode->currentData().toInt() == static_cast<int>(PromptKind::Chat);
    m_systemToggle->setEnabled(chat);
    m_system->setEnabled(chat);
    m_systemToggle->setIcon(themeIcon(m_systemToggle->isChecked()
                                          ? QStringLiteral("chevron-down")
                                          : QStringLiteral("chevron-right")));
    const auto& lanes = m_document->plan().lanes;
    const bool anyLane =
        std::any_of(lanes.begin(), lanes.end(), [](const LaneSpec& lane) { return !lane.muted; });
    const bool anyText = !m_text->toPlainText().trimmed().isEmpty();
    QString why;
    if (!anyLane)
        why = tr("Add or unmute a lane first");
    else if (!anyText)
        why = tr("Write a prompt first");
    m_run->setEnabled(m_running ? !m_cancelling : why.isEmpty());
    m_run->setToolTip(m_running       ? tr("Stop the run (Esc)")
                      : why.isEmpty() ? tr("Run the prompt through every lane (Ctrl+Enter)")
                                      : why);
    m_run->setText(m_running ? (m_cancelling ? tr("Stopping…") : tr("Stop")) : tr("Run"));
    const QColor back = m_running ? c.bad : c.accent;
    const QColor front = m_running && !c.dark ? QColor(Qt::white) : c.accentText;
    m_run->setIcon(themeIcon(m_running ? QStringLiteral("stop") : QStringLiteral("run"), front));
    m_run->setStyleSheet(
        QStringLiteral("#runButton { background: %1; color: %2; border: 1px solid %1; "
                       "border-radius: %3px; font-weight: bold; padding: 4px 12px; }"
                       "#runButton:hover { background: %4; }"
                       "#runButton:focus { border: 2px solid %5; }"
                       "#runButton:disabled { background: %6; color: %7; border-color: %6; }")
            .arg(back.name(), front.name())
            .arg(kRadius)
            .arg(blend(back, Qt::white, 0.12).name(), c.text.name(), c.border.name(),
                 c.textMuted.name()));
}

bool PromptBar::dropFile(const QString& path) {
    if (!isTextFile(path)) return false;
    const auto text = readTextFile(path.toStdString(), kMaxPromptBytes);
    if (!text) return false;
    m_text->setPlainText(QString::fromStdString(*text));
    return true;
}

bool PromptBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::DragEnter || event->type() == QEvent::Drop) {
        // Text files become the prompt; other files belong to the window.
        auto* drop = static_cast<QDropEvent*>(event);
        if (drop->mimeData()->hasUrls()) {
            const QString path = drop->mimeData()->urls().constFirst().toLocalFile();
            if (!isTextFile(path)) {
                event->ignore();
                return true;
            }
            drop->acceptProposedAction();
            if (event->type() == QEvent::Drop) dropFile(path);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace lanescope::app

#include "app/views/model/template_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QTextCursor>
#include <QVBoxLayout>
#include <algorithm>

#include "app/models/template_library.h"
#include "app/theme/theme.h"
#include "app/views/model/code_edit.h"
#include "app/widgets/error_banner.h"
#include "engine/text/chat_template.h"

namespace lanescope::app {

namespace {
constexpr int kPreviewMs = 200;
const QString kSampleKey = QStringLiteral("model/templateSample");
const QString kPromptKey = QStringLiteral("model/templatePrompt");
/// What the source box gives back: the model's own, a built-in one, or that of a lane.
const QString kOwn = QStringLiteral("own");
const QString kBuiltIn = QStringLiteral("builtin:");
const QString kLane = QStringLiteral("lane:");
constexpr int kAllLanes = -1;
/// An edit that is in no lane yet: model, source, text.
const QString kDraftKey = QStringLiteral("model/templateDraft");
constexpr qsizetype kMaxDraftChars = 64 << 10;
}  // namespace

TemplateView::TemplateView(PlanDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_task(this, [this](const TemplatePreview& result) { show(result); }),
      m_source(new QComboBox(this)),
      m_sample(new QComboBox(this)),
      m_target(new QComboBox(this)),
      m_prompt(new QCheckBox(tr("Start the answer"), this)),
      m_editor(new CodeEdit),
      m_preview(new QPlainTextEdit),
      m_error(new ErrorBanner),
      m_figures(new QLabel),
      m_state(new QLabel),
      m_use(new QPushButton(tr("Use"), this)),
      m_own(new QPushButton(tr("Use the model's own"), this)),
      m_reset(new QPushButton(tr("Reset"), this)) {
    const QSettings settings;
    for (const ChatSample& sample : chatSamples()) m_sample->addItem(sample.title, sample.key);
    m_sample->setCurrentIndex(
        std::max(0, m_sample->findData(settings.value(kSampleKey, QStringLiteral("turns")))));
    m_prompt->setChecked(settings.value(kPromptKey, true).toBool());
    buildLayout();
    m_typing.setSingleShot(true);
    m_typing.setInterval(kPreviewMs);
    connect(&m_typing, &QTimer::timeout, this, &TemplateView::start);
    connect(m_source, &QComboBox::currentIndexChanged, this, &TemplateView::loadSource);
    connect(m_target, &QComboBox::currentIndexChanged, this, &TemplateView::updateState);
    connect(m_editor, &QPlainTextEdit::textChanged, this, [this] {
        m_typing.start();
        updateState();
    });
    connect(m_sample, &QComboBox::currentIndexChanged, this, [this] {
        QSettings().setValue(kSampleKey, m_sample->currentData());
        start();
    });
    connect(m_prompt, &QCheckBox::toggled, this, [this](bool on) {
        QSettings().setValue(kPromptKey, on);
        start();
    });
    connect(m_use, &QPushButton::clicked, this, &TemplateView::useInLanes);
    connect(m_own, &QPushButton::clicked, this, &TemplateView::useOwn);
    connect(m_reset, &QPushButton::clicked, this, &TemplateView::reset);
    connect(m_document, &PlanDocument::lanesChanged, this, [this] {
        fillSources();
        fillTargets();
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &TemplateView::start);
}

void TemplateView::buildLayout() {
    m_source->setAccessibleName(tr("Template"));
    m_source->setToolTip(tr("Where the text in the editor comes from"));
    m_source->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_sample->setAccessibleName(tr("Sample conversation"));
    m_sample->setToolTip(tr("The conversation that the template is tried on"));
    m_target->setAccessibleName(tr("Lanes that get the template"));
    m_target->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_prompt->setToolTip(tr("add_generation_prompt: ends with the start of the model's turn"));
    m_reset->setToolTip(tr("Back to the text as it was chosen"));
    m_own->setToolTip(tr("These lanes take the template of their checkpoint again"));
    m_editor->setAccessibleName(tr("Template text"));
    m_editor->setPlaceholderText(
        tr("This checkpoint has no chat template. Choose one above, or write one."));
    m_preview->setReadOnly(true);
    m_preview->setFont(monoFont());
    m_preview->setAccessibleName(tr("What the model is given"));
    m_error->setClosable(false);
    m_figures->setWordWrap(true);
    m_figures->setMinimumWidth(80);
    m_state->setWordWrap(true);
    m_state->setForegroundRole(QPalette::PlaceholderText);

    const auto side = [](const std::vector<QWidget*>& head, QWidget* content) {
        auto* box = new QWidget;
        auto* row = new QHBoxLayout;
        row->setSpacing(kSpace);
        for (QWidget* widget : head) row->addWidget(widget);
        row->addStretch(1);
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(kSpace, kSpace, kSpace, 0);
        column->setSpacing(kSpaceS);
        column->addLayout(row);
        column->addWidget(content, 1);
        return box;
    };
    auto* left = side({m_source, m_reset}, m_editor);
    auto* rightContent = new QWidget;
    auto* rightColumn = new QVBoxLayout(rightContent);
    rightColumn->setContentsMargins(0, 0, 0, 0);
    rightColumn->setSpacing(kSpaceS);
    rightColumn->addWidget(m_error);
    rightColumn->addWidget(m_preview, 1);
    rightColumn->addWidget(m_figures);
    auto* right = side({m_sample, m_prompt}, rightContent);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({1000, 1000});
    auto* bottom = new QHBoxLayout;
    bottom->setContentsMargins(kSpace, kSpaceS, kSpace, kSpace);
    bottom->setSpacing(kSpace);
    bottom->addWidget(m_state, 1);
    bottom->addWidget(m_target);
    bottom->addWidget(m_use);
    bottom->addWidget(m_own);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(splitter, 1);
    layout->addLayout(bottom);
}

void TemplateView::setModel(const ModelInspection& model) {
    m_model = model.name;
    m_ownSource.clear();
    m_tokenizer.reset();
    if (model.model) {
        m_tokenizer = model.model->tokenizer();
        if (model.model->chatTemplate()) m_ownSource = model.model->chatTemplate()->source();
    }
    const QSignalBlocker blocker(m_source);
    m_source->clear();
    fillSources();
    // What the lanes really use comes first.
    int chosen = 0;
    for (int i = 0; i < m_source->count(); ++i)
        if (m_source->itemData(i).toString().startsWith(kLane)) chosen = i;
    m_source->setCurrentIndex(chosen);
    fillTargets();
    m_editor->setPlainText(QString::fromStdString(sourceText()));
    restoreDraft();
    start();
}

void TemplateView::saveDraft() const {
    const QString model = QString::fromStdString(m_model);
    const QString text = m_editor->toPlainText();
    QSettings settings;
    if (text.toStdString() != sourceText() && text.size() <= kMaxDraftChars)
        settings.setValue(kDraftKey, QStringList{model, m_source->currentData().toString(), text});
    else if (settings.value(kDraftKey).toStringList().value(0) == model)
        settings.remove(kDraftKey);
}

void TemplateView::restoreDraft() {
    const QStringList draft = QSettings().value(kDraftKey).toStringList();
    if (draft.size() != 3 || draft[0] != QString::fromStdString(m_model)) return;
    const int source = m_source->findData(draft[1]);
    if (source < 0) return;
    const QSignalBlocker blocker(m_source);
    m_source->setCurrentIndex(source);
    m_editor->setPlainText(draft[2]);
}

void TemplateView::fillSources() {
    const QVariant before = m_source->currentData();
    const QSignalBlocker blocker(m_source);
    m_source->clear();
    m_source->addItem(m_ownSource.empty() ? tr("the model has none") : tr("the model's own"), kOwn);
    for (const BuiltInTemplate& known : builtInTemplates())
        m_source->addItem(known.name, kBuiltIn + known.key);
    const auto& lanes = m_document->plan().lanes;
    for (std::size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i].model == m_model && !lanes[i].chatTemplate.empty())
            m_source->addItem(tr("lane %1: %2")
                                  .arg(QString::fromStdString(lanes[i].name),
                                       templateTitle(lanes[i].chatTemplate)),
                              kLane + QString::number(i));
    m_source->setCurrentIndex(std::max(0, m_source->findData(before)));
}

void TemplateView::fillTargets() {
    const QVariant before = m_target->currentData();
    const QSignalBlocker blocker(m_target);
    m_target->clear();
    const auto& lanes = m_document->plan().lanes;
    for (std::size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i].model == m_model)
            m_target->addItem(tr("in lane %1").arg(QString::fromStdString(lanes[i].name)),
                              static_cast<int>(i));
    if (m_target->count() > 1) m_target->insertItem(0, tr("in all lanes of this model"), kAllLanes);
    m_target->setCurrentIndex(std::max(0, m_target->findData(before)));
    updateState();
}

std::string TemplateView::sourceText() const {
    const QString key = m_source->currentData().toString();
    if (key.startsWith(kBuiltIn)) {
        for (const BuiltInTemplate& known : builtInTemplates())
            if (kBuiltIn + known.key == key) return known.source;
    }
    if (key.startsWith(kLane)) {
        const auto index = key.mid(kLane.size()).toUInt();
        const auto& lanes = m_document->plan().lanes;
        if (index < lanes.size()) return lanes[index].chatTemplate;
    }
    return m_ownSource;
}

std::string TemplateView::edited() const {
    return m_editor->toPlainText().toStdString();
}

void TemplateView::loadSource() {
    m_editor->setPlainText(QString::fromStdString(sourceText()));
    start();
}

void TemplateView::reset() {
    loadSource();
}

void TemplateView::start() {
    m_typing.stop();
    saveDraft();
    const auto samples = chatSamples();
    const auto at = static_cast<std::size_t>(std::max(0, m_sample->currentIndex()));
    m_task.start([source = edited(), sample = samples[at], prompt = m_prompt->isChecked(),
                  tokenizer = m_tokenizer] {
        return previewTemplate(source, sample, prompt, tokenizer.get());
    });
}

void TemplateView::show(const TemplatePreview& result) {
    const bool empty = edited().empty();
    m_valid = result.error.isEmpty() && !empty;
    m_editor->markLine(empty ? 0 : result.errorLine);
    m_error->setError(empty || result.error.isEmpty() ? QString()
                      : result.errorLine > 0
                          ? tr("Line %1: %2").arg(result.errorLine).arg(result.error)
                          : result.error,
                      {});
    const ThemeColors& c = themeColors();
    m_preview->clear();
    QTextCursor cursor(m_preview->document());
    QTextCharFormat written, input;
    written.setForeground(c.textMuted);
    input.setForeground(c.text);
    input.setBackground(blend(c.base, c.accent, 0.22));
    for (const ChatSegment& segment : result.segments)
        cursor.insertText(QString::fromStdString(segment.text),
                          segment.fromInput ? input : written);
    if (result.cut) cursor.insertText(QStringLiteral("…"), written);
    m_preview->moveCursor(QTextCursor::Start);
    QStringList parts;
    if (m_valid) {
        parts << tr("%n byte(s)", nullptr, static_cast<int>(result.nBytes));
        if (result.nTokens >= 0) parts << tr("%n token(s)", nullptr, result.nTokens);
        parts << tr("marked: what a person wrote; it never becomes a control token");
    }
    m_figures->setText(parts.join(QStringLiteral(" · ")));
    updateState();
}

std::vector<int> TemplateView::targets() const {
    std::vector<int> out;
    const QVariant chosen = m_target->currentData();
    if (!chosen.isValid()) return out;
    if (chosen.toInt() != kAllLanes) return {chosen.toInt()};
    for (int i = 0; i < m_target->count(); ++i)
        if (m_target->itemData(i).toInt() != kAllLanes)
            out.push_back(m_target->itemData(i).toInt());
    return out;
}

void TemplateView::updateState() {
    const auto lanes = targets();
    const auto& all = m_document->plan().lanes;
    m_target->setVisible(m_target->count() > 0);
    bool anyByHand = false;
    QStringList used;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].model != m_model) continue;
        const QString title = templateTitle(all[i].chatTemplate);
        used << QStringLiteral("%1: %2").arg(QString::fromStdString(all[i].name),
                                             title.isEmpty() ? tr("the model's own") : title);
    }
    for (const int lane : lanes)
        if (lane < static_cast<int>(all.size()))
            anyByHand = anyByHand || !all[static_cast<std::size_t>(lane)].chatTemplate.empty();
    m_state->setText(used.isEmpty() ? tr("No lane uses this model.")
                                    : tr("Lanes use: %1").arg(used.join(QStringLiteral(", "))));
    m_use->setEnabled(m_valid && !lanes.empty());
    m_use->setToolTip(lanes.empty() ? tr("No lane uses this model: open it first")
                      : m_valid     ? tr("The chosen lanes use the text in the editor")
                                    : tr("The template must render first"));
    m_own->setEnabled(anyByHand);
    m_reset->setEnabled(edited() != sourceText());
}

void TemplateView::setTemplateOf(const std::vector<int>& lanes, const std::string& source,
                                 const QString& what) {
    m_document->editLanes(what, [&](int index, LaneSpec& lane) {
        if (std::find(lanes.begin(), lanes.end(), index) != lanes.end()) lane.chatTemplate = source;
    });
}

void TemplateView::useInLanes() {
    // A template equal to the model's own is that one.
    const std::string source = edited();
    setTemplateOf(targets(), source == m_ownSource ? std::string() : source,
                  tr("Use chat template"));
}

void TemplateView::useOwn() {
    setTemplateOf(targets(), {}, tr("Use the model's own chat template"));
}

}  // namespace lanescope::app

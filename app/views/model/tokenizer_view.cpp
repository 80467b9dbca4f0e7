#include "app/views/model/tokenizer_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSettings>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/model/token_chips.h"
#include "app/widgets/elided_label.h"

namespace lanescope::app {

namespace {
constexpr int kTokeniseMs = 150;
const QString kTextKey = QStringLiteral("model/tokenizerText");
const QString kSpecialKey = QStringLiteral("model/tokenizerSpecial");
const QString kBosKey = QStringLiteral("model/tokenizerBos");
constexpr qsizetype kRememberedChars = 4000;
}  // namespace

TokenizerView::TokenizerView(QWidget* parent)
    : QWidget(parent),
      m_task(this, [this](TokenizedText result) { show(std::move(result)); }),
      m_text(new QPlainTextEdit),
      m_special(new QCheckBox(tr("Parse special tokens"), this)),
      m_bos(new QCheckBox(tr("Add BOS"), this)),
      m_copy(new QToolButton(this)),
      m_counts(new QLabel(this)),
      m_roundTrip(new QLabel(this)),
      m_chips(new TokenChips),
      m_detail(new ElidedLabel(this)) {
    const QSettings settings;
    m_text->setPlaceholderText(tr("Write or paste text: its tokens are shown below"));
    m_text->setAccessibleName(tr("Text to tokenise"));
    m_text->setTabChangesFocus(true);
    m_text->setPlainText(
        settings.value(kTextKey, tr("The sky is blue because air scatters blue light most."))
            .toString());
    m_special->setChecked(settings.value(kSpecialKey, true).toBool());
    m_special->setToolTip(
        tr("On: <|im_end|> in the text is that control token. Off: it is just "
           "characters, as in a user's message"));
    m_bos->setChecked(settings.value(kBosKey, false).toBool());
    m_bos->setToolTip(tr("Adds what the vocabulary puts around a text, such as the BOS token"));
    m_copy->setText(tr("Copy ids"));
    m_copy->setIcon(themeIcon(QStringLiteral("copy")));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setToolTip(tr("All ids, separated by commas"));
    m_counts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_roundTrip->setWordWrap(true);
    m_roundTrip->setToolTip(tr("The ids are decoded again and compared with the text"));

    auto* switches = new QHBoxLayout;
    switches->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    switches->setSpacing(kSpaceL);
    switches->addWidget(m_special);
    switches->addWidget(m_bos);
    switches->addStretch(1);
    switches->addWidget(m_copy);
    auto* figures = new QVBoxLayout;
    figures->setContentsMargins(kSpace, 0, kSpace, kSpaceS);
    figures->setSpacing(kSpaceXs);
    figures->addWidget(m_counts);
    figures->addWidget(m_roundTrip);
    auto* lower = new QWidget;
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(0, 0, 0, 0);
    lowerLayout->setSpacing(0);
    lowerLayout->addLayout(switches);
    lowerLayout->addLayout(figures);
    lowerLayout->addWidget(m_chips, 1);
    auto* detail = new QVBoxLayout;
    detail->setContentsMargins(kSpace, kSpaceXs, kSpace, kSpaceXs);
    detail->addWidget(m_detail);
    lowerLayout->addLayout(detail);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(m_text);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    m_text->setMinimumHeight(48);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);

    m_typing.setSingleShot(true);
    m_typing.setInterval(kTokeniseMs);
    connect(&m_typing, &QTimer::timeout, this, &TokenizerView::start);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] { m_typing.start(); });
    for (QCheckBox* box : {m_special, m_bos})
        connect(box, &QCheckBox::toggled, this, [this] {
            QSettings().setValue(kSpecialKey, m_special->isChecked());
            QSettings().setValue(kBosKey, m_bos->isChecked());
            m_typing.start();
        });
    connect(m_copy, &QToolButton::clicked, this, &TokenizerView::copyIds);
    connect(m_chips, &TokenChips::currentChanged, this, &TokenizerView::showCurrent);
    connect(themeNotifier(), &ThemeNotifier::changed, this,
            [this] { m_copy->setIcon(themeIcon(QStringLiteral("copy"))); });
}

void TokenizerView::setTokenizer(std::shared_ptr<const Tokenizer> tokenizer, const QString& why) {
    m_tokenizer = std::move(tokenizer);
    const bool any = m_tokenizer != nullptr;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_special, m_bos, m_copy})
        widget->setEnabled(any);
    if (any) {
        start();
        return;
    }
    m_task.drop();
    TokenizedText none;
    none.error = why;
    show(std::move(none));
}

void TokenizerView::start() {
    m_typing.stop();
    if (!m_tokenizer) return;
    const QString text = m_text->toPlainText();
    QSettings().setValue(kTextKey, text.left(kRememberedChars));
    TokenizeOptions options;
    options.parseSpecial = m_special->isChecked();
    options.addBos = m_bos->isChecked();
    m_task.start([tokenizer = m_tokenizer, text, options] {
        return tokenizeText(*tokenizer, text, options);
    });
}

void TokenizerView::show(TokenizedText result) {
    m_result = std::move(result);
    m_chips->setTokens(m_result.shown);
    QPalette colors = palette();
    const ThemeColors& c = themeColors();
    if (!m_result.error.isEmpty()) {
        m_counts->setText(m_result.error);
        colors.setColor(QPalette::WindowText, c.bad);
        m_counts->setPalette(colors);
        m_roundTrip->clear();
        showCurrent(-1);
        return;
    }
    m_counts->setPalette(palette());
    QStringList parts{tr("%n token(s)", nullptr, static_cast<int>(m_result.ids.size())),
                      tr("%n character(s)", nullptr, static_cast<int>(m_result.nCharacters)),
                      tr("%1 bytes a token").arg(fixedNumber(m_result.bytesPerToken(), 2))};
    if (m_result.nSpecial > 0) parts << tr("%n special", nullptr, m_result.nSpecial);
    if (m_result.ids.size() > m_result.shown.size())
        parts << tr("the first %1 are shown").arg(m_result.shown.size());
    if (m_result.cut) parts << tr("only the first %1 characters").arg(kMaxTokenizedChars);
    m_counts->setText(parts.join(QStringLiteral(" · ")));
    m_roundTrip->setText(m_result.roundTrip ? tr("✓ round trip: decoding gives the same text")
                                            : tr("✗ round trip: %1").arg(m_result.roundTripNote));
    colors.setColor(QPalette::WindowText, m_result.roundTrip ? c.good : c.warn);
    m_roundTrip->setPalette(colors);
    showCurrent(m_chips->current());
}

void TokenizerView::showCurrent(int index) {
    m_detail->setColor(themeColors().textMuted);
    m_detail->setText(
        index < 0 ? tr("Click a token, or walk with the arrow keys")
                  : m_chips->toolTipOf(index).replace(QLatin1Char('\n'), QStringLiteral(" · ")));
}

QString TokenizerView::countsText() const {
    return m_counts->text();
}

QString TokenizerView::roundTripText() const {
    return m_roundTrip->text();
}

void TokenizerView::copyIds() {
    QApplication::clipboard()->setText(idsText(m_result.ids));
}

}  // namespace lanescope::app

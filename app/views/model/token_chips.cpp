#include "app/views/model/token_chips.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kGap = 2;
constexpr int kLineGap = 6;
constexpr int kMaxChipWidth = 320;
}  // namespace

TokenChips::TokenChips(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Tokens"));
    connect(themeNotifier(), &ThemeNotifier::changed, viewport(), qOverload<>(&QWidget::update));
}

void TokenChips::setTokens(std::vector<ShownToken> tokens) {
    m_tokens = std::move(tokens);
    layoutChips();
    if (m_current >= count()) setCurrent(-1);
    viewport()->update();
}

int TokenChips::chipHeight() const {
    return QFontMetrics(monoFont()).height() + QFontMetrics(uiFont(-2)).height() + 6;
}

int TokenChips::widthOf(const ShownToken& token) {
    if (m_widths.size() > 20'000) m_widths.clear();
    auto found = m_widths.constFind(token.text);
    if (found == m_widths.constEnd())
        found = m_widths.insert(token.text, QFontMetrics(monoFont()).horizontalAdvance(token.text));
    const int digits = static_cast<int>(QString::number(token.id).size());
    const int idWidth = digits * QFontMetrics(uiFont(-2)).horizontalAdvance(u'0');
    return std::min(kMaxChipWidth, std::max(*found, idWidth) + 8);
}

void TokenChips::layoutChips() {
    m_places.clear();
    m_places.reserve(m_tokens.size());
    const int height = chipHeight();
    const int right = viewport()->width() - kSpace;
    int x = kSpace;
    int y = kSpace;
    for (const ShownToken& token : m_tokens) {
        const int width = widthOf(token);
        if (x > kSpace && x + width > right) {
            x = kSpace;
            y += height + kLineGap;
        }
        m_places.emplace_back(x, y, width, height);
        x += width + kGap;
        if (token.endsLine) {
            x = kSpace;
            y += height + kLineGap;
        }
    }
    const int total = m_places.empty() ? 0 : m_places.back().bottom() + kSpace;
    verticalScrollBar()->setRange(0, std::max(0, total - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(height + kLineGap);
}

QRect TokenChips::chipRect(int index) const {
    if (index < 0 || index >= count()) return {};
    return m_places[static_cast<std::size_t>(index)].translated(0, -verticalScrollBar()->value());
}

int TokenChips::chipAt(const QPoint& place) const {
    const QPoint at = place + QPoint(0, verticalScrollBar()->value());
    // Lines are sorted by height: skip those above.
    auto it = std::lower_bound(m_places.begin(), m_places.end(), at.y(),
                               [](const QRect& r, int y) { return r.bottom() < y; });
    for (; it != m_places.end() && it->top() <= at.y(); ++it)
        if (it->contains(at)) return static_cast<int>(it - m_places.begin());
    return -1;
}

QString TokenChips::toolTipOf(int index) const {
    if (index < 0 || index >= count()) return {};
    const ShownToken& token = m_tokens[static_cast<std::size_t>(index)];
    QString text = tr("token %1, id %2").arg(index).arg(token.id) + QLatin1Char('\n') +
                   tr("text %1").arg(token.text) + QLatin1Char('\n') +
                   tr("bytes %1").arg(hexBytes(token.bytes));
    if (token.special) text += QLatin1Char('\n') + tr("special token");
    return text;
}

void TokenChips::setCurrent(int index) {
    index = std::clamp(index, -1, count() - 1);
    if (index == m_current) return;
    m_current = index;
    if (const QRect chip = chipRect(index); chip.isValid()) {
        if (chip.top() < 0)
            verticalScrollBar()->setValue(verticalScrollBar()->value() + chip.top() - kSpace);
        else if (chip.bottom() > viewport()->height())
            verticalScrollBar()->setValue(verticalScrollBar()->value() + chip.bottom() -
                                          viewport()->height() + kSpace);
    }
    setAccessibleDescription(toolTipOf(index));
    viewport()->update();
    emit currentChanged(index);
}

void TokenChips::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const ThemeColors& c = themeColors();
    painter.fillRect(viewport()->rect(), c.base);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont textFont = monoFont();
    const QFont idFont = uiFont(-2);
    const int textHeight = QFontMetrics(textFont).height() + 3;
    const int top = verticalScrollBar()->value();
    auto it = std::lower_bound(m_places.begin(), m_places.end(), top,
                               [](const QRect& r, int y) { return r.bottom() < y; });
    for (; it != m_places.end() && it->top() <= top + viewport()->height(); ++it) {
        const int index = static_cast<int>(it - m_places.begin());
        const ShownToken& token = m_tokens[static_cast<std::size_t>(index)];
        const QRect chip = it->translated(0, -top);
        const QColor fill = token.special ? blend(c.base, c.accent, 0.35)
                                          : blend(c.base, laneColor(index % kMaxLanes), 0.24);
        painter.setPen(index == m_current ? QPen(c.accent, 2)
                       : token.special    ? QPen(c.accent, 1)
                                          : QPen(Qt::NoPen));
        painter.setBrush(fill);
        painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setFont(textFont);
        painter.setPen(c.text);
        const QRect upper(chip.left() + 4, chip.top() + 2, chip.width() - 8, textHeight);
        painter.drawText(
            upper, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetrics(textFont).elidedText(token.text, Qt::ElideMiddle, upper.width() + 1));
        painter.setFont(idFont);
        painter.setPen(c.textMuted);
        painter.drawText(QRect(chip.left() + 4, chip.top() + textHeight, chip.width() - 8,
                               chip.height() - textHeight - 1),
                         Qt::AlignLeft | Qt::AlignVCenter, QString::number(token.id));
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(c.accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TokenChips::resizeEvent(QResizeEvent*) {
    layoutChips();
}

void TokenChips::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) setCurrent(chipAt(event->position().toPoint()));
}

void TokenChips::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Right:
        case Qt::Key_Down:
            setCurrent(std::min(m_current + 1, count() - 1));
            return;
        case Qt::Key_Left:
        case Qt::Key_Up:
            setCurrent(std::max(m_current - 1, 0));
            return;
        case Qt::Key_Home:
            setCurrent(0);
            return;
        case Qt::Key_End:
            setCurrent(count() - 1);
            return;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

bool TokenChips::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int index = chipAt(help->pos());
        if (index >= 0)
            QToolTip::showText(help->globalPos(), toolTipOf(index), viewport(), chipRect(index));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace lanescope::app

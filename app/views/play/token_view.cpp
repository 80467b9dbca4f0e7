#include "app/views/play/token_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/models/number_text.h"
#include "app/theme/theme.h"

namespace lanescope::app {

namespace {
constexpr int kMargin = 8;
constexpr int kNewlineWidth = 9;
}  // namespace

TokenView::TokenView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);  // scrolling moves pixels
    setAccessibleName(tr("Answer"));
    setMinimumHeight(48);
    connect(themeNotifier(), &ThemeNotifier::changed, viewport(), qOverload<>(&QWidget::update));
    relayout();
}

void TokenView::setRequest(const profiler::RequestData* request,
                           const profiler::RequestData* baseline) {
    m_request = request;
    m_baseline = baseline;
    const bool follow = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 4;
    const int before = m_text.size();
    int firstChanged = 0;
    if (request == nullptr) {
        if (m_text.request() >= 0) {
            m_text.clear();
            relayout();
        }
    } else if (m_text.update(*request)) {
        m_layout.update(m_text.text());
        firstChanged = m_layout.firstChanged();
        for (auto it = m_lineCache.begin(); it != m_lineCache.end();)
            it = it->first >= firstChanged ? m_lineCache.erase(it) : std::next(it);
    } else {
        relayout();
    }
    if (updateValues()) firstChanged = 0;
    updateScrollRange();
    const bool running = request != nullptr && request->record.finish == trace::FinishReason::None;
    if (follow && running && before != m_text.size())
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    updateFromLine(firstChanged);
}

void TokenView::updateFromLine(int line) {
    const int top =
        static_cast<int>(line * m_layout.lineHeight()) + kMargin - verticalScrollBar()->value();
    const int visibleTop = line == 0 ? 0 : std::max(0, top);
    if (visibleTop < viewport()->height())
        viewport()->update(0, visibleTop, viewport()->width(), viewport()->height() - visibleTop);
}

void TokenView::scrollContentsBy(int dx, int dy) {
    // The focus frame must not move with the text.
    if (hasFocus() || m_text.text().isEmpty())
        viewport()->update();
    else
        viewport()->scroll(dx, dy);
}

void TokenView::setColoring(TokenColoring coloring) {
    if (coloring == m_coloring) return;
    m_coloring = coloring;
    updateValues();
    viewport()->update();
}

void TokenView::setPlaceholder(const QString& text) {
    m_placeholder = text;
    viewport()->update();
}

void TokenView::setSelectedTokens(int first, int end) {
    if (first == m_first && end == m_end) return;
    m_first = first;
    m_end = end;
    if (first < 0) m_anchor = -1;
    viewport()->update();
}

QString TokenView::selectedText() const {
    if (m_first < 0 || m_first >= m_text.size()) return {};
    const int last = std::clamp(m_end - 1, m_first, m_text.size() - 1);
    const int from = m_text.start(m_first);
    return m_text.text().mid(from, m_text.end(last) - from);
}

void TokenView::ensureTokenVisible(int token) {
    if (token < 0 || token >= m_text.size()) return;
    const int line = m_layout.lineAt(m_text.start(token));
    const int top = static_cast<int>(line * m_layout.lineHeight());
    const int bottom = static_cast<int>((line + 1) * m_layout.lineHeight()) + 2 * kMargin;
    QScrollBar* bar = verticalScrollBar();
    if (top < bar->value()) {
        bar->setValue(top);
    } else if (bottom > bar->value() + viewport()->height()) {
        bar->setValue(bottom - viewport()->height());
    }
}

bool TokenView::updateValues() {
    m_values.clear();
    if (m_request == nullptr) return true;
    m_values = tokenValues(m_coloring, *m_request, m_baseline);
    if (m_coloring != TokenColoring::Latency) return m_coloring == TokenColoring::Disagreement;
    // The scale follows in steps, so that not every token colours all others anew.
    const double scale = latencyScaleMs(m_values);
    const bool far = scale > m_latencyScale * 1.15 || scale < m_latencyScale / 1.15;
    const bool done = m_request->record.finish != trace::FinishReason::None;
    if (!far && !done) return false;
    m_latencyScale = scale;
    return true;
}

void TokenView::relayout() {
    m_lineCache.clear();
    m_layout.reset(font(), viewport()->width() - 2 * kMargin - kNewlineWidth);
    m_layout.update(m_text.text());
    updateScrollRange();
}

void TokenView::updateScrollRange() {
    const int content = static_cast<int>(std::ceil(m_layout.height())) + 2 * kMargin;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(static_cast<int>(m_layout.lineHeight()));
    verticalScrollBar()->setRange(0, std::max(0, content - viewport()->height()));
}

QTextLayout& TokenView::lineLayout(int line) const {
    auto& cached = m_lineCache[line];
    if (!cached) {
        const auto& place = m_layout.lines()[static_cast<std::size_t>(line)];
        cached = std::make_unique<QTextLayout>(m_text.text().mid(place.start, place.length),
                                               m_layout.font());
        cached->setCacheEnabled(true);  // else every paint shapes the text again
        cached->beginLayout();
        QTextLine textLine = cached->createLine();
        if (textLine.isValid()) textLine.setNumColumns(place.length);
        cached->endLayout();
    }
    return *cached;
}

QRectF TokenView::spanRect(int line, int from, int to, qreal top) const {
    const auto& place = m_layout.lines()[static_cast<std::size_t>(line)];
    QTextLayout& layout = lineLayout(line);
    qreal left = 0;
    qreal right = 0;
    if (layout.lineCount() > 0) {
        const QTextLine textLine = layout.lineAt(0);
        left = textLine.cursorToX(std::clamp(from - place.start, 0, place.length));
        right = textLine.cursorToX(std::clamp(to - place.start, 0, place.length));
    }
    if (place.hardBreak && to > place.start + place.length) right += kNewlineWidth;
    if (right < left) std::swap(left, right);
    return {kMargin + left, top, right - left, m_layout.lineHeight()};
}

void TokenView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const ThemeColors& c = themeColors();
    painter.fillRect(event->rect(), c.base);
    if (m_text.text().isEmpty()) {
        painter.setPen(c.textFaint);
        painter.drawText(viewport()->rect().adjusted(kMargin, kMargin, -kMargin, -kMargin),
                         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_placeholder);
    } else {
        const qreal height = m_layout.lineHeight();
        const int offset = verticalScrollBar()->value() - kMargin;
        const int count = static_cast<int>(m_layout.lines().size());
        const int firstLine =
            std::max(0, static_cast<int>((offset + event->rect().top()) / height));
        const int lastLine =
            std::min(count - 1, static_cast<int>((offset + event->rect().bottom()) / height));
        for (int line = firstLine; line <= lastLine; ++line)
            paintTokenMarks(painter, line, line * height - offset);
        for (int line = firstLine; line <= lastLine; ++line)
            paintLine(painter, line, line * height - offset);
    }
    if (hasFocus()) {
        painter.setPen(c.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TokenView::paintTokenMarks(QPainter& painter, int line, qreal top) const {
    const auto& place = m_layout.lines()[static_cast<std::size_t>(line)];
    const ThemeColors& c = themeColors();
    const int lineEnd = place.start + place.length + (place.hardBreak ? 1 : 0);
    for (int token = m_text.tokenAt(place.start);
         token >= 0 && token < m_text.size() && m_text.start(token) < lineEnd; ++token) {
        if (m_text.end(token) <= place.start) continue;
        const bool selected = token >= m_first && token < m_end;
        const auto index = static_cast<std::size_t>(token);
        QColor fill;
        if (m_coloring != TokenColoring::None && index < m_values.size())
            fill = tokenBackground(
                m_coloring, tokenStrength(m_coloring, m_values[index], m_latencyScale), c.dark);
        if (!selected && (!fill.isValid() || fill.alpha() == 0)) continue;
        const QRectF area = spanRect(line, m_text.start(token), m_text.end(token), top);
        if (fill.isValid() && fill.alpha() > 0)
            painter.fillRect(area.adjusted(0, 1, -0.5, -1), fill);
        if (m_coloring == TokenColoring::Disagreement && fill.alpha() > 0) {
            // Not by colour alone.
            painter.setPen(QPen(c.bad, 1, Qt::DotLine));
            painter.drawLine(area.bottomLeft() - QPointF(0, 2), area.bottomRight() - QPointF(1, 2));
        }
        if (selected) {
            QColor accent = c.accent;
            accent.setAlphaF(0.28F);
            painter.fillRect(area.adjusted(0, 1, 0, -1), accent);
            painter.setPen(c.accent);
            painter.drawLine(area.bottomLeft() - QPointF(0, 1.5),
                             area.bottomRight() - QPointF(0, 1.5));
        }
    }
}

void TokenView::paintLine(QPainter& painter, int line, qreal top) const {
    const auto& place = m_layout.lines()[static_cast<std::size_t>(line)];
    const ThemeColors& c = themeColors();
    QTextLayout& layout = lineLayout(line);
    qreal right = 0;
    if (layout.lineCount() > 0) {
        const QTextLine textLine = layout.lineAt(0);
        painter.setPen(c.text);
        textLine.draw(&painter, QPointF(kMargin, top + m_layout.ascent() - textLine.ascent()));
        right = textLine.cursorToX(place.length);
    }
    if (place.hardBreak && m_coloring != TokenColoring::None) {
        painter.setPen(c.textFaint);
        painter.setFont(m_layout.font());
        painter.drawText(QPointF(kMargin + right, top + m_layout.ascent()), QStringLiteral("↵"));
    }
}

void TokenView::resizeEvent(QResizeEvent*) {
    // Keep the same text at the top when the width changes.
    const qreal old = m_layout.lineHeight();
    const int line = static_cast<int>(verticalScrollBar()->value() / std::max<qreal>(1, old));
    const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
    const int position = line < static_cast<int>(m_layout.lines().size())
                             ? m_layout.lines()[static_cast<std::size_t>(line)].start
                             : 0;
    relayout();
    verticalScrollBar()->setValue(
        atEnd && m_text.size() > 0
            ? verticalScrollBar()->maximum()
            : static_cast<int>(m_layout.lineAt(position) * m_layout.lineHeight()));
}

int TokenView::tokenAt(const QPoint& position) const {
    if (m_text.size() == 0) return -1;
    const int y = position.y() + verticalScrollBar()->value() - kMargin;
    const int count = static_cast<int>(m_layout.lines().size());
    const int line =
        std::clamp(static_cast<int>(std::floor(y / m_layout.lineHeight())), 0, count - 1);
    const auto& place = m_layout.lines()[static_cast<std::size_t>(line)];
    QTextLayout& layout = lineLayout(line);
    int at = place.start;
    if (layout.lineCount() > 0) {
        const QTextLine textLine = layout.lineAt(0);
        const qreal x = position.x() - kMargin;
        if (x >= textLine.cursorToX(place.length)) {
            at = place.start + (place.hardBreak ? place.length : std::max(0, place.length - 1));
        } else {
            at = place.start + textLine.xToCursor(x, QTextLine::CursorOnCharacter);
        }
    }
    return m_text.tokenAt(at);
}

QRect TokenView::tokenRect(int token) {
    if (token < 0 || token >= m_text.size()) return {};
    const int line = m_layout.lineAt(m_text.start(token));
    const qreal top = line * m_layout.lineHeight() - verticalScrollBar()->value() + kMargin;
    return spanRect(line, m_text.start(token), m_text.end(token), top).toAlignedRect();
}

void TokenView::select(int anchor, int token) {
    if (token < 0) return;
    m_anchor = anchor < 0 ? token : anchor;
    const int first = std::min(m_anchor, token);
    const int end = std::max(m_anchor, token) + 1;
    if (first == m_first && end == m_end) return;
    setSelectedTokens(first, end);
    emit tokensSelected(first, end);
}

void TokenView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    select(event->modifiers() & Qt::ShiftModifier ? m_anchor : -1,
           tokenAt(event->position().toPoint()));
}

void TokenView::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) select(m_anchor, tokenAt(event->position().toPoint()));
}

void TokenView::moveSelection(int token, bool extend) {
    token = std::clamp(token, 0, std::max(0, m_text.size() - 1));
    if (m_text.size() == 0) return;
    select(extend ? m_anchor : -1, token);
    ensureTokenVisible(token);
}

int TokenView::tokenOnNeighbourLine(int token, int direction) const {
    const int line = m_layout.lineAt(m_text.start(token));
    const int wanted = line + direction;
    if (wanted < 0) return 0;
    if (wanted >= static_cast<int>(m_layout.lines().size())) return m_text.size() - 1;
    const qreal top = wanted * m_layout.lineHeight() - verticalScrollBar()->value() + kMargin;
    const QRectF here = spanRect(line, m_text.start(token), m_text.end(token), 0);
    return tokenAt(QPoint(static_cast<int>(here.left()) + 1,
                          static_cast<int>(top + m_layout.lineHeight() / 2)));
}

void TokenView::keyPressEvent(QKeyEvent* event) {
    const bool extend = event->modifiers() & Qt::ShiftModifier;
    // The moving end of the selection is the one that is not the anchor.
    const int moving = m_first < 0 ? -1 : (m_anchor == m_first ? m_end - 1 : m_first);
    if (event->matches(QKeySequence::Copy)) {
        const QString chosen = selectedText();
        QApplication::clipboard()->setText(chosen.isEmpty() ? text() : chosen);
        return;
    }
    switch (event->key()) {
        case Qt::Key_Right:
            moveSelection(moving + 1, extend);
            return;
        case Qt::Key_Left:
            moveSelection(moving < 0 ? 0 : moving - 1, extend);
            return;
        case Qt::Key_Down:
            moveSelection(moving < 0 ? 0 : tokenOnNeighbourLine(moving, 1), extend);
            return;
        case Qt::Key_Up:
            moveSelection(moving < 0 ? 0 : tokenOnNeighbourLine(moving, -1), extend);
            return;
        case Qt::Key_Home:
            moveSelection(0, extend);
            return;
        case Qt::Key_End:
            moveSelection(m_text.size() - 1, extend);
            return;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void TokenView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy answer"), this, [this] { QApplication::clipboard()->setText(text()); });
    QAction* copy = menu.addAction(tr("Copy selected tokens"), this,
                                   [this] { QApplication::clipboard()->setText(selectedText()); });
    copy->setEnabled(m_first >= 0);
    menu.exec(event->globalPos());
}

QString TokenView::tokenTip(int token) const {
    if (m_request == nullptr || token < 0 ||
        static_cast<std::size_t>(token) >= m_request->tokens.size())
        return {};
    const auto& record = m_request->tokens[static_cast<std::size_t>(token)];
    const std::int64_t previous = token > 0
                                      ? m_request->tokens[static_cast<std::size_t>(token) - 1].tNs
                                      : m_request->record.tStartNs;
    return tr("token %1, id %2\nprobability %3 %\n%4 after the previous one\ncontext %5")
        .arg(token)
        .arg(record.token)
        .arg(shortNumber(100.0 * std::exp(static_cast<double>(record.logProbability))),
             durationText(static_cast<double>(record.tNs - previous) / 1e6))
        .arg(record.contextTokens);
}

bool TokenView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tokenTip(tokenAt(help->pos()));
        if (tip.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), tip, this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TokenView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) relayout();
    QAbstractScrollArea::changeEvent(event);
}

}  // namespace lanescope::app

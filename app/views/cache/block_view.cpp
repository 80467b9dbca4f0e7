#include "app/views/cache/block_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "app/theme/theme.h"
#include "app/widgets/svg_picture.h"

namespace lanescope::app {

using trace::BlockState;

namespace {

constexpr int kMargin = kSpace;
constexpr int kLargestCell = 40, kSmallestCell = 2;
constexpr int kFrameMs = 16;

QColor freeColor() {
    const ThemeColors& c = themeColors();
    return blend(c.base, c.text, 0.12);
}

}  // namespace

BlockView::BlockView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_frame.setSingleShot(true);
    m_frame.setTimerType(Qt::PreciseTimer);
    connect(&m_frame, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        m_repaintAll = true;
        update();
    });
}

QColor BlockView::ownerColor(std::int32_t request) {
    if (request < 0) return laneColor(-1);
    const ThemeColors& c = themeColors();
    const QColor pure = laneColor(request % kMaxLanes);
    switch (request / kMaxLanes % 3) {
        case 1:
            return blend(pure, c.text, 0.35);
        case 2:
            return blend(pure, c.base, 0.45);
        default:
            return pure;
    }
}

std::vector<LegendEntry> BlockView::legend() {
    const ThemeColors& c = themeColors();
    return {{tr("held (colour: the sequence)"), laneColor(0)},
            {tr("shared"), laneColor(0), Qt::SolidPattern, false,
             blend(laneColor(0), contrastText(laneColor(0)), 0.75)},
            {tr("kept, content known"), laneColor(0), Qt::NoBrush, true},
            {tr("free"), freeColor()},
            {tr("evicted"), c.bad, Qt::BDiagPattern, true}};
}

void BlockView::setMap(BlockMap* map) {
    if (map == m_map) return;
    m_map = map;
    m_repaintAll = true;
    m_cursor = -1;
    refresh();
}

void BlockView::setEmptyText(const QString& text) {
    m_emptyText = text;
    update();
}

void BlockView::refresh() {
    if (!m_frame.isActive()) m_frame.start(kFrameMs);
}

void BlockView::arrange() {
    const std::size_t n = m_map != nullptr ? m_map->cells().size() : 0;
    const int w = std::max(width() - 2 * kMargin, 1), h = std::max(height() - 2 * kMargin, 1);
    m_arranged = n;
    m_repaintAll = true;
    for (m_cell = kLargestCell; m_cell > kSmallestCell; --m_cell) {
        m_gap = m_cell >= 5 ? 1 : 0;
        const int step = m_cell + m_gap;
        if (static_cast<std::size_t>(w / step) * static_cast<std::size_t>(h / step) >= n) break;
    }
    m_gap = m_cell >= 5 ? 1 : 0;
    m_columns = std::max(w / (m_cell + m_gap), 1);
}

QRect BlockView::cellRect(std::int32_t block) const {
    const int step = m_cell + m_gap;
    return {kMargin + block % m_columns * step, kMargin + block / m_columns * step, m_cell, m_cell};
}

std::int32_t BlockView::shownBlocks() const {
    const int rows = std::max(height() - 2 * kMargin, 0) / (m_cell + m_gap);
    return static_cast<std::int32_t>(
        std::min<std::size_t>(m_arranged, static_cast<std::size_t>(rows * m_columns)));
}

std::int32_t BlockView::blockAt(const QPoint& pos) const {
    const int step = m_cell + m_gap;
    const int x = pos.x() - kMargin, y = pos.y() - kMargin;
    if (x < 0 || y < 0 || x / step >= m_columns) return -1;
    const std::int32_t block = y / step * m_columns + x / step;
    return block < shownBlocks() ? block : -1;
}

void BlockView::paintCell(QPainter& painter, std::int32_t block) const {
    const BlockMap::Cell& cell = m_map->cells()[static_cast<std::size_t>(block)];
    const QRect rect = cellRect(block);
    const ThemeColors& c = themeColors();
    if (cell.state == BlockState::Held) {
        const QColor color = ownerColor(cell.owner());
        painter.fillRect(rect, color);
        if (cell.holders.size() < 2) return;
        const int inset = std::max(m_cell / 4, 1);
        painter.fillRect(rect.adjusted(inset, inset, -inset, -inset),
                         blend(color, contrastText(color), 0.75));
    } else if (cell.state == BlockState::Kept) {
        const QColor color = ownerColor(cell.owner());
        painter.fillRect(rect, color);
        const int border = m_cell >= 6 ? 2 : 1;
        if (m_cell > 2)
            painter.fillRect(rect.adjusted(border, border, -border, -border),
                             blend(c.base, color, 0.15));
    } else {
        painter.fillRect(rect, freeColor());
        if (!cell.evicted) return;
        if (m_cell < 6) {
            painter.fillRect(rect, blend(freeColor(), c.bad, 0.5));
            return;
        }
        painter.setPen(QPen(c.bad, 1));
        painter.drawLine(rect.bottomLeft() + QPoint(2, -2), rect.topRight() + QPoint(-2, 2));
    }
}

void BlockView::paintCells() {
    const qreal ratio = devicePixelRatioF();
    const QSize pixels = size() * ratio;
    if (m_picture.size() != pixels) {
        m_picture = QImage(pixels, QImage::Format_RGB32);
        m_picture.setDevicePixelRatio(ratio);
        m_repaintAll = true;
    }
    if (m_map != nullptr && m_map->cells().size() != m_arranged) arrange();
    const bool all = m_repaintAll || (m_map != nullptr && m_map->allChanged());
    QPainter painter(&m_picture);
    if (all) painter.fillRect(QRect(QPoint(), size()), themeColors().base);
    m_repaintAll = false;
    if (m_map == nullptr) return;
    const std::int32_t shown = shownBlocks();
    if (all) {
        for (std::int32_t block = 0; block < shown; ++block) paintCell(painter, block);
        m_paintedCells += shown;
    } else {
        for (const std::int32_t block : m_map->changed())
            if (block < shown) {
                paintCell(painter, block);
                ++m_paintedCells;
            }
    }
    m_map->clearChanged();
}

void BlockView::paintEvent(QPaintEvent*) {
    paintCells();
    QPainter painter(this);
    painter.drawImage(0, 0, m_picture);
    const ThemeColors& c = themeColors();
    if (m_map == nullptr || m_arranged == 0) {
        painter.setPen(c.textMuted);
        painter.drawText(rect().adjusted(kSpaceL, kSpaceL, -kSpaceL, -kSpaceL),
                         Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
    } else if (m_cursor >= 0 && m_cursor < shownBlocks()) {
        painter.setPen(QPen(c.text, 1));
        painter.drawRect(cellRect(m_cursor).adjusted(-1, -1, 0, 0));
    }
    if (hasFocus()) {
        painter.setPen(c.accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void BlockView::paintAll(QPainter& painter) const {
    painter.fillRect(rect(), themeColors().base);
    if (m_map == nullptr) return;
    for (std::int32_t block = 0; block < shownBlocks(); ++block) paintCell(painter, block);
}

void BlockView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

QString BlockView::blockTip(std::int32_t block) const {
    if (m_map == nullptr || block < 0 || static_cast<std::size_t>(block) >= m_map->cells().size())
        return {};
    const BlockMap::Cell& cell = m_map->cells()[static_cast<std::size_t>(block)];
    const std::int64_t from = cell.index * m_map->pool().blockTokens;
    const QString positions =
        tr("positions %1 to %2").arg(from).arg(from + m_map->pool().blockTokens - 1);
    const QString name = tr("Block %1").arg(block);
    if (cell.state == BlockState::Held) {
        QStringList holders;
        for (const std::int32_t request : cell.holders)
            holders << (request < 0 ? QStringLiteral("?") : QString::number(request));
        return name + QLatin1Char('\n') + tr("held by request %1").arg(holders.join(", ")) +
               QLatin1Char('\n') + positions + QLatin1Char('\n') +
               tr("%n reader(s)", nullptr, static_cast<int>(cell.holders.size()));
    }
    if (cell.state == BlockState::Kept)
        return name + QLatin1Char('\n') +
               tr("kept: read by none, its content is known (last: request %1)")
                   .arg(cell.lastRequest) +
               QLatin1Char('\n') + positions;
    return name + QLatin1Char('\n') +
           (cell.evicted ? tr("free: its known content had to make room") : tr("free"));
}

void BlockView::setCursorBlock(std::int32_t block) {
    if (block == m_cursor) return;
    m_cursor = block;
    setAccessibleDescription(blockTip(block));
    update();
}

void BlockView::mouseMoveEvent(QMouseEvent* event) {
    setCursorBlock(blockAt(event->position().toPoint()));
    if (m_cursor >= 0)
        QToolTip::showText(event->globalPosition().toPoint(), blockTip(m_cursor), this);
    else
        QToolTip::hideText();
}

void BlockView::mousePressEvent(QMouseEvent* event) {
    setCursorBlock(blockAt(event->position().toPoint()));
}

void BlockView::leaveEvent(QEvent*) {
    if (!hasFocus()) setCursorBlock(-1);
}

void BlockView::keyPressEvent(QKeyEvent* event) {
    const std::int32_t last = shownBlocks() - 1;
    std::int32_t to = m_cursor;
    switch (event->key()) {
        case Qt::Key_Left:
            to -= 1;
            break;
        case Qt::Key_Right:
            to += 1;
            break;
        case Qt::Key_Up:
            to -= m_columns;
            break;
        case Qt::Key_Down:
            to += m_columns;
            break;
        case Qt::Key_Home:
            to = 0;
            break;
        case Qt::Key_End:
            to = last;
            break;
        default:
            if (event->matches(QKeySequence::Copy)) {
                copyPng();
                return;
            }
            QWidget::keyPressEvent(event);
            return;
    }
    if (last < 0) return;
    setCursorBlock(std::clamp(to, 0, last));
    QToolTip::showText(mapToGlobal(cellRect(m_cursor).bottomRight()), blockTip(m_cursor), this);
}

bool BlockView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = blockTip(blockAt(help->pos()));
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip, this);
    return true;
}

void BlockView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy as PNG"), this, &BlockView::copyPng);
    menu.addAction(tr("Copy as SVG"), this, &BlockView::copySvg);
    menu.exec(event->globalPos());
}

void BlockView::copyPng() {
    QApplication::clipboard()->setPixmap(grab());
}

QByteArray BlockView::toSvg() {
    return svgPicture(rect(), accessibleName(), [this](QPainter& painter) { paintAll(painter); });
}

void BlockView::copySvg() {
    copySvgPicture(toSvg());
}

}  // namespace lanescope::app

#include "app/views/play/lane_card.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/widgets/chip_row.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/icon_button.h"
#include "app/widgets/memory_bar.h"

namespace lanescope::app {

LaneCard::LaneCard(int lane, QWidget* parent)
    : QFrame(parent),
      m_lane(lane),
      m_badge(new QLabel(laneLetter(lane), this)),
      m_title(new ElidedLabel(this)),
      m_pin(new IconButton(QStringLiteral("pin"), tr("Pin as baseline"), this)),
      m_mute(
          new IconButton(QStringLiteral("mute"), tr("Mute: keep the lane, do not run it"), this)),
      m_duplicate(new IconButton(QStringLiteral("duplicate"), tr("Duplicate lane"), this)),
      m_edit(new IconButton(QStringLiteral("edit"), tr("Edit lane"), this)),
      m_remove(new IconButton(QStringLiteral("remove"), tr("Remove lane"), this)),
      m_chips(new ChipRow(this)),
      m_memory(new MemoryBar(this)),
      m_stateLine(new ElidedLabel(this)),
      m_error(new ErrorBanner(this)) {
    setObjectName(QStringLiteral("laneCard"));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumWidth(232);
    setMaximumWidth(520);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kSpace, kSpaceS + 2, kSpaceS, kSpaceS + 2);
    column->setSpacing(kSpaceS);
    auto* head = new QHBoxLayout;
    head->setSpacing(0);
    m_badge->setAlignment(Qt::AlignCenter);
    m_badge->setFixedSize(20, 20);
    m_title->setFont(uiFont(0, true));
    m_title->setElideMode(Qt::ElideMiddle);
    m_title->setClickable(true);
    head->addWidget(m_badge);
    head->addSpacing(kSpace);
    head->addWidget(m_title, 1);
    for (IconButton* button : {m_pin, m_mute, m_duplicate, m_edit, m_remove}) {
        button->setIconSize(QSize(14, 14));
        head->addWidget(button);
    }
    m_stateLine->setFont(uiFont(-1));
    m_error->setClosable(false);
    column->addLayout(head);
    column->addWidget(m_chips);
    column->addWidget(m_memory);
    column->addWidget(m_stateLine);
    column->addWidget(m_error);
    column->addStretch();
    m_chips->setLaneColor(laneColor(lane));

    connect(m_pin, &QToolButton::clicked, this, [this] { emit pinRequested(m_lane, !m_baseline); });
    connect(m_mute, &QToolButton::clicked, this, [this] { emit muteRequested(m_lane, !m_muted); });
    connect(m_duplicate, &QToolButton::clicked, this, [this] { emit duplicateRequested(m_lane); });
    connect(m_edit, &QToolButton::clicked, this, [this] { emit editRequested(m_lane); });
    connect(m_remove, &QToolButton::clicked, this, [this] { emit removeRequested(m_lane); });
    connect(m_title, &ElidedLabel::clicked, this, [this] { emit detailsRequested(m_lane); });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &LaneCard::restyle);
    restyle();
}

void LaneCard::setContent(const Content& content) {
    m_muted = content.muted;
    m_baseline = content.baseline;
    m_canDuplicate = content.canDuplicate;
    m_title->setText(content.name == laneLetter(m_lane)
                         ? content.model
                         : content.name + QStringLiteral(" · ") + content.model);
    setAccessibleName(tr("Lane %1: %2").arg(content.name, content.model));
    m_title->setToolTip(m_title->text() + QLatin1Char('\n') +
                        tr("Click for tensors, metadata, tokenizer and chat template (I)"));
    m_pin->setIconName(content.baseline ? QStringLiteral("pinned") : QStringLiteral("pin"));
    m_pin->setTint(content.baseline ? themeColors().accent : QColor());
    m_pin->setTip(content.baseline ? tr("Unpin baseline") : tr("Pin as baseline"));
    m_mute->setIconName(content.muted ? QStringLiteral("muted") : QStringLiteral("mute"));
    m_mute->setTip(content.muted ? tr("Unmute: run the lane again")
                                 : tr("Mute: keep the lane, do not run it"));
    m_duplicate->setEnabled(content.canDuplicate);
    m_duplicate->setTip(content.canDuplicate ? tr("Duplicate lane")
                                             : tr("Six lanes are the most that can be compared"));
    m_chips->setChips(content.chips);
    m_chips->setEnabled(!content.muted);
    m_memory->setFigures(content.state.estimate, content.state.measured, content.scaleBytes,
                         content.freeBytes);
    updateStateLine(content);
    update();
}

void LaneCard::updateStateLine(const Content& content) {
    const LaneState& state = content.state;
    const bool failed = state.phase == LaneState::Phase::Failed;
    m_error->setError(failed ? state.message : QString(), state.details);
    m_memory->setVisible(!failed);
    m_stateLine->setVisible(!failed);
    QStringList parts;
    switch (state.phase) {
        case LaneState::Phase::Reading:
            parts << tr("reading the checkpoint…");
            break;
        case LaneState::Phase::Loading:
            parts << tr("loading…");
            break;
        case LaneState::Phase::Running:
            parts << tr("running");
            break;
        case LaneState::Phase::Muted:
            parts << tr("muted");
            break;
        default:
            break;
    }
    if (state.estimate) parts << tr("est. %1").arg(bytesText(state.estimate->total()));
    if (state.measured) {
        const auto& m = *state.measured;
        parts << tr("measured %1").arg(bytesText(m.weightBytes + m.kvBytes + m.scratchBytes));
    }
    if (content.freeBytes > 0) parts << tr("%1 free").arg(bytesText(content.freeBytes));
    if (state.loadMs >= 0) parts << tr("load %1").arg(durationText(state.loadMs));
    m_stateLine->setText(parts.join(QStringLiteral(" · ")));
    if (!state.notes.isEmpty())
        m_stateLine->setToolTip(m_stateLine->text() + QLatin1Char('\n') +
                                tr("Effective settings:") + QLatin1Char('\n') + state.notes);
}

QString LaneCard::errorText() const {
    return m_error->message();
}

void LaneCard::mouseDoubleClickEvent(QMouseEvent*) {
    emit editRequested(m_lane);
}

void LaneCard::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (event->modifiers() & Qt::ControlModifier) break;
            emit editRequested(m_lane);
            return;
        case Qt::Key_Delete:
            emit removeRequested(m_lane);
            return;
        case Qt::Key_I:
            emit detailsRequested(m_lane);
            return;
        case Qt::Key_D:
            emit duplicateRequested(m_lane);
            return;
        case Qt::Key_M:
            emit muteRequested(m_lane, !m_muted);
            return;
        case Qt::Key_B:
            emit pinRequested(m_lane, !m_baseline);
            return;
        default:
            break;
    }
    QFrame::keyPressEvent(event);
}

void LaneCard::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Edit…"), this, [this] { emit editRequested(m_lane); });
    menu.addAction(tr("Model details"), this, [this] { emit detailsRequested(m_lane); });
    menu.addAction(tr("Duplicate"), this, [this] { emit duplicateRequested(m_lane); })
        ->setEnabled(m_canDuplicate);
    menu.addAction(m_baseline ? tr("Unpin baseline") : tr("Pin as baseline"), this,
                   [this] { emit pinRequested(m_lane, !m_baseline); });
    menu.addAction(m_muted ? tr("Unmute") : tr("Mute"), this,
                   [this] { emit muteRequested(m_lane, !m_muted); });
    menu.addSeparator();
    menu.addAction(tr("Remove"), this, [this] { emit removeRequested(m_lane); });
    menu.exec(event->globalPos());
}

void LaneCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& c = themeColors();
    const QColor lane = laneColor(m_lane);
    const QRectF area = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(hasFocus() ? c.accent : c.border, 1));
    painter.setBrush(m_muted ? c.window : c.panel);
    painter.drawRoundedRect(area, kRadius, kRadius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_muted ? c.border : lane);
    painter.drawRoundedRect(QRectF(area.left(), area.top() + 4, 3, area.height() - 8), 1.5, 1.5);
}

void LaneCard::restyle() {
    const QColor lane = laneColor(m_lane);
    m_badge->setStyleSheet(
        QStringLiteral("background: %1; color: %2; border-radius: 3px; font-weight: bold;")
            .arg(lane.name(), contrastText(lane).name()));
    m_stateLine->setColor(themeColors().textMuted);
    update();
}

}  // namespace lanescope::app

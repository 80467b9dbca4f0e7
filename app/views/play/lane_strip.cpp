#include "app/views/play/lane_strip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

#include "app/theme/theme.h"
#include "app/views/play/lane_card.h"
#include "app/views/play/lane_dialog.h"
#include "app/widgets/icon_button.h"
#include "engine/base/memory.h"

namespace lanescope::app {

namespace {
constexpr int kRefreshMs = 200;
constexpr int kMaxHeight = 260;
}  // namespace

LaneStrip::LaneStrip(PlanDocument* document, ModelInfoCache* models, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_models(models),
      m_scroll(new QScrollArea(this)),
      m_add(new IconButton(QStringLiteral("add"), tr("Add a lane"), this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(kSpace, kSpace, kSpace, kSpaceS);
    layout->setSpacing(kSpaceS);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto* inner = new QWidget(m_scroll);
    m_row = new QHBoxLayout(inner);
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(kSpace);
    m_row->addWidget(m_add, 0, Qt::AlignVCenter);
    m_row->addStretch(1);
    m_scroll->setWidget(inner);
    m_add->setIconSize(QSize(20, 20));
    layout->addWidget(m_scroll);

    m_refresh.setSingleShot(true);
    m_refresh.setInterval(kRefreshMs);
    connect(&m_refresh, &QTimer::timeout, this, &LaneStrip::refresh);
    connect(m_add, &QToolButton::clicked, this, [this] {
        // Adding means varying: start from the last lane.
        if (m_document->laneCount() > 0)
            m_document->duplicateLane(m_document->laneCount() - 1);
        else
            editLane(-1);
    });
    connect(m_document, &PlanDocument::lanesChanged, this, &LaneStrip::rebuild);
    connect(m_models, &ModelInfoCache::changed, this, &LaneStrip::refresh);
    rebuild();
}

void LaneStrip::setRun(profiler::RunSnapshot run) {
    m_run = std::move(run);
    if (!m_refresh.isActive()) m_refresh.start();
}

void LaneStrip::setRunning(bool running) {
    m_running = running;
    refresh();
}

LaneCard* LaneStrip::addCard(int lane) {
    auto* card = new LaneCard(lane, this);
    m_row->insertWidget(lane, card, 4);
    card->installEventFilter(this);
    connect(card, &LaneCard::duplicateRequested, m_document, &PlanDocument::duplicateLane);
    connect(card, &LaneCard::removeRequested, m_document, &PlanDocument::removeLane);
    connect(card, &LaneCard::muteRequested, m_document, &PlanDocument::setMuted);
    connect(card, &LaneCard::pinRequested, m_document,
            [this](int index, bool pinned) { m_document->setBaseline(pinned ? index : -1); });
    connect(card, &LaneCard::editRequested, this, &LaneStrip::editLane);
    connect(card, &LaneCard::detailsRequested, this, [this](int index) {
        const auto& lanes = m_document->plan().lanes;
        if (index >= 0 && index < static_cast<int>(lanes.size()))
            emit detailsRequested(
                QString::fromStdString(lanes[static_cast<std::size_t>(index)].model));
    });
    return card;
}

void LaneStrip::rebuild() {
    const auto wanted = static_cast<std::size_t>(m_document->laneCount());
    while (m_cards.size() > wanted) {
        m_cards.back()->hide();
        m_cards.back()->deleteLater();  // it may be the sender
        m_cards.pop_back();
    }
    while (m_cards.size() < wanted) m_cards.push_back(addCard(static_cast<int>(m_cards.size())));
    m_add->setEnabled(m_document->canAddLane());
    m_add->setTip(m_document->canAddLane() ? tr("Add a lane")
                                           : tr("Six lanes are the most that can be compared"));
    refresh();
}

void LaneStrip::refresh() {
    const Plan& plan = m_document->plan();
    if (m_cards.size() != plan.lanes.size()) return;
    const std::uint64_t freeBytes = availableMemoryBytes();
    std::vector<LaneState> states;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < plan.lanes.size(); ++i) {
        const auto info = m_models->info(plan.lanes[i].model);
        states.push_back(laneState(plan, static_cast<int>(i), *info, m_run.get(), m_running));
        if (states.back().estimate) most = std::max(most, states.back().estimate->total());
        if (states.back().measured) {
            const auto& m = *states.back().measured;
            most = std::max(most, m.weightBytes + m.kvBytes + m.scratchBytes);
        }
    }
    const std::uint64_t scale =
        freeBytes > 0 ? std::max(most, std::min(most * 5 / 4, freeBytes)) : most;
    for (std::size_t i = 0; i < plan.lanes.size(); ++i) {
        const LaneSpec& lane = plan.lanes[i];
        LaneCard::Content content;
        content.name = QString::fromStdString(lane.name);
        content.model = shortModelName(lane.model);
        content.chips = laneChips(lane, plan.lanes.front(), m_models->info(lane.model)->mainType);
        content.state = states[i];
        content.muted = lane.muted;
        content.baseline = m_document->baselineIndex() == static_cast<int>(i);
        content.canDuplicate = m_document->canAddLane();
        content.scaleBytes = scale;
        content.freeBytes = freeBytes;
        m_cards[i]->setContent(content);
    }
    // The strip is as tall as its tallest card, plus the scroll bar when there is one.
    int height = 0;
    int width = 0;
    for (const LaneCard* card : m_cards) {
        height = std::max(height, card->sizeHint().height());
        width += card->minimumWidth() + kSpace;
    }
    const bool scrolls = width + m_add->sizeHint().width() > m_scroll->width();
    m_scroll->setFixedHeight(std::clamp(height, 40, kMaxHeight) +
                             (scrolls ? m_scroll->horizontalScrollBar()->sizeHint().height() : 0));
}

void LaneStrip::resizeEvent(QResizeEvent*) {
    m_refresh.start();
}

bool LaneStrip::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest && !m_refresh.isActive()) m_refresh.start();
    return QWidget::eventFilter(watched, event);
}

void LaneStrip::editLane(int index) {
    const bool isNew = index < 0 || index >= m_document->laneCount();
    LaneSpec lane;
    if (!isNew) lane = m_document->plan().lanes[static_cast<std::size_t>(index)];
    auto* dialog = new LaneDialog(lane, isNew ? m_document->laneCount() : index, m_models, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, index, isNew] {
        if (isNew)
            m_document->addLane(dialog->lane());
        else
            m_document->setLane(index, dialog->lane());
    });
    dialog->open();
}

}  // namespace lanescope::app

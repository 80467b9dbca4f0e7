#include "app/views/play/token_columns.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>

#include "app/bridge/model_info.h"
#include "app/models/request_picker.h"
#include "app/theme/theme.h"
#include "app/views/play/color_legend.h"
#include "app/views/play/token_column.h"
#include "app/views/play/token_view.h"
#include "profiler/analyse/stats.h"

namespace lanescope::app {

namespace {
constexpr int kStatsIntervalMs = 250;
const QString kColoringKey = QStringLiteral("play/coloring");
}  // namespace

TokenColumns::TokenColumns(PlanDocument* document, Selection* selection, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_scroll(new QScrollArea(this)),
      m_coloring(new QComboBox(this)),
      m_legend(new ColorLegend(this)),
      m_pickLabel(new QLabel(tr("Show"), this)),
      m_prompt(new QComboBox(this)),
      m_repetition(new QComboBox(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSpace, kSpaceS, kSpace, 0);
    layout->setSpacing(kSpaceS);
    auto* tools = new QHBoxLayout;
    tools->setSpacing(kSpace);
    auto* label = new QLabel(tr("Colour &tokens by"), this);
    label->setBuddy(m_coloring);
    m_coloring->addItem(tr("none"));
    m_coloring->addItem(tr("probability"));
    m_coloring->addItem(tr("latency"));
    m_coloring->addItem(tr("disagrees with baseline"));
    m_coloring->setAccessibleName(tr("Colour tokens by"));
    m_prompt->setAccessibleName(tr("Prompt shown"));
    m_repetition->setAccessibleName(tr("Repetition shown"));
    tools->addWidget(label);
    tools->addWidget(m_coloring);
    tools->addWidget(m_legend);
    tools->addStretch();
    tools->addWidget(m_pickLabel);
    tools->addWidget(m_prompt);
    tools->addWidget(m_repetition);
    layout->addLayout(tools);

    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->installEventFilter(this);
    auto* inner = new QWidget(m_scroll);
    m_row = new QHBoxLayout(inner);
    m_row->setContentsMargins(0, 0, 0, kSpaceS);
    m_row->setSpacing(kSpaceS);
    m_scroll->setWidget(inner);
    layout->addWidget(m_scroll, 1);

    connect(m_coloring, &QComboBox::currentIndexChanged, this,
            [this](int index) { setColoring(static_cast<TokenColoring>(index)); });
    for (QComboBox* picker : {m_prompt, m_repetition})
        connect(picker, &QComboBox::currentIndexChanged, this, &TokenColumns::refreshText);
    connect(m_document, &PlanDocument::lanesChanged, this, &TokenColumns::rebuild);
    connect(m_selection, &Selection::changed, this, [this] { applySelection(true); });
    m_statsTimer.setSingleShot(true);
    m_statsTimer.setInterval(kStatsIntervalMs);
    connect(&m_statsTimer, &QTimer::timeout, this, &TokenColumns::refreshStats);
    m_coloring->setCurrentIndex(
        std::clamp(QSettings().value(kColoringKey, 0).toInt(), 0, m_coloring->count() - 1));
    rebuild();
}

void TokenColumns::setColoring(TokenColoring coloring) {
    const int index = static_cast<int>(coloring);
    if (m_coloring->currentIndex() != index) {
        m_coloring->setCurrentIndex(index);  // comes back here
        return;
    }
    QSettings().setValue(kColoringKey, index);
    m_legend->setColoring(coloring);
    for (TokenColumn* column : m_columns) column->setColoring(coloring);
}

bool TokenColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        const int height = m_scroll->viewport()->height();
        m_scroll->widget()->setFixedHeight(height);  // columns never scroll as a whole
        for (TokenColumn* column : m_columns) column->setAvailableHeight(height);
    }
    return QWidget::eventFilter(watched, event);
}

TokenColumn* TokenColumns::columnAt(std::size_t index) {
    while (m_columns.size() <= index) {
        auto* column = new TokenColumn(this);
        column->setColoring(static_cast<TokenColoring>(m_coloring->currentIndex()));
        column->setAvailableHeight(m_scroll->viewport()->height());
        connect(column, &TokenColumn::tokensSelected, this,
                [this](int lane, int request, int first, int end) {
                    Selection::State state;
                    state.lane = lane;
                    state.request = request;
                    state.token = first;
                    state.tokenEnd = end;
                    m_selection->set(state);
                });
        m_row->addWidget(column, 1);
        m_columns.push_back(column);
    }
    return m_columns[index];
}

void TokenColumns::setRun(profiler::RunSnapshot run) {
    const bool sameRun = m_run && run && m_run->header.id == run->header.id &&
                         m_run->lanes.size() == run->lanes.size();
    // The columns point into the old snapshot until refreshText has run.
    const profiler::RunSnapshot old = m_run;
    m_run = std::move(run);
    if (sameRun) {
        refreshPickers();
        refreshText();
    } else {
        rebuild();
    }
    if (m_run && m_run->status != trace::RunStatus::Running) {
        m_statsTimer.stop();
        refreshStats();
    } else if (!m_statsTimer.isActive()) {
        m_statsTimer.start();
    }
}

void TokenColumns::rebuild() {
    const auto& lanes = m_document->plan().lanes;
    std::size_t wanted = 0;
    if (m_run && !m_run->lanes.empty()) {
        wanted = m_run->lanes.size();
    } else {
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            if (lanes[i].muted) continue;
            columnAt(wanted++)->setPending(static_cast<int>(i),
                                           QString::fromStdString(lanes[i].name),
                                           shortModelName(lanes[i].model));
        }
    }
    while (m_columns.size() > wanted) {
        delete m_columns.back();
        m_columns.pop_back();
    }
    refreshPickers();
    refreshText();
    refreshStats();
}

void TokenColumns::refreshPickers() {
    int prompts = 1;
    int repetitions = 1;
    if (m_run)
        for (const auto& request : m_run->requests) {
            prompts = std::max(prompts, request.record.prompt + 1);
            if (!request.record.warmup)
                repetitions = std::max(repetitions, request.record.repetition + 1);
        }
    const auto fill = [](QComboBox* box, int count, const QString& newest, const QString& item) {
        const QSignalBlocker blocker(box);
        if (box->count() == 0) box->addItem(newest);
        while (box->count() > count + 1) box->removeItem(box->count() - 1);
        while (box->count() < count + 1) box->addItem(item.arg(box->count()));
        box->setVisible(count > 1);
    };
    fill(m_prompt, prompts, tr("newest prompt"), tr("prompt %1"));
    fill(m_repetition, repetitions, tr("newest repetition"), tr("repetition %1"));
    m_pickLabel->setVisible(prompts > 1 || repetitions > 1);
}

int TokenColumns::baselineLane() const {
    if (!m_run) return -1;
    const std::string& name = m_document->plan().baseline;
    if (name.empty()) return -1;
    for (const auto& lane : m_run->lanes)
        if (lane.name == name) return lane.index;
    return -1;
}

void TokenColumns::refreshText() {
    if (!m_run) return;
    const int baseline = baselineLane();
    for (std::size_t i = 0; i < m_run->lanes.size(); ++i) {
        const auto& lane = m_run->lanes[i];
        const auto* request = pickRequest(*m_run, lane.index, m_prompt->currentIndex() - 1,
                                          m_repetition->currentIndex() - 1);
        const auto* reference = request != nullptr && baseline >= 0 && baseline != lane.index
                                    ? counterpart(*m_run, *request, baseline)
                                    : nullptr;
        columnAt(i)->setContent(*m_run, lane, request, reference);
    }
    applySelection(false);
}

void TokenColumns::refreshStats() {
    if (!m_run) return;
    const auto stats = profiler::laneStats(*m_run);
    const auto ofLane = [&stats](int lane) -> const profiler::LaneStats* {
        for (const auto& s : stats)
            if (s.lane == lane) return &s;
        return nullptr;
    };
    const int baseline = baselineLane();
    const auto* reference = baseline >= 0 ? ofLane(baseline) : nullptr;
    const QString name = QString::fromStdString(m_document->plan().baseline);
    for (TokenColumn* column : m_columns) {
        const bool isBaseline = column->lane() == baseline;
        column->setStats(ofLane(column->lane()), isBaseline ? nullptr : reference, name,
                         isBaseline);
    }
}

void TokenColumns::applySelection(bool scroll) {
    const auto& state = m_selection->state();
    for (TokenColumn* column : m_columns) {
        const bool mine = state.token >= 0 && column->request() >= 0 &&
                          (state.request < 0 ? state.lane < 0 || state.lane == column->lane()
                                             : state.request == column->request());
        if (!mine) {
            column->view()->setSelectedTokens(-1, -1);
            continue;
        }
        const int end = std::max(state.tokenEnd, state.token + 1);
        column->view()->setSelectedTokens(state.token, end);
        if (scroll && !column->view()->hasFocus()) column->view()->ensureTokenVisible(state.token);
    }
}

}  // namespace lanescope::app

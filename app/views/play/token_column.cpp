#include "app/views/play/token_column.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "app/bridge/model_info.h"
#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/views/play/token_view.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/icon_button.h"
#include "app/widgets/stats_bar.h"

namespace lanescope::app {

QString requestStatusText(const profiler::RequestData& request) {
    const auto tokens = static_cast<int>(request.tokens.size());
    switch (request.record.finish) {
        case trace::FinishReason::None: {
            if (tokens > 0)
                return QCoreApplication::translate("TokenColumn", "%1 tokens …").arg(tokens);
            const auto total = static_cast<int>(request.record.promptTokens.size());
            return QCoreApplication::translate("TokenColumn", "prefill %1 / %2")
                .arg(request.prefillDone)
                .arg(total);
        }
        case trace::FinishReason::EndOfText:
        case trace::FinishReason::StopString:
            return QCoreApplication::translate("TokenColumn", "%1 tokens · stop").arg(tokens);
        case trace::FinishReason::MaxTokens:
            return QCoreApplication::translate("TokenColumn", "%1 tokens · length").arg(tokens);
        case trace::FinishReason::ContextFull:
            return QCoreApplication::translate("TokenColumn", "%1 tokens · context full")
                .arg(tokens);
        case trace::FinishReason::Cancelled:
            return QCoreApplication::translate("TokenColumn", "%1 tokens · cancelled").arg(tokens);
        case trace::FinishReason::Error:
            return QCoreApplication::translate("TokenColumn", "error");
    }
    return {};
}

TokenColumn::TokenColumn(QWidget* parent)
    : QFrame(parent),
      m_badge(new QLabel(this)),
      m_title(new ElidedLabel(this)),
      m_copy(new IconButton(QStringLiteral("copy"), tr("Copy answer"), this)),
      m_error(new ErrorBanner(this)),
      m_view(new TokenView(this)),
      m_status(new ElidedLabel(this)),
      m_speed(new ElidedLabel(this)),
      m_stats(new StatsBar(this)) {
    setObjectName(QStringLiteral("tokenColumn"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kSpace, kSpaceS, kSpaceS, kSpaceS);
    head->setSpacing(kSpace);
    m_badge->setAlignment(Qt::AlignCenter);
    m_badge->setFixedSize(18, 18);
    m_copy->setIconSize(QSize(14, 14));
    head->addWidget(m_badge);
    head->addWidget(m_title, 1);
    head->addWidget(m_copy);
    m_error->setClosable(false);
    for (ElidedLabel* line : {m_status, m_speed}) line->setFont(uiFont(-1));
    auto* figures = new QVBoxLayout;
    figures->setContentsMargins(kSpaceS, kSpaceXs, kSpaceS, kSpaceXs);
    figures->setSpacing(0);
    auto* words = new QVBoxLayout;
    words->setContentsMargins(kSpaceS, 0, kSpaceS, kSpaceXs);
    words->setSpacing(kSpaceXs);
    words->addWidget(m_status);
    words->addWidget(m_speed);
    figures->addLayout(words);
    figures->addWidget(m_stats);
    layout->addLayout(head);
    layout->addWidget(m_error);
    layout->addWidget(m_view, 1);
    layout->addLayout(figures);
    setMinimumWidth(190);

    connect(m_copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_view->text()); });
    connect(m_view, &TokenView::tokensSelected, this,
            [this](int first, int end) { emit tokensSelected(m_lane, m_request, first, end); });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &TokenColumn::restyle);
    restyle();
}

void TokenColumn::setHeader(int lane, const QString& name, const QString& model) {
    const bool other = lane != m_lane;
    m_lane = lane;
    m_badge->setText(laneLetter(lane));
    m_title->setText(name == laneLetter(lane) ? model : name + QStringLiteral(" · ") + model);
    m_view->setAccessibleName(tr("Answer of lane %1").arg(name));
    if (other) restyle();
}

void TokenColumn::setContent(const profiler::RunData& run, const trace::LaneRecord& lane,
                             const profiler::RequestData* request,
                             const profiler::RequestData* baselineRequest) {
    setHeader(lane.index, QString::fromStdString(lane.name), shortModelName(lane.model));
    m_request = request != nullptr ? request->record.id : -1;
    m_view->setRequest(request, baselineRequest);
    if (!lane.error.empty()) {
        m_error->setError(QString::fromStdString(lane.error),
                          QString::fromStdString(lane.modelPath));
    } else if (request != nullptr && !request->record.error.empty()) {
        m_error->setError(QString::fromStdString(request->record.error), {});
    } else {
        m_error->setError({}, {});
    }
    m_status->setText(request != nullptr ? requestStatusText(*request) : QString());
    m_view->setPlaceholder(run.status == trace::RunStatus::Running && lane.error.empty()
                               ? tr("waiting for its turn")
                               : QString());
}

void TokenColumn::setPending(int lane, const QString& name, const QString& model) {
    setHeader(lane, name, model);
    m_request = -1;
    m_view->setRequest(nullptr, nullptr);
    m_error->setError({}, {});
    m_status->setText({});
    m_view->setPlaceholder(tr("Nothing run yet. Ctrl+Enter runs the prompt through every lane."));
    setStats(nullptr, nullptr, {}, false);
}

void TokenColumn::setStats(const profiler::LaneStats* stats, const profiler::LaneStats* baseline,
                           const QString& baselineName, bool isBaseline) {
    const profiler::LaneStats none;
    m_stats->setCells(statCells(stats != nullptr ? *stats : none, baseline));
    QString speed;
    if (isBaseline) {
        speed = tr("★ Baseline");
    } else if (stats != nullptr && baseline != nullptr) {
        speed = speedSentence(*stats, *baseline, baselineName);
    }
    m_speed->setText(speed);
    m_speed->setVisible(!speed.isEmpty());
}

const QString& TokenColumn::speedText() const {
    return m_speed->text();
}

void TokenColumn::setAvailableHeight(int height) {
    m_stats->setHeightLimit(std::max(40, height * 2 / 5));
}

void TokenColumn::setColoring(TokenColoring coloring) {
    m_view->setColoring(coloring);
}

void TokenColumn::restyle() {
    const ThemeColors& c = themeColors();
    const QColor lane = laneColor(m_lane);
    setStyleSheet(QStringLiteral("#tokenColumn { background: %1; border: 1px solid %2; "
                                 "border-top: 2px solid %3; }")
                      .arg(c.panel.name(), c.border.name(), lane.name()));
    m_badge->setStyleSheet(
        QStringLiteral("background: %1; color: %2; border-radius: 3px; font-weight: bold;")
            .arg(lane.name(), contrastText(lane).name()));
    for (ElidedLabel* line : {m_status, m_speed}) line->setColor(c.textMuted);
}

}  // namespace lanescope::app

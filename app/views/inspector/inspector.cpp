#include "app/views/inspector/inspector.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/models/number_text.h"
#include "app/theme/theme.h"
#include "app/timeline/op_style.h"
#include "app/timeline/timeline_view.h"
#include "app/widgets/bar_list.h"
#include "profiler/analyse/stats.h"

namespace lanescope::app {

namespace {

QString factRow(const QString& name, const QString& value) {
    return QStringLiteral(
               "<tr><td style='padding-right:8px'>%1</td><td align='right'><b>%2</b></td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

}  // namespace

QString visiblePiece(const std::string& piece) {
    QString text = QString::fromUtf8(piece.data(), static_cast<qsizetype>(piece.size()));
    text.replace(QLatin1Char(' '), QChar(0x00B7));
    text.replace(QLatin1Char('\n'), QChar(0x21B5));
    text.replace(QLatin1Char('\t'), QChar(0x21E5));
    for (QChar& c : text) {
        if (c.category() == QChar::Other_Control) c = QChar(0xFFFD);
    }
    return text.isEmpty() ? QStringLiteral("∅") : text;
}

Inspector::Inspector(Selection* selection, QWidget* parent)
    : QScrollArea(parent),
      m_selection(selection),
      m_title(new QLabel),
      m_facts(new QLabel),
      m_candidatesTitle(new QLabel),
      m_candidates(new BarList),
      m_opsTitle(new QLabel),
      m_ops(new BarList),
      m_opsNote(new QLabel) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(200);
    auto* body = new QWidget;
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    layout->setSpacing(kSpaceS);
    m_title->setFont(uiFont(1, true));
    m_title->setWordWrap(true);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_candidatesTitle->setFont(uiFont(0, true));
    m_opsTitle->setFont(uiFont(0, true));
    m_opsNote->setWordWrap(true);
    for (QWidget* w : std::initializer_list<QWidget*>{m_title, m_facts}) layout->addWidget(w);
    layout->addSpacing(kSpaceS);
    layout->addWidget(m_candidatesTitle);
    layout->addWidget(m_candidates);
    layout->addSpacing(kSpaceS);
    layout->addWidget(m_opsTitle);
    layout->addWidget(m_ops);
    layout->addWidget(m_opsNote);
    layout->addStretch(1);
    setWidget(body);
    connect(m_selection, &Selection::changed, this, &Inspector::refresh);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &Inspector::refresh);
    connect(m_ops, &BarList::clicked, this, [this](int op) {
        auto state = m_selection->state();
        state.op = state.op == op ? -1 : op;
        m_selection->set(state);
    });
    refresh();
}

QString Inspector::titleText() const {
    return m_title->text();
}

void Inspector::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    QScrollArea::changeEvent(event);
}

void Inspector::setRun(profiler::RunSnapshot run) {
    // While a run streams, a selected token that is complete does not change: nothing to do for it.
    const bool sameRun = run && m_run && run->header.id == m_run->header.id;
    const bool finished = run && run->status != trace::RunStatus::Running;
    m_run = std::move(run);
    if (!sameRun || finished || m_candidates->rows().empty()) refresh();
}

void Inspector::clearSections(const QString& hint) {
    m_title->setText(tr("Inspector"));
    m_facts->setText(hint.toHtmlEscaped());
    m_facts->setWordWrap(true);
    for (QWidget* w : std::initializer_list<QWidget*>{m_candidatesTitle, m_candidates, m_opsTitle,
                                                      m_ops, m_opsNote})
        w->hide();
    m_candidates->setRows({}, 0.4, true);
    m_ops->setRows({}, 0.5, false);
}

void Inspector::refresh() {
    const auto& state = m_selection->state();
    if (m_run && state.token >= 0 && state.lane >= 0) {
        const profiler::RequestData* wanted = nullptr;
        for (const auto& request : m_run->requests) {
            if (request.record.lane != state.lane) continue;
            if (state.request >= 0 ? request.record.id == state.request : !request.tokens.empty())
                wanted = &request;
        }
        if (wanted != nullptr) {
            for (std::size_t i = 0; i < wanted->tokens.size(); ++i) {
                if (wanted->tokens[i].index == state.token) {
                    showToken(*wanted, i);
                    return;
                }
            }
        }
    }
    if (m_run && state.tEndNs > state.tStartNs && state.tStartNs >= 0) {
        showTimeRange();
        return;
    }
    clearSections(m_run ? tr("Click a token, a point of a chart or a span: its probabilities and "
                             "the time of every op appear here.")
                        : tr("Run the lanes, then click a token: its probabilities and the time of "
                             "every op appear here."));
}

void Inspector::showToken(const profiler::RequestData& request, std::size_t index) {
    const trace::TokenRecord& token = request.tokens[index];
    const auto laneIndex = static_cast<std::size_t>(request.record.lane);
    const QString laneName = laneIndex < m_run->lanes.size()
                                 ? QString::fromStdString(m_run->lanes[laneIndex].name)
                                 : QString();
    m_title->setText(
        tr("%1 · token %2  “%3”").arg(laneName).arg(token.index).arg(visiblePiece(token.piece)));
    m_facts->setWordWrap(false);
    const std::int64_t before = index > 0 ? request.tokens[index - 1].tNs : request.record.tStartNs;
    QString facts = QStringLiteral("<table cellspacing='0' cellpadding='1' width='100%'>");
    facts += factRow(tr("id"), QString::number(token.token));
    facts += factRow(index > 0 ? tr("latency (ITL)") : tr("latency (TTFT)"),
                     durationText(static_cast<double>(token.tNs - before) / 1e6));
    facts += factRow(tr("probability"),
                     fixedNumber(std::exp(static_cast<double>(token.logProbability)) * 100.0, 2) +
                         QStringLiteral(" %"));
    facts +=
        factRow(tr("log probability"), fixedNumber(static_cast<double>(token.logProbability), 4));
    facts += factRow(tr("entropy"),
                     tr("%1 nats").arg(fixedNumber(static_cast<double>(token.entropy), 3)));
    facts += factRow(tr("context"), tr("%n token(s)", nullptr, token.contextTokens));
    facts += factRow(tr("KV held"), bytesText(token.kvBytes));
    facts += QStringLiteral("</table>");
    m_facts->setText(facts);

    std::vector<BarRow> rows;
    for (const auto& candidate : token.top) {
        BarRow row;
        row.label = visiblePiece(candidate.piece);
        row.value = fixedNumber(static_cast<double>(candidate.probability) * 100.0, 2) +
                    QStringLiteral(" %");
        row.fraction = static_cast<double>(candidate.probability);
        row.strong = candidate.token == token.token;
        row.color = row.strong ? laneColor(request.record.lane) : themeColors().textFaint;
        row.toolTip = tr("token id %1").arg(candidate.token);
        rows.push_back(std::move(row));
    }
    m_candidatesTitle->setText(tr("Top %n candidate(s)", nullptr, static_cast<int>(rows.size())));
    m_candidatesTitle->setVisible(!rows.empty());
    m_candidates->setVisible(!rows.empty());
    m_candidates->setRows(std::move(rows), 0.38, true);

    std::vector<BarRow> opRows;
    double total = 0.0, widest = 0.0;
    const auto ops = profiler::opStats(*m_run, request.record.lane, request.record.id, token.index);
    for (const auto& op : ops) {
        if (profiler::isPhase(op.op)) continue;
        total += op.totalMs;
        widest = std::max(widest, op.totalMs);
    }
    for (const auto& op : ops) {
        if (profiler::isPhase(op.op)) continue;
        BarRow row;
        row.label = opLabel(op.op);
        row.value = durationText(op.totalMs);
        row.fraction = widest > 0.0 ? op.totalMs / widest : 0.0;
        row.color = opColor(op.op);
        row.tag = static_cast<int>(op.op);
        row.strong = m_selection->state().op == row.tag;
        row.toolTip = tr("%1 % of the step · %2 spans · %3 GB/s · %4 GFLOP/s")
                          .arg(fixedNumber(op.share * 100.0, 1))
                          .arg(op.count)
                          .arg(fixedNumber(op.gbPerS, 1), fixedNumber(op.gflopPerS, 1));
        opRows.push_back(std::move(row));
    }
    m_opsTitle->setText(token.index == 0 ? tr("Time by op (prefill)")
                                         : tr("Time by op (this step)"));
    m_opsTitle->show();
    m_ops->setVisible(!opRows.empty());
    m_opsNote->show();
    m_opsNote->setText(opRows.empty() ? tr("No op spans were recorded for this step.")
                                      : tr("Sum of ops %1. Host clock, measured inside the engine.")
                                            .arg(durationText(total)));
    m_ops->setRows(std::move(opRows), 0.44, false);
}

void Inspector::showTimeRange() {
    const auto& state = m_selection->state();
    double byOp[trace::kOpCount] = {};
    std::int64_t count = 0;
    for (const auto& span : m_run->spans) {
        if (span.tStartNs >= state.tEndNs) break;
        if (span.tEndNs <= state.tStartNs || profiler::isPhase(span.op)) continue;
        if (state.lane >= 0 && span.lane != state.lane) continue;
        byOp[static_cast<int>(span.op)] +=
            static_cast<double>(std::min<std::int64_t>(span.tEndNs, state.tEndNs) -
                                std::max<std::int64_t>(span.tStartNs, state.tStartNs));
        ++count;
    }
    m_title->setText(tr("Time range"));
    m_facts->setWordWrap(false);
    QString facts = QStringLiteral("<table cellspacing='0' cellpadding='1' width='100%'>");
    facts += factRow(tr("start"), durationText(static_cast<double>(state.tStartNs) / 1e6));
    facts += factRow(tr("length"),
                     durationText(static_cast<double>(state.tEndNs - state.tStartNs) / 1e6));
    facts += factRow(tr("spans"), QString::number(count));
    m_facts->setText(facts + QStringLiteral("</table>"));
    m_candidatesTitle->hide();
    m_candidates->hide();
    const double widest = *std::max_element(std::begin(byOp), std::end(byOp));
    std::vector<BarRow> rows;
    for (int i = 0; i < trace::kOpCount; ++i) {
        if (byOp[i] <= 0.0) continue;
        const auto op = static_cast<trace::Op>(i);
        BarRow row;
        row.label = opLabel(op);
        row.value = durationText(byOp[i] / 1e6);
        row.fraction = byOp[i] / widest;
        row.color = opColor(op);
        row.tag = i;
        rows.push_back(std::move(row));
    }
    m_opsTitle->setText(tr("Time by op (selected range)"));
    m_opsTitle->show();
    m_ops->setVisible(!rows.empty());
    m_opsNote->setVisible(rows.empty());
    m_opsNote->setText(tr("No op spans in this range."));
    m_ops->setRows(std::move(rows), 0.44, false);
}

}  // namespace lanescope::app

#include "app/views/runs/compare_view.h"

#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <cmath>

#include "app/theme/theme.h"
#include "app/widgets/data_table.h"
#include "profiler/analyse/stats.h"

namespace lanescope::app {

namespace {

QString figure(double mean, double sd, std::int64_t n) {
    const auto text = [](double v) {
        const double size = std::abs(v);
        return QLocale::c().toString(v, 'f', size >= 100 ? 1 : size >= 1 ? 2 : 3);
    };
    if (n < 1) return QStringLiteral("–");
    return n > 1 ? QStringLiteral("%1 ± %2 (n=%3)").arg(text(mean), text(sd)).arg(n) : text(mean);
}

QString verdictText(profiler::Delta::Verdict verdict) {
    using Verdict = profiler::Delta::Verdict;
    switch (verdict) {
        case Verdict::Better:
            return CompareView::tr("better");
        case Verdict::Worse:
            return CompareView::tr("worse");
        case Verdict::WithinNoise:
            return CompareView::tr("within noise");
        case Verdict::NotComparable:
            return CompareView::tr("one repetition: noise unknown");
    }
    return {};
}

}  // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent), m_title(new QLabel), m_model(new CellModel(this)), m_table(new DataTable) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, kSpaceS, 0, 0);
    m_title->setContentsMargins(kSpace, 0, kSpace, 0);
    m_title->setWordWrap(true);
    layout->addWidget(m_title);
    layout->addWidget(m_table, 1);
    m_table->setSource(m_model);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &CompareView::rebuild);
    rebuild();
}

void CompareView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) rebuild();
    QWidget::changeEvent(event);
}

void CompareView::setRuns(profiler::RunSnapshot before, profiler::RunSnapshot after) {
    m_before = std::move(before);
    m_after = std::move(after);
    rebuild();
}

void CompareView::rebuild() {
    m_table->setAccessibleName(tr("Comparison of two runs"));
    m_model->setHeaders({tr("Lane"), tr("Figure"), tr("Unit"), tr("Before"), tr("After"),
                         tr("Change"), tr("%"), tr("Verdict")},
                        {{},
                         {},
                         {},
                         {},
                         {},
                         {},
                         {},
                         tr("Welch's t-test, two-sided, 95 %: a change inside the noise is grey")});
    if (!m_before || !m_after) {
        m_title->setText(tr("Select two runs to compare them figure by figure."));
        m_table->hide();
        m_model->setRows({});
        return;
    }
    m_table->show();
    m_title->setText(tr("<b>%1</b> → <b>%2</b>")
                         .arg(QString::fromStdString(m_before->header.name).toHtmlEscaped(),
                              QString::fromStdString(m_after->header.name).toHtmlEscaped()));
    const auto before = profiler::laneStats(*m_before);
    const auto after = profiler::laneStats(*m_after);
    std::vector<std::vector<Cell>> rows;
    for (std::size_t i = 0; i < after.size() && i < m_after->lanes.size(); ++i) {
        std::size_t match = before.size();
        for (std::size_t k = 0; k < before.size() && k < m_before->lanes.size(); ++k) {
            if (m_before->lanes[k].name == m_after->lanes[i].name) match = k;
        }
        if (match == before.size()) continue;
        for (const auto& delta : profiler::compareLanes(before[match], after[i])) {
            using Verdict = profiler::Delta::Verdict;
            Cell lane = textCell(QString::fromStdString(m_after->lanes[i].name));
            lane.decoration = laneColor(m_after->lanes[i].index);
            const bool up = delta.absolute > 0;
            const QString arrow = delta.absolute == 0.0 ? QString()
                                  : up                  ? QStringLiteral("▲ +")
                                                        : QStringLiteral("▼ ");
            QVariant color;
            if (delta.verdict == Verdict::Better) color = themeColors().good;
            if (delta.verdict == Verdict::Worse) color = themeColors().bad;
            if (delta.verdict == Verdict::WithinNoise) color = themeColors().textMuted;
            Cell change =
                numberCell(arrow + QLocale::c().toString(delta.absolute, 'f', 2), delta.absolute);
            Cell percent = numberCell(std::isfinite(delta.percent)
                                          ? QLocale::c().toString(delta.percent, 'f', 1)
                                          : QStringLiteral("–"),
                                      delta.percent);
            Cell verdict = textCell(verdictText(delta.verdict));
            change.foreground = percent.foreground = verdict.foreground = color;
            rows.push_back(
                {lane, textCell(QString::fromStdString(delta.metric)),
                 textCell(QString::fromStdString(delta.unit)),
                 numberCell(figure(delta.before, delta.beforeSd, delta.beforeN), delta.before),
                 numberCell(figure(delta.after, delta.afterSd, delta.afterN), delta.after), change,
                 percent, verdict});
        }
    }
    if (rows.empty()) m_title->setText(tr("These two runs have no lane of the same name."));
    m_model->setRows(std::move(rows));
    m_table->resizeColumnsToContents();
}

}  // namespace lanescope::app

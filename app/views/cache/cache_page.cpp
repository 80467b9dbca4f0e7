#include "app/views/cache/cache_page.h"

#include <QSettings>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/views/cache/blocks_tab.h"
#include "app/views/cache/calculator_tab.h"
#include "app/views/cache/formats_tab.h"

namespace lanescope::app {

namespace {
const QString kTabKey = QStringLiteral("cache/tab");
}

CachePage::CachePage(const Sources& sources, QWidget* parent)
    : QWidget(parent),
      m_document(sources.document),
      m_tabs(new QTabBar),
      m_panes(new QStackedWidget),
      m_blocks(new BlocksTab(sources.log, sources.serving)),
      m_calculator(new CalculatorTab(sources.document, sources.models)),
      m_formats(new FormatsTab(sources.document, sources.divergence)) {
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Parts of the cache page"));
    m_tabs->addTab(tr("Blocks"));
    m_tabs->addTab(tr("Calculator"));
    m_tabs->addTab(tr("Formats"));
    m_panes->addWidget(m_blocks);
    m_panes->addWidget(m_calculator);
    m_panes->addWidget(m_formats);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, 0);
    top->addWidget(m_tabs);
    top->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(top);
    column->addWidget(m_panes, 1);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_panes->setCurrentIndex(tab);
        QSettings().setValue(kTabKey, tab);
    });
    connect(m_document, &PlanDocument::lanesChanged, this, &CachePage::updateEmpty);
    connect(m_blocks, &BlocksTab::runRequested, this, [this] {
        if (m_document->laneCount() > 0)
            emit servingRequested();
        else
            emit openModelRequested();
    });
    m_tabs->setCurrentIndex(std::clamp(QSettings().value(kTabKey, 0).toInt(), 0, 2));
    updateEmpty();
}

void CachePage::setRun(const profiler::RunSnapshot& run) {
    m_calculator->setRun(run);
}

void CachePage::setBlocked(const QString& reason) {
    m_blocked = reason;
    m_formats->setBlocked(reason);
    updateEmpty();
}

void CachePage::showTab(Tab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

void CachePage::updateEmpty() {
    const bool some = m_document->laneCount() > 0;
    m_blocks->setEmptyAction(some ? tr("Serve requests and watch the blocks") : tr("Open a model…"),
                             !some || m_blocked.isEmpty());
}

}  // namespace lanescope::app

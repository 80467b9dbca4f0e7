// What the kernels page is made of, and its words.

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/timeline/timeline_view.h"
#include "app/views/kernels/kernels_page.h"
#include "app/views/kernels/roofline_chart.h"
#include "app/widgets/data_table.h"

namespace lanescope::app {

QLayout* KernelsPage::buildTop() {
    auto* top = new QHBoxLayout;
    top->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    top->setSpacing(kSpace);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->addTab(QString());
    m_tabs->addTab(QString());
    top->addWidget(m_tabs);
    m_timedBy->addItem(QString());
    m_timedBy->addItem(QString());
    m_timedBy->setObjectName(QStringLiteral("timedBy"));
    m_timedBy->hide();
    top->addWidget(m_timedBy);
    m_find->setClearButtonEnabled(true);
    m_find->setMinimumWidth(120);
    m_find->setMaximumWidth(220);
    top->addWidget(m_find, 1);
    auto* selectionLayout = new QHBoxLayout(m_selectionBar);
    selectionLayout->setContentsMargins(kSpace, 0, 0, 0);
    auto* clear = new QPushButton;
    clear->setObjectName(QStringLiteral("clearSelection"));
    m_selectionText->setMinimumWidth(60);
    m_selectionText->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    selectionLayout->addWidget(m_selectionText, 1);
    selectionLayout->addWidget(clear);
    connect(clear, &QPushButton::clicked, m_selection, &Selection::clear);
    top->addWidget(m_selectionBar, 4);
    top->addStretch(1);
    top->addWidget(m_open);
    top->addWidget(m_save);
    return top;
}

QWidget* KernelsPage::buildTraceBar() {
    auto* row = new QHBoxLayout(m_traceBar);
    row->setContentsMargins(kSpace, kSpaceXs, kSpace, kSpaceXs);
    row->setSpacing(kSpace);
    m_traceText->setWordWrap(true);
    m_traceText->setTextFormat(Qt::PlainText);
    row->addWidget(m_traceText, 1);
    m_traceProgress->setRange(0, 1000);
    m_traceProgress->setMaximumWidth(200);
    m_traceProgress->setTextVisible(false);
    row->addWidget(m_traceProgress);
    row->addWidget(m_traceClose);
    m_traceBar->hide();
    return m_traceBar;
}

QWidget* KernelsPage::buildTable() {
    m_table->setSource(m_model);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(kSpace, kSpaceXs, kSpace, kSpaceXs);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceS);
    tools->setSpacing(kSpace);
    for (int i = 0; i < 4; ++i) m_groups->addItem(QString());
    m_groups->setObjectName(QStringLiteral("groupBy"));
    m_groups->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    tools->addWidget(m_groups);
    for (int i = 0; i < 3; ++i) m_steps->addItem(QString());
    m_steps->setObjectName(QStringLiteral("steps"));
    m_steps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    tools->addWidget(m_steps);
    m_follow->setObjectName(QStringLiteral("follow"));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    tools->addWidget(m_follow);
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(240);
    tools->addWidget(m_filter, 1);
    tools->addStretch(1);
    m_counted->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_counted->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    tools->addWidget(m_counted, 2);
    auto* lower = new QWidget;
    auto* column = new QVBoxLayout(lower);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(tools);
    column->addWidget(m_table, 1);
    m_dropped->setContentsMargins(kSpace, kSpaceXs, kSpace, 0);
    m_dropped->setWordWrap(true);
    column->addWidget(m_dropped);
    column->addWidget(m_note);
    return lower;
}

void KernelsPage::connectAll() {
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int pane) {
        m_panes->setCurrentIndex(pane);
        showRoofline();
    });
    connect(m_timedBy, &QComboBox::currentIndexChanged, this, &KernelsPage::showRoofline);
    connect(m_steps, &QComboBox::currentIndexChanged, this, &KernelsPage::rebuildTable);
    connect(m_groups, &QComboBox::currentIndexChanged, this, &KernelsPage::rebuildTable);
    connect(m_follow, &QToolButton::toggled, this, &KernelsPage::rebuildTable);
    connect(m_find, &QLineEdit::returnPressed, this,
            [this] { m_timeline->findNext(m_find->text()); });
    connect(m_filter, &QLineEdit::textChanged, m_table, &DataTable::setFilterText);
    auto* findKey = new QShortcut(QKeySequence::Find, this);
    connect(findKey, &QShortcut::activated, this, [this] {
        m_find->setFocus();
        m_find->selectAll();
    });
    connect(m_timeline, &TimelineView::lineNeeded, this, [this](int y, int height) {
        // The ruler is at the top of the widget: as much as possible of what is above stays.
        QScrollBar* bar = m_scroll->verticalScrollBar();
        const int room = m_scroll->viewport()->height();
        if (y < bar->value() + 30) bar->setValue(y - 30);
        if (y + height > bar->value() + room) bar->setValue(y + height - room + 4);
    });
    connect(m_selection, &Selection::changed, this, &KernelsPage::onSelectionChanged);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        rebuildTable();
        m_timeline->update();
    });
    connect(m_table, &DataTable::activatedId, this, &KernelsPage::activateRow);
    connect(m_roofline, &RooflineChart::opClicked, this, [this](int lane, int op) {
        m_table->selectId(opRowId(lane, static_cast<trace::Op>(op)));
        toggleOp(lane, op);
    });
    connect(&m_summary, &KernelSummary::ready, this, &KernelsPage::showRows);
    connect(&m_summary, &KernelSummary::progressed, this, [this] {
        m_counted->setText(tr("Adding up… %1 %").arg(static_cast<int>(100 * m_summary.fraction())));
    });
    connect(m_open, &QPushButton::clicked, this, &KernelsPage::traceOpenRequested);
    connect(m_save, &QPushButton::clicked, this, &KernelsPage::askWhereToSave);
    connect(m_traceClose, &QPushButton::clicked, this, [this] {
        if (m_reading)
            emit traceReadingCancelled();
        else
            closeTrace();
    });
}

void KernelsPage::retranslate() {
    m_tabs->setTabText(0, tr("Timeline"));
    m_tabs->setTabText(1, tr("Roofline"));
    m_tabs->setAccessibleName(tr("What is above the table"));
    m_tabs->setTabToolTip(1, tr("Every op by its arithmetic intensity and speed, under what this "
                                "machine can do at most"));
    m_groups->setItemText(0, tr("By op"));
    m_groups->setItemText(1, tr("By layer"));
    m_groups->setItemText(2, tr("By kernel"));
    m_groups->setItemText(3, tr("By token"));
    m_groups->setAccessibleName(tr("What the rows of the table are"));
    m_groups->setToolTip(tr("What the rows of the table are. A token is the step that made it."));
    m_steps->setItemText(0, tr("All steps"));
    m_steps->setItemText(1, tr("Prefill"));
    m_steps->setItemText(2, tr("Decode"));
    m_steps->setAccessibleName(tr("Steps that count"));
    m_steps->setToolTip(
        tr("Steps that count in the table and the roofline. An op does more "
           "arithmetic for each byte in prefill than in decode."));
    m_timedBy->setItemText(0, tr("Timed by the CPU"));
    m_timedBy->setItemText(1, tr("Timed by the GPU"));
    m_timedBy->setAccessibleName(tr("Whose clock the roofline goes by"));
    m_timedBy->setToolTip(
        tr("The engine's own clock readings, or the device's. The two are never "
           "mixed in one chart."));
    m_follow->setText(tr("Selection only"));
    m_follow->setToolTip(
        tr("Count what is selected: the time range (what lies in it by at least half), the token, "
           "the layer, the op"));
    m_filter->setPlaceholderText(tr("Filter the table"));
    m_filter->setAccessibleName(tr("Filter the table"));
    m_find->setPlaceholderText(tr("Find by name (Enter: next)"));
    m_find->setAccessibleName(tr("Find in the timeline"));
    m_open->setText(tr("Open trace…"));
    m_open->setToolTip(
        tr("Chrome or Perfetto JSON, also compressed: from Lanescope, the PyTorch "
           "profiler, exports of nsys …"));
    m_save->setText(tr("Save trace…"));
    m_traceProgress->setAccessibleName(tr("Reading the trace"));
    m_table->setAccessibleName(tr("Time by op"));
    m_roofline->setAccessibleName(tr("Roofline"));
    findChild<QPushButton*>(QStringLiteral("clearSelection"))->setText(tr("Clear"));
    m_timeline->setToolTip(QString());
    updateTraceBar();
    rebuildTable();
}

}  // namespace lanescope::app

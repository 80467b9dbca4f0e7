// What the formats tab is made of.

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>

#include "app/theme/theme.h"
#include "app/views/cache/formats_tab.h"
#include "app/views/charts/trace_chart.h"
#include "app/widgets/data_table.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/icon_button.h"
#include "app/widgets/legend_row.h"
#include "kernels/ops/kv_format.h"

namespace lanescope::app {

QString kvFormatLabel(int format) {
    return QString::fromUtf8(kernels::kvFormatName(static_cast<kernels::KvFormat>(format)).data());
}

QWidget* FormatsTab::buildForm() {
    auto* inner = new QWidget;
    auto* form = new QFormLayout(inner);
    form->setContentsMargins(kSpace, kSpace, kSpace, kSpace);
    form->setVerticalSpacing(kSpaceS);
    form->setHorizontalSpacing(kSpace);
    m_lane->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_lane->setMinimumContentsLength(8);
    m_windows->setRange(1, 1000);
    m_windows->setValue(2);
    const auto add = [&](const QString& label, QWidget* field, const QString& tip) {
        auto* text = new QLabel(label);
        text->setBuddy(field);
        text->setToolTip(tip);
        field->setToolTip(tip);
        field->setAccessibleName(label);
        form->addRow(text, field);
    };
    add(tr("Lane"), m_lane, tr("Its model and settings, but for the cache"));
    for (int i = 0; i < kernels::kKvFormats; ++i) m_reference->addItem(kvFormatLabel(i));
    m_reference->setCurrentIndex(static_cast<int>(kernels::KvFormat::F16));
    add(tr("Against"), m_reference, tr("Format of the cache that is compared with"));
    auto* head = new QLabel(tr("Formats"));
    head->setFont(uiFont(0, true));
    form->addRow(head);
    for (int i = 0; i < kernels::kKvFormats; ++i) {
        auto* box = new QCheckBox(kvFormatLabel(i));
        box->setChecked(i >= static_cast<int>(kernels::KvFormat::E4M3));
        connect(box, &QCheckBox::toggled, this, &FormatsTab::updateRun);
        m_formats.push_back(box);
        form->addRow(box);
    }
    auto* textHead = new QLabel(tr("Text"));
    textHead->setFont(uiFont(0, true));
    form->addRow(textHead);
    add(tr("Depths"), m_depths,
        tr("A figure for the positions up to each; the last is the length of a window"));
    add(tr("Windows"), m_windows, tr("Of the text, at most"));
    auto* open = new IconButton(QStringLiteral("open"), tr("Choose a text"));
    connect(open, &QToolButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Choose a text"));
        if (!path.isEmpty()) m_file->setText(path);
    });
    auto* fileRow = new QWidget;
    auto* fileLayout = new QHBoxLayout(fileRow);
    fileLayout->setContentsMargins(0, 0, 0, 0);
    fileLayout->setSpacing(kSpaceS);
    fileLayout->addWidget(m_file);
    fileLayout->addWidget(open);
    m_file->setPlaceholderText(tr("built in"));
    m_file->setAccessibleName(tr("Text file"));
    m_file->setToolTip(tr("Empty: the project's own descriptions. A text of your own says more."));
    form->addRow(tr("File"), fileRow);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(inner);
    m_run->setIcon(themeIcon(QStringLiteral("run")));
    m_run->setObjectName(QStringLiteral("measureFormats"));
    m_stop->setIcon(themeIcon(QStringLiteral("stop")));
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(kSpace, kSpaceS, kSpace, kSpace);
    buttons->addWidget(m_run);
    buttons->addWidget(m_stop);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(scroll, 1);
    column->addLayout(buttons);
    left->setFixedWidth(264);
    return left;
}

QWidget* FormatsTab::buildResult() {
    auto* upper = new QWidget;
    auto* upperColumn = new QVBoxLayout(upper);
    upperColumn->setContentsMargins(0, 0, 0, 0);
    upperColumn->setSpacing(0);
    upperColumn->addWidget(m_chart, 1);
    auto* legendRow = new QHBoxLayout;
    legendRow->setContentsMargins(kSpaceXl, 0, kSpace, kSpaceS);
    legendRow->addWidget(m_legend);
    upperColumn->addLayout(legendRow);
    auto* lower = new QWidget;
    auto* lowerColumn = new QVBoxLayout(lower);
    lowerColumn->setContentsMargins(0, 0, 0, 0);
    lowerColumn->setSpacing(0);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(kSpace, kSpaceXs, kSpace, kSpaceXs);
    lowerColumn->addWidget(m_note);
    lowerColumn->addWidget(m_table, 1);
    m_table->setSource(m_model);
    m_table->setAccessibleName(tr("Divergence by format and depth"));
    m_table->horizontalHeader()->setStretchLastSection(false);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(upper);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setChildrenCollapsible(false);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(splitter);
    auto* progressRow = new QHBoxLayout(m_progress);
    progressRow->setContentsMargins(kSpace, kSpaceS, kSpace, kSpaceXs);
    progressRow->setSpacing(kSpace);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setMaximumWidth(240);
    m_bar->setMaximumHeight(kSpace);
    m_bar->setAccessibleName(tr("Progress of the measurement"));
    progressRow->addWidget(m_stage, 1);
    progressRow->addWidget(m_bar);
    auto* result = new QWidget;
    auto* column = new QVBoxLayout(result);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_error);
    column->addWidget(m_progress);
    column->addWidget(m_stack, 1);
    return result;
}

}  // namespace lanescope::app

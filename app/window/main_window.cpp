#include "app/window/main_window.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/theme/theme.h"
#include "app/views/charts/chart_deck.h"
#include "app/views/inspector/inspector.h"
#include "app/views/kernels/kernels_page.h"
#include "app/views/runs/runs_page.h"

namespace lanescope::app {

MainWindow::MainWindow(std::shared_ptr<profiler::RunStore> store, QWidget* parent)
    : QMainWindow(parent),
      m_controller(new RunController(store, this)),
      m_selection(new Selection(this)) {
    setWindowTitle(tr("Lanescope"));
    resize(1440, 900);

    auto* central = new QWidget(this);
    auto* row = new QHBoxLayout(central);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* rail = new QWidget(central);
    m_rail = new QVBoxLayout(rail);
    m_rail->setContentsMargins(kSpaceS, kSpace, kSpaceS, kSpace);
    m_rail->setSpacing(kSpaceS);
    m_rail->addStretch();
    m_railButtons = new QButtonGroup(this);
    m_pages = new QStackedWidget(central);
    row->addWidget(rail);
    row->addWidget(m_pages, 1);
    setCentralWidget(central);

    auto* play = new QWidget(m_pages);
    auto* playLayout = new QVBoxLayout(play);
    playLayout->setContentsMargins(0, 0, 0, 0);
    playLayout->addWidget(new QLabel(tr("lanes"), play));
    auto* across = new QSplitter(Qt::Horizontal, play);
    auto* down = new QSplitter(Qt::Vertical, across);
    down->addWidget(new QLabel(tr("token columns"), down));
    m_charts = new ChartDeck(m_selection, down);
    down->addWidget(m_charts);
    m_inspector = new Inspector(m_selection, across);
    across->addWidget(down);
    across->addWidget(m_inspector);
    across->setStretchFactor(0, 1);
    playLayout->addWidget(across, 1);

    m_kernels = new KernelsPage(m_selection, m_pages);
    m_runs = new RunsPage(std::move(store), m_pages);
    addPage(tr("Play"), play);
    addPage(tr("Kernels"), m_kernels);
    addPage(tr("Runs"), m_runs);
    m_railButtons->button(0)->setChecked(true);
    connect(m_railButtons, &QButtonGroup::idClicked, m_pages, &QStackedWidget::setCurrentIndex);
    connect(m_controller, &RunController::snapshotChanged, this, &MainWindow::showSnapshot);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::addPage(const QString& name, QWidget* page) {
    const int index = m_pages->addWidget(page);
    auto* button = new QToolButton(this);
    button->setText(name);
    button->setCheckable(true);
    button->setAutoRaise(true);
    m_railButtons->addButton(button, index);
    m_rail->insertWidget(index, button);
}

void MainWindow::showSnapshot(const profiler::RunSnapshot& run) {
    m_charts->setRun(run);
    m_inspector->setRun(run);
    m_kernels->setRun(run);
}

}  // namespace lanescope::app

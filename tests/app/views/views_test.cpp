// Drives charts, inspector, kernels page, runs page and export on a run made by hand: what is drawn
// must be what the run says.

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineSeries>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "app/bridge/trace_opener.h"
#include "app/report/pdf_report.h"
#include "app/report/report_dialog.h"
#include "app/theme/theme.h"
#include "app/timeline/timeline_layout.h"
#include "app/timeline/timeline_view.h"
#include "app/views/charts/chart_deck.h"
#include "app/views/charts/trace_chart.h"
#include "app/views/inspector/inspector.h"
#include "app/views/kernels/kernels_page.h"
#include "app/views/kernels/op_rows.h"
#include "app/views/kernels/roofline_chart.h"
#include "app/views/play/lane_dialog.h"
#include "app/views/runs/compare_view.h"
#include "app/views/runs/runs_page.h"
#include "app/widgets/bar_list.h"
#include "app/widgets/data_table.h"
#include "tests/app/views/hand_made_run.h"

using namespace lanescope;
using namespace lanescope::app;

class ViewsTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("lanescope-test"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_dir.path());
        applyTheme(*qobject_cast<QApplication*>(QApplication::instance()), ThemeChoice::Light);
        m_run = test::handMadeRun(2, 2, 40);
    }

    void chartsShowEveryTokensLatency() {
        Selection selection;
        ChartDeck deck(&selection);
        deck.resize(1000, 300);
        deck.show();
        deck.setRun(m_run);
        const auto& lines = deck.latencyChart()->lines();
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines[0].x.size(), std::size_t{39});
        QVERIFY(std::abs(lines[0].y[5] - 5.0) < 1e-9);
        QVERIFY(std::abs(lines[1].y[5] - 6.0) < 1e-9);
        QCOMPARE(deck.kvChart()->lines()[0].y.size(), std::size_t{40});
        deck.latencyChart()->setCrosshair(10.0);
        QVERIFY(!deck.grab().isNull());
        save(deck, "charts");
    }

    void aPointOfTheChartSelectsItsToken() {
        Selection selection;
        ChartDeck deck(&selection);
        deck.setRun(m_run);
        emit deck.latencyChart()->pointClicked(1, 7);
        QCOMPARE(selection.state().lane, 1);
        QCOMPARE(selection.state().token, 7);
        QCOMPARE(selection.state().request, 3);
    }

    void zoomIsSharedAndResets() {
        Selection selection;
        ChartDeck deck(&selection);
        deck.setRun(m_run);
        emit deck.kvChart()->rangeChosen(5.0, 9.0);
        QCOMPARE(deck.latencyChart()->xRange(), (std::pair{5.0, 9.0}));
        emit deck.latencyChart()->rangeChosen(0.0, 0.0);
        QCOMPARE(deck.kvChart()->xRange(), deck.kvChart()->dataXRange());
    }

    void nonFinitePointsLeaveAGapAndAFiniteAxis() {
        TraceChart chart(QStringLiteral("t"), QStringLiteral("ms"), 1);
        PlotLine line;
        line.x = {0, 1, 2, 3};
        line.y = {NAN, 1.0, INFINITY, 1e308};
        line.token = {0, 1, 2, 3};
        chart.resize(400, 200);
        chart.setLines({line}, QStringLiteral("x"));
        chart.setCrosshair(0.0);
        QVERIFY(!chart.grab().isNull());
        chart.setLines({}, QStringLiteral("x"));
        QVERIFY(!chart.hasPoints());
    }

    void aMillionPointsAreThinnedBeforeDrawing() {
        TraceChart chart(QStringLiteral("t"), QStringLiteral("ms"), 1);
        chart.resize(900, 200);
        PlotLine line;
        for (int i = 0; i < 1'000'000; ++i) {
            line.x.push_back(i);
            line.y.push_back(i == 777'777 ? 500.0 : 1.0);
        }
        QElapsedTimer timer;
        timer.start();
        chart.setLines({line}, QStringLiteral("x"));
        qInfo("setLines with 1e6 points: %lld ms", static_cast<long long>(timer.elapsed()));
        const auto series = chart.chart()->series();
        double peak = 0.0;
        qsizetype drawn = 0;
        for (auto* s : series) {
            if (auto* l = qobject_cast<QLineSeries*>(s);
                l != nullptr && l->metaObject() == &QLineSeries::staticMetaObject) {
                drawn += l->points().size();
                for (const auto& p : l->points()) peak = std::max(peak, p.y());
            }
        }
        QVERIFY(drawn > 0 && drawn < 4000);
        QCOMPARE(peak, 500.0);
    }

    void inspectorShowsTheSelectedTokensCandidatesAndOps() {
        Selection selection;
        Inspector inspector(&selection);
        inspector.resize(260, 500);
        inspector.show();
        inspector.setRun(m_run);
        QVERIFY(inspector.candidates()->rows().empty());
        Selection::State state;
        state.lane = 1;
        state.request = 1;
        state.token = 4;
        selection.set(state);
        QCOMPARE(inspector.candidates()->rows().size(), std::size_t{3});
        QCOMPARE(inspector.candidates()->rows()[0].value, QStringLiteral("70.00 %"));
        QVERIFY(inspector.candidates()->rows()[0].strong);
        QCOMPARE(inspector.ops()->rows().size(), std::size_t{4});
        QCOMPARE(inspector.ops()->rows()[0].value, QStringLiteral("1.50 ms"));
        QVERIFY(inspector.titleText().contains(QStringLiteral("token 4")));
        save(inspector, "inspector");
        selection.clear();
        QVERIFY(inspector.candidates()->rows().empty());
    }

    void kernelsPageListsOpsAndFollowsTheTimeline() {
        Selection selection;
        KernelsPage page(&selection);
        page.resize(1000, 600);
        page.show();
        page.setRun(m_run);
        QVERIFY(page.timeline()->timeline() != nullptr);
        QCOMPARE(page.timeline()->timeline()->tracks.size(), std::size_t{4});
        QVERIFY(page.table()->model()->rowCount() >= 10);
        page.timeline()->setFocus();
        QTest::keyClick(page.timeline(), Qt::Key_Period);
        QVERIFY(!selection.empty());
        QTest::keyClick(page.timeline(), Qt::Key_F);
        QVERIFY(page.timeline()->visibleRange().length() <
                page.timeline()->fullTimeRange().length());
        QTest::keyClick(page.timeline(), Qt::Key_Backspace);
        QCOMPARE(page.timeline()->visibleRange(), page.timeline()->fullTimeRange());
        QVERIFY(page.timeline()->findNext(QStringLiteral("attention")));
        QVERIFY(!page.timeline()->findNext(QStringLiteral("no such op")));
        page.table()->setFilterText(QStringLiteral("Attention"));
        QCOMPARE(page.table()->model()->rowCount(), 1);  // of what is selected
        selection.clear();
        QCOMPARE(page.table()->model()->rowCount(), 2);
        page.table()->setFilterText(QString());
        QVERIFY(page.table()->toMarkdown().startsWith(QStringLiteral("| Lane |")));
        QVERIFY(page.table()->toCsv().contains(QStringLiteral("\r\n")));
        page.timeline()->fitAll();
        save(page, "kernels");
        QVERIFY(page.timeline()->findNext(QStringLiteral("attention")));
        QVERIFY(!selection.empty());
        QTest::keyClick(page.timeline(), Qt::Key_Escape);
        QVERIFY(selection.empty());
    }

    void opsLieUnderTheRoofAndAClickSelects() {
        Selection selection;
        KernelsPage page(&selection);
        page.resize(1000, 600);
        page.show();
        page.setRun(test::handMadeRun(2, 1, 8, "0123456789abcdef", true));
        page.showPane(KernelsPage::Pane::Roofline);
        RooflineChart* chart = page.roofline();
        QVERIFY(chart->isVisible());
        QCOMPARE(chart->marks().size(), std::size_t{8});  // 4 ops, 2 lanes
        QCOMPARE(chart->roofs().size(), std::size_t{1});
        for (std::size_t i = 0; i < chart->marks().size(); ++i)
            QVERIFY(chart->rect().contains(chart->markPosition(i).toPoint()));
        save(page, "roofline");
        // 1 MB in 1.25 ms of each decode step and in 5 ms of the prefill: 8 MB in 13.75 ms.
        const QString csv = page.table()->toCsv(DataTable::Rows::All);
        QVERIFY2(csv.contains(QStringLiteral(",Intensity,% of roof,Limit\r\n")), qPrintable(csv));
        QVERIFY2(csv.contains(QStringLiteral(",2.00,58 %,Memory\r\n")), qPrintable(csv));
        QVERIFY2(csv.contains(QStringLiteral(",1.00,73 %,Arithmetic\r\n")), qPrintable(csv));

        const RooflineMark mark = chart->marks()[0];
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->markPosition(0).toPoint());
        QCOMPARE(selection.state().op, static_cast<int>(mark.op));
        QCOMPARE(selection.state().lane, mark.lane);
        QCOMPARE(page.table()->selectedIds(), QVariantList{QVariant(opRowId(mark.lane, mark.op))});
        QVERIFY(page.table()->toMarkdown().contains(QStringLiteral("| % of roof |")));
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->markPosition(0).toPoint());
        QCOMPARE(selection.state().op, -1);
        // By keyboard: the next mark, chosen.
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_Right);
        QVERIFY(chart->accessibleDescription().contains(QStringLiteral("FLOP/byte")));
        QTest::keyClick(chart, Qt::Key_Return);
        QVERIFY(selection.state().op >= 0);
        QVERIFY(chart->toSvg().contains("<svg"));
        // Only the steps that decode: nothing of the long prefill is left.
        const double all = chart->marks()[0].totalMs;
        page.findChild<QComboBox*>(QStringLiteral("steps"))->setCurrentIndex(2);
        QVERIFY(chart->marks()[0].totalMs < all);
    }

    void theTableFollowsTheSelection() {
        Selection selection;
        KernelsPage page(&selection);
        page.resize(1000, 700);
        page.show();
        page.setRun(test::handMadeRun(2, 1, 8, "0123456789abcdef", true));
        QAbstractItemModelTester tester(page.table()->model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        const int all = page.table()->model()->rowCount();
        QCOMPARE(all, 12);  // 4 ops, 2 phases, 2 lanes
        Selection::State token;
        token.lane = 1;
        token.request = 1;
        token.token = 3;
        selection.set(token);
        QTRY_COMPARE(page.table()->model()->rowCount(), 5);               // 4 ops and their step
        page.findChild<QToolButton*>(QStringLiteral("follow"))->click();  // not the selection only
        QTRY_COMPARE(page.table()->model()->rowCount(), all);
        page.findChild<QToolButton*>(QStringLiteral("follow"))->click();
        // A click on a span leaves what happened in its time.
        page.timeline()->selectItem({ItemKind::Span, 1});
        QCOMPARE(selection.state().tEndNs - selection.state().tStartNs, 5'000'000);
        QTRY_COMPARE(page.table()->model()->rowCount(), 1);
        selection.clear();
        page.setGroupBy(profiler::GroupBy::Layer);
        QTRY_COMPARE(page.table()->model()->rowCount(), 4);  // outside and layer 0, 2 lanes
        QVERIFY(page.table()->toCsv().contains(QStringLiteral("layer 0")));
        page.setGroupBy(profiler::GroupBy::Step);
        QTRY_COMPARE(page.table()->model()->rowCount(), 16);
        QVERIFY(page.table()->toMarkdown().contains(QStringLiteral("word4")));
        save(page, "kernels-tokens");
        // A row of a token selects it.
        page.table()->selectRow(5);
        emit page.table()->activatedId(page.table()->selectedIds().front());
        QVERIFY(selection.state().token >= 0);
        QVERIFY(page.timeline()->selectedItem().valid());
    }

    void aSpanShowsItsKernelsAndKeysGoFromOneToTheNext() {
        Selection selection;
        KernelsPage page(&selection);
        page.resize(1200, 800);
        page.show();
        page.setRun(test::onDevice(*test::handMadeRun(2, 1, 8, "0123456789abcdef", true)));
        TimelineView* view = page.timeline();
        const TimelinePtr timeline = view->timeline();
        // For each lane: steps, CPU ops, the stream, copies.
        QCOMPARE(timeline->tracks.size(), std::size_t{8});
        QVERIFY(timeline->tracks[2].kind == TrackKind::Stream);
        QVERIFY(timeline->tracks[3].kind == TrackKind::Copies);
        QCOMPARE(trackTitle(*timeline, timeline->tracks[2]), QStringLiteral("stream 7"));
        const ItemRef op{ItemKind::Span, 7};  // an op of the first decode step
        view->selectItem(op);
        QCOMPARE(view->highlighted(), (std::vector<ItemRef>{{ItemKind::Device, 7}}));
        QTRY_VERIFY(page.table()->toCsv().contains(QStringLiteral("GPU")));
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(view->selectedItem(), (ItemRef{ItemKind::Device, 7}));
        QVERIFY(view->highlighted().front() == op);
        QTest::keyClick(view, Qt::Key_Period);
        QCOMPARE(view->selectedItem(), (ItemRef{ItemKind::Device, 8}));
        QTest::keyClick(view, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(view->selectedItem(), (ItemRef{ItemKind::Span, 8}));
        QVERIFY(view->findNext(QStringLiteral("attentionKernel")));
        QVERIFY(view->selectedItem().kind == ItemKind::Device);
        // A step has the kernels of all its ops, and its copy.
        Selection::State token;
        token.lane = 0;
        token.request = 0;
        token.token = 2;
        selection.set(token);
        QCOMPARE(view->highlighted().size(), std::size_t{5});
        save(page, "kernels-gpu");
        selection.clear();
        page.setGroupBy(profiler::GroupBy::Kernel);
        QVERIFY(page.table()->toCsv().contains(QStringLiteral("qkvKernel")));
        QVERIFY(page.table()->toCsv().contains(QStringLiteral("Occupancy")));
        QVERIFY(page.table()->toCsv().contains(QStringLiteral("50 %")));
        page.setGroupBy(profiler::GroupBy::Op);
        page.showPane(KernelsPage::Pane::Roofline);
        QCOMPARE(page.roofline()->marks().size(), std::size_t{8});
        auto* timedBy = page.findChild<QComboBox*>(QStringLiteral("timedBy"));
        QVERIFY(timedBy->isVisible());
        timedBy->setCurrentIndex(1);
        QCOMPARE(page.roofline()->marks().size(), std::size_t{8});
        for (const RooflineMark& mark : page.roofline()->marks()) QVERIFY(mark.device);
        QCOMPARE(page.roofline()->roofs().size(), std::size_t{1});
        save(page, "roofline-gpu");
    }

    void anOpenedTraceIsShownUntilItIsClosed() {
        Selection selection;
        KernelsPage page(&selection);
        page.resize(1000, 700);
        page.show();
        page.setRun(m_run);
        const QString path = m_dir.filePath(QStringLiteral("saved.json"));
        QSignalSpy saved(&page, &KernelsPage::traceSaved);
        page.saveTrace(path);
        QTRY_COMPARE(saved.count(), 1);
        QVERIFY(saved[0][0].toBool());
        TraceOpener opener;
        QVERIFY(TraceOpener::looksLikeTrace(path));
        connect(&opener, &TraceOpener::opened, &page, &KernelsPage::setTrace);
        opener.open(path);
        QTRY_VERIFY(page.showsTrace());
        const TimelinePtr timeline = page.timeline()->timeline();
        QVERIFY(timeline != nullptr && timeline->run->imported != nullptr);
        QCOMPARE(timeline->groups.size(), std::size_t{2});
        // Its engine thread has the ops in a row under the steps.
        QVERIFY(timeline->tracks[0].rows.size() >= 2);
        page.setGroupBy(profiler::GroupBy::Kernel);
        QVERIFY(page.table()->toCsv().contains(QStringLiteral("attention")));
        QVERIFY(page.timeline()->findNext(QStringLiteral("gate+up")));
        save(page, "kernels-trace");
        page.closeTrace();
        QVERIFY(!page.showsTrace());
        QCOMPARE(page.timeline()->timeline()->tracks.size(), std::size_t{4});
        // What cannot be read is said, and what is shown stays.
        QFile bad(m_dir.filePath(QStringLiteral("bad.json")));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("{\"traceEvents\": 5}");
        bad.close();
        QSignalSpy failed(&opener, &TraceOpener::failed);
        opener.open(bad.fileName());
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!page.showsTrace());
    }

    void aRunWithoutARoofSaysSo() {
        Selection selection;
        KernelsPage page(&selection);
        page.resize(1000, 600);
        page.show();
        page.showPane(KernelsPage::Pane::Roofline);
        QVERIFY(page.roofline()->marks().empty());
        QVERIFY(!page.roofline()->grab().isNull());
        page.setRun(m_run);
        QCOMPARE(page.roofline()->marks().size(), std::size_t{8});
        QVERIFY(page.roofline()->roofs().empty());
        QVERIFY(page.table()->toCsv().contains(QStringLiteral(",2.00,–,–\r\n")));
        bool said = false;
        for (const auto* label : page.findChildren<QLabel*>())
            said = said || (label->isVisible() && label->text().contains(roofMissingText()));
        QVERIFY(said);
        save(page, "roofline-not-measured");
    }

    void aGrowingRunIsFollowed() {
        Selection selection;
        TimelineView view(&selection);
        view.setRun(test::handMadeRun(1, 1, 4));
        const auto before = view.timeline()->itemCount();
        view.setRun(test::handMadeRun(1, 1, 9));
        QVERIFY(view.timeline()->itemCount() > before);
        QCOMPARE(view.visibleRange(), view.fullTimeRange());
    }

    void runsPageListsOpensComparesAndDeletes() {
        auto store =
            profiler::RunStore::open(m_dir.filePath(QStringLiteral("runs.db")).toStdString());
        QVERIFY2(store.ok(), store.ok() ? "" : store.error().toString().c_str());
        QVERIFY((*store)->save(*m_run).ok());
        QVERIFY((*store)->save(*test::handMadeRun(2, 3, 20, "fedcba9876543210")).ok());
        RunsPage page(*store);
        page.resize(1000, 600);
        page.show();
        QAbstractItemModelTester tester(page.table()->model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(page.table()->model()->rowCount(), 2);
        page.table()->selectId(QStringLiteral("0123456789abcdef"));
        QSignalSpy opened(&page, &RunsPage::openRunRequested);
        page.openSelected();
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), QStringLiteral("0123456789abcdef"));
        page.table()->selectAll();
        page.compareSelected();
        QVERIFY(page.compareView()->table()->model()->rowCount() > 4);
        save(page, "runs");
        page.table()->selectId(QStringLiteral("0123456789abcdef"));
        page.deleteSelected();
        QCOMPARE(page.table()->model()->rowCount(), 1);
        page.undoDelete();
        QCOMPARE(page.table()->model()->rowCount(), 2);
        auto again = (*store)->load("0123456789abcdef");
        QVERIFY(again.ok());
        QCOMPARE((*again)->requests.size(), m_run->requests.size());
    }

    void withoutAStoreThePageSaysWhy() {
        RunsPage page(nullptr);
        page.setStoreError(QStringLiteral("runs.db: is locked by another program"));
        page.refresh();
        QCOMPARE(page.table()->model()->rowCount(), 0);
    }

    void exportWritesEveryFormat() {
        ReportDialog dialog(m_run);
        dialog.setFolder(m_dir.filePath(QStringLiteral("report")));
        dialog.setFormats({QStringLiteral("html"), QStringLiteral("pdf"), QStringLiteral("csv"),
                           QStringLiteral("json"), QStringLiteral("md"), QStringLiteral("trace")});
        QVERIFY2(dialog.exportNow(), qPrintable(dialog.message()));
        QVERIFY(dialog.written().size() >= 6);
        for (const QString& path : dialog.written())
            QVERIFY2(QFile(path).size() > 100, qPrintable(path));
        QFile pdf(dialog.written().back());
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        QVERIFY(pdf.read(5) == "%PDF-");
        if (const QString keep = qEnvironmentVariable("LANESCOPE_SHOTS"); !keep.isEmpty())
            QFile::copy(dialog.written().back(), keep + QStringLiteral("/report.pdf"));
        dialog.setFolder(QStringLiteral("/proc/nowhere"));
        QVERIFY(!dialog.exportNow());
        QVERIFY(!dialog.message().isEmpty());
    }

    void textFromAModelStaysTextInThePdf() {
        auto run = std::make_shared<profiler::RunData>(*m_run);
        run->header.name = "<img src=x onerror=1>";
        QVERIFY(!pdfReportHtml(*run).contains(QStringLiteral("<img src=x")));
    }

    void optionsOfAGpuAreOfferedOnlyThere() {
        ModelInfoCache models;
        LaneSpec lane;
        lane.backend = "cuda";
        lane.products = "cublaslt";
        lane.sampling = "device";
        LaneDialog dialog(lane, 0, &models);
        const auto isShown = [&dialog](const QString& name) {
            return dialog.findChild<QComboBox*>(name)->isVisibleTo(&dialog);
        };
        QVERIFY(isShown(QStringLiteral("products")) && isShown(QStringLiteral("sampling")));
        QCOMPARE(dialog.lane(), lane);
        save(dialog, "lane-dialog-gpu");
        auto* backend = dialog.findChild<QComboBox*>(QStringLiteral("backend"));
        backend->setCurrentIndex(backend->findData(QStringLiteral("cpu")));
        QVERIFY(!isShown(QStringLiteral("products")) && !isShown(QStringLiteral("sampling")));
        lane.backend = "cpu";
        lane.products = "own";
        lane.sampling = "host";
        QCOMPARE(dialog.lane(), lane);
        save(dialog, "lane-dialog-cpu");
    }

    void laneLinesStayApartForColourBlindEyes() {
        for (int i = 0; i < kMaxLanes; ++i) {
            for (int k = i + 1; k < kMaxLanes; ++k) QVERIFY(laneColor(i) != laneColor(k));
        }
    }

  private:
    void save(QWidget& widget, const char* name) {
        const QString folder = qEnvironmentVariable("LANESCOPE_SHOTS");
        if (!folder.isEmpty())
            widget.grab().save(folder + QLatin1Char('/') + QString::fromLatin1(name) +
                               QStringLiteral(".png"));
    }

    QTemporaryDir m_dir;
    profiler::RunSnapshot m_run;
};

QTEST_MAIN(ViewsTest)
#include "views_test.moc"

// Drives the whole window as a person would: runs, selects, cancels, exports, reopens, breaks. Real
// runs use the tiny golden model; speed and endurance use made-up tokens (fake_run.h).

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "app/bridge/ui_watchdog.h"
#include "app/report/report_dialog.h"
#include "app/timeline/timeline_view.h"
#include "app/views/charts/chart_deck.h"
#include "app/views/inspector/inspector.h"
#include "app/views/kernels/kernels_page.h"
#include "app/views/play/lane_card.h"
#include "app/views/play/lane_dialog.h"
#include "app/views/play/lane_strip.h"
#include "app/views/play/play_page.h"
#include "app/views/play/prompt_bar.h"
#include "app/views/play/token_column.h"
#include "app/views/play/token_columns.h"
#include "app/views/play/token_view.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/stats_bar.h"
#include "app/window/app_shell.h"
#include "app/window/main_window.h"
#include "tests/app/views/hand_made_run.h"
#include "tests/ui/fake_run.h"

using namespace lanescope;
using namespace lanescope::app;

namespace {

// Sanitizers make code about three times slower; limits of time count for the real build.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kBuildSlowdown = 4.0;
#else
constexpr double kBuildSlowdown = 1.0;
#endif

QString goldenModel() {
    const QString root = qEnvironmentVariable(
        "LANESCOPE_GOLDEN", QStringLiteral(LANESCOPE_SOURCE_DIR) + QStringLiteral("/tests/golden"));
    return root + QStringLiteral("/gguf/llama_tied.F16.gguf");
}

Plan planOf(const QString& model, int lanes, int maxTokens) {
    Plan plan = starterPlan(model.toStdString());
    while (static_cast<int>(plan.lanes.size()) < lanes) {
        plan.lanes.push_back(plan.lanes.back());
        plan.lanes.back().name = std::string(1, static_cast<char>('A' + plan.lanes.size() - 1));
    }
    plan.prompts.front().kind = PromptKind::Text;
    plan.prompts.front().value = "abc abc abc";
    plan.sampling.maxTokens = maxTokens;
    plan.sampling.ignoreEos = true;
    plan.warmup = 0;
    return plan;
}

QString textOf(const profiler::RunData& run, int requestId) {
    QString text;
    for (const auto& request : run.requests)
        if (request.record.id == requestId)
            for (const auto& token : request.tokens) text += QString::fromStdString(token.piece);
    return text;
}

/// How many pixels of the picture are near this colour.
int pixelsNear(const QImage& picture, const QColor& color) {
    int count = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) {
            const QColor c = picture.pixelColor(x, y);
            count += std::abs(c.red() - color.red()) + std::abs(c.green() - color.green()) +
                                 std::abs(c.blue() - color.blue()) <
                             40
                         ? 1
                         : 0;
        }
    return count;
}

void dropFile(QWidget* target, const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(target, &enter);
    QDropEvent drop(QPointF(20, 20), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(target, &drop);
}

}  // namespace

namespace {

/// Names the events that kept the interface busy, so that a failing watchdog says where to look.
class TimedApplication : public QApplication {
  public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0) return QApplication::notify(receiver, event);
        const QByteArray name = receiver->metaObject()->className();
        const int type = event->type();
        const double start = threadCpuMs();
        ++m_depth;
        const bool result = QApplication::notify(receiver, event);
        --m_depth;
        const double ms = threadCpuMs() - start;
        worstMs = std::max(worstMs, ms);
        if (ms > 8.0)
            slow << QStringLiteral("%1 event %2: %3 ms")
                        .arg(QString::fromLatin1(name))
                        .arg(type)
                        .arg(ms, 0, 'f', 1);
        return result;
    }
    QStringList slow;
    double worstMs = 0.0;

  private:
    static double threadCpuMs() {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
    }
    int m_depth = 0;
};

}  // namespace

class UiTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<AppShell> m_shell;

    MainWindow* window() const { return m_shell->window(); }
    RunController* controller() const { return m_shell->context()->controller.get(); }
    const std::vector<TokenColumn*>& columns() const {
        return window()->play()->columns()->columns();
    }

    void open(const CommandLine& line = {}) {
        m_shell = std::make_unique<AppShell>(*qApp, line);
        window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window()));
    }

    void runAndWait(const Plan& plan, int timeoutMs = 120'000) {
        m_shell->context()->document.replace(plan, {});
        window()->startRun();
        QVERIFY(controller()->running());
        QTRY_VERIFY_WITH_TIMEOUT(!controller()->running(), timeoutMs);
        QTest::qWait(50);
    }

    /// worstEventMs: processor time of the longest event meanwhile; busy: the long ones.
    void streamFourLanes(QStringList& busy, double& worstEventMs) {
        controller()->setExecutor(fakeExecutor({2000, 1000, 60, true}));
        m_shell->context()->document.replace(planOf(goldenModel(), 4, 2000), {});
        window()->play()->columns()->setColoring(TokenColoring::Latency);
        UiWatchdog watchdog;
        window()->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(columns().size() == 4 && columns()[3]->view()->tokenCount() > 50,
                                 20'000);
        auto* app = static_cast<TimedApplication*>(qApp);
        app->slow.clear();
        app->worstMs = 0.0;
        watchdog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!controller()->running(), 120'000);
        watchdog.stop();
        busy = app->slow;
        worstEventMs = app->worstMs;
        for (TokenColumn* column : columns()) QCOMPARE(column->view()->tokenCount(), 2000);
        // What the panes cost at full length, for whoever reads the log.
        const auto cpuMs = [](const std::function<void()>& work) {
            const std::clock_t start = std::clock();
            work();
            return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        };
        const auto run = controller()->snapshot();
        PlayPage* play = window()->play();
        qInfo("columns %.1f ms, charts %.1f ms, painting columns %.1f ms, painting charts %.1f ms",
              cpuMs([&] { play->columns()->setRun(run); }),
              cpuMs([&] { play->charts()->setRun(run); }), cpuMs([&] { play->columns()->grab(); }),
              cpuMs([&] { play->charts()->grab(); }));
        qInfo("longest event %.1f ms; worst pause %.1f ms, own work in it %.1f ms, %d of %d late",
              worstEventMs, watchdog.worstGapMs(), watchdog.worstBusyMs(), watchdog.lateCount(),
              watchdog.beatCount());
    }

    /// A run that a GPU timed, and the same as an opened trace.
    void shootDevice(const std::function<void(const QString&)>& shoot) {
        KernelsPage* page = window()->kernels();
        window()->showPage(
            static_cast<int>(window()->pageKeys().indexOf(QStringLiteral("kernels"))));
        page->showPane(KernelsPage::Pane::Timeline);
        page->setRun(test::onDevice(*test::handMadeRun(2, 1, 24, "0123456789abcdef", true)));
        page->timeline()->selectItem({ItemKind::Span, 31});
        page->timeline()->setVisibleRange({40'000'000, 70'000'000});
        shoot(QStringLiteral("kernels-gpu"));
        m_shell->context()->selection.clear();
        const QString path = m_home.filePath(QStringLiteral("saved.json"));
        QSignalSpy saved(page, &KernelsPage::traceSaved);
        page->saveTrace(path);
        QTRY_COMPARE(saved.count(), 1);
        m_shell->context()->openPath(path);
        QTRY_VERIFY(page->showsTrace());
        page->setGroupBy(profiler::GroupBy::Kernel);
        shoot(QStringLiteral("kernels-trace"));
        page->closeTrace();
        page->setGroupBy(profiler::GroupBy::Op);
        page->setRun(controller()->snapshot());
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_home.isValid());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
        qputenv("LANESCOPE_RUNS", (m_home.path() + QStringLiteral("/runs.db")).toUtf8());
        qputenv("LANESCOPE_MODELS", (m_home.path() + QStringLiteral("/models")).toUtf8());
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8());
    }

    void init() {
        QSettings().clear();
        CommandLine line;
        line.language = QStringLiteral("en");
        line.themeGiven = true;
        line.theme = ThemeChoice::Light;
        open(line);
    }

    void cleanup() {
        if (m_shell && controller()->running()) {
            controller()->cancel();
            QTRY_VERIFY_WITH_TIMEOUT(!controller()->running(), 20'000);
        }
        m_shell.reset();
    }

    void withoutAModelTheStartPageTellsHowToBegin() {
        QVERIFY(window()->play()->showsStart());
        m_shell->context()->openModel(goldenModel());
        QVERIFY(!window()->play()->showsStart());
        QCOMPARE(m_shell->context()->document.laneCount(), 2);
        QCOMPARE(window()->play()->lanes()->cards().size(), std::size_t{2});
    }

    void twoLanesRunAndColumnsShowWhatTheyWrote() {
        runAndWait(planOf(goldenModel(), 2, 24));
        const auto run = controller()->snapshot();
        QVERIFY(run != nullptr);
        QVERIFY2(run->status == trace::RunStatus::Finished, run->error.c_str());
        QCOMPARE(columns().size(), std::size_t{2});
        for (TokenColumn* column : columns()) {
            QVERIFY(column->request() >= 0);
            QCOMPARE(column->view()->tokenCount(), 24);
            QString wanted = textOf(*run, column->request());
            QCOMPARE(column->view()->text(), wanted.remove(u'\r'));
            QCOMPARE(column->stats()->cells().size(), std::size_t{8});
            QVERIFY(column->stats()->cells().front().value != QStringLiteral("–"));
        }
        QVERIFY(!columns()[1]->speedText().isEmpty());
        // The charts have lines in both lanes' colours.
        const QImage charts = window()->play()->charts()->grab().toImage();
        QVERIFY(pixelsNear(charts, laneColor(0)) > 20);
        QVERIFY(pixelsNear(charts, laneColor(1)) > 20);
    }

    void aClickedTokenFillsTheInspector() {
        controller()->setExecutor(fakeExecutor({40, 200, 30, false}));
        runAndWait(planOf(goldenModel(), 2, 40));
        TokenView* view = columns()[1]->view();
        QSignalSpy spy(&m_shell->context()->selection, &Selection::changed);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->tokenRect(7).center());
        const auto& state = m_shell->context()->selection.state();
        QVERIFY(spy.count() >= 1);
        QCOMPARE(state.lane, 1);
        QCOMPARE(state.request, columns()[1]->request());
        QCOMPARE(state.token, 7);
        const QString title = window()->play()->inspector()->titleText();
        QVERIFY2(title.contains(QLatin1String("7")), qPrintable(title));
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(state.token, 8);
        QTest::keyClick(view, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(state.tokenEnd, 10);
        QTest::keyClick(window(), Qt::Key_Escape);
        QVERIFY(m_shell->context()->selection.empty());
    }

    void cancelKeepsWhatWasWrittenAndTheNextRunWorks() {
        controller()->setExecutor(fakeExecutor({100'000, 500, 5, false}));
        m_shell->context()->document.replace(planOf(goldenModel(), 2, 100'000), {});
        QTest::keyClick(window(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(controller()->running());
        QTRY_VERIFY_WITH_TIMEOUT(!columns().empty() && columns()[0]->view()->tokenCount() > 20,
                                 20'000);
        QTest::keyClick(window(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!controller()->running(), 10'000);
        QCOMPARE(controller()->snapshot()->status, trace::RunStatus::Cancelled);
        QVERIFY(columns()[0]->view()->tokenCount() > 20);
        controller()->setExecutor(fakeExecutor({10, 100, 5, false}));
        runAndWait(planOf(goldenModel(), 2, 10));
        QCOMPARE(controller()->snapshot()->status, trace::RunStatus::Finished);
        QCOMPARE(columns()[1]->view()->tokenCount(), 10);
    }

    void exportWritesTheReport() {
        controller()->setExecutor(fakeExecutor({12, 100, 5, false}));
        runAndWait(planOf(goldenModel(), 2, 12));
        ReportDialog dialog(controller()->snapshot());
        dialog.setFolder(m_home.path() + QStringLiteral("/report"));
        dialog.setFormats({QStringLiteral("html"), QStringLiteral("csv")});
        QVERIFY2(dialog.exportNow(), qPrintable(dialog.message()));
        QVERIFY(dialog.written().size() >= 2);
        for (const QString& path : dialog.written()) QVERIFY(QFile(path).size() > 100);
    }

    void aStoredRunReopensAsItWas() {
        controller()->setExecutor(fakeExecutor({30, 100, 10, false}));
        runAndWait(planOf(goldenModel(), 2, 30));
        const std::string id = controller()->snapshot()->header.id;
        const QString wrote = columns()[0]->view()->text();
        // Another start of the app.
        m_shell.reset();
        CommandLine line;
        line.language = QStringLiteral("en");
        open(line);
        m_shell->context()->openStoredRun(QString::fromStdString(id));
        QTRY_VERIFY_WITH_TIMEOUT(controller()->snapshot() != nullptr, 20'000);
        QCOMPARE(controller()->snapshot()->header.id, id);
        QTRY_COMPARE(columns().size(), std::size_t{2});
        QCOMPARE(columns()[0]->view()->text(), wrote);
        QCOMPARE(m_shell->context()->document.laneCount(), 2);
    }

    void aBrokenModelIsSaidInItsLaneAndTheLaneStays() {
        const QString path = m_home.path() + QStringLiteral("/broken.gguf");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("GGUF this is not a model");
        file.close();
        dropFile(window(), path);
        QCOMPARE(m_shell->context()->document.laneCount(), 2);
        auto* card = window()->play()->lanes()->cards().front();
        QTRY_VERIFY_WITH_TIMEOUT(!card->errorText().isEmpty(), 10'000);
        QVERIFY(card->isVisible());
        // A file of no known kind is said on the page.
        const QString odd = m_home.path() + QStringLiteral("/picture.bin");
        QFile other(odd);
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write("\x01\x02\x03");
        other.close();
        dropFile(window(), odd);
        QVERIFY(window()->play()->errorBanner()->message().contains(QLatin1String("picture.bin")));
        QCOMPARE(m_shell->context()->document.laneCount(), 2);
    }

    void aGpuThatIsNotThereIsSaidInItsLaneAndTheOtherRuns() {
        Plan plan = planOf(goldenModel(), 2, 6);
        plan.lanes[1].backend = "cuda";
        runAndWait(plan);
        const auto run = controller()->snapshot();
        QCOMPARE(run->lanes.size(), std::size_t{2});
        if (run->lanes[1].error.empty()) QSKIP("there is a GPU here");
        QCOMPARE(columns()[0]->view()->tokenCount(), 6);
        const auto* banner = columns()[1]->findChild<ErrorBanner*>();
        QVERIFY(banner != nullptr && banner->isVisible());
        // The step that failed (plugin, driver, device), in one line.
        const QString said = banner->message();
        QVERIFY2(said.contains(QLatin1String("NVIDIA driver")) ||
                     said.contains(QLatin1String("plugin")) ||
                     said.contains(QLatin1String("device")),
                 qPrintable(said));
        QVERIFY(!said.contains(QLatin1Char('\n')));
        const QString shots = qEnvironmentVariable("LANESCOPE_SHOTS");
        if (!shots.isEmpty()) window()->grab().save(shots + QStringLiteral("/no-gpu.png"));
    }

    void closingDuringARunEndsItWithoutFreezing() {
        controller()->setExecutor(fakeExecutor({100'000, 300, 20, false}));
        m_shell->context()->document.replace(planOf(goldenModel(), 3, 100'000), {});
        window()->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(controller()->snapshot() != nullptr, 10'000);
        QSignalSpy closed(window(), &MainWindow::closed);
        window()->close();
        QVERIFY(!window()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, 5'000);
        QVERIFY(!controller()->running());
    }

    // The interface stays responsive while four lanes stream. On a busy machine the wall clock says
    // little and events pile up between two heartbeats, so what is held to 33 ms is the processor
    // time of each single event; the heartbeat's figures are for the log.
    void fourStreamingLanesLeaveTheInterfaceFree() {
        // A shared machine can lengthen one event of a run; not one in each of three.
        QStringList busy;
        for (int attempt = 0; attempt < 3; ++attempt) {
            double worstEventMs = 0.0;
            streamFourLanes(busy, worstEventMs);
            if (QTest::currentTestFailed()) return;
            if (worstEventMs <= UiWatchdog::kLimitMs * kBuildSlowdown) return;
        }
        QFAIL(qPrintable(busy.join(QLatin1Char('\n'))));
    }

    void theLanguageChangesWhileARunGoesOn() {
        controller()->setExecutor(fakeExecutor({400, 2000, 5, false}));
        m_shell->context()->document.replace(planOf(goldenModel(), 2, 400), {});
        window()->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(controller()->snapshot() != nullptr, 10'000);
        MainWindow* before = window();
        m_shell->setLanguage(QStringLiteral("zh_CN"));
        QTRY_VERIFY(window() != before ||
                    window()->play()->prompt()->runButton()->text() != "Stop");
        QCOMPARE(window()->play()->prompt()->runButton()->text(), QStringLiteral("停止"));
        QTRY_VERIFY_WITH_TIMEOUT(!columns().empty() && columns()[0]->view()->tokenCount() > 5,
                                 10'000);
        controller()->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!controller()->running(), 10'000);
        QCOMPARE(window()->play()->prompt()->runButton()->text(), QStringLiteral("运行"));
    }

    void whatWasTypedIsRemembered() {
        m_shell->context()->openModel(goldenModel());
        window()->play()->prompt()->textEdit()->setPlainText(QStringLiteral("remember me"));
        window()->close();
        m_shell.reset();
        CommandLine line;
        line.language = QStringLiteral("en");
        open(line);
        QCOMPARE(window()->play()->prompt()->textEdit()->toPlainText(),
                 QStringLiteral("remember me"));
        QCOMPARE(m_shell->context()->document.laneCount(), 2);
    }

    void theCommandLineIsChecked() {
        const auto parse = [](const QStringList& arguments) {
            return parseCommandLine(QStringList{QStringLiteral("lanescope")} + arguments);
        };
        const auto good = parse({"m.gguf", "--theme", "dark", "--size", "1024x640", "--language",
                                 "zh_CN", "--screenshot", "out"});
        const auto* line = std::get_if<CommandLine>(&good);
        QVERIFY(line != nullptr);
        QCOMPARE(line->size, QSize(1024, 640));
        QCOMPARE(line->theme, ThemeChoice::Dark);
        QCOMPARE(line->files, QStringList{"m.gguf"});
        QVERIFY(std::holds_alternative<QString>(parse({"--theme", "pink"})));
        QVERIFY(std::holds_alternative<QString>(parse({"--size", "big"})));
        QVERIFY(std::holds_alternative<QString>(parse({"--language", "xx"})));
        QVERIFY(std::holds_alternative<QString>(parse({"--no-such-thing"})));
    }

    void everyLookIsDrawn_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<QString>("language");
        for (const QSize size : {QSize(1440, 900), QSize(1024, 640)})
            for (const char* theme : {"light", "dark"})
                for (const char* language : {"en", "zh_CN"})
                    QTest::addRow("%dx%d-%s-%s", size.width(), size.height(), theme, language)
                        << size << QString::fromLatin1(theme) << QString::fromLatin1(language);
    }

    // Buttons have room for their words in every size, theme and language. With LANESCOPE_SHOTS set
    // the pages are saved there, to be looked at.
    void everyLookIsDrawn() {
        QFETCH(QSize, size);
        QFETCH(QString, theme);
        QFETCH(QString, language);
        m_shell.reset();
        CommandLine line;
        line.size = size;
        line.themeGiven = true;
        line.theme = themeFromName(theme);
        line.language = language;
        open(line);
        const QString shots = qEnvironmentVariable("LANESCOPE_SHOTS");
        const auto shootWidget = [&](QWidget* widget, const QString& page) {
            QTest::qWait(shots.isEmpty() ? 50 : 900);
            QVERIFY(!widget->grab().isNull());
            QVERIFY(widget->width() <= size.width() && widget->height() <= size.height());
            for (const auto* button : widget->findChildren<QAbstractButton*>()) {
                if (!button->isVisible() || button->text().isEmpty()) continue;
                QVERIFY2(button->width() + 2 >= button->fontMetrics().horizontalAdvance(
                                                    QString(button->text()).remove(u'&')),
                         qPrintable(page + QStringLiteral(": ") + button->text()));
            }
            if (!shots.isEmpty())
                widget->grab().save(QStringLiteral("%1/%2x%3-%4-%5-%6.png")
                                        .arg(shots)
                                        .arg(size.width())
                                        .arg(size.height())
                                        .arg(theme, language, page));
        };
        const auto shoot = [&](const QString& page) { shootWidget(window(), page); };
        shoot(QStringLiteral("start"));
        controller()->setExecutor(fakeExecutor({300, 100, 40, false}));
        Plan plan = planOf(goldenModel(), size.width() > 1200 ? 4 : 3, 300);
        plan.lanes[2].kv = "bf16";
        plan.lanes[2].attention = "naive";
        runAndWait(plan);
        window()->play()->columns()->setColoring(TokenColoring::Probability);
        Selection::State state;
        state.lane = 1;
        state.request = columns()[1]->request();
        state.token = 12;
        state.tokenEnd = 13;
        m_shell->context()->selection.set(state);
        for (int page = 0; page < window()->pageKeys().size(); ++page) {
            window()->showPage(page);
            shoot(window()->pageKeys()[page]);
            if (window()->pageKeys()[page] != QStringLiteral("kernels")) continue;
            window()->kernels()->showPane(KernelsPage::Pane::Roofline);
            shoot(QStringLiteral("roofline"));
        }
        m_shell->context()->selection.clear();
        shootDevice(shoot);
        window()->showPage(0);
        window()->findChild<LaneStrip*>()->editLane(1);
        auto* dialog = window()->findChild<LaneDialog*>();
        QVERIFY(dialog != nullptr);
        shootWidget(dialog, QStringLiteral("lane-dialog"));
        dialog->reject();
    }

    void aDroppedTraceOpensOnTheKernelsPage() {
        const QString path = m_home.filePath(QStringLiteral("dropped.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"traceEvents":[{"ph":"X","name":"gemm","pid":1,"tid":2,"ts":5,"dur":7},)"
                   R"({"ph":"C","name":"bytes","pid":1,"ts":6,"args":{"n":1}}]})");
        file.close();
        dropFile(window(), path);
        QTRY_VERIFY(window()->kernels()->showsTrace());
        QCOMPARE(window()->pageKeys()[window()->currentPage()], QStringLiteral("kernels"));
        const TimelinePtr timeline = window()->kernels()->timeline()->timeline();
        QCOMPARE(timeline->itemCount(), std::size_t{1});
        bool said = false;
        for (const auto* label : window()->kernels()->findChildren<QLabel*>())
            said = said || label->text().contains(QStringLiteral("1 × counters"));
        QVERIFY(said);
        // On the command line, too; and what is damaged is said there.
        m_shell.reset();
        CommandLine line;
        line.files = {path};
        open(line);
        QTRY_VERIFY(window()->kernels()->showsTrace());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"traceEvents\":[ oops");
        file.close();
        m_shell->context()->openPath(path);
        auto* banner = window()->kernels()->findChild<ErrorBanner*>();
        QTRY_VERIFY(!banner->message().isEmpty());
        QVERIFY2(banner->message().contains(QStringLiteral("cannot be read")),
                 qPrintable(banner->message()));
    }

    // First frame within a second, models are not waited for.
    void theFirstFrameComesAtOnce() {
        m_shell.reset();
        QElapsedTimer clock;
        clock.start();
        const std::clock_t cpu = std::clock();
        CommandLine line;
        line.files = {goldenModel()};
        open(line);
        const double cpuMs = 1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
        qInfo("first frame after %lld ms, %.0f ms of processor time", clock.elapsed(), cpuMs);
        QVERIFY(cpuMs < 1000.0);
    }
};

int main(int argc, char** argv) {
    TimedApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lanescope-test"));
    QApplication::setOrganizationName(QStringLiteral("lanescope-test"));
    QApplication::setQuitOnLastWindowClosed(false);
    UiTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "ui_test.moc"

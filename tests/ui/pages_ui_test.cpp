// Drives the serving and cache pages in the whole window, on the tiny golden model: Run is clicked,
// what is measured is drawn, cancelled, remembered.

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "app/models/kv_words.h"
#include "app/views/cache/block_view.h"
#include "app/views/cache/blocks_tab.h"
#include "app/views/cache/cache_page.h"
#include "app/views/cache/calculator_tab.h"
#include "app/views/cache/formats_tab.h"
#include "app/views/charts/trace_chart.h"
#include "app/views/play/play_page.h"
#include "app/views/serving/serving_charts.h"
#include "app/views/serving/serving_form.h"
#include "app/views/serving/serving_page.h"
#include "app/widgets/data_table.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/facts_grid.h"
#include "app/widgets/policy_words.h"
#include "app/window/app_shell.h"
#include "app/window/main_window.h"
#include "engine/lane/run.h"

using namespace lanescope;
using namespace lanescope::app;

namespace {

constexpr int kLongMs = 120'000;

QString goldenModel() {
    const QString root = qEnvironmentVariable(
        "LANESCOPE_GOLDEN", QStringLiteral(LANESCOPE_SOURCE_DIR) + QStringLiteral("/tests/golden"));
    return root + QStringLiteral("/gguf/llama_gqa.F16.gguf");
}

int pixelsOf(const QImage& picture, const QColor& color) {
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

}  // namespace

class PagesUiTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<AppShell> m_shell;

    MainWindow* window() const { return m_shell->window(); }
    AppContext* context() const { return m_shell->context(); }
    ServingPage* serving() const { return window()->serving(); }
    CachePage* cache() const { return window()->cache(); }

    void open(const CommandLine& line) {
        m_shell = std::make_unique<AppShell>(*qApp, line);
        window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window()));
    }
    void showPage(const char* key) {
        window()->showPage(static_cast<int>(window()->pageKeys().indexOf(QLatin1String(key))));
    }
    void click(QAbstractButton* button) {
        QVERIFY2(button->isVisible() && button->isEnabled(), qPrintable(button->text()));
        QTest::mouseClick(button, Qt::LeftButton);
    }
    /// A model that an environment names, for pictures worth looking at; else the tiny one.
    static QString modelForPictures() {
        const QString named = qEnvironmentVariable("LANESCOPE_SHOTS_MODEL");
        return named.isEmpty() ? goldenModel() : named;
    }
    void serveAndWait() {
        showPage("serving");
        click(serving()->form()->runButton());
        QVERIFY(context()->serving.running());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.running(), kLongMs);
        QTest::qWait(120);
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_home.isValid());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
        qputenv("LANESCOPE_RUNS", (m_home.path() + QStringLiteral("/runs.db")).toUtf8());
        if (qEnvironmentVariable("LANESCOPE_SHOTS_MODEL").isEmpty())
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
        if (m_shell && context()->busy()) {
            context()->cancelAll();
            QTRY_VERIFY_WITH_TIMEOUT(!context()->busy(), 20'000);
        }
        m_shell.reset();
    }

    void withoutAModelThePagesTellWhatTheyWillShow() {
        showPage("serving");
        QVERIFY(serving()->emptyButton()->isVisible());
        QVERIFY(serving()->emptyButton()->text().contains(QLatin1String("Open a model")));
        QVERIFY(!serving()->form()->runButton()->isEnabled());
        showPage("cache");
        QVERIFY(cache()->blocks()->emptyButton()->isVisible());
        context()->openModel(goldenModel());
        QVERIFY(cache()->blocks()->emptyButton()->text().contains(QLatin1String("Serve")));
        showPage("serving");
        QVERIFY(serving()->emptyButton()->text().contains(QLatin1String("lane A")));
    }

    void servingShowsEveryPolicyOnTheSameArrivals() {
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(QStringLiteral("burst:8@0.05"));
        serving()->form()->setLoad(12, QStringLiteral("8-40"), QStringLiteral("4-16"));
        showPage("serving");
        click(serving()->emptyButton());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.running(), kLongMs);
        QTest::qWait(150);
        const ServingRun& run = context()->serving.run();
        QCOMPARE(run.policies.size(), std::size_t{3});
        std::int64_t wanted = 0;
        for (const std::int32_t n : run.maxTokens) wanted += n;
        for (const PolicyRun& policy : run.policies) {
            QVERIFY(policy.state == PolicyState::Finished);
            QCOMPARE(policy.nEnded(), std::int64_t{12});
            std::int64_t given = 0;
            for (const auto& tokens : policy.tokens) given += std::ssize(tokens);
            QCOMPARE(given, wanted);
            QVERIFY(!policy.steps.empty());
        }
        // One at a time never has two in a pass; the others do.
        for (const trace::BatchStep& step : run.policies[2].steps) QVERIFY(step.sequences <= 1);
        QVERIFY(std::ranges::any_of(run.policies[0].steps,
                                    [](const auto& step) { return step.sequences > 1; }));
        QVERIFY2(serving()->verdict().contains(QLatin1String("same tokens")),
                 qPrintable(serving()->verdict()));
        QCOMPARE(serving()->table()->shownRows(), 3);
        const QString table = serving()->table()->toMarkdown();
        QVERIFY(table.contains(QLatin1String("Continuous")) &&
                table.contains(QLatin1String("12/12")));
        // Charts have lines in the policies' colours.
        const auto* charts = serving()->charts();
        for (const auto which :
             {ServingCharts::Throughput, ServingCharts::Ttft, ServingCharts::Itl}) {
            QCOMPARE(charts->chart(which)->lines().size() >= 3, true);
            const QImage picture = charts->chart(which)->grab().toImage();
            QVERIFY(pixelsOf(picture, policyColor(BatchPolicy::Continuous)) > 10);
        }
        QVERIFY(pixelsOf(charts->chart(ServingCharts::Batch)->grab().toImage(),
                         policyColor(BatchPolicy::Continuous)) > 10);
        QVERIFY(charts->chart(ServingCharts::Tokens)->toSvg().contains("<svg"));
        charts->chart(ServingCharts::Tokens)->copyPng();
        QVERIFY(!QApplication::clipboard()->image().isNull());
        for (QPushButton* button : serving()->findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Copy as Markdown")) click(button);
        QVERIFY(QApplication::clipboard()->text().startsWith(QLatin1String("| Policy |")));
    }

    void stoppingKeepsWhatWasServed() {
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(QStringLiteral("burst:1@0.02"));
        serving()->form()->setLoad(4000, QStringLiteral("8"), QStringLiteral("8"));
        showPage("serving");
        click(serving()->form()->runButton());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.run().policies.empty() &&
                                     context()->serving.run().policies[0].nEnded() >= 3,
                                 20'000);
        // Nothing else may be measured meanwhile.
        window()->startRun();
        QVERIFY(!context()->controller->running());
        QVERIFY(!window()->play()->errorBanner()->message().isEmpty());
        showPage("serving");
        QTest::keyClick(window(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.running(), 10'000);
        QTest::qWait(120);
        const PolicyRun& first = context()->serving.run().policies.front();
        QVERIFY(first.state == PolicyState::Cancelled);
        QVERIFY(first.nEnded() >= 3);
        QCOMPARE(serving()->table()->shownRows(), 1);
        QVERIFY(serving()->table()->toMarkdown().contains(QLatin1String("stopped")));
        QVERIFY(serving()->form()->runButton()->isEnabled());
    }

    void whatCannotBeServedIsSaidInPlace() {
        context()->openModel(goldenModel());
        serving()->form()->setLoad(4, QStringLiteral("many"), QStringLiteral("8"));
        serveAndWait();
        QVERIFY2(serving()->errorBanner()->message().contains(QLatin1String("many")),
                 qPrintable(serving()->errorBanner()->message()));
        QVERIFY(serving()->errorBanner()->isVisible());
        serving()->form()->setLoad(4, QStringLiteral("8"), QStringLiteral("4"));
        serveAndWait();
        QVERIFY(!serving()->errorBanner()->isVisible());
        QVERIFY(context()->serving.run().policies.front().state == PolicyState::Finished);
    }

    void aFileOfArrivalsIsServedAsItSays() {
        const QString path = m_home.filePath(QStringLiteral("arrivals.jsonl"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "{\"t\": 0, \"promptTokens\": 12, \"maxTokens\": 5}\n"
            "{\"t\": 0.02, \"promptTokens\": 9, \"maxTokens\": 90, \"cancelAfter\": 0}\n");
        file.close();
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(path);
        serveAndWait();
        const ServingRun& run = context()->serving.run();
        QCOMPARE(run.promptTokens, (std::vector<std::int32_t>{12, 9}));
        for (const PolicyRun& policy : run.policies) {
            QCOMPARE(policy.tokens[0].size(), std::size_t{5});
            QVERIFY(policy.requests[1].finish == trace::FinishReason::Cancelled);
        }
        QVERIFY(serving()->table()->toMarkdown().contains(QLatin1String("1/2")));
        serving()->form()->setArrivals(path + QStringLiteral(".gone"));
        serveAndWait();
        QVERIFY(serving()->errorBanner()->isVisible());
    }

    void whatWasSetIsRemembered() {
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(QStringLiteral("poisson:50"));
        serving()->form()->setLoad(5, QStringLiteral("9"), QStringLiteral("3"));
        serveAndWait();
        context()->saveSession();
        m_shell.reset();
        CommandLine line;
        line.language = QStringLiteral("en");
        open(line);
        const ServingSpec spec = serving()->form()->spec();
        QCOMPARE(spec.arrivals, std::string("poisson:50"));
        QCOMPARE(spec.nRequests, std::int64_t{5});
        QCOMPARE(spec.promptTokens, std::string("9"));
    }

    void theMapShowsServingAndAnyMomentOfIt() {
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(QStringLiteral("burst:8@10"));
        serving()->form()->setLoad(8, QStringLiteral("40"), QStringLiteral("16"));
        showPage("cache");
        click(cache()->blocks()->emptyButton());
        QVERIFY(context()->serving.running());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.running(), kLongMs);
        QTest::qWait(150);
        BlocksTab* tab = cache()->blocks();
        // The policy that needed most, at its fullest moment: several sequences at once.
        QVERIFY(!tab->follows());
        const QImage map = tab->map()->grab().toImage();
        int owners = 0;
        for (std::int32_t request = 0; request < 6; ++request)
            owners += pixelsOf(map, BlockView::ownerColor(request)) > 100 ? 1 : 0;
        QVERIFY2(owners >= 4, qPrintable(QString::number(owners)));
        QCOMPARE(context()->cache.lanes().size(), std::size_t{3});
        int most = 0;
        for (const CacheLog::Lane& lane : context()->cache.lanes())
            for (const trace::KvEvent& event : lane.kv) most = std::max(most, event.blocksInUse);
        QVERIFY(most > 0);
        QVERIFY2(tab->facts()->value(QStringLiteral("Held")).startsWith(QString::number(most)),
                 qPrintable(tab->facts()->value(QStringLiteral("Held"))));
        QVERIFY(!tab->facts()->value(QStringLiteral("Empty places")).isEmpty());
        QVERIFY(tab->memoryChart()->hasPoints());
        QVERIFY(tab->blocksChart()->hasPoints());
        // Its end: everything is free.
        tab->showMoment(1.0);
        QVERIFY(tab->facts()->value(QStringLiteral("Held")).startsWith(QLatin1String("0 ")));
        tab->map()->setFocus();
        QTest::keyClick(tab->map(), Qt::Key_Home);
        QVERIFY(tab->map()->accessibleDescription().contains(QLatin1String("Block 0")));
    }

    // With too few blocks for all: blocks are shared, kept, evicted, given back by preemption, and
    // what the map says is at every pass what the engine says.
    void theMapAgreesWithTheEngineAtEveryPass() {
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(QStringLiteral("burst:16@10"));
        serving()->form()->setLoad(16, QStringLiteral("20-60"), QStringLiteral("16-40"), 40);
        serving()->form()->setLimits(6, 64, 20);
        serveAndWait();
        const ServingRun& run = context()->serving.run();
        QCOMPARE(run.policies.size(), std::size_t{3});
        QCOMPARE(run.poolBlocks, 20);
        std::int64_t preemptions = 0, evictions = 0;
        int shared = 0;
        for (const CacheLog::Lane& lane : context()->cache.lanes()) {
            const PolicyRun& policy = run.policies[static_cast<std::size_t>(lane.section)];
            QVERIFY(policy.state == PolicyState::Finished);
            for (const trace::BatchStep& step : policy.steps) {
                const BlockMap::Counts n = lane.at(step.tStartNs).counts();
                QCOMPARE(n.held, step.blocksInUse);
                QCOMPARE(n.shared, step.blocksShared);
                QCOMPARE(n.kept, step.blocksKept);
                QCOMPARE(n.held + n.sparedReads, std::int64_t{step.blocksRead});
                shared = std::max(shared, n.shared);
            }
            preemptions += policy.steps.back().preemptions;
            evictions += lane.now.counts().evictions;
            QCOMPARE(lane.now.counts().free, 20);
        }
        QVERIFY(shared > 0);
        QVERIFY(preemptions > 0);
        QVERIFY(evictions > 0);
        QVERIFY2(serving()->verdict().contains(QLatin1String("same tokens")),
                 qPrintable(serving()->verdict()));
    }

    void aRunFillsTheMapOfItsLanes() {
        context()->openModel(goldenModel());
        Plan plan = context()->document.plan();
        plan.prompts.front().kind = PromptKind::Text;
        plan.prompts.front().value = "abc abc abc";
        plan.sampling.maxTokens = 24;
        plan.sampling.ignoreEos = true;
        plan.warmup = 0;
        context()->document.replace(plan, {});
        window()->startRun();
        QTRY_VERIFY_WITH_TIMEOUT(!context()->controller->running(), kLongMs);
        QCOMPARE(context()->cache.lanes().size(), std::size_t{2});
        for (const CacheLog::Lane& lane : context()->cache.lanes()) {
            QVERIFY(!lane.blocks.empty());
            QVERIFY(lane.pool.blocks > 0);
            QVERIFY(lane.at(lane.busiestNs()).counts().held >= 2);
        }
        // Twice the bytes a number: twice the bytes a block.
        QCOMPARE(context()->cache.lanes()[0].pool.blockBytes,
                 2 * context()->cache.lanes()[1].pool.blockBytes);
        showPage("cache");
        QTest::qWait(120);
        QCOMPARE(cache()->blocks()->memoryChart()->lines().size(), std::size_t{2});
        QVERIFY(pixelsOf(cache()->blocks()->memoryChart()->grab().toImage(), laneColor(0)) > 10);
        // Opened again from the store, its memory over time is there, its blocks are not.
        const std::size_t events = context()->cache.lanes()[1].kv.size();
        QVERIFY(events > 0);
        context()->openStoredRun(
            QString::fromStdString(context()->controller->snapshot()->header.id));
        QTRY_VERIFY(!context()->cache.lanes().empty() &&
                    context()->cache.lanes()[0].blocks.empty());
        QCOMPARE(context()->cache.lanes()[1].kv.size(), events);
        showPage("cache");
        QTest::qWait(120);
        QVERIFY(pixelsOf(cache()->blocks()->memoryChart()->grab().toImage(), laneColor(1)) > 10);
    }

    void theCalculatorTakesTheLanesModel() {
        context()->openModel(goldenModel());
        showPage("cache");
        cache()->showTab(CachePage::Tab::Calculator);
        CalculatorTab* tab = cache()->calculator();
        ModelStore models;
        const auto model = models.get(goldenModel().toStdString());
        QVERIFY(model.ok());
        tab->takeLane(0);
        QTRY_COMPARE(tab->shape().nLayers, (*model)->spec().nLayers);
        QCOMPARE(tab->shape().nKvHeads, (*model)->spec().nKvHeads);
        QCOMPARE(tab->shape().headDim, (*model)->spec().headDim);
        QCOMPARE(tab->formula(), kvFormula(tab->shape()));
        tab->setShape(KvShape{});
        QVERIFY2(
            tab->facts()->value(QStringLiteral("All")).startsWith(QLatin1String("4.00 GiB")) ||
                tab->facts()->value(QStringLiteral("All")).startsWith(QLatin1String("4 GiB")) ||
                tab->facts()->value(QStringLiteral("All")).startsWith(QLatin1String("4.0 GiB")),
            qPrintable(tab->facts()->value(QStringLiteral("All"))));
        QCOMPARE(tab->table()->shownRows(), kernels::kKvFormats);
    }

    void divergenceIsMeasuredByDepth() {
        context()->openModel(goldenModel());
        showPage("cache");
        cache()->showTab(CachePage::Tab::Formats);
        FormatsTab* tab = cache()->formats();
        tab->setDepths(QStringLiteral("16, 32, 64"), 2);
        click(tab->runButton());
        QVERIFY(context()->divergence.running());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->divergence.running(), kLongMs);
        QVERIFY2(tab->errorBanner()->message().isEmpty(),
                 qPrintable(tab->errorBanner()->message()));
        const DivergenceRun& run = context()->divergence.run();
        QVERIFY(run.formats.size() >= 3);
        for (const FormatDivergence& format : run.formats) {
            if (!format.error.isEmpty()) continue;
            QVERIFY(format.finished);
            QCOMPARE(format.depths.size(), std::size_t{3});
            // 16 + 16 + 31 of 64 positions have a next token, in two windows.
            QCOMPARE(format.depths[2].nTokens, std::int64_t{62});
            QVERIFY(format.depths[2].kldMean > 0.0);
        }
        QVERIFY(tab->chart()->hasPoints());
        QVERIFY(tab->table()->toMarkdown().contains(QStringLiteral("32–63")));
        // A text that is too short is said, and nothing is lost.
        const QString path = m_home.filePath(QStringLiteral("short.txt"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("abc");
        file.close();
        tab->setTextFile(path);
        click(tab->runButton());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->divergence.running(), 20'000);
        QVERIFY2(tab->errorBanner()->message().contains(QLatin1String("a window needs 64")),
                 qPrintable(tab->errorBanner()->message()));
    }

    void theBuiltInTextIsThere() { QVERIFY(builtInText().size() > 10'000); }

    void closingWhileServingEndsItFirst() {
        context()->openModel(goldenModel());
        serving()->form()->setArrivals(QStringLiteral("burst:1@0.02"));
        serving()->form()->setLoad(4000, QStringLiteral("8"), QStringLiteral("8"));
        showPage("serving");
        click(serving()->form()->runButton());
        QSignalSpy closed(window(), &MainWindow::closed);
        window()->close();
        QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, 10'000);
        QVERIFY(!context()->busy());
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

    // Both pages, filled; with LANESCOPE_SHOTS set they are saved there, to be looked at.
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
        const auto shoot = [&](const QString& page) {
            QTest::qWait(shots.isEmpty() ? 60 : 400);
            const QImage picture = window()->grab().toImage();
            QCOMPARE(window()->size(), size);
            for (const auto* button : window()->findChildren<QAbstractButton*>()) {
                if (!button->isVisible() || button->text().isEmpty()) continue;
                QVERIFY2(button->width() + 2 >= button->fontMetrics().horizontalAdvance(
                                                    QString(button->text()).remove(u'&')),
                         qPrintable(page + QStringLiteral(": ") + button->text()));
            }
            if (!shots.isEmpty())
                picture.save(QStringLiteral("%1/%2x%3-%4-%5-%6.png")
                                 .arg(shots)
                                 .arg(size.width())
                                 .arg(size.height())
                                 .arg(theme, language, page));
        };
        context()->openModel(modelForPictures());
        showPage("serving");
        shoot(QStringLiteral("serving-empty"));
        showPage("cache");
        shoot(QStringLiteral("cache-empty"));
        const bool real = modelForPictures() != goldenModel();
        serving()->form()->setArrivals(real ? QStringLiteral("poisson:20")
                                            : QStringLiteral("burst:8@0.05"));
        serving()->form()->setLoad(real ? 24 : 16, QStringLiteral("16-64"), QStringLiteral("8-32"),
                                   32);
        showPage("serving");
        click(serving()->form()->runButton());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.run().policies.empty() &&
                                     context()->serving.run().policies[0].nEnded() > 2,
                                 kLongMs);
        shoot(QStringLiteral("serving-live"));
        QTRY_VERIFY_WITH_TIMEOUT(!context()->serving.running(), kLongMs);
        QTest::qWait(100);
        shoot(QStringLiteral("serving"));
        showPage("cache");
        cache()->showTab(CachePage::Tab::Blocks);
        shoot(QStringLiteral("cache"));
        cache()->showTab(CachePage::Tab::Calculator);
        shoot(QStringLiteral("cache-calculator"));
        cache()->showTab(CachePage::Tab::Formats);
        cache()->formats()->setDepths(QStringLiteral("16, 32, 64, 128"), 1);
        click(cache()->formats()->runButton());
        QTRY_VERIFY_WITH_TIMEOUT(!context()->divergence.running(), kLongMs);
        shoot(QStringLiteral("cache-formats"));
    }
};

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lanescope-test"));
    QApplication::setOrganizationName(QStringLiteral("lanescope-test"));
    QApplication::setQuitOnLastWindowClosed(false);
    PagesUiTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "pages_ui_test.moc"

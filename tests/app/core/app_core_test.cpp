// View-model logic without widgets: selection, plan editing, token text and layout, colours,
// figures.

#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/bridge/plan_document.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/run_progress.h"
#include "app/bridge/selection.h"
#include "app/models/lane_chips.h"
#include "app/models/number_text.h"
#include "app/models/request_picker.h"
#include "app/models/stats_cells.h"
#include "app/models/token_colors.h"
#include "app/models/token_layout.h"
#include "app/models/token_text.h"
#include "app/theme/theme.h"

using namespace lanescope;
using namespace lanescope::app;

namespace {

profiler::RequestData makeRequest(int id, int lane, const std::vector<std::string>& pieces) {
    profiler::RequestData request;
    request.record.id = id;
    request.record.lane = lane;
    request.record.tPrefillEndNs = 1'000'000;
    std::int64_t t = 1'000'000;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        trace::TokenRecord token;
        token.request = id;
        token.index = static_cast<int>(i);
        token.token = static_cast<int>(pieces[i].size());
        token.piece = pieces[i];
        token.tNs = t += 2'000'000;
        token.logProbability = -static_cast<float>(i);
        request.tokens.push_back(token);
    }
    return request;
}

Plan threeLanes() {
    Plan plan = starterPlan("smollm2");
    LaneSpec lane = plan.lanes.front();
    lane.name = "C";
    lane.kv = "bf16";
    plan.lanes.push_back(lane);
    return plan;
}

/// CIE L*a*b* of a linear RGB triple.
std::array<double, 3> lab(const std::array<double, 3>& rgb) {
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116.0; };
    const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
    const double y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
    const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

class AppCoreTest : public QObject {
    Q_OBJECT
  private slots:
    void selectionTellsOnlyAboutChanges() {
        Selection selection;
        QSignalSpy spy(&selection, &Selection::changed);
        Selection::State state;
        state.token = 3;
        selection.set(state);
        selection.set(state);
        QCOMPARE(spy.count(), 1);
        selection.clear();
        QCOMPARE(spy.count(), 2);
        QVERIFY(selection.empty());
    }

    void laneEditsCanBeUndone() {
        PlanDocument document;
        document.replace(starterPlan("smollm2"), {});
        QCOMPARE(document.laneCount(), 2);
        QCOMPARE(document.baselineIndex(), 0);
        document.duplicateLane(1);
        QCOMPARE(document.plan().lanes[2].name, std::string("C"));
        LaneSpec edited = document.plan().lanes[2];
        edited.kv = "bf16";
        document.setLane(2, edited);
        document.setBaseline(2);
        document.removeLane(0);
        QCOMPARE(document.laneCount(), 2);
        // Letters follow places, and the baseline follows its lane.
        QCOMPARE(document.plan().lanes[1].name, std::string("B"));
        QCOMPARE(document.plan().lanes[1].kv, std::string("bf16"));
        QCOMPARE(document.baselineIndex(), 1);
        while (document.undoStack()->canUndo()) document.undoStack()->undo();
        QCOMPARE(document.laneCount(), 2);
        QCOMPARE(document.plan().lanes[0].kv, std::string("fp32"));
        QCOMPARE(document.baselineIndex(), 0);
    }

    void sixLanesAreTheMost() {
        PlanDocument document;
        document.replace(starterPlan("smollm2"), {});
        for (int i = 0; i < 9; ++i) document.duplicateLane(0);
        QCOMPARE(document.laneCount(), 6);
        QVERIFY(!document.canAddLane());
    }

    void progressCountsTokensAndLeavesFailedLanesOut() {
        Plan plan = threeLanes();
        plan.sampling.maxTokens = 10;
        plan.warmup = 0;
        plan.repetitions = 2;
        profiler::RunData run;
        run.lanes.resize(3);
        run.lanes[2].error = "no such file";
        auto done = makeRequest(0, 0, {"a", "b"});
        done.record.finish = trace::FinishReason::MaxTokens;
        run.requests.push_back(done);
        run.requests.push_back(makeRequest(1, 1, {"a", "b", "c", "d", "e"}));
        const auto progress = runProgress(plan, run, 1500);
        QCOMPARE(progress.requestsPlanned, 4);
        QCOMPARE(progress.requestsDone, 1);
        QCOMPARE(progress.activeLane, 1);
        QVERIFY(std::abs(progress.fraction - 1.5 / 4) < 1e-9);
        QCOMPARE(progress.etaMs, 2500);
    }

    void measuringTheRoofIsSaidInTheStatus() {
        RunController controller(nullptr);
        controller.setExecutor([](const Plan&, ModelStore&, trace::Sink&, const CancelToken&,
                                  const RunOptions& options) -> Result<trace::RunStatus> {
            if (options.roof == RoofPolicy::Measure) options.beforeRoof(2);
            return trace::RunStatus::Finished;
        });
        QSignalSpy progress(&controller, &RunController::progressChanged);
        controller.startRun(Plan{});
        QTRY_VERIFY(!controller.running());
        QCOMPARE(progress.count(), 3);  // starting, measuring, done
        QVERIFY(progress[1][2].toString().contains(QStringLiteral("at most")));
    }

    void tokenTextMapsCharactersToTokens() {
        TokenText text;
        QVERIFY(!text.update(makeRequest(7, 0, {"Hel", "lo", "", " 世界", "\n"})));
        QCOMPARE(text.text(), QStringLiteral("Hello 世界\n"));
        QCOMPARE(text.tokenAt(0), 0);
        QCOMPARE(text.tokenAt(4), 1);
        QCOMPARE(text.tokenAt(5), 3);
        QCOMPARE(text.tokenAt(8), 4);
        QVERIFY(text.update(makeRequest(7, 0, {"Hel", "lo", "", " 世界", "\n", "!"})));
        QCOMPARE(text.size(), 6);
        QVERIFY(!text.update(makeRequest(8, 0, {"x"})));
        QCOMPARE(text.text(), QStringLiteral("x"));
    }

    // Appending token by token must break lines exactly as laying out everything at once does.
    void incrementalLayoutEqualsFullLayout() {
        const QString source = QStringLiteral(
            "The quick brown fox jumps over the lazy dog; 天空为什么是蓝色的？因为瑞利散射。\n\n"
            "An unbreakablewordthatislongerthanthewholelineandmustbebrokensomewhere, then more "
            "text 👩‍👩‍👧 and\ttabs.\n  indented line\nend");
        const QFont font = QGuiApplication::font();
        for (qreal width : {60.0, 137.0, 300.0}) {
            TokenLayout grown;
            grown.reset(font, width);
            for (int n = 1; n <= source.size(); n += 1 + n % 4) grown.update(source.left(n));
            grown.update(source);
            TokenLayout whole;
            whole.reset(font, width);
            whole.update(source);
            QCOMPARE(grown.lines().size(), whole.lines().size());
            for (std::size_t i = 0; i < whole.lines().size(); ++i) {
                QCOMPARE(grown.lines()[i].start, whole.lines()[i].start);
                QCOMPARE(grown.lines()[i].length, whole.lines()[i].length);
                QCOMPARE(grown.lines()[i].hardBreak, whole.lines()[i].hardBreak);
            }
        }
    }

    void layoutCostOfATokenDoesNotGrow() {
        TokenLayout layout;
        layout.reset(QGuiApplication::font(), 300);
        QString text;
        for (int i = 0; i < 2000; ++i) {
            text += QStringLiteral("word%1 ").arg(i);
            layout.update(text);
            if (i > 100)
                QVERIFY(static_cast<int>(layout.lines().size()) - layout.firstChanged() <= 4);
        }
    }

    void tokenColoursSayWhatTheyMean() {
        const auto request = makeRequest(0, 0, {"a", "bb", "ccc"});
        const auto other = makeRequest(1, 1, {"a", "xxxx"});
        const auto probability = tokenValues(TokenColoring::Probability, request, nullptr);
        QVERIFY(std::abs(probability[1] - std::exp(-1.0)) < 1e-6);
        const auto latency = tokenValues(TokenColoring::Latency, request, nullptr);
        QVERIFY(std::abs(latency[0] - 2.0) < 1e-9 && std::abs(latency[2] - 2.0) < 1e-9);
        const auto differs = tokenValues(TokenColoring::Disagreement, request, &other);
        QCOMPARE(differs, (std::vector<double>{0, 1, 1}));
        QCOMPARE(tokenValues(TokenColoring::Disagreement, request, nullptr),
                 (std::vector<double>{0, 0, 0}));
        QCOMPARE(tokenBackground(TokenColoring::Probability,
                                 tokenStrength(TokenColoring::Probability, 1.0, 1.0), false)
                     .alpha(),
                 0);
    }

    void pickerPrefersTimedRequests() {
        profiler::RunData run;
        auto warm = makeRequest(0, 0, {"w"});
        warm.record.warmup = true;
        run.requests.push_back(warm);
        QCOMPARE(pickRequest(run, 0, -1, -1)->record.id, 0);
        auto timed = makeRequest(1, 0, {"t"});
        run.requests.push_back(timed);
        QCOMPARE(pickRequest(run, 0, -1, -1)->record.id, 1);
        QVERIFY(pickRequest(run, 1, -1, -1) == nullptr);
        QVERIFY(pickRequest(run, 0, 3, -1) == nullptr);
    }

    void chipsOfDifferencesAreBright() {
        const Plan plan = starterPlan("smollm2");
        for (const auto& chip : laneChips(plan.lanes[0], plan.lanes[0], {})) QVERIFY(!chip.bright);
        int bright = 0;
        for (const auto& chip : laneChips(plan.lanes[1], plan.lanes[0], QStringLiteral("q4_1"))) {
            bright += chip.bright ? 1 : 0;
            QCOMPARE(chip.bright, chip.key == QLatin1String("kv"));
        }
        QCOMPARE(bright, 1);
    }

    void optionsOfAGpuHaveChipsWhereTheyAreChosen() {
        LaneSpec first;
        first.model = "smollm2";
        first.backend = "cuda";
        LaneSpec other = first;
        other.products = "cublaslt";
        other.sampling = "device";
        const auto keys = [](const std::vector<LaneChip>& chips, bool bright) {
            QStringList out;
            for (const auto& chip : chips)
                if (!bright || chip.bright) out << chip.key;
            return out;
        };
        const QStringList both{QStringLiteral("products"), QStringLiteral("sampling")};
        QVERIFY(!keys(laneChips(first, first, {}), false).contains(both[0]));
        QVERIFY(!keys(laneChips(first, first, {}), false).contains(both[1]));
        QCOMPARE(keys(laneChips(other, first, {}), true), both);
        QCOMPARE(keys(laneChips(first, other, {}), true), both);
    }

    void slowerIsSaidInWords() {
        profiler::LaneStats before;
        before.decodeTps.n = 5;
        before.decodeTps.mean = 100;
        before.decodeTps.sd = 1;
        profiler::LaneStats after = before;
        after.decodeTps.mean = 80;
        QVERIFY(
            speedSentence(after, before, QStringLiteral("A")).startsWith(QLatin1String("Slower")));
        QVERIFY(
            speedSentence(before, after, QStringLiteral("A")).startsWith(QLatin1String("Faster")));
        after.decodeTps.mean = 99.9;
        QVERIFY(speedSentence(after, before, QStringLiteral("A")).contains(QLatin1String("noise")));
        for (const auto& cell : statCells(after, &before))
            if (cell.key == QLatin1String("decode"))
                QCOMPARE(cell.verdict, profiler::Delta::Verdict::WithinNoise);
    }

    void numbersKeepThreeDigits() {
        QCOMPARE(durationText(0.85), QStringLiteral("850 µs"));
        QCOMPARE(durationText(12.34), QStringLiteral("12.3 ms"));
        QCOMPARE(durationText(1250), QStringLiteral("1.25 s"));
        QCOMPARE(shortNumber(std::nan("")), QStringLiteral("–"));
        QCOMPARE(percentText(-3.2), QStringLiteral("−3.20 %"));
        QCOMPARE(clockText(65'400), QStringLiteral("1:05"));
    }

    // Machado et al. 2009, severity 1: the lanes stay apart for the common deficiencies.
    void laneColoursStayApartForColourDeficiencies() {
        using Matrix = std::array<std::array<double, 3>, 3>;
        const std::array<Matrix, 4> views{Matrix{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                          Matrix{{{0.367322, 0.860646, -0.227968},
                                                  {0.280085, 0.672501, 0.047413},
                                                  {-0.011820, 0.042940, 0.968881}}},
                                          Matrix{{{0.152286, 1.052583, -0.204868},
                                                  {0.114503, 0.786281, 0.099216},
                                                  {-0.003882, -0.048116, 1.051998}}},
                                          Matrix{{{1.255528, -0.076749, -0.178779},
                                                  {-0.078411, 0.930809, 0.147602},
                                                  {0.004733, 0.691367, 0.303900}}}};
        const auto linear = [](double c) {
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        for (const Matrix& view : views) {
            std::vector<std::array<double, 3>> seen;
            for (int lane = 0; lane < kMaxLanes; ++lane) {
                const QColor c = laneColor(lane);
                const std::array<double, 3> rgb{linear(c.redF()), linear(c.greenF()),
                                                linear(c.blueF())};
                std::array<double, 3> out{};
                for (std::size_t i = 0; i < 3; ++i)
                    out[i] = std::clamp(
                        view[i][0] * rgb[0] + view[i][1] * rgb[1] + view[i][2] * rgb[2], 0.0, 1.0);
                seen.push_back(lab(out));
            }
            for (std::size_t a = 0; a < seen.size(); ++a)
                for (std::size_t b = a + 1; b < seen.size(); ++b) {
                    const double distance = std::hypot(
                        seen[a][0] - seen[b][0], seen[a][1] - seen[b][1], seen[a][2] - seen[b][2]);
                    QVERIFY2(distance > kMinLaneDistance, qPrintable(QString::number(distance)));
                }
        }
    }

    void textColoursHaveContrast() {
        for (ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(*qApp, choice);
            const ThemeColors& c = themeColors();
            QVERIFY(contrastRatio(c.text, c.base) >= 7.0);
            QVERIFY(contrastRatio(c.textMuted, c.panel) >= 4.5);
            QVERIFY(contrastRatio(c.textFaint, c.base) >= 3.0);
            QVERIFY(contrastRatio(c.accentText, c.accent) >= 4.5);
            for (const QColor& color : {c.good, c.bad, c.warn})
                QVERIFY(contrastRatio(color, c.panel) >= 4.5);
            for (int lane = 0; lane < kMaxLanes; ++lane)
                QVERIFY(contrastRatio(laneTextColor(lane), c.base) >= 4.5);
        }
    }

  private:
    /// CIE76; 10 is told apart at a glance.
    static constexpr double kMinLaneDistance = 10.0;
};

QTEST_MAIN(AppCoreTest)
#include "app_core_test.moc"

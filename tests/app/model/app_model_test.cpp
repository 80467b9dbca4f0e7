// What the open dialog and the model page say about checkpoints, without widgets: inspection, the
// search through folders, tensor and metadata rows, tokens, chat templates.

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bridge/latest_task.h"
#include "app/bridge/model_inspection.h"
#include "app/bridge/model_library.h"
#include "app/models/chat_samples.h"
#include "app/models/model_facts.h"
#include "app/models/template_library.h"
#include "app/models/tokenized_text.h"

using namespace lanescope;
using namespace lanescope::app;

namespace {

QString golden(const QString& path) {
    const QString root = qEnvironmentVariable(
        "LANESCOPE_GOLDEN", QStringLiteral(LANESCOPE_SOURCE_DIR) + QStringLiteral("/tests/golden"));
    return root + QLatin1Char('/') + path;
}

QString tinyModel() {
    return golden(QStringLiteral("gguf/llama_tied.F16.gguf"));
}

/// Empty where the shared data is absent.
QString sharedDir() {
    const QString dir = qEnvironmentVariable(
        "LANESCOPE_SHARED", QStringLiteral(LANESCOPE_SOURCE_DIR) + QStringLiteral("/../shared"));
    return QFile::exists(dir) ? dir : QString();
}

/// A real model of the cache; empty where it is absent.
QString realModel(const QString& name) {
    QString dir = qEnvironmentVariable("LANESCOPE_MODELS");
    if (dir.isEmpty())
        dir = qEnvironmentVariable("XDG_CACHE_HOME", QDir::homePath() + QStringLiteral("/.cache")) +
              QStringLiteral("/lanescope/models");
    const QString path = dir + QLatin1Char('/') + name;
    return QFile::exists(path) ? path : QString();
}

ModelInspection inspect(const QString& path) {
    return inspectModel(path.toStdString());
}

QString factValue(const std::vector<Fact>& facts, const QString& label) {
    for (const Fact& fact : facts)
        if (fact.label == label) return fact.value;
    return {};
}

bool mentionsAny(const nlohmann::json& words, const QString& text) {
    return std::any_of(words.begin(), words.end(), [&](const nlohmann::json& word) {
        return text.contains(QString::fromStdString(word.get<std::string>()), Qt::CaseInsensitive);
    });
}

}  // namespace

class AppModelTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

  private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("lanescope-test"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
    }
    void init() { QSettings().clear(); }

    void architectureFactsFitTheArchitecture() {
        const auto gpt2 = architectureFacts(inspect(golden(QStringLiteral("checkpoints/gpt2"))));
        QCOMPARE(factValue(gpt2, QStringLiteral("Positions")),
                 QStringLiteral("a learned table of 256 rows"));
        QVERIFY(factValue(gpt2, QStringLiteral("RoPE")).isEmpty());
        QCOMPARE(factValue(gpt2, QStringLiteral("Norms")), QStringLiteral("layer norm"));
        QCOMPARE(factValue(gpt2, QStringLiteral("MLP")), QStringLiteral("plain, GELU"));
        const auto gemma = architectureFacts(inspect(golden(QStringLiteral("checkpoints/gemma3"))));
        QVERIFY(factValue(gemma, QStringLiteral("Positions")).isEmpty());
        QVERIFY(factValue(gemma, QStringLiteral("Sliding window")).contains(QLatin1String("of")));
        QVERIFY(!factValue(gemma, QStringLiteral("RoPE of windowed layers")).isEmpty());
        QVERIFY(!factValue(gemma, QStringLiteral("Embedding scale")).isEmpty());
        QCOMPARE(factValue(gemma, QStringLiteral("Norms")),
                 QStringLiteral("RMS norm, again after each half, on Q and K of each head"));
        const auto phi = architectureFacts(inspect(golden(QStringLiteral("checkpoints/phi"))));
        QCOMPARE(factValue(phi, QStringLiteral("Order")),
                 QStringLiteral("attention and MLP side by side"));
    }

    // The bug log's model files end in the open dialog as they should: figures, or a message with
    // the words that help, within seconds.
    void everyModelFileOfTheBugLogEndsAsItShould() {
        const QString shared = sharedDir();
        if (shared.isEmpty()) QSKIP("shared data is absent: set LANESCOPE_SHARED");
        QFile file(shared + QStringLiteral("/cases/expected.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto expected = nlohmann::json::parse(file.readAll().toStdString());
        int nChecked = 0;
        for (const auto& entry : expected["cases"]) {
            const QString id = QString::fromStdString(entry["id"]);
            const bool modelFile = id == QLatin1String("BASE") ||
                                   (id >= QLatin1String("C01") && id <= QLatin1String("C21"));
            if (!modelFile) continue;
            const QString path = QString::fromStdString(entry["path"]);
            QElapsedTimer clock;
            clock.start();
            const auto result = inspect(shared + QStringLiteral("/cases/") + path);
            QVERIFY2(clock.elapsed() < 5000, qPrintable(path));
            ++nChecked;
            const std::string outcome = entry["outcome"];
            const bool mayLoad = entry.value("or_outcome", std::string()) == "loads";
            if (outcome == "loads") {
                QVERIFY2(result.usable(),
                         qPrintable(path + QStringLiteral(": ") + problemText(result)));
                QVERIFY2(!result.types.empty(), qPrintable(path));
                continue;
            }
            if (result.usable() && mayLoad) continue;
            // A vocabulary that cannot be used does not stop the model; it is said at "Tokenizer".
            const QString tokenizer = result.usable()
                                          ? QString::fromStdString(result.model->tokenizerError())
                                          : QString();
            QVERIFY2(!result.usable() || !tokenizer.isEmpty(),
                     qPrintable(path + QStringLiteral(" was accepted")));
            const QString said =
                problemText(result) + QLatin1Char('\n') + problemDetails(result) + tokenizer;
            QVERIFY2(!said.trimmed().isEmpty(), qPrintable(path));
            if (entry.contains("mentions_any"))
                QVERIFY2(mentionsAny(entry["mentions_any"], said),
                         qPrintable(path + QStringLiteral(": ") + said));
        }
        QVERIFY(nChecked >= 90);
    }

    void figuresOfARealModel() {
        const QString path = realModel(QStringLiteral("SmolLM2-135M-Instruct.Q4_1.gguf"));
        if (path.isEmpty()) QSKIP("SmolLM2 is absent: ./dev models fetches it");
        const auto model = inspect(path);
        QVERIFY2(model.usable(), qPrintable(problemText(model)));
        QCOMPARE(model.architecture, QStringLiteral("llama"));
        const auto facts = mainFacts(model);
        QCOMPARE(factValue(facts, QStringLiteral("Parameters")), QStringLiteral("134.5 M"));
        QCOMPARE(factValue(facts, QStringLiteral("Layers")),
                 QStringLiteral("30, width 576, MLP 1536"));
        QCOMPARE(factValue(facts, QStringLiteral("Attention heads")),
                 QStringLiteral("9, 3 KV heads"));
        QVERIFY(factValue(facts, QStringLiteral("Tokenizer")).contains(QLatin1String("49152")));
        QVERIFY(factValue(facts, QStringLiteral("Chat template")).startsWith(QLatin1String("yes")));
        QCOMPARE(model.types.front().type, QStringLiteral("q4_1"));
        std::uint64_t sum = 0;
        for (const auto& total : model.types) sum += total.bytes;
        QCOMPARE(sum, model.tensorBytes);
    }

    void anUnknownArchitectureIsNamedAndTheFileStillShown() {
        QFile good(tinyModel());
        QVERIFY(good.open(QIODevice::ReadOnly));
        QByteArray bytes = good.readAll();
        const auto at = bytes.indexOf("llama", bytes.indexOf("general.architecture"));
        QVERIFY(at > 0);
        bytes.replace(at, 5, "lemma");
        const QString path = m_home.path() + QStringLiteral("/unknown.gguf");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        const auto model = inspect(path);
        QVERIFY(!model.usable());
        QVERIFY2(problemText(model).contains(QLatin1String("lemma")),
                 qPrintable(problemText(model)));
        QCOMPARE(model.architecture, QStringLiteral("lemma"));
        QVERIFY(model.checkpoint != nullptr);
        QVERIFY(!model.types.empty());
        QVERIFY(!tensorRows(*model.checkpoint).empty());
    }

    void missingAndSyntheticModelsAreSaidInWords() {
        const auto missing = inspect(QStringLiteral("/no/such/file.gguf"));
        QVERIFY(!missing.usable());
        QVERIFY(!problemText(missing).isEmpty());
        QVERIFY(!problemDetails(missing).isEmpty());
        const auto synthetic = inspect(QStringLiteral("synthetic:no-such-config.json"));
        QVERIFY(!synthetic.usable());
        QVERIFY(!problemText(synthetic).isEmpty());
    }

    void theLargestContextIsTheLastThatFits() {
        const auto model = inspect(tinyModel());
        QVERIFY(model.usable());
        const ModelSpec& spec = model.model->spec();
        const WeightBytes weights = weightBytes(*model.checkpoint);
        LaneSpec lane;
        lane.kv = "fp32";
        lane.threads = 1;
        lane.context = spec.contextLength;
        const auto whole = fitMemory(spec, weights, lane, 0);
        QVERIFY(whole);
        const std::uint64_t all = whole->estimate.total();
        const auto roomy = fitMemory(spec, weights, lane, all);
        QVERIFY(roomy && roomy->fits);
        QCOMPARE(roomy->largestContext, spec.contextLength);
        const auto tight = fitMemory(spec, weights, lane, all - 1);
        QVERIFY(tight && !tight->fits);
        QVERIFY(tight->largestContext < spec.contextLength);
        lane.context = tight->largestContext;
        if (lane.context > 0) QVERIFY(fitMemory(spec, weights, lane, all - 1)->fits);
        lane.context = tight->largestContext + 1;
        QVERIFY(!fitMemory(spec, weights, lane, all - 1)->fits);
        QCOMPARE(fitMemory(spec, weights, lane, 1)->largestContext, std::int64_t{0});
        lane.kv = "fp8";
        QVERIFY(!fitMemory(spec, weights, lane, all));
    }

    void tensorRowsSayWhereTheDataLies() {
        const auto model = inspect(tinyModel());
        QFile file(tinyModel());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto rows = tensorRows(*model.checkpoint);
        const auto& tensors = model.checkpoint->tensors();
        QCOMPARE(rows.size(), tensors.size());
        double share = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            share += rows[i].share;
            QVERIFY(rows[i].fileOffset > 0);
            QVERIFY(file.seek(rows[i].fileOffset));
            const QByteArray bytes = file.read(16);
            QVERIFY(std::equal(bytes.begin(), bytes.end(),
                               reinterpret_cast<const char*>(tensors[i].data)));
        }
        QVERIFY(std::abs(share - 1.0) < 1e-9);
        const auto sharded = inspect(golden(QStringLiteral("checkpoints/llama_gqa_sharded")));
        QVERIFY2(sharded.usable(), qPrintable(problemText(sharded)));
        for (const auto& row : tensorRows(*sharded.checkpoint))
            QVERIFY(row.fileOffset > 0 && row.file.endsWith(QLatin1String(".safetensors")));
    }

    void metadataIsListedAndOpened() {
        for (const QString& path :
             {tinyModel(), golden(QStringLiteral("checkpoints/llama_tied"))}) {
            const auto model = inspect(path);
            const auto rows = metadataRows(*model.checkpoint);
            QVERIFY(rows.size() > 5);
            for (const auto& row : rows) {
                QVERIFY(row.summary.size() <= 161);
                QVERIFY(!row.type.isEmpty());
                (void)metadataText(*model.checkpoint, row, 10);
            }
        }
        const auto model = inspect(tinyModel());
        for (const auto& row : metadataRows(*model.checkpoint)) {
            if (row.key != QLatin1String("tokenizer.ggml.tokens")) continue;
            QVERIFY(row.type.startsWith(QLatin1String("string[")));
            const QString some = metadataText(*model.checkpoint, row, 5);
            QCOMPARE(some.count(QLatin1Char('\n')), 5);
            QVERIFY(some.endsWith(QLatin1String("more")));
            const QString all = metadataText(*model.checkpoint, row);
            QCOMPARE(all.count(QLatin1Char('\n')) + 1, model.model->tokenizer()->vocabSize());
        }
    }

    void tokensAreThoseOfTheEngine() {
        const auto model = inspect(tinyModel());
        QVERIFY(model.usable() && model.model->tokenizer());
        const Tokenizer& tokenizer = *model.model->tokenizer();
        const QString text = QString::fromUtf8("abc the sky\nblue 光 😀");
        const std::string utf8 = text.toStdString();
        for (const bool special : {false, true})
            for (const bool bos : {false, true}) {
                const auto shown = tokenizeText(tokenizer, text, {special, bos});
                const auto ids =
                    tokenizer.encode(utf8, bos ? AddSpecial::Yes : AddSpecial::No,
                                     special ? SpecialTokens::Parse : SpecialTokens::AsText);
                QVERIFY(ids);
                QVERIFY(shown.ids == *ids);
                QCOMPARE(shown.shown.size(), ids->size());
                QCOMPARE(shown.nCharacters, qsizetype{20});
                QCOMPARE(shown.nBytes, static_cast<qsizetype>(utf8.size()));
            }
        QVERIFY(tokenizeText(tokenizer, {}, {}).ids.empty());
        const auto many =
            tokenizeText(tokenizer, QString(50'000, u'x') + QString(50'000, u' '), {});
        QVERIFY(many.shown.size() <= static_cast<std::size_t>(kMaxShownTokens));
        const auto cut = tokenizeText(tokenizer, QString(kMaxTokenizedChars + 5, u'a'), {});
        QVERIFY(cut.cut);
        QCOMPARE(cut.nCharacters, kMaxTokenizedChars);
    }

    void roundTripAndSpecialTokensOfARealVocabulary() {
        const QString path = realModel(QStringLiteral("SmolLM2-135M-Instruct.Q4_1.gguf"));
        if (path.isEmpty()) QSKIP("SmolLM2 is absent: ./dev models fetches it");
        const auto model = inspect(path);
        QVERIFY(model.usable());
        const QString text = QString::fromUtf8("Hi <|im_end|> 光 😀\n");
        const auto parsed = tokenizeText(*model.model->tokenizer(), text, {true, false});
        QVERIFY2(parsed.roundTrip, qPrintable(parsed.roundTripNote));
        QCOMPARE(parsed.nSpecial, 1);
        const auto plain = tokenizeText(*model.model->tokenizer(), text, {false, false});
        QCOMPARE(plain.nSpecial, 0);
        QVERIFY(plain.ids.size() > parsed.ids.size());
        QVERIFY2(plain.roundTrip, qPrintable(plain.roundTripNote));
        bool anyHex = false;
        for (const auto& token : parsed.shown) anyHex = anyHex || token.text.startsWith(u'⟨');
        QVERIFY(anyHex);  // an emoji spans tokens
    }

    void builtInTemplatesRenderEveryConversation() {
        QCOMPARE(builtInTemplates().size(), std::size_t{6});
        for (const auto& known : builtInTemplates()) {
            for (const auto& sample : chatSamples()) {
                const auto result = previewTemplate(known.source, sample, true, nullptr);
                QVERIFY2(result.error.isEmpty(),
                         qPrintable(known.name + QStringLiteral(", ") + sample.key +
                                    QStringLiteral(": ") + result.error));
                std::string input;
                for (const auto& segment : result.segments)
                    if (segment.fromInput) input += segment.text;
                QVERIFY2(sample.key == QLatin1String("hostile")
                             ? input.find("<|im_end|>") != std::string::npos
                             : input.find("Why is the sky blue?") != std::string::npos,
                         qPrintable(known.name));
            }
            QCOMPARE(templateTitle(known.source), known.name);
        }
        const auto& chatml = builtInTemplates().front();
        const auto rendered = previewTemplate(chatml.source, chatSamples()[1], true, nullptr);
        QCOMPARE(QString::fromStdString(joinSegments(rendered.segments)),
                 QStringLiteral("<|im_start|>system\nAnswer in one sentence.<|im_end|>\n"
                                "<|im_start|>user\nWhy is the sky blue?<|im_end|>\n"
                                "<|im_start|>assistant\n"));
        QCOMPARE(templateTitle("{{ 1 }}"), QStringLiteral("edited"));
    }

    void templateErrorsNameTheirLine() {
        const auto sample = chatSamples().front();
        const auto broken = previewTemplate("a\n{% if %}\n", sample, true, nullptr);
        QVERIFY(!broken.error.isEmpty());
        QCOMPARE(broken.errorLine, 2);
        const auto raised = previewTemplate("\n\n{{ raise_exception('only two turns here') }}",
                                            sample, true, nullptr);
        QVERIFY2(raised.error.contains(QLatin1String("only two turns here")),
                 qPrintable(raised.error));
        QCOMPARE(raised.errorLine, 3);
        const auto endless = previewTemplate(
            "{% for i in range(90000) %}{% for j in range(90000) %}x{% endfor %}{% endfor %}",
            sample, true, nullptr);
        QVERIFY(!endless.error.isEmpty());
    }

    void foldersAreSearched() {
        const QString root = m_home.path() + QStringLiteral("/models");
        QVERIFY(QDir().mkpath(root + QStringLiteral("/deep/er")));
        QVERIFY(QFile::link(tinyModel(), root + QStringLiteral("/deep/er/tiny.gguf")));
        QVERIFY(QFile::copy(tinyModel(), root + QStringLiteral("/part-00002-of-00003.gguf")));
        QFile broken(root + QStringLiteral("/broken.gguf"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("GGUF nothing");
        broken.close();
        const QString hf = golden(QStringLiteral("checkpoints/llama_tied"));
        QVERIFY(QDir().mkpath(root + QStringLiteral("/hf")));
        for (const QString& name : QDir(hf).entryList(QDir::Files))
            QVERIFY(
                QFile::copy(hf + QLatin1Char('/') + name, root + QStringLiteral("/hf/") + name));
        // A circle of folders must not keep the search busy for ever.
        QVERIFY(QFile::link(root, root + QStringLiteral("/deep/circle")));
        ModelLibrary library;
        QSignalSpy finished(&library, &ModelLibrary::finished);
        library.addFolder(root);
        QVERIFY(library.scanning());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
        QCOMPARE(library.found().size(), std::size_t{3});
        for (const auto& found : library.found()) {
            const bool isBroken = found.model.endsWith(QLatin1String("broken.gguf"));
            QCOMPARE(found.error.isEmpty(), !isBroken);
            if (isBroken) continue;
            QCOMPARE(found.architecture, QStringLiteral("llama"));
            QVERIFY(found.bytes > 1000);
            QVERIFY(!found.type.isEmpty());
        }
        QCOMPARE(ModelLibrary::folders(), QStringList{root});
        library.scan();
        library.cancel();
        QVERIFY(!library.scanning());
        QTest::qWait(200);
        QVERIFY(library.found().size() <= 3);
        library.removeFolder(root);
        QVERIFY(ModelLibrary::folders().isEmpty());
        QVERIFY(library.found().empty());
    }

    void onlyTheNewestTaskIsDelivered() {
        QObject owner;
        QList<int> delivered;
        LatestTask<int> task(&owner, [&](int n) { delivered << n; });
        for (int i = 0; i < 50; ++i)
            task.start([i] {
                QThread::msleep(2);
                return i;
            });
        QTRY_VERIFY(!task.busy());
        QCOMPARE(delivered, QList<int>{49});
        task.start([] { return 1; });
        task.drop();
        QTest::qWait(100);
        QCOMPARE(delivered.size(), 1);
    }
};

QTEST_GUILESS_MAIN(AppModelTest)
#include "app_model_test.moc"

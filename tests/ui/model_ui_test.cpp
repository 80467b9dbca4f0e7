// Opening models and looking at them, in the real window: the open dialog, the model page with its
// tokenizer and chat template, menus and the command palette.

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTreeWidget>
#include <memory>

#include "app/models/template_library.h"
#include "app/views/model/code_edit.h"
#include "app/views/model/metadata_view.h"
#include "app/views/model/model_page.h"
#include "app/views/model/overview_view.h"
#include "app/views/model/template_view.h"
#include "app/views/model/tensors_view.h"
#include "app/views/model/token_chips.h"
#include "app/views/model/tokenizer_view.h"
#include "app/views/open/model_card.h"
#include "app/views/open/model_list.h"
#include "app/views/open/open_dialog.h"
#include "app/views/play/lane_card.h"
#include "app/views/play/lane_strip.h"
#include "app/views/play/play_page.h"
#include "app/views/play/start_page.h"
#include "app/widgets/bar_list.h"
#include "app/widgets/data_table.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/error_banner.h"
#include "app/widgets/facts_grid.h"
#include "app/window/app_shell.h"
#include "app/window/command_palette.h"
#include "app/window/main_window.h"
#include "engine/base/json.h"

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

}  // namespace

class ModelUiTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;
    QString m_smol;  ///< empty: not on this machine
    std::unique_ptr<AppShell> m_shell;

    MainWindow* window() const { return m_shell->window(); }
    PlanDocument& document() const { return m_shell->context()->document; }
    ModelPage* page() const { return window()->model(); }

    void open(const QString& language = QStringLiteral("en"), const QString& theme = {},
              const QSize& size = {}) {
        CommandLine line;
        line.language = language;
        line.themeGiven = true;
        line.theme = theme.isEmpty() ? ThemeChoice::Light : themeFromName(theme);
        line.size = size;
        m_shell = std::make_unique<AppShell>(*qApp, line);
        window()->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window()));
    }

    OpenDialog* openDialog() {
        window()->activateWindow();
        (void)QTest::qWaitForWindowActive(window());
        QTest::keyClick(window(), Qt::Key_O, Qt::ControlModifier);
        OpenDialog* dialog = nullptr;
        (void)QTest::qWaitFor(
            [&] { return (dialog = window()->findChild<OpenDialog*>()) != nullptr; }, 5000);
        return dialog;
    }

    /// The page shows this model.
    void showOnPage(const QString& model, ModelPage::Tab tab) {
        window()->showModel(model);
        page()->showTab(tab);
        QTRY_VERIFY_WITH_TIMEOUT(page()->inspection() != nullptr, 20'000);
    }

    void trigger(const QString& command) {
        for (QAction* action : window()->commands())
            if (plainActionText(*action) == command) {
                action->trigger();
                return;
            }
        QFAIL(qPrintable(QStringLiteral("no command ") + command));
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_home.isValid());
        QString cache = qEnvironmentVariable("LANESCOPE_MODELS");
        if (cache.isEmpty())
            cache = qEnvironmentVariable("XDG_CACHE_HOME",
                                         QDir::homePath() + QStringLiteral("/.cache")) +
                    QStringLiteral("/lanescope/models");
        const QString smol = cache + QStringLiteral("/SmolLM2-135M-Instruct.Q4_1.gguf");
        if (QFile::exists(smol)) m_smol = smol;
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
        qputenv("LANESCOPE_RUNS", (m_home.path() + QStringLiteral("/runs.db")).toUtf8());
        qputenv("LANESCOPE_MODELS", (m_home.path() + QStringLiteral("/none")).toUtf8());
        qputenv("XDG_CACHE_HOME", m_home.path().toUtf8());
    }

    void init() {
        QSettings().clear();
        open();
    }

    void cleanup() { m_shell.reset(); }

    void theDialogShowsFiguresAndOpensIntoLanes() {
        OpenDialog* dialog = openDialog();
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->openButton()->isEnabled());
        QTest::keyClicks(dialog->field(), tinyModel());
        QTRY_VERIFY_WITH_TIMEOUT(dialog->card()->inspection() != nullptr, 20'000);
        QVERIFY(dialog->card()->inspection()->usable());
        QCOMPARE(dialog->card()->factsGrid()->value(QStringLiteral("Architecture")),
                 QStringLiteral("llama"));
        QVERIFY(!dialog->card()->types()->rows().empty());
        const QString before = dialog->card()->memoryLabel()->text();
        QVERIFY2(before.contains(QLatin1String("est.")), qPrintable(before));
        dialog->card()->contextBox()->setValue(96);
        dialog->card()->kvBox()->setCurrentText(QStringLiteral("bf16"));
        QVERIFY(dialog->card()->memoryLabel()->text() != before);
        QCOMPARE(document().laneCount(), 0);
        dialog->openButton()->click();
        QCOMPARE(document().laneCount(), 2);
        for (const LaneSpec& lane : document().plan().lanes) {
            QCOMPARE(QString::fromStdString(lane.model), tinyModel());
            QCOMPARE(lane.context, std::int64_t{96});
        }
        QCOMPARE(document().plan().lanes[1].kv, std::string("bf16"));
        QVERIFY(!window()->play()->showsStart());
        // Once more, as one more lane; then in place of the lanes' model, undone in one step.
        QTRY_VERIFY(window()->findChild<OpenDialog*>() == nullptr);
        dialog = openDialog();
        dialog->setModel(tinyModel());
        QTRY_VERIFY_WITH_TIMEOUT(dialog->openButton()->isEnabled(), 20'000);
        dialog->openButton()->click();
        QCOMPARE(document().laneCount(), 3);
        OpenChoice all;
        all.into = OpenChoice::Into::AllLanes;
        all.model = golden(QStringLiteral("gguf/llama_gqa.F16.gguf"));
        m_shell->context()->openChosen(all);
        for (const LaneSpec& lane : document().plan().lanes)
            QCOMPARE(QString::fromStdString(lane.model), all.model);
        document().undoStack()->undo();
        QCOMPARE(QString::fromStdString(document().plan().lanes[0].model), tinyModel());
    }

    void figuresOfSmolLM2() {
        if (m_smol.isEmpty()) QSKIP("SmolLM2 is absent: ./dev models fetches it");
        OpenDialog* dialog = openDialog();
        dialog->setModel(m_smol);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->card()->inspection() != nullptr, 20'000);
        const FactsGrid* facts = dialog->card()->factsGrid();
        QCOMPARE(facts->value(QStringLiteral("Parameters")), QStringLiteral("134.5 M"));
        QCOMPARE(facts->value(QStringLiteral("Trained context")), QStringLiteral("8192 tokens"));
        QCOMPARE(dialog->card()->types()->rows().front().label, QStringLiteral("q4_1"));
    }

    void aDamagedFileIsExplainedAndCannotBeOpened() {
        QFile good(tinyModel());
        QVERIFY(good.open(QIODevice::ReadOnly));
        const QString path = m_home.path() + QStringLiteral("/cut.gguf");
        QFile cut(path);
        QVERIFY(cut.open(QIODevice::WriteOnly));
        cut.write(good.readAll().chopped(5000));
        cut.close();
        OpenDialog* dialog = openDialog();
        dialog->setModel(path);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->card()->inspection() != nullptr, 20'000);
        QVERIFY(!dialog->card()->inspection()->usable());
        QVERIFY(dialog->card()->error()->isVisible());
        QVERIFY(!dialog->card()->error()->message().isEmpty());
        QVERIFY(!dialog->openButton()->isEnabled());
        // A second choice replaces the message.
        dialog->setModel(tinyModel());
        QTRY_VERIFY_WITH_TIMEOUT(dialog->openButton()->isEnabled(), 20'000);
        QVERIFY(!dialog->card()->error()->isVisible());
        // What this version cannot do is said in the engine's words.
        dialog->setModel(QStringLiteral("synthetic:no-such-config.json"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->card()->inspection() != nullptr, 20'000);
        QVERIFY(!dialog->card()->error()->message().isEmpty());
        QVERIFY(!dialog->openButton()->isEnabled());
        dialog->reject();
        QCOMPARE(document().laneCount(), 0);
    }

    // Nothing of the weights is read: a file as large as this one's hole opens like a small one.
    void twentyGigabytesAreReadAtOnceAndEnterOpensThem() {
        const QString path = m_home.path() + QStringLiteral("/large.gguf");
        QVERIFY(QFile::copy(tinyModel(), path));
        QFile large(path);
        large.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        if (!large.resize(qint64{20} << 30)) QSKIP("no files with holes on this disk");
        OpenDialog* dialog = openDialog();
        QElapsedTimer clock;
        clock.start();
        dialog->field()->setText(path);
        // Enter before the figures are there opens the model as soon as they are.
        QTest::keyClick(dialog->field(), Qt::Key_Return);
        QVERIFY(clock.elapsed() < 1000);
        QTRY_COMPARE_WITH_TIMEOUT(document().laneCount(), 2, 20'000);
        QCOMPARE(QString::fromStdString(document().plan().lanes[0].model), path);
        document().replace(Plan{}, {});
        QVERIFY(QFile::remove(path));
    }

    void recentModelsAndFoldersAreListed() {
        m_shell->context()->openModel(tinyModel());
        const QString folder = golden(QStringLiteral("checkpoints"));
        m_shell->context()->library.addFolder(folder);
        OpenDialog* dialog = openDialog();
        QTreeWidget* tree = dialog->list()->tree();
        QTRY_VERIFY_WITH_TIMEOUT(!m_shell->context()->library.scanning(), 20'000);
        QCOMPARE(tree->topLevelItemCount(), 3);
        QTreeWidgetItem* recent = tree->topLevelItem(0)->child(0);
        QCOMPARE(recent->text(0), QStringLiteral("llama_tied.F16"));
        QTRY_COMPARE_WITH_TIMEOUT(tree->topLevelItem(0)->child(0)->text(2), QStringLiteral("llama"),
                                  20'000);
        QVERIFY(tree->topLevelItem(2)->childCount() >= 6);
        // Enter on an entry reads it and opens it.
        QTreeWidgetItem* found = tree->topLevelItem(2)->child(0);
        emit tree->itemActivated(found, 0);
        QTRY_COMPARE_WITH_TIMEOUT(document().laneCount(), 3, 20'000);
        QVERIFY(QString::fromStdString(document().plan().lanes[2].model).startsWith(folder));
        // The Recent menu has both, newest first, and opens them.
        window()->fillRecentMenu();
        const auto actions = window()->recentMenu()->actions();
        QCOMPARE(actions.size(), qsizetype{2});
        QCOMPARE(actions[1]->text(), tinyModel());
        actions[1]->trigger();
        QCOMPARE(document().laneCount(), 4);
    }

    void theStartPageOpensTheDialog() {
        auto* button =
            window()->play()->start()->findChild<QPushButton*>(QStringLiteral("openModel"));
        QVERIFY(button != nullptr);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(window()->findChild<OpenDialog*>() != nullptr);
    }

    void tensorsAreSearchedAndCopied() {
        m_shell->context()->openModel(tinyModel());
        // By its name on the lane's card.
        LaneCard* card = window()->play()->lanes()->cards().front();
        QTest::mouseClick(card->title(), Qt::LeftButton);
        QCOMPARE(window()->pageKeys()[window()->currentPage()], QStringLiteral("model"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->inspection() != nullptr, 20'000);
        QVERIFY(page()->showsContent());
        trigger(QStringLiteral("Model: tensors"));
        TensorsView* view = page()->tensors();
        QVERIFY(view->isVisible());
        const int all = view->table()->shownRows();
        QCOMPARE(all, static_cast<int>(page()->inspection()->checkpoint->tensors().size()));
        view->search()->setText(QStringLiteral("attn_q"));
        const int some = view->table()->shownRows();
        QVERIFY(some > 0 && some < all);
        QVERIFY(view->totals()->text().startsWith(QString::number(some)));
        view->copyAllAsTsv();
        const QStringList lines =
            QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), some + 1);
        QVERIFY(lines[0].startsWith(QLatin1String("Name\tShape\tType")));
        QVERIFY(lines[1].contains(QLatin1String("attn_q.weight\t[")));
        view->copyAllAsCsv();
        QVERIFY(QApplication::clipboard()->text().contains(QLatin1String("attn_q.weight,\"[")));
        view->table()->selectRow(0);
        view->copyRowsAsTsv();
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 2);
        view->table()->setCurrentIndex(view->table()->model()->index(0, 2));
        view->copyCell();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("f16"));
        // Sizes sort as numbers.
        view->search()->clear();
        view->table()->sortByColumn(4, Qt::DescendingOrder);
        QVERIFY(view->table()->model()->index(0, 4).data(kSortRole).toLongLong() >=
                view->table()->model()->index(all - 1, 4).data(kSortRole).toLongLong());
    }

    void metadataOpensWholeValues() {
        showOnPage(tinyModel(), ModelPage::Tab::Metadata);
        MetadataView* view = page()->metadata();
        view->search()->setText(QStringLiteral("tokenizer.ggml.tokens"));
        QCOMPARE(view->table()->shownRows(), 1);
        view->table()->selectRow(0);
        QVERIFY(view->value()->blockCount() > 100);
        view->search()->setText(QStringLiteral("general.architecture"));
        view->table()->selectRow(0);
        QCOMPARE(view->value()->toPlainText(), QStringLiteral("llama"));
    }

    void aBrokenModelKeepsItsPageAndSaysWhy() {
        showOnPage(m_home.path() + QStringLiteral("/not-there.gguf"), ModelPage::Tab::Overview);
        QVERIFY(page()->error()->isVisible());
        QVERIFY(!page()->showsContent());
        showOnPage(tinyModel(), ModelPage::Tab::Overview);
        QTRY_VERIFY_WITH_TIMEOUT(page()->showsContent(), 20'000);
        QVERIFY(!page()->error()->isVisible());
        QCOMPARE(page()->overview()->architecture()->value(QStringLiteral("Architecture")),
                 QStringLiteral("llama"));
    }

    void tokensAreThoseOfTheEngine() {
        const QString model = m_smol.isEmpty() ? tinyModel() : m_smol;
        showOnPage(model, ModelPage::Tab::Tokenizer);
        TokenizerView* view = page()->tokenizer();
        const auto tokenizer = page()->inspection()->model->tokenizer();
        QVERIFY(tokenizer != nullptr);
        const QString text = QString::fromUtf8("Hello <|im_end|> 光 😀");
        view->text()->setPlainText(text);
        QTRY_VERIFY_WITH_TIMEOUT(!view->busy(), 20'000);
        const auto parsed =
            tokenizer->encode(text.toStdString(), AddSpecial::No, SpecialTokens::Parse);
        QVERIFY(parsed && view->result().ids == *parsed);
        QCOMPARE(view->chips()->count(), static_cast<int>(parsed->size()));
        QVERIFY(view->countsText().startsWith(QString::number(parsed->size())));
        view->specialBox()->setChecked(false);
        QTRY_VERIFY_WITH_TIMEOUT(!view->busy(), 20'000);
        const auto plain =
            tokenizer->encode(text.toStdString(), AddSpecial::No, SpecialTokens::AsText);
        QVERIFY(plain && view->result().ids == *plain);
        view->copyIds();
        QCOMPARE(QApplication::clipboard()->text(), idsText(*plain));
        if (!m_smol.isEmpty()) QVERIFY(view->roundTripText().startsWith(u'✓'));
        // A click and the arrow keys say what a token is.
        QTest::mouseClick(view->chips()->viewport(), Qt::LeftButton, {},
                          view->chips()->chipRect(1).center());
        QCOMPARE(view->chips()->current(), 1);
        QTest::keyClick(view->chips(), Qt::Key_Right);
        QCOMPARE(view->chips()->current(), 2);
        QVERIFY(view->chips()->toolTipOf(2).contains(QString::number((*plain)[2])));
        // Long text stays bounded, and the interface gets it at once.
        view->text()->setPlainText(QString(300'000, u'a') + QString(2000, u'\n'));
        QTRY_VERIFY_WITH_TIMEOUT(!view->busy(), 60'000);
        QVERIFY(view->chips()->count() <= kMaxShownTokens);
    }

    void aTemplateIsEditedTriedAndUsed() {
        m_shell->context()->openModel(tinyModel());
        showOnPage(tinyModel(), ModelPage::Tab::Template);
        TemplateView* view = page()->chatTemplate();
        view->sourceBox()->setCurrentText(QStringLiteral("ChatML"));
        view->sampleBox()->setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(!view->busy(), 20'000);
        QVERIFY(!view->error()->isVisible());
        QCOMPARE(view->preview()->toPlainText(),
                 QStringLiteral("<|im_start|>user\nWhy is the sky blue?<|im_end|>\n"
                                "<|im_start|>assistant\n"));
        // What a person wrote is marked, what the template wrote is not.
        QTextCursor cursor(view->preview()->document());
        cursor.setPosition(3);
        QCOMPARE(cursor.charFormat().background().style(), Qt::NoBrush);
        cursor.setPosition(22);
        QVERIFY(cursor.charFormat().background().style() != Qt::NoBrush);
        // Mistakes are named with their line, raise_exception in its own words.
        const QString good = view->editor()->toPlainText();
        view->editor()->setPlainText(good + QStringLiteral("\n{% endfoo %}"));
        QTRY_VERIFY_WITH_TIMEOUT(view->error()->isVisible(), 20'000);
        QVERIFY(!view->useButton()->isEnabled());
        QVERIFY(view->editor()->markedLine() > 1);
        view->editor()->setPlainText(
            QStringLiteral("{{ raise_exception('turns must alternate') }}"));
        QTRY_VERIFY_WITH_TIMEOUT(
            view->error()->message().contains(QLatin1String("turns must alternate")), 20'000);
        // An edit outlives the window; so does the choice it started from.
        m_shell.reset();
        open();
        m_shell->context()->openModel(tinyModel());
        showOnPage(tinyModel(), ModelPage::Tab::Template);
        view = page()->chatTemplate();
        QCOMPARE(view->sourceBox()->currentText(), QStringLiteral("ChatML"));
        QVERIFY(view->editor()->toPlainText().contains(QLatin1String("turns must alternate")));
        QTRY_VERIFY_WITH_TIMEOUT(view->error()->isVisible(), 20'000);
        view->resetButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!view->busy() && !view->error()->isVisible(), 20'000);
        QCOMPARE(view->editor()->toPlainText(), good);
        // Used in all lanes, in one, taken back, undone.
        view->useInLanes();
        for (const LaneSpec& lane : document().plan().lanes)
            QCOMPARE(QString::fromStdString(lane.chatTemplate), good);
        const auto plan = parsePlan(dumpJson(planToJson(document().plan())), "test");
        QVERIFY(plan);
        QCOMPARE(plan->lanes[0].chatTemplate, document().plan().lanes[0].chatTemplate);
        view->targetBox()->setCurrentText(QStringLiteral("in lane B"));
        view->ownButton()->click();
        QVERIFY(document().plan().lanes[1].chatTemplate.empty());
        QVERIFY(!document().plan().lanes[0].chatTemplate.empty());
        document().undoStack()->undo();
        QVERIFY(!document().plan().lanes[1].chatTemplate.empty());
    }

    void theRunUsesTheTemplate() {
        m_shell->context()->openModel(tinyModel());
        document().editLanes(QStringLiteral("test"), [](int index, LaneSpec& lane) {
            lane.chatTemplate = index == 0 ? "{{ messages[0]['content'] }} one"
                                           : "{{ messages[0]['content'] }} two two";
        });
        Plan plan = document().plan();
        plan.prompts.front().kind = PromptKind::Chat;
        plan.prompts.front().value = "abc";
        plan.sampling.maxTokens = 4;
        plan.warmup = 0;
        document().replace(plan, {});
        window()->startRun();
        RunController* controller = m_shell->context()->controller.get();
        QTRY_VERIFY_WITH_TIMEOUT(!controller->running(), 60'000);
        const auto run = controller->snapshot();
        QVERIFY(run != nullptr);
        QVERIFY2(run->status == trace::RunStatus::Finished, run->error.c_str());
        QStringList prompts;
        for (const auto& request : run->requests)
            prompts << QString::fromStdString(request.record.promptText);
        QCOMPARE(prompts, (QStringList{QStringLiteral("abc one"), QStringLiteral("abc two two")}));
    }

    void thePaletteFindsTheNewCommands() {
        CommandPalette palette(window()->commands(), window());
        for (const QString& word : {QStringLiteral("tokenizer"), QStringLiteral("chat template"),
                                    QStringLiteral("tensors"), QStringLiteral("open model")}) {
            palette.field()->setText(word);
            QVERIFY2(palette.list()->count() >= 1, qPrintable(word));
        }
        trigger(QStringLiteral("Model: tokenizer"));
        QCOMPARE(page()->tabs()->currentIndex(), 3);
        QCOMPARE(window()->pageKeys()[window()->currentPage()], QStringLiteral("model"));
        QVERIFY(!page()->showsContent());  // nothing is open: the page says what to do
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

    // With LANESCOPE_SHOTS set the pictures are saved there, to be looked at.
    void everyLookIsDrawn() {
        QFETCH(QSize, size);
        QFETCH(QString, theme);
        QFETCH(QString, language);
        m_shell.reset();
        open(language, theme, size);
        const QString shots = qEnvironmentVariable("LANESCOPE_SHOTS");
        const auto shoot = [&](QWidget* widget, const QString& name) {
            QTest::qWait(shots.isEmpty() ? 20 : 300);
            for (const auto* button : widget->findChildren<QAbstractButton*>()) {
                if (!button->isVisible() || button->text().isEmpty()) continue;
                QVERIFY2(button->width() + 2 >= button->fontMetrics().horizontalAdvance(
                                                    QString(button->text()).remove(u'&')),
                         qPrintable(name + QStringLiteral(": ") + button->text()));
            }
            QVERIFY(widget->width() <= size.width() && widget->height() <= size.height());
            if (shots.isEmpty()) return;
            widget->grab().save(QStringLiteral("%1/%2x%3-%4-%5-%6.png")
                                    .arg(shots)
                                    .arg(size.width())
                                    .arg(size.height())
                                    .arg(theme, language, name));
        };
        const QString model = m_smol.isEmpty() ? tinyModel() : m_smol;
        window()->showPage(1);
        shoot(window(), QStringLiteral("model-empty"));
        AppContext::addRecent(QStringLiteral("models"), tinyModel());
        m_shell->context()->library.addFolder(golden(QStringLiteral("checkpoints")));
        auto* dialog = window()->showOpenDialog();
        shoot(dialog, QStringLiteral("open-empty"));
        dialog->setModel(model);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->openButton()->isEnabled(), 20'000);
        shoot(dialog, QStringLiteral("open-model"));
        dialog->setModel(golden(QStringLiteral("gguf/README.md")));
        QTRY_VERIFY_WITH_TIMEOUT(dialog->card()->inspection() != nullptr, 20'000);
        shoot(dialog, QStringLiteral("open-error"));
        dialog->reject();
        m_shell->context()->openModel(model);
        const QStringList names{QStringLiteral("model-overview"), QStringLiteral("model-tensors"),
                                QStringLiteral("model-metadata"), QStringLiteral("model-tokenizer"),
                                QStringLiteral("model-template")};
        for (int tab = 0; tab < names.size(); ++tab) {
            showOnPage(model, static_cast<ModelPage::Tab>(tab));
            if (tab == 2) page()->metadata()->table()->selectRow(3);
            if (tab == 3)
                page()->tokenizer()->text()->setPlainText(QString::fromUtf8(
                    "<|im_start|>user\nThe sky is blue because air scatters blue light most. "
                    "天空为什么是蓝色的？ 😀\n\tfor (int i = 0; i < n; ++i) sum += "
                    "x[i];<|im_end|>"));
            QTRY_VERIFY_WITH_TIMEOUT(
                !page()->tokenizer()->busy() && !page()->chatTemplate()->busy(), 20'000);
            shoot(window(), names[tab]);
        }
    }
};

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lanescope-test"));
    QApplication::setOrganizationName(QStringLiteral("lanescope-test"));
    QApplication::setQuitOnLastWindowClosed(false);
    ModelUiTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "model_ui_test.moc"

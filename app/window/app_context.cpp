#include "app/window/app_context.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPointer>
#include <QSettings>
#include <QThreadPool>

#include "app/views/open/open_dialog.h"
#include "engine/base/json.h"

namespace lanescope::app {

namespace {
constexpr int kMaxRecent = 10;
const QString kSessionKey = QStringLiteral("session/plan");
const QString kSessionPathKey = QStringLiteral("session/path");
}  // namespace

QString errorDetails(const Error& error) {
    QStringList lines;
    if (!error.context.empty()) lines << QString::fromStdString(error.context);
    if (!error.nextStep.empty()) lines << QString::fromStdString(error.nextStep);
    return lines.join(QLatin1Char('\n'));
}

AppContext::AppContext(QObject* parent) : QObject(parent) {
    auto opened = profiler::RunStore::open(profiler::RunStore::defaultPath());
    if (opened)
        store = *opened;
    else
        storeError = QString::fromStdString(opened.error().toString());
    controller = std::make_unique<RunController>(store);
    connectCache();
}

void AppContext::connectCache() {
    connect(controller.get(), &RunController::cacheBegan, &cache,
            [this] { cache.begin(CacheLog::Source::Run); });
    connect(controller.get(), &RunController::cacheChanged, &cache,
            [this](const CacheBatchPtr& batch) { cache.add(*batch); });
    connect(controller.get(), &RunController::cacheEnded, &cache, &CacheLog::end);
    connect(&serving, &ServingController::cacheBegan, &cache,
            [this] { cache.begin(CacheLog::Source::Serving); });
    connect(&serving, &ServingController::cacheChanged, &cache,
            [this](const CacheBatchPtr& batch) { cache.add(*batch); });
    connect(&serving, &BackgroundJob::runningChanged, &cache, [this](bool running) {
        if (!running && cache.source() == CacheLog::Source::Serving && cache.live()) cache.end();
    });
}

bool AppContext::busy() const {
    return controller->running() || serving.running() || divergence.running();
}

void AppContext::cancelAll() {
    if (controller->running()) controller->cancel();
    serving.cancel();
    divergence.cancel();
}

AppContext::~AppContext() = default;

void AppContext::restoreSession() {
    QSettings settings;
    const std::string saved = settings.value(kSessionKey).toString().toStdString();
    if (!saved.empty()) {
        auto plan = parsePlan(saved, "session");
        if (plan && !plan->lanes.empty()) {
            document.replace(std::move(*plan), settings.value(kSessionPathKey).toString());
            return;
        }
    }
    for (const auto& [name, path] : ModelStore::knownModels()) {
        if (path.empty() || name != "smollm2") continue;
        document.replace(starterPlan(name), QString());
        return;
    }
}

void AppContext::saveSession() const {
    QSettings settings;
    settings.setValue(kSessionKey, QString::fromStdString(dumpJson(planToJson(document.plan()))));
    settings.setValue(kSessionPathKey, document.path());
}

AppContext::FileKind AppContext::fileKind(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists()) return FileKind::Missing;
    if (info.isDir())
        return QFile::exists(path + QStringLiteral("/config.json")) ? FileKind::Model
                                                                    : FileKind::Unknown;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return FileKind::Unknown;
    const QByteArray head = file.read(512);
    if (head.startsWith("GGUF") || path.endsWith(QLatin1String(".gguf"))) return FileKind::Model;
    if (path.endsWith(QLatin1String(".safetensors"))) return FileKind::Model;
    if (head.startsWith("SQLite format 3")) return FileKind::Run;
    if (TraceOpener::looksLikeTrace(path)) return FileKind::Trace;
    if (head.trimmed().startsWith('{')) return FileKind::Plan;
    return FileKind::Unknown;
}

void AppContext::openModel(const QString& model) {
    OpenChoice choice;
    choice.model = model;
    if (document.laneCount() > 0) {
        choice.context = document.plan().lanes.front().context;
        choice.kv = document.plan().lanes.front().kv;
    }
    openChosen(choice);
}

void AppContext::openChosen(const OpenChoice& choice) {
    const std::string name = choice.model.toStdString();
    models.forget(name);
    if (document.laneCount() == 0) {
        Plan plan = starterPlan(name);
        if (!document.plan().prompts.front().value.empty()) plan.prompts = document.plan().prompts;
        for (LaneSpec& lane : plan.lanes) lane.context = choice.context;
        // Two lanes that differ: against fp32, or against what is chosen when that is fp32 itself.
        if (choice.kv != plan.lanes.front().kv) plan.lanes.back().kv = choice.kv;
        document.replace(std::move(plan), QString());
    } else if (choice.into == OpenChoice::Into::AllLanes) {
        document.editLanes(tr("Change the model"), [&](int, LaneSpec& lane) {
            lane.model = name;
            lane.context = choice.context;
            // A template chosen by hand belonged to the model that goes.
            lane.chatTemplate.clear();
        });
    } else {
        LaneSpec lane = document.plan().lanes.front();
        lane.model = name;
        lane.muted = false;
        lane.context = choice.context;
        lane.kv = choice.kv;
        lane.chatTemplate.clear();
        if (!document.canAddLane()) {
            emit problem(tr("Six lanes are the most that can be compared"),
                         tr("Remove one, then open the model again."));
            return;
        }
        document.addLane(lane);
    }
    if (QFileInfo::exists(choice.model) || choice.model.startsWith(QLatin1String("synthetic:")))
        addRecent(QStringLiteral("models"), choice.model);
    emit recentChanged();
}

void AppContext::openPlan(const QString& path) {
    const auto loaded = document.load(path);
    if (!loaded) {
        report(loaded.error());
        return;
    }
    controller->setBaseDir(document.baseDir());
    addRecent(QStringLiteral("plans"), path);
    emit recentChanged();
}

void AppContext::openRunFile(const QString& path) {
    if (!store) {
        emit problem(tr("Stored runs cannot be opened"), storeError);
        return;
    }
    QPointer<AppContext> self(this);
    QThreadPool::globalInstance()->start([self, path, runs = store] {
        auto id = runs->importRun(path.toStdString());
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, id = std::move(id)] {
                if (!self) return;
                if (id)
                    self->openStoredRun(QString::fromStdString(*id));
                else
                    self->report(id.error());
            },
            Qt::QueuedConnection);
    });
}

void AppContext::openStoredRun(const QString& id) {
    if (!store) return;
    QPointer<AppContext> self(this);
    QThreadPool::globalInstance()->start([self, id, runs = store] {
        auto run = runs->load(id.toStdString());
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, run = std::move(run)] {
                if (!self) return;
                if (run)
                    self->showRun(*run);
                else
                    self->report(run.error());
            },
            Qt::QueuedConnection);
    });
}

void AppContext::showRun(const profiler::RunSnapshot& run) {
    if (controller->running()) {
        emit problem(tr("A run is in progress"), tr("Stop it, or open the stored run afterwards."));
        return;
    }
    selection.clear();
    if (auto plan = parsePlan(run->header.planJson, "stored plan"))
        document.adopt(*plan, tr("Open stored run"));
    controller->show(run);
    // Of a stored run only the memory over time is known.
    CacheBatch kept;
    for (const trace::LaneRecord& lane : run->lanes)
        kept.lanes.push_back({static_cast<std::int16_t>(lane.index), lane.name, poolOf(lane)});
    for (std::size_t i = 0; i < run->kvEvents.size(); ++i) kept.kv.push_back(run->kvEvents[i]);
    cache.begin(CacheLog::Source::Run);
    cache.add(kept);
    cache.end();
    emit runOpened();
}

void AppContext::openPath(const QString& path) {
    switch (fileKind(path)) {
        case FileKind::Model:
            openModel(path);
            return;
        case FileKind::Plan:
            openPlan(path);
            return;
        case FileKind::Run:
            openRunFile(path);
            return;
        case FileKind::Trace:
            addRecent(QStringLiteral("traces"), path);
            emit recentChanged();
            traces.open(path);
            return;
        case FileKind::Missing:
            // Not a path: perhaps a known name.
            if (ModelStore::resolve(path.toStdString())) {
                openModel(path);
                return;
            }
            emit problem(tr("%1 is not there").arg(QFileInfo(path).fileName()), path);
            return;
        case FileKind::Unknown:
            emit problem(
                tr("%1 is not a model, a plan, a stored run or a trace")
                    .arg(QFileInfo(path).fileName()),
                tr("Models are .gguf or .safetensors files, or folders with a config.json; plans "
                   "and traces are JSON files.") +
                    QLatin1Char('\n') + path);
    }
}

void AppContext::report(const Error& error) {
    emit problem(QString::fromStdString(error.message), errorDetails(error));
}

QStringList AppContext::recent(const QString& kind) {
    return QSettings().value(QStringLiteral("recent/") + kind).toStringList();
}

void AppContext::addRecent(const QString& kind, const QString& path) {
    QStringList list = recent(kind);
    list.removeAll(path);
    list.prepend(path);
    QSettings().setValue(QStringLiteral("recent/") + kind, QStringList(list.mid(0, kMaxRecent)));
}

}  // namespace lanescope::app

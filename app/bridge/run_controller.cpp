#include "app/bridge/run_controller.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <atomic>
#include <optional>

namespace lanescope::app {

namespace {
constexpr int kPollMs = 33;
}

/// Everything the engine thread and the snapshot task use; outlives whichever ends last.
struct RunController::Session {
    Plan plan;
    std::shared_ptr<ModelStore> models;
    std::unique_ptr<profiler::Recorder> recorder;
    CancelToken cancel;
    std::atomic<bool> polling{false};
    std::uint64_t shownRevision = 0;
    std::optional<Error> error;  ///< written before the queued finish()
};

RunController::RunController(std::shared_ptr<profiler::RunStore> store, QObject* parent)
    : QObject(parent),
      m_store(std::move(store)),
      m_models(std::make_shared<ModelStore>()),
      m_executor([](const Plan& plan, ModelStore& models, trace::Sink& sink,
                    const CancelToken& cancel, const RunOptions& options) {
          return executePlan(plan, models, sink, cancel, options);
      }),
      m_devices(std::make_shared<profiler::DeviceRun>()),
      m_baseDir(QStringLiteral(".")) {
    m_timer.setInterval(kPollMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &RunController::poll);
}

RunController::~RunController() {
    m_timer.stop();
    if (m_session) m_session->cancel.request();
    if (m_thread.joinable()) m_thread.join();
}

void RunController::startRun(const Plan& plan) {
    if (running()) return;
    if (m_thread.joinable()) m_thread.join();
    auto session = std::make_shared<Session>();
    session->plan = plan;
    session->models = m_models;
    profiler::RecorderSettings settings;
    settings.store = m_store;
    settings.deviceHooks = m_devices;
    session->recorder = profiler::Recorder::create(settings);
    m_session = session;
    m_elapsed.start();
    m_fraction = 0.0;

    RunOptions options;
    options.baseDir = m_baseDir.toStdString();
    QPointer<RunController> self(this);
    options.roof = RoofPolicy::Measure;
    options.beforeRoof = [session, self](int threads) {
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [session, self, threads] {
                if (self && self->m_session == session) self->tellRoof(threads);
            },
            Qt::QueuedConnection);
    };
    options.beforeGpus = [session, devices = m_devices](const std::vector<GpuInfo>& gpus) {
        devices->begin(*session->recorder, gpus);
    };
    m_thread = std::thread([session, options, self, executor = m_executor, devices = m_devices] {
        CacheTap tap(session->recorder.get(), [session, self](CacheBatchPtr batch) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [session, self, batch = std::move(batch)] {
                    if (self && self->m_session == session) emit self->cacheChanged(batch);
                },
                Qt::QueuedConnection);
        });
        auto result = executor(session->plan, *session->models, tap, session->cancel, options);
        devices->end();
        if (!result) session->error = result.error();
        session->recorder->flush();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [session, self] {
                if (self) self->finish(session);
            },
            Qt::QueuedConnection);
    });
    m_timer.start();
    emit cacheBegan();
    emit runningChanged(true);
    emit progressChanged(0.0, -1, tr("Starting…"));
}

void RunController::tellRoof(int threads) {
    if (cancelling()) return;
    emit progressChanged(
        m_fraction, -1,
        tr("Measuring what this machine can do at most with %n thread(s)…", nullptr, threads));
}

void RunController::cancel() {
    if (!m_session) return;
    m_session->cancel.request();
    emit progressChanged(m_fraction, -1, tr("Stopping…"));
}

bool RunController::cancelling() const {
    return m_session && m_session->cancel.requested();
}

void RunController::show(profiler::RunSnapshot snapshot) {
    if (running()) return;
    m_snapshot = std::move(snapshot);
    emit snapshotChanged(m_snapshot);
}

void RunController::poll() {
    const auto session = m_session;
    if (!session || session->polling.load()) return;
    const std::uint64_t revision = session->recorder->revision();
    if (revision == session->shownRevision) return;
    session->shownRevision = revision;
    session->polling.store(true);
    QPointer<RunController> self(this);
    QThreadPool::globalInstance()->start([session, self] {
        auto snapshot = session->recorder->snapshot();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [session, self, snapshot = std::move(snapshot)] {
                session->polling.store(false);
                if (self && self->m_session == session) self->deliver(snapshot);
            },
            Qt::QueuedConnection);
    });
}

void RunController::deliver(const profiler::RunSnapshot& snapshot) {
    if (!snapshot) return;
    m_snapshot = snapshot;
    emit snapshotChanged(m_snapshot);
    emitProgress(*m_snapshot);
}

void RunController::emitProgress(const profiler::RunData& run) {
    const auto p = runProgress(m_session->plan, run, m_elapsed.elapsed());
    m_fraction = p.fraction;
    QString text;
    if (cancelling()) {
        text = tr("Stopping…");
    } else if (p.lanesReady < p.lanesPlanned && run.requests.empty()) {
        text = tr("Loading lane %1 of %2…").arg(p.lanesReady + 1).arg(p.lanesPlanned);
    } else if (p.warmup) {
        text = tr("Warm-up, request %1 of %2").arg(p.requestsDone + 1).arg(p.requestsPlanned);
    } else {
        text = tr("Request %1 of %2")
                   .arg(std::min(p.requestsDone + 1, p.requestsPlanned))
                   .arg(p.requestsPlanned);
    }
    emit progressChanged(p.fraction, p.etaMs, text);
}

void RunController::finish(const std::shared_ptr<Session>& session) {
    if (m_session != session) return;
    m_timer.stop();
    if (m_thread.joinable()) m_thread.join();  // already past its last statement
    if (const auto last = session->recorder->snapshot()) {
        m_snapshot = last;
        emit snapshotChanged(m_snapshot);
    }
    const QString storeError = QString::fromStdString(session->recorder->storeError());
    m_session.reset();
    emit cacheEnded();
    emit progressChanged(1.0, 0, QString());
    emit runningChanged(false);
    if (session->error && session->error->code != ErrorCode::Cancelled) {
        const Error& e = *session->error;
        QString details = QString::fromStdString(e.context);
        if (!e.nextStep.empty()) {
            if (!details.isEmpty()) details += QLatin1Char('\n');
            details += QString::fromStdString(e.nextStep);
        }
        emit failed(QString::fromStdString(e.message), details);
    } else if (!storeError.isEmpty()) {
        emit failed(tr("The run could not be stored"), storeError);
    }
}

}  // namespace lanescope::app

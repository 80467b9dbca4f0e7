#include "app/bridge/background_job.h"

#include <QCoreApplication>
#include <QPointer>
#include <exception>

namespace lanescope::app {

struct BackgroundJob::Session {
    CancelToken cancel;
    std::optional<Error> error;  ///< written before the queued finish()
};

namespace {

Result<void> guarded(const std::function<Result<void>()>& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return outOfMemory("the machine has no memory left for this", {},
                           "use a smaller model or a shorter context");
    } catch (const std::exception& e) {
        return internalError(std::string("unexpected failure: ") + e.what());
    }
}

}  // namespace

BackgroundJob::BackgroundJob(QObject* parent) : QObject(parent) {}

BackgroundJob::~BackgroundJob() {
    if (m_session) m_session->cancel.request();
    if (m_thread.joinable()) m_thread.join();
}

bool BackgroundJob::cancelling() const {
    return m_session && m_session->cancel.requested();
}

void BackgroundJob::cancel() {
    if (!m_session) return;
    m_session->cancel.request();
    tell(m_fraction, tr("Stopping…"));
}

qint64 BackgroundJob::etaMs() const {
    // Below a hundredth the rest is a guess.
    if (!running() || m_fraction < 0.01) return -1;
    return static_cast<qint64>(static_cast<double>(m_elapsed.elapsed()) * (1.0 - m_fraction) /
                               m_fraction);
}

void BackgroundJob::tell(double fraction, const QString& stage) {
    m_fraction = fraction;
    m_stage = cancelling() ? tr("Stopping…") : stage;
    emit progressChanged(m_fraction, etaMs(), m_stage);
}

void BackgroundJob::launch(Work work) {
    if (running()) return;
    if (m_thread.joinable()) m_thread.join();
    auto session = std::make_shared<Session>();
    m_session = session;
    m_elapsed.start();
    QPointer<BackgroundJob> self(this);
    m_thread = std::thread([session, self, work = std::move(work)] {
        const Post post = [session, self](std::function<void()> told) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [session, self, told = std::move(told)] {
                    if (self && self->m_session == session) told();
                },
                Qt::QueuedConnection);
        };
        auto result = guarded([&] { return work(session->cancel, post); });
        if (!result) session->error = result.error();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [session, self] {
                if (self) self->finish(session);
            },
            Qt::QueuedConnection);
    });
    emit runningChanged(true);
    tell(0.0, tr("Starting…"));
}

void BackgroundJob::finish(const std::shared_ptr<Session>& session) {
    if (m_session != session) return;
    if (m_thread.joinable()) m_thread.join();  // already past its last statement
    m_session.reset();
    m_stage.clear();
    ended();
    emit progressChanged(1.0, 0, QString());
    emit runningChanged(false);
    if (!session->error || session->error->code == ErrorCode::Cancelled) return;
    const Error& e = *session->error;
    QStringList details;
    for (const std::string& line : {e.context, e.nextStep})
        if (!line.empty()) details << QString::fromStdString(line);
    emit failed(QString::fromStdString(e.message), details.join(QLatin1Char('\n')));
}

}  // namespace lanescope::app

#pragma once
// Long work on a thread of its own, with progress, cancel and an error: the base of what pages
// measure beside the runs. The UI thread never waits for it but in the destructor. Read next:
// serving_controller.h.

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "engine/base/cancel.h"
#include "engine/base/result.h"

namespace lanescope::app {

class BackgroundJob : public QObject {
    Q_OBJECT
  public:
    explicit BackgroundJob(QObject* parent = nullptr);
    /// Cancels and joins.
    ~BackgroundJob() override;

    [[nodiscard]] bool running() const { return m_session != nullptr; }
    [[nodiscard]] bool cancelling() const;
    /// Asks the work to stop; returns at once.
    void cancel();
    /// What was told last: 0 … 1, and in words.
    [[nodiscard]] double fraction() const { return m_fraction; }
    [[nodiscard]] const QString& stage() const { return m_stage; }
    [[nodiscard]] qint64 etaMs() const;

  signals:
    void runningChanged(bool running);
    void progressChanged(double fraction, qint64 etaMs, const QString& text);
    void failed(const QString& message, const QString& details);

  protected:
    /// Runs a function on the UI thread, in order, unless this is gone by then.
    using Post = std::function<void(std::function<void()>)>;
    /// Runs on the worker; must not touch this but through post.
    using Work = std::function<Result<void>(const CancelToken& cancel, const Post& post)>;

    /// Precondition: not running().
    void launch(Work work);
    /// UI thread: tells how far it is.
    void tell(double fraction, const QString& stage);
    /// UI thread: the work has ended and all that it posted has arrived; runningChanged(false) and,
    /// for an error other than Cancelled, failed() follow.
    virtual void ended() {}

  private:
    struct Session;
    void finish(const std::shared_ptr<Session>& session);

    std::shared_ptr<Session> m_session;
    std::thread m_thread;
    QElapsedTimer m_elapsed;
    double m_fraction = 0.0;
    QString m_stage;
};

}  // namespace lanescope::app

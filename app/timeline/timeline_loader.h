#pragma once
// Makes the timeline of a run: at once when little is new, on a pool thread when it is much, so
// that the window never waits. While a run grows, what is there stays until the newer one is ready.
// UI thread only.

#include <QObject>
#include <QTimer>
#include <memory>

#include "app/bridge/latest_task.h"
#include "app/timeline/tracks.h"

namespace lanescope::app {

class TimelineLoader : public QObject {
    Q_OBJECT
  public:
    explicit TimelineLoader(QObject* parent = nullptr);
    ~TimelineLoader() override;

    /// New items up to which it is not worth a thread.
    static constexpr std::size_t kAtOnce = 20'000;

    /// ready() follows, before it returns or later. A null run: at once, with null.
    void load(profiler::RunSnapshot run);
    [[nodiscard]] bool busy() const { return m_task.busy(); }
    [[nodiscard]] double fraction() const;

  signals:
    void ready(lanescope::app::TimelinePtr timeline);
    /// A few times a second while busy.
    void progressed();

  private:
    void deliver(TimelinePtr timeline);

    TimelinePtr m_last;
    std::shared_ptr<BuildProgress> m_progress;
    LatestTask<TimelinePtr> m_task;
    QTimer m_timer;
};

/// Lets go of something large on a pool thread: freeing ten million spans takes a while.
template <class T>
void releaseElsewhere(std::shared_ptr<T> large) {
    if (large == nullptr || large.use_count() > 1) return;
    QThreadPool::globalInstance()->start([large = std::move(large)]() mutable { large.reset(); });
}

}  // namespace lanescope::app

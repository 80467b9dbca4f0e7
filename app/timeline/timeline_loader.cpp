#include "app/timeline/timeline_loader.h"

namespace lanescope::app {

TimelineLoader::TimelineLoader(QObject* parent)
    : QObject(parent),
      m_task(this, [this](TimelinePtr timeline) { deliver(std::move(timeline)); }) {
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &TimelineLoader::progressed);
}

TimelineLoader::~TimelineLoader() {
    if (m_progress != nullptr) m_progress->cancel = true;
}

double TimelineLoader::fraction() const {
    return m_progress != nullptr ? m_progress->fraction.load() : 0.0;
}

void TimelineLoader::load(profiler::RunSnapshot run) {
    const bool another = m_last == nullptr || run == nullptr ||
                         m_last->run->header.id != run->header.id ||
                         m_last->run->imported != run->imported;
    if (another) {
        if (m_progress != nullptr) m_progress->cancel = true;
        m_task.drop();
        releaseElsewhere(std::move(m_last));
        m_last = nullptr;
    }
    if (run == nullptr) {
        m_timer.stop();
        emit ready(nullptr);
        return;
    }
    if (!m_task.busy() && itemsToAdd(*run, m_last.get()) <= kAtOnce) {
        deliver(buildTimeline(std::move(run), m_last.get()));
        return;
    }
    m_progress = std::make_shared<BuildProgress>();
    m_timer.start();
    m_task.start([run = std::move(run), last = m_last, progress = m_progress] {
        return buildTimeline(run, last.get(), progress.get());
    });
    if (another) emit progressed();
}

void TimelineLoader::deliver(TimelinePtr timeline) {
    m_timer.stop();
    if (timeline == nullptr) return;  // cancelled: a newer one follows
    m_last = timeline;
    emit ready(std::move(timeline));
}

}  // namespace lanescope::app

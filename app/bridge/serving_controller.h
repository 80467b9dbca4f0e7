#pragma once
// Serves made-up or recorded requests on an engine thread, one policy after the other on the same
// arrivals, and brings what happens to the UI thread in batches, at most 30 a second. UI thread
// only. Read next: engine/schedule/batch_engine.h.

#include "app/bridge/background_job.h"
#include "app/bridge/cache_tap.h"
#include "app/bridge/serving_run.h"

namespace lanescope::app {

class ServingController : public BackgroundJob {
    Q_OBJECT
  public:
    using BackgroundJob::BackgroundJob;

    /// Precondition: not running(). What was measured before is forgotten.
    void start(const ServingSpec& spec);
    /// The last measurement, also while it goes on; no policies: none yet.
    [[nodiscard]] const ServingRun& run() const { return m_run; }

  signals:
    void changed();
    /// The blocks of the lane: a section a policy.
    void cacheBegan();
    void cacheChanged(lanescope::app::CacheBatchPtr batch);

  protected:
    void ended() override;

  private:
    struct Batch;
    class Collector;
    static Result<void> work(const ServingSpec& spec, const CancelToken& cancel, const Post& post,
                             ServingController* self);
    void setUp(const ServingRun& run);
    void beginPolicy(std::size_t index, std::int64_t tStartNs);
    void take(std::size_t index, const Batch& batch);
    void endPolicy(std::size_t index, std::int64_t tStartNs, PolicyState state,
                   const QStringList& errors);
    void tellProgress();

    ServingRun m_run;
    std::size_t m_current = 0;
};

}  // namespace lanescope::app

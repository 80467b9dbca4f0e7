#pragma once
// Between an engine and its recorder: passes everything on, and hands what happens to KV blocks to
// the interface in batches, at most 30 a second. No locks: a batch is filled on the engine thread
// and then only read. Read next: cache_log.h.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/bridge/block_map.h"
#include "engine/trace/sink.h"

namespace lanescope::app {

struct CacheBatch {
    struct Lane {
        std::int16_t lane = -1;
        std::string name;
        CachePool pool = {};
    };
    int section = 0;          ///< a lane has a cache of its own in each
    std::vector<Lane> lanes;  ///< that became known
    std::vector<trace::KvEvent> kv;
    std::vector<trace::BlockEvent> blocks;
    [[nodiscard]] bool empty() const { return lanes.empty() && kv.empty() && blocks.empty(); }
};
using CacheBatchPtr = std::shared_ptr<const CacheBatch>;

class CacheTap : public trace::Sink {
  public:
    /// next: may be null. deliver: called on the engine thread; must be quick. section: of all
    /// batches.
    CacheTap(trace::Sink* next, std::function<void(CacheBatchPtr)> deliver, int section = 0);

    /// A lane whose pool the caller knows.
    void lane(const CacheBatch::Lane& lane) { m_batch->lanes.push_back(lane); }
    /// Hands over what waits, at once.
    void flush();
    /// The same when the last time is a frame ago.
    void flushNowAndThen();

    trace::DeviceHooks* deviceHooks() override;
    void span(const trace::Span& e) override;
    void kv(const trace::KvEvent& e) override;
    [[nodiscard]] bool wantsBlocks() const override { return true; }
    void block(const trace::BlockEvent& e) override;
    void runStarted(const trace::RunHeader& e) override;
    void laneReady(const trace::LaneRecord& e) override;
    void requestStarted(const trace::RequestRecord& e) override;
    void prefillProgress(std::int32_t request, std::int32_t done, std::int32_t total) override;
    void token(const trace::TokenRecord& e) override;
    void requestFinished(const trace::RequestRecord& e) override;
    void runFinished(trace::RunStatus status, const std::string& error) override;
    void batchStep(const trace::BatchStep& e) override;
    void served(const trace::ServedRecord& e) override;

  private:
    trace::Sink* m_next;
    std::function<void(CacheBatchPtr)> m_deliver;
    int m_section;
    std::shared_ptr<CacheBatch> m_batch;
    std::int64_t m_lastNs = 0;
};

/// The pool of a lane of a run, from what it says of itself.
CachePool poolOf(const trace::LaneRecord& lane);

}  // namespace lanescope::app

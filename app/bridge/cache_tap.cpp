#include "app/bridge/cache_tap.h"

#include "engine/base/json.h"

namespace lanescope::app {

namespace {
constexpr std::int64_t kFrameNs = 33'000'000;
}

CachePool poolOf(const trace::LaneRecord& lane) {
    CachePool pool;
    const auto settings = parseJson(lane.settingsJson, "settings");
    if (!settings || !settings->is_object()) return pool;
    pool.blockTokens = std::max<std::int64_t>(settings->value("kvBlock", std::int64_t{16}), 1);
    pool.blockBytes = lane.kvBytesPerToken * static_cast<std::uint64_t>(pool.blockTokens);
    const std::int64_t context = settings->value("context", std::int64_t{0});
    pool.blocks = static_cast<std::int32_t>((context + pool.blockTokens - 1) / pool.blockTokens);
    return pool;
}

CacheTap::CacheTap(trace::Sink* next, std::function<void(CacheBatchPtr)> deliver, int section)
    : m_next(next),
      m_deliver(std::move(deliver)),
      m_section(section),
      m_batch(std::make_shared<CacheBatch>()) {
    m_batch->section = section;
}

void CacheTap::flush() {
    if (m_batch->empty()) return;
    m_lastNs = nowNs();
    CacheBatchPtr full = std::move(m_batch);
    m_batch = std::make_shared<CacheBatch>();
    m_batch->section = m_section;
    m_deliver(std::move(full));
}

void CacheTap::flushNowAndThen() {
    if (nowNs() - m_lastNs >= kFrameNs) flush();
}

trace::DeviceHooks* CacheTap::deviceHooks() {
    return m_next != nullptr ? m_next->deviceHooks() : nullptr;
}
void CacheTap::span(const trace::Span& e) {
    if (m_next != nullptr) m_next->span(e);
}
void CacheTap::kv(const trace::KvEvent& e) {
    m_batch->kv.push_back(e);
    if (m_next != nullptr) m_next->kv(e);
    flushNowAndThen();
}
void CacheTap::block(const trace::BlockEvent& e) {
    m_batch->blocks.push_back(e);
    if (m_next != nullptr && m_next->wantsBlocks()) m_next->block(e);
}
void CacheTap::runStarted(const trace::RunHeader& e) {
    if (m_next != nullptr) m_next->runStarted(e);
}
void CacheTap::laneReady(const trace::LaneRecord& e) {
    if (e.error.empty()) lane({static_cast<std::int16_t>(e.index), e.name, poolOf(e)});
    if (m_next != nullptr) m_next->laneReady(e);
}
void CacheTap::requestStarted(const trace::RequestRecord& e) {
    if (m_next != nullptr) m_next->requestStarted(e);
}
void CacheTap::prefillProgress(std::int32_t request, std::int32_t done, std::int32_t total) {
    if (m_next != nullptr) m_next->prefillProgress(request, done, total);
}
void CacheTap::token(const trace::TokenRecord& e) {
    if (m_next != nullptr) m_next->token(e);
    flushNowAndThen();
}
void CacheTap::requestFinished(const trace::RequestRecord& e) {
    if (m_next != nullptr) m_next->requestFinished(e);
}
void CacheTap::runFinished(trace::RunStatus status, const std::string& error) {
    flush();
    if (m_next != nullptr) m_next->runFinished(status, error);
}
void CacheTap::batchStep(const trace::BatchStep& e) {
    if (m_next != nullptr) m_next->batchStep(e);
    flushNowAndThen();
}
void CacheTap::served(const trace::ServedRecord& e) {
    if (m_next != nullptr) m_next->served(e);
}

}  // namespace lanescope::app

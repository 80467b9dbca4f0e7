#include "profiler/collect/cupti_buffers.h"

#include <algorithm>

namespace lanescope::profiler::cupti {

BufferPool::BufferPool(std::size_t nBuffers, std::size_t bytesEach)
    : m_bytesEach(bytesEach / 8 * 8) {
    m_memory.reserve(nBuffers);
    m_free.reserve(nBuffers);
    for (std::size_t i = 0; i < nBuffers; ++i) {
        m_memory.push_back(std::make_unique<std::uint64_t[]>(m_bytesEach / 8));
        m_free.push_back(reinterpret_cast<std::uint8_t*>(m_memory.back().get()));
    }
}

std::uint8_t* BufferPool::request() {
    const std::lock_guard lock(m_mutex);
    if (m_free.empty()) {
        ++m_refused;
        return nullptr;
    }
    std::uint8_t* data = m_free.back();
    m_free.pop_back();
    return data;
}

void BufferPool::complete(std::uint8_t* data, std::size_t validBytes) {
    const std::lock_guard lock(m_mutex);
    const bool ours = std::any_of(m_memory.begin(), m_memory.end(), [data](const auto& memory) {
        return reinterpret_cast<std::uint8_t*>(memory.get()) == data;
    });
    if (!ours) return;
    m_filled.push_back({data, std::min(validBytes, m_bytesEach)});
    m_changed.notify_all();
}

std::optional<BufferPool::Filled> BufferPool::take() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_closed || !m_filled.empty(); });
    if (m_filled.empty()) return std::nullopt;
    const Filled filled = m_filled.front();
    m_filled.pop_front();
    ++m_reading;
    return filled;
}

void BufferPool::release(std::uint8_t* data) {
    const std::lock_guard lock(m_mutex);
    m_free.push_back(data);
    --m_reading;
    m_changed.notify_all();
}

void BufferPool::waitUntilRead() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_filled.empty() && m_reading == 0; });
}

void BufferPool::close() {
    const std::lock_guard lock(m_mutex);
    m_closed = true;
    m_changed.notify_all();
}

std::uint64_t BufferPool::refused() const {
    const std::lock_guard lock(m_mutex);
    return m_refused;
}

}  // namespace lanescope::profiler::cupti

#pragma once
// The buffers that CUPTI fills, a fixed number of them: CUPTI asks for one on any thread, gives it
// back filled on a thread of its own, and gets none when all are out. It counts what it drops then.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace lanescope::profiler::cupti {

class BufferPool {
  public:
    struct Filled {
        std::uint8_t* data = nullptr;
        std::size_t validBytes = 0;
    };

    BufferPool(std::size_t nBuffers, std::size_t bytesEach);

    /// Null when all are out.
    std::uint8_t* request();
    /// A buffer comes back with this much in it. Foreign pointers are ignored.
    void complete(std::uint8_t* data, std::size_t validBytes);
    /// The oldest filled buffer; waits for one until close(). Empty at the end.
    std::optional<Filled> take();
    /// After it was read.
    void release(std::uint8_t* data);
    /// Waits until all filled buffers were taken and released.
    void waitUntilRead();
    void close();

    [[nodiscard]] std::size_t bytesEach() const { return m_bytesEach; }
    [[nodiscard]] std::uint64_t refused() const;  ///< requests that got none

  private:
    std::size_t m_bytesEach;
    std::vector<std::unique_ptr<std::uint64_t[]>> m_memory;  ///< aligned to 8
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<std::uint8_t*> m_free;
    std::deque<Filled> m_filled;
    std::size_t m_reading = 0;
    std::uint64_t m_refused = 0;
    bool m_closed = false;
};

}  // namespace lanescope::profiler::cupti

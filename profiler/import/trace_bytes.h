#pragma once
// A trace file's bytes as a stream: plain or gzip, told by the first bytes. Stops at a size, and at
// a text longer than any name is, so that a small hostile file cannot fill the memory.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>

#include "engine/base/result.h"

namespace lanescope::profiler {

struct ByteLimits {
    std::uint64_t maxBytes = 8ULL << 30;   ///< after decompression
    std::uint64_t maxTextBytes = 4 << 20;  ///< one text or one run without structure
};

class TraceBytes : public std::streambuf {
  public:
    /// Reads from memory, which must stay.
    TraceBytes(const char* data, std::size_t size, ByteLimits limits);
    ~TraceBytes() override;
    TraceBytes(const TraceBytes&) = delete;
    TraceBytes& operator=(const TraceBytes&) = delete;

    /// Errors: Io (cannot be opened).
    static Result<std::unique_ptr<TraceBytes>> open(const std::string& path, ByteLimits limits);

    /// What stopped it before the end; empty: nothing did.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    /// 0 … 1 of the file as it lies on the disk. Any thread.
    [[nodiscard]] double fraction() const { return m_fraction.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t bytesRead() const { return m_read; }

  protected:
    int_type underflow() override;

  private:
    struct File;
    explicit TraceBytes(ByteLimits limits);
    std::size_t fill();
    bool withinLimits(std::size_t n);

    ByteLimits m_limits;
    std::unique_ptr<File> m_file;
    const char* m_data = nullptr;
    std::size_t m_left = 0;
    std::array<char, 65536> m_buffer{};
    std::uint64_t m_read = 0;
    std::uint64_t m_runBytes = 0;
    bool m_inText = false, m_escaped = false;
    std::string m_problem;
    std::atomic<double> m_fraction{0.0};
};

}  // namespace lanescope::profiler

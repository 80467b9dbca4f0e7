#include "profiler/import/trace_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace lanescope::profiler {

struct TraceBytes::File {
    gzFile handle = nullptr;
    double sizeBytes = 1.0;
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (handle != nullptr) gzclose(handle);
    }
};

TraceBytes::TraceBytes(ByteLimits limits) : m_limits(limits) {}

TraceBytes::TraceBytes(const char* data, std::size_t size, ByteLimits limits)
    : m_limits(limits), m_data(data), m_left(size) {}

TraceBytes::~TraceBytes() = default;

Result<std::unique_ptr<TraceBytes>> TraceBytes::open(const std::string& path, ByteLimits limits) {
    std::unique_ptr<TraceBytes> bytes(new TraceBytes(limits));
    bytes->m_file = std::make_unique<File>();
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    bytes->m_file->handle =
        error ? nullptr : gzopen(path.c_str(), "rb");  // plain files pass through
    if (bytes->m_file->handle == nullptr)
        return Error{ErrorCode::Io, "the trace cannot be opened", path,
                     "check that it is a file and may be read"};
    bytes->m_file->sizeBytes = std::max(1.0, static_cast<double>(size));
    gzbuffer(bytes->m_file->handle, 1 << 17);
    return bytes;
}

std::size_t TraceBytes::fill() {
    if (m_file == nullptr) {
        const std::size_t n = std::min(m_left, m_buffer.size());
        if (n == 0) return 0;
        std::memcpy(m_buffer.data(), m_data, n);
        m_data += n;
        m_left -= n;
        return n;
    }
    const int n = gzread(m_file->handle, m_buffer.data(), static_cast<unsigned>(m_buffer.size()));
    if (n < 0) {
        int code = 0;
        const char* text = gzerror(m_file->handle, &code);
        // A compressed file that was cut is read as far as it goes.
        if (code != Z_BUF_ERROR) m_problem = std::string("the compressed data is damaged: ") + text;
        return 0;
    }
    m_fraction.store(static_cast<double>(gzoffset(m_file->handle)) / m_file->sizeBytes,
                     std::memory_order_relaxed);
    return static_cast<std::size_t>(n);
}

bool TraceBytes::withinLimits(std::size_t n) {
    m_read += n;
    if (m_read > m_limits.maxBytes) {
        m_problem = "the trace is larger than " + std::to_string(m_limits.maxBytes >> 20) + " MiB";
        return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const char c = m_buffer[i];
        ++m_runBytes;
        if (m_escaped) {
            m_escaped = false;
        } else if (m_inText) {
            if (c == '\\') {
                m_escaped = true;
            } else if (c == '"') {
                m_inText = false;
                m_runBytes = 0;
            }
        } else if (c == '"') {
            m_inText = true;
            m_runBytes = 0;
        } else if (c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']') {
            m_runBytes = 0;
        }
        if (m_runBytes > m_limits.maxTextBytes) {
            m_problem = "a text or number in it is longer than " +
                        std::to_string(m_limits.maxTextBytes >> 20) + " MiB";
            return false;
        }
    }
    return true;
}

TraceBytes::int_type TraceBytes::underflow() {
    if (!m_problem.empty()) return traits_type::eof();
    const std::size_t n = fill();
    if (n == 0 || !withinLimits(n)) return traits_type::eof();
    setg(m_buffer.data(), m_buffer.data(), m_buffer.data() + n);
    return traits_type::to_int_type(m_buffer[0]);
}

}  // namespace lanescope::profiler

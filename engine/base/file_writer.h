#pragma once
// A large file in the making, written piece by piece beside its name; only finish() gives it the
// name. Dropped before that (error, cancel, exception) it leaves nothing behind. Small texts:
// writeFileAtomically in mapped_file.h.

#include <cstdint>
#include <span>
#include <string>

#include "engine/base/result.h"

namespace lanescope {

class FileWriter {
  public:
    /// Opens a temporary file beside `path`. Errors (Io): no permission, a folder or device of that
    /// name, less than expectedBytes free on the disk (both numbers).
    static Result<FileWriter> create(const std::string& path, std::uint64_t expectedBytes);

    FileWriter(FileWriter&& other) noexcept;
    FileWriter& operator=(FileWriter&&) = delete;
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;
    ~FileWriter();

    Result<void> write(std::span<const std::byte> bytes);
    /// Syncs to the disk and renames. The writer is done with afterwards.
    Result<void> finish();

  private:
    FileWriter(std::string path, std::string part, int fd)
        : m_path(std::move(path)), m_part(std::move(part)), m_fd(fd) {}
    Error failed(int err) const;

    std::string m_path;
    std::string m_part;
    int m_fd;
    std::uint64_t m_written = 0;
};

}  // namespace lanescope

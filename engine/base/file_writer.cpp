#include "engine/base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/base/format.h"

namespace lanescope {

namespace {

constexpr const char* kMakeRoom = "free some space or choose another folder";

std::string reason(int err) {
    return std::error_code(err, std::generic_category()).message();
}

}  // namespace

Result<FileWriter> FileWriter::create(const std::string& path, std::uint64_t expectedBytes) {
    struct stat existing {};
    if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
        return ioError(S_ISDIR(existing.st_mode) ? "is a folder" : "is not a regular file", path,
                       "choose another name");
    }
    std::string part = path + ".part";
    const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return ioError("cannot be written: " + reason(errno), path, "choose another folder");
    FileWriter writer(path, std::move(part), fd);  // removes the part on the way out
    struct statvfs disk {};
    if (::fstatvfs(fd, &disk) == 0 && disk.f_blocks > 0) {
        const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
        if (free < expectedBytes) {
            return ioError("needs " + formatBytes(expectedBytes) + ", the disk has " +
                               formatBytes(free) + " free",
                           path, kMakeRoom);
        }
    }
    return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_part(std::move(other.m_part)),
      m_fd(std::exchange(other.m_fd, -1)),
      m_written(other.m_written) {}

FileWriter::~FileWriter() {
    if (m_fd < 0) return;
    ::close(m_fd);
    ::unlink(m_part.c_str());
}

Error FileWriter::failed(int err) const {
    return ioError("cannot be written past " + std::to_string(m_written) + " bytes: " + reason(err),
                   m_path, kMakeRoom);
}

Result<void> FileWriter::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(m_fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return failed(n < 0 ? errno : EIO);
        m_written += static_cast<std::uint64_t>(n);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

Result<void> FileWriter::finish() {
    if (::fsync(m_fd) != 0 && errno != EINVAL && errno != EROFS) return failed(errno);
    const int fd = std::exchange(m_fd, -1);
    int err = ::close(fd) != 0 ? errno : 0;
    if (err == 0 && ::rename(m_part.c_str(), m_path.c_str()) != 0) err = errno;
    if (err != 0) {
        ::unlink(m_part.c_str());
        return failed(err);
    }
    // The name itself must survive a crash too; a file system that cannot sync folders may refuse.
    std::filesystem::path folder = std::filesystem::path(m_path).parent_path();
    if (folder.empty()) folder = ".";
    const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
        static_cast<void>(::fsync(dir));
        ::close(dir);
    }
    return {};
}

}  // namespace lanescope

#include "engine/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <system_error>

#include "engine/base/file_writer.h"
#include "engine/base/mapping_guard.h"

namespace lanescope {

namespace {

std::string reason(int err) {
    return std::error_code(err, std::generic_category()).message();
}

struct FdCloser {
    int fd;
    ~FdCloser() {
        if (fd >= 0) ::close(fd);
    }
};

/// Opens a regular, non-empty file and fills its size.
Result<int> openRegular(const std::string& path, std::size_t& size) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return badInput("cannot be opened: " + reason(errno), path,
                        "check the path and its permissions");
    struct stat info {};
    if (::fstat(fd, &info) != 0) {
        const int err = errno;
        ::close(fd);
        return badInput("cannot be read: " + reason(err), path);
    }
    if (!S_ISREG(info.st_mode)) {
        ::close(fd);
        return badInput(
            S_ISDIR(info.st_mode) ? "is a folder, a file was expected" : "is not a regular file",
            path);
    }
    size = static_cast<std::size_t>(info.st_size);
    return fd;
}

std::int64_t changedNs(const struct stat& info) {
    return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
    std::size_t size = 0;
    auto fd = openRegular(path, size);
    if (!fd) return fd.error();
    FdCloser closer{*fd};
    if (size == 0)
        return badInput("is empty (0 bytes)", path, "the copy or download did not finish");
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, *fd, 0);
    if (data == MAP_FAILED) return ioError("cannot be mapped into memory: " + reason(errno), path);
    closer.fd = -1;
    return std::shared_ptr<const MappedFile>(
        new MappedFile(path, *fd, static_cast<const std::byte*>(data), size));
}

MappedFile::MappedFile(std::string path, int fd, const std::byte* data, std::size_t size)
    : m_path(std::move(path)), m_fd(fd), m_data(data), m_size(size), m_changedNs(0) {
    struct stat info {};
    if (::fstat(m_fd, &info) == 0) m_changedNs = changedNs(info);
    guardMapping(m_data, m_size);
}

MappedFile::~MappedFile() {
    releaseMapping(m_data);
    ::munmap(const_cast<std::byte*>(m_data), m_size);
    ::close(m_fd);
}

Result<void> MappedFile::checkUnchanged() const {
    constexpr const char* kNext = "load the model again once the file is whole";
    struct stat info {};
    if (::fstat(m_fd, &info) != 0) return ioError("cannot be read: " + reason(errno), m_path);
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size != m_size) {
        return badInput("the model file changed on disk: it had " + std::to_string(m_size) +
                            " bytes when it was opened and has " + std::to_string(size) + " now",
                        m_path, kNext);
    }
    if (changedNs(info) != m_changedNs)
        return badInput("the model file changed on disk: it was written to since it was opened",
                        m_path, kNext);
    return {};
}

void MappedFile::prefetch() const {
    ::madvise(const_cast<std::byte*>(m_data), m_size, MADV_WILLNEED);
}

void MappedFile::release(const void* data, std::size_t size) const {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto mine = reinterpret_cast<std::uintptr_t>(m_data);
    const auto wanted = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t begin = (std::max(mine, wanted) + page - 1) / page * page;
    const std::uintptr_t end = std::min(mine + m_size, wanted + size) / page * page;
    if (begin >= end) return;
    ::madvise(const_cast<std::byte*>(m_data) + (begin - mine), end - begin, MADV_DONTNEED);
}

Result<std::string> readTextFile(const std::string& path, std::size_t maxBytes) {
    std::size_t size = 0;
    auto fd = openRegular(path, size);
    if (!fd) return fd.error();
    const FdCloser closer{*fd};
    if (size > maxBytes) {
        return badInput(
            "is " + std::to_string(size) + " bytes, the limit is " + std::to_string(maxBytes),
            path);
    }
    std::string text(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(*fd, text.data() + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ioError("cannot be read: " + reason(errno), path);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    text.resize(done);
    return text;
}

Result<void> writeFileAtomically(const std::string& path, std::string_view content) {
    auto file = FileWriter::create(path, 0);
    if (!file) return file.error();
    if (auto written = file->write(std::as_bytes(std::span(content))); !written) return written;
    return file->finish();
}

}  // namespace lanescope

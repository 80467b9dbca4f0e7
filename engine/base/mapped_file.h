#pragma once
// A read-only memory-mapped file, the form in which weights are used: never copied, shared by every
// lane.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/base/result.h"

namespace lanescope {

/// Owns one mapping; the bytes stay valid while any shared_ptr to it lives, also after the file is
/// deleted.
class MappedFile {
  public:
    /// Maps a regular file. Errors (BadInput, so the command line exits 3): not there, no
    /// permission, a folder, empty.
    static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    [[nodiscard]] const std::string& path() const { return m_path; }
    /// Asks the kernel to read the whole file ahead; returns at once.
    void prefetch() const;
    /// Gives back the memory of the whole pages inside [data, data + size), which may lie anywhere.
    void release(const void* data, std::size_t size) const;
    /// Error (BadInput) when the file itself was shortened, extended or written to since it was
    /// mapped. Reading past the end of a shortened file gives zeros (mapping_guard.h), so ask
    /// around each piece of work. A file replaced under the same name (rename, as downloads do) is
    /// no change: the mapping keeps the old one.
    [[nodiscard]] Result<void> checkUnchanged() const;

  private:
    MappedFile(std::string path, int fd, const std::byte* data, std::size_t size);

    std::string m_path;
    int m_fd;  ///< stays open: it is the mapped file, whatever the path names later
    const std::byte* m_data;
    std::size_t m_size;
    std::int64_t m_changedNs;  ///< modification time when mapped
};

/// Reads a whole small text file (config, plan, template). Refuses files over maxBytes with both
/// numbers.
Result<std::string> readTextFile(const std::string& path, std::size_t maxBytes);

/// Writes beside and renames, so that a full disk never leaves a cut file under the wanted name.
Result<void> writeFileAtomically(const std::string& path, std::string_view content);

}  // namespace lanescope

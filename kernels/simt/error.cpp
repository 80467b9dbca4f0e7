// Texts of reports.

#include "kernels/simt/error.h"

#include <string_view>

namespace lanescope::kernels::simt {

const char* errorName(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::BadLaunch:
            return "bad launch";
        case ErrorKind::Divergence:
            return "divergence";
        case ErrorKind::ExitedLane:
            return "exited lane";
        case ErrorKind::WrongMask:
            return "wrong mask";
        case ErrorKind::Deadlock:
            return "deadlock";
        case ErrorKind::SharedOutOfBounds:
            return "shared memory out of bounds";
        case ErrorKind::Misaligned:
            return "misaligned address";
        case ErrorKind::AsyncInFlight:
            return "asynchronous copy in flight";
        case ErrorKind::AsyncDisturbed:
            return "asynchronous copy disturbed";
    }
    return "unknown";
}

std::string toString(Index3 index) {
    return '(' + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
           std::to_string(index.z) + ')';
}

std::string toString(const Site& site) {
    std::string_view file = site.file_name();
    file.remove_prefix(file.find_last_of('/') + 1);
    return std::string(file) + ':' + std::to_string(site.line());
}

Error::Error(ErrorKind errorKind, const std::string& text, const Site& site, Index3 blockIndex,
             Index3 threadIndex)
    : std::runtime_error(toString(site) + ": thread " + toString(threadIndex) + " of block " +
                         toString(blockIndex) + ": " + errorName(errorKind) + ": " + text),
      kind(errorKind),
      file(site.file_name()),
      line(site.line()),
      block(blockIndex),
      thread(threadIndex) {}

}  // namespace lanescope::kernels::simt

#pragma once
// What the emulator throws when a kernel breaks a rule of the machine. Only the emulator throws;
// it is linked into tests alone, so no exception reaches the product.

#include <stdexcept>
#include <string>

#include "kernels/simt/lane.h"

namespace lanescope::kernels::simt {

enum class ErrorKind : std::uint8_t {
    BadLaunch,          ///< grid, block or shared memory beyond what a device takes
    Divergence,         ///< lanes of one collective are at different places
    ExitedLane,         ///< a collective waits for a lane that has left the kernel
    WrongMask,          ///< masks of one collective differ, or name lanes that cannot take part
    Deadlock,           ///< nothing can go on, or a lane spins without end
    SharedOutOfBounds,  ///< an access or a write beyond a shared array
    Misaligned,         ///< an address that the access width does not divide
    AsyncInFlight,      ///< an asynchronous copy that nobody waited for
    AsyncDisturbed,     ///< source or destination of a copy changed while it was in flight
};

/// "wrong mask" and so on, for reports.
const char* errorName(ErrorKind kind);

/// what(): "file.cuh:12: thread (3, 0, 0) of block (0, 0, 0): …".
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& text, const Site& site, Index3 block, Index3 thread);

    ErrorKind kind;
    std::string file;  ///< as the compiler was given it
    std::uint32_t line;
    Index3 block;
    Index3 thread;
};

/// "(3, 0, 0)".
std::string toString(Index3 index);
/// "file.cuh:12", without folders.
std::string toString(const Site& site);

}  // namespace lanescope::kernels::simt

#pragma once
// The logical processors this process may use.

#include <cstdint>
#include <vector>

namespace lanescope {

/// Which processors workers may run on. Cores: worker i stays on the i-th usable processor, one of
/// every core first.
enum class Affinity : std::uint8_t { None, Cores };

/// Logical processors this process may use (affinity respected); at least 1.
int usableCpuCount();
/// Their numbers, one of every core first; empty where the system does not tell.
std::vector<int> usableProcessors();

/// Names the calling thread (at most 15 characters) and lets threads of usual priority go first:
/// for bookkeeping beside the maths. A system that refuses is no error.
void becomeBackgroundThread(const char* name);

}  // namespace lanescope

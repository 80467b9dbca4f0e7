#pragma once
// Who is writing a run, so that a run whose program died is told from one that still goes on.

#include <string>

namespace lanescope::profiler {

/// This process: "<boot>:<pid namespace>:<pid>:<start time>"; unique over reboots and reused pids.
std::string writerIdentity();

enum class WriterState { Alive, Dead, Unknown };
/// Unknown: written on another machine or in another container; judge by the heartbeat then.
WriterState writerState(const std::string& identity);

}  // namespace lanescope::profiler

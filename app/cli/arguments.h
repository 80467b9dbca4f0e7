#pragma once
// From argc and argv to one command call. The only file that knows the parsing library is
// arguments.cpp.

#include <functional>

#include "engine/base/cancel.h"
#include "engine/base/result.h"

namespace lanescope::cli {

using Command = std::function<Result<int>(const CancelToken&)>;

/// The command asked for (for --help and --version: one that prints). Error: Usage.
Result<Command> parseArguments(int argc, const char* const* argv);

}  // namespace lanescope::cli

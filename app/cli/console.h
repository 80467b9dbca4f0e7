#pragma once
// Where the command line's words go: results to stdout, everything else to stderr. A reader that
// closes the pipe early is no failure; a full disk is.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/base/cancel.h"
#include "engine/base/result.h"

namespace lanescope::cli {

/// Lets Ctrl+C and SIGTERM raise `cancel` (a second one ends the program at once) and makes a
/// closed pipe an ordinary write error. `cancel` must outlive the program's work.
void installSignals(CancelToken& cancel);

/// To stdout. Error: Io "… cannot be written" for a full disk; a closed pipe is quietly ignored.
Result<void> print(std::string_view text);
/// One JSON document and a line end.
Result<void> printJson(const nlohmann::ordered_json& value);
/// A line on stderr, control characters replaced.
void note(const std::string& line);

bool stdoutIsTerminal();
/// Text that came from a model, made harmless for a terminal: control characters but line ends and
/// tabs become U+FFFD.
std::string forTerminal(std::string_view text);

}  // namespace lanescope::cli

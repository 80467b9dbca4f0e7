#pragma once
// The tables of a run database, and the checks a file must pass before anything is read from or
// written to it.

#include <string>

#include "profiler/store/database.h"

namespace lanescope::profiler {

inline constexpr std::int64_t kApplicationId = 0x4C616E65;  // "Lane"
inline constexpr std::int64_t kSchemaVersion = 1;

enum class SchemaUse {
    History,     ///< the run history: WAL, several programs at once
    SingleFile,  ///< a run as a file of its own: one file, no companions
    ReadOnly,    ///< must be there already
};

/// Opens a run database, making it if it is absent (not for ReadOnly). A file that is damaged,
/// foreign, newer or locked is refused and left as it is.
Result<Database> openSchema(const std::string& path, SchemaUse use);

}  // namespace lanescope::profiler

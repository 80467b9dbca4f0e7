#pragma once
// The tables of a run database, and the checks a file must pass before anything is read from or
// written to it.

#include <string>

#include "profiler/store/database.h"

namespace lanescope::profiler {

inline constexpr std::int64_t kApplicationId = 0x4C616E65;  // "Lane"
/// 2: what ran on devices, in a section of the head and in parts of its own. Files of schema 1 open
/// as they are and become 2 when a run is written to them.
inline constexpr std::int64_t kSchemaVersion = 2;

enum class SchemaUse {
    History,     ///< the run history: WAL, several programs at once
    SingleFile,  ///< a run as a file of its own: one file, no companions
    ReadOnly,    ///< must be there already
};

/// Opens a run database, making it if it is absent (not for ReadOnly). A file that is damaged,
/// foreign, newer or locked is refused and left as it is.
Result<Database> openSchema(const std::string& path, SchemaUse use);
/// Marks an older file as of this version; within the transaction that writes to it.
Result<void> upgradeSchema(Database& db);

}  // namespace lanescope::profiler

#pragma once
// A run's time by op, layer, kernel or token as rows of the table, and its ops as marks of the
// roofline chart. One walk (profiler/analyse/group_stats.h) fills both, so that they always say the
// same. Pure but for the language; any thread.

#include <vector>

#include "app/views/kernels/op_rows.h"
#include "profiler/analyse/group_stats.h"

namespace lanescope::app {

struct KernelRows {
    QStringList headers, headerTips;
    std::vector<std::vector<Cell>> cells;
    std::vector<QVariant> ids;                 ///< rowId
    std::vector<profiler::GroupStats> groups;  ///< one a row
    std::size_t hidden = 0;                    ///< groups beyond kMaxRowsShown, the shortest
    std::uint64_t items = 0;                   ///< that were counted
    std::vector<RooflineMark> marks;           ///< of ops that count bytes and flops
    std::vector<profiler::Roof> roofs;  ///< one for each number of threads, as far as measured
    std::vector<profiler::Roof> deviceRoofs;  ///< bandwidth only; isa: the device's name
    bool roofMissing = false;                 ///< of at least one lane
    bool fromCache = false;                   ///< some op is above the memory roof
    bool roofTooLow = false;                  ///< some op is above the arithmetic roof
};
/// So that sorting stays within a frame.
inline constexpr std::size_t kMaxRowsShown = 2000;

KernelRows kernelRows(const profiler::RunData& run, const profiler::GroupTable& table);

/// Tells rows apart while a run streams; of an op: opRowId.
QVariant rowId(profiler::GroupBy by, const profiler::GroupStats& group);
/// What a row is about: "Attention", "layer 3", "12 ·sky", a kernel's name.
QString groupName(const profiler::RunData& run, profiler::GroupBy by,
                  const profiler::GroupStats& group);

}  // namespace lanescope::app

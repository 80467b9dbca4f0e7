#pragma once
// Where the lines of the timeline lie: a header a group, then its rows unless it is collapsed.
// Pure.

#include <QString>
#include <QStringList>
#include <vector>

#include "app/timeline/tracks.h"

namespace lanescope::app {

/// A line from y on. Headers have track -1.
struct TimelineLine {
    std::size_t group = 0;
    int track = -1;
    int row = 0;
    bool collapsed = false;  ///< of a header
    double y = 0.0;
    double height = 0.0;
    [[nodiscard]] bool isHeader() const { return track < 0; }
};

/// Lines from y = top on.
std::vector<TimelineLine> timelineLines(const Timeline& timeline, const QStringList& collapsed,
                                        double top);
/// Index of the line at y, or -1.
int lineAt(const std::vector<TimelineLine>& lines, double y);
/// Index of the line of a row, or of its group's header when that is collapsed; -1 if neither.
int lineOf(const std::vector<TimelineLine>& lines, const Timeline& timeline, int track, int row);

/// Under which a group's state is remembered: "lane:A", "process:python".
QString groupKey(const Timeline& timeline, std::size_t group);
/// "A  smollm2", "python (123)", "outside the lanes".
QString groupTitle(const Timeline& timeline, std::size_t group);
/// "steps", "CPU ops", "stream 7", the thread's name.
QString trackTitle(const Timeline& timeline, const Track& track);

}  // namespace lanescope::app

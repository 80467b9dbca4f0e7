#include "app/timeline/timeline_layout.h"

#include <QCoreApplication>
#include <algorithm>

namespace lanescope::app {

namespace {

constexpr double kHeaderHeight = 20.0, kGroupGap = 6.0, kRowGap = 1.0, kTrackGap = 3.0;

struct LayoutWords {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

double rowHeight(TrackKind kind) {
    switch (kind) {
        case TrackKind::Steps:
            return 16.0;
        case TrackKind::Ops:
            return 24.0;
        case TrackKind::Stream:
            return 20.0;
        case TrackKind::Copies:
        case TrackKind::Overhead:
            return 12.0;
        case TrackKind::Thread:
            break;
    }
    return 17.0;
}

const trace::LaneRecord* laneOf(const Timeline& timeline, const TrackGroup& group) {
    for (const auto& lane : timeline.run->lanes)
        if (lane.index == group.lane) return &lane;
    return nullptr;
}

const profiler::TraceProcess& processOf(const Timeline& timeline, const TrackGroup& group) {
    return timeline.run->imported->processes[static_cast<std::size_t>(group.process)];
}

/// With the device's number where there are several.
QString withDevice(const Timeline& timeline, const Track& track, const QString& name) {
    if (timeline.run->devices.size() < 2) return name;
    return QStringLiteral("%1 · %2").arg(LayoutWords::tr("GPU %1").arg(deviceOf(track.sub)), name);
}

}  // namespace

std::vector<TimelineLine> timelineLines(const Timeline& timeline, const QStringList& collapsed,
                                        double top) {
    std::vector<TimelineLine> lines;
    double y = top;
    for (std::size_t g = 0; g < timeline.groups.size(); ++g) {
        if (g > 0) y += kGroupGap;
        TimelineLine header;
        header.group = g;
        header.collapsed = collapsed.contains(groupKey(timeline, g));
        header.y = y;
        header.height = kHeaderHeight;
        lines.push_back(header);
        y += kHeaderHeight + kRowGap;
        if (header.collapsed) continue;
        for (const std::size_t t : timeline.groups[g].tracks) {
            const Track& track = timeline.tracks[t];
            for (std::size_t row = 0; row < track.rows.size(); ++row) {
                lines.push_back({g, static_cast<int>(t), static_cast<int>(row), false, y,
                                 rowHeight(track.kind)});
                y += lines.back().height + kRowGap;
            }
            y += kTrackGap - kRowGap;
        }
    }
    return lines;
}

int lineAt(const std::vector<TimelineLine>& lines, double y) {
    const auto after = std::upper_bound(lines.begin(), lines.end(), y,
                                        [](double at, const TimelineLine& l) { return at < l.y; });
    if (after == lines.begin()) return -1;
    const auto line = after - 1;
    return y < line->y + line->height ? static_cast<int>(line - lines.begin()) : -1;
}

int lineOf(const std::vector<TimelineLine>& lines, const Timeline& timeline, int track, int row) {
    if (track < 0) return -1;
    const std::size_t group = timeline.tracks[static_cast<std::size_t>(track)].group;
    int header = -1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].group != group) continue;
        if (lines[i].isHeader()) header = static_cast<int>(i);
        if (lines[i].track == track && lines[i].row == row) return static_cast<int>(i);
    }
    return header;
}

QString groupKey(const Timeline& timeline, std::size_t group) {
    const TrackGroup& g = timeline.groups[group];
    if (g.process >= 0) {
        const auto& process = processOf(timeline, g);
        return QStringLiteral("process:") +
               QString::fromStdString(process.name.empty() ? process.id : process.name).left(80);
    }
    const auto* lane = laneOf(timeline, g);
    return QStringLiteral("lane:") +
           (lane != nullptr ? QString::fromStdString(lane->name) : QString::number(g.lane));
}

QString groupTitle(const Timeline& timeline, std::size_t group) {
    const TrackGroup& g = timeline.groups[group];
    if (g.process >= 0) {
        const auto& process = processOf(timeline, g);
        const QString id = QString::fromStdString(process.id);
        if (process.name.empty()) return LayoutWords::tr("process %1").arg(id);
        const QString name = QString::fromStdString(process.name);
        return name == id ? name : QStringLiteral("%1 (%2)").arg(name, id);
    }
    const auto* lane = laneOf(timeline, g);
    if (lane == nullptr) return LayoutWords::tr("outside the lanes");
    return QStringLiteral("%1  %2").arg(QString::fromStdString(lane->name),
                                        QString::fromStdString(lane->model));
}

QString trackTitle(const Timeline& timeline, const Track& track) {
    switch (track.kind) {
        case TrackKind::Steps:
            return LayoutWords::tr("steps");
        case TrackKind::Ops:
            return LayoutWords::tr("CPU ops");
        case TrackKind::Stream:
            return withDevice(timeline, track,
                              streamOf(track.sub) >= 0
                                  ? LayoutWords::tr("stream %1").arg(streamOf(track.sub))
                                  : LayoutWords::tr("GPU"));
        case TrackKind::Copies:
            return withDevice(timeline, track, LayoutWords::tr("copies"));
        case TrackKind::Overhead:
            return LayoutWords::tr("profiler");
        case TrackKind::Thread:
            break;
    }
    const auto& thread = timeline.run->imported->tracks[static_cast<std::size_t>(track.sub)];
    if (!thread.name.empty()) return QString::fromStdString(thread.name);
    return LayoutWords::tr("thread %1").arg(QString::fromStdString(thread.id));
}

}  // namespace lanescope::app

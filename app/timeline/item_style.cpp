#include "app/timeline/item_style.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <array>
#include <unordered_map>

#include "app/models/number_text.h"
#include "app/timeline/interval_index.h"
#include "app/timeline/op_style.h"

namespace lanescope::app {

namespace {

struct ItemWords {
    Q_DECLARE_TR_FUNCTIONS(TimelineItem)
};

/// What tooltips tell, whatever the kind.
struct Facts {
    double ns = 0.0;
    std::uint64_t bytes = 0, flops = 0;
    int layer = -1, step = -1, request = -1;
};

Facts factsOf(const Items& items, std::uint32_t i) {
    Facts f;
    f.ns = static_cast<double>(items.end(i) - items.start(i));
    if (items.kind() == ItemKind::Span) {
        const trace::Span& span = items.run().spans[i];
        f.bytes = span.bytes;
        f.flops = span.flops;
        f.layer = span.layer;
        f.step = span.step;
        f.request = span.request;
    } else if (items.kind() == ItemKind::Device) {
        const profiler::DeviceActivity& activity = items.run().deviceActivities[i];
        f.bytes = activity.bytes;
        f.layer = activity.layer;
        f.step = activity.step;
        f.request = activity.request;
    } else {
        const profiler::TraceEvent& event = items.run().imported->events[i];
        f.bytes = event.bytes;
        f.flops = event.flops;
        f.layer = event.layer;
        f.step = event.step;
        f.request = event.request;
    }
    return f;
}

/// Its name, or what kind of thing it is.
std::string deviceName(const profiler::RunData& run, const profiler::DeviceActivity& activity) {
    const std::string& name = profiler::nameOf(run, activity);
    return name.empty() ? profiler::deviceActivityKindName(activity.kind) : name;
}

QStringList deviceLines(const profiler::DeviceActivity& a) {
    QStringList lines;
    if (a.op >= 0 && a.op < trace::kOpCount)
        lines << ItemWords::tr("launched by %1")
                     .arg(opLabel(static_cast<trace::Op>(a.op)).toHtmlEscaped());
    if (a.kind != profiler::DeviceActivityKind::Kernel) return lines;
    lines << ItemWords::tr("%1 × %2 × %3 blocks of %4 × %5 × %6 threads")
                 .arg(a.grid[0])
                 .arg(a.grid[1])
                 .arg(a.grid[2])
                 .arg(a.block[0])
                 .arg(a.block[1])
                 .arg(a.block[2]);
    lines << ItemWords::tr("%1 registers a thread · %2 shared memory a block")
                 .arg(a.registersPerThread)
                 .arg(bytesText(static_cast<std::uint64_t>(
                     std::max(0, a.staticSharedBytes + a.dynamicSharedBytes))));
    if (a.occupancy > 0.0F)
        lines << ItemWords::tr("occupancy %1 %").arg(fixedNumber(100.0 * a.occupancy, 0));
    return lines;
}

QStringList placeOf(const Facts& f) {
    QStringList parts;
    if (f.layer >= 0) parts << ItemWords::tr("layer %1").arg(f.layer);
    if (f.step >= 0) parts << ItemWords::tr("step %1").arg(f.step);
    if (f.request >= 0) parts << ItemWords::tr("request %1").arg(f.request);
    return parts;
}

QStringList ratesOf(const Facts& f) {
    QStringList parts{durationText(f.ns / 1e6)};
    if (f.ns > 0 && f.bytes > 0)
        parts << QStringLiteral("%1 GB/s").arg(fixedNumber(static_cast<double>(f.bytes) / f.ns, 1));
    if (f.ns > 0 && f.flops > 0)
        parts << QStringLiteral("%1 GFLOP/s")
                     .arg(fixedNumber(static_cast<double>(f.flops) / f.ns, 1));
    if (f.bytes > 0) parts << bytesText(f.bytes);
    return parts;
}

const QString& dot() {
    static const QString kDot = QStringLiteral(" · ");
    return kDot;
}

}  // namespace

QColor nameColor(const std::string& name) {
    static const std::unordered_map<std::string, trace::Op> kOps = [] {
        std::unordered_map<std::string, trace::Op> ops;
        for (int i = 0; i < trace::kOpCount; ++i)
            ops.emplace(trace::opName(static_cast<trace::Op>(i)), static_cast<trace::Op>(i));
        return ops;
    }();
    if (const auto op = kOps.find(name); op != kOps.end()) return opColor(op->second);
    static constexpr std::array<QRgb, 12> kColors{0x3382c4, 0x2e8b57, 0xd66a1e, 0x6a4fb8,
                                                  0x17a2a2, 0xc23b6b, 0x8c6d31, 0x6fa8dc,
                                                  0x66b58a, 0xe0a800, 0x996699, 0x7a92aa};
    std::uint32_t hash = 2166136261U;  // FNV-1a: the same in every session
    for (const char c : name) {
        // "step 12" and "step 13" are of one kind.
        if (c >= '0' && c <= '9') continue;
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return QColor(kColors[hash % kColors.size()] | 0xff000000U);
}

QColor itemColor(const Items& items, std::uint32_t i) {
    if (items.kind() == ItemKind::Span) return opColor(items.run().spans[i].op);
    if (items.kind() == ItemKind::Device) {
        // Of the op that launched it, so that a kernel is found again under its span.
        const profiler::DeviceActivity& activity = items.run().deviceActivities[i];
        if (activity.op >= 0 && activity.op < trace::kOpCount)
            return opColor(static_cast<trace::Op>(activity.op));
        return nameColor(deviceName(items.run(), activity));
    }
    return nameColor(items.run().imported->names[items.key(i)]);
}

QColor itemTextColor(const QColor& background) {
    return background.lightnessF() > 0.52 ? QColor(0x10, 0x10, 0x10) : QColor(0xff, 0xff, 0xff);
}

QString itemName(const Items& items, std::uint32_t i) {
    if (items.kind() == ItemKind::Span) return opLabel(items.run().spans[i].op);
    if (items.kind() == ItemKind::Device)
        return QString::fromStdString(deviceName(items.run(), items.run().deviceActivities[i]));
    return QString::fromStdString(items.run().imported->names[items.key(i)]);
}

QString itemLabel(const Items& items, std::uint32_t i) {
    QString name = itemName(items, i);
    const Facts f = factsOf(items, i);
    if (items.kind() == ItemKind::Span && f.layer >= 0)
        return QStringLiteral("%1 · L%2").arg(name).arg(f.layer);
    if (items.kind() == ItemKind::Span && items.run().spans[i].op == trace::Op::DecodeStep)
        return QStringLiteral("%1 · %2").arg(name).arg(f.step);
    return name;
}

QString itemToolTip(const Items& items, std::uint32_t i) {
    const Facts f = factsOf(items, i);
    QStringList lines{
        QStringLiteral("<b>%1</b>").arg(itemName(items, i).left(300).toHtmlEscaped())};
    if (const QStringList place = placeOf(f); !place.isEmpty()) lines << place.join(dot());
    lines << ratesOf(f).join(dot());
    lines << ItemWords::tr("begins at %1")
                 .arg(durationText(static_cast<double>(items.start(i)) / 1e6));
    if (items.kind() == ItemKind::Device) lines += deviceLines(items.run().deviceActivities[i]);
    if (items.kind() == ItemKind::Event) {
        const auto& trace = *items.run().imported;
        const auto& event = trace.events[i];
        if (event.category != 0)
            lines << QString::fromStdString(trace.names[event.category]).toHtmlEscaped();
        if (event.occupancy >= 0.0F)
            lines << ItemWords::tr("occupancy %1 %").arg(fixedNumber(100.0 * event.occupancy, 0));
    }
    return lines.join(QStringLiteral("<br>"));
}

QString itemDescription(const Items& items, std::uint32_t i) {
    const Facts f = factsOf(items, i);
    return (QStringList{itemName(items, i).left(300)} + placeOf(f) + ratesOf(f)).join(dot());
}

NameMatch::NameMatch(const profiler::RunData& run, const QString& text) {
    const auto contains = [&text](const QString& name) {
        return name.contains(text, Qt::CaseInsensitive);
    };
    for (int op = 0; op < trace::kOpCount; ++op)
        m_ops.push_back(contains(opLabel(static_cast<trace::Op>(op))));
    for (const std::string& name : run.deviceNames)
        m_deviceNames.push_back(contains(QString::fromStdString(name)));
    for (int kind = 0; kind < profiler::kDeviceActivityKindCount; ++kind)
        m_deviceKinds.push_back(contains(QString::fromLatin1(
            profiler::deviceActivityKindName(static_cast<profiler::DeviceActivityKind>(kind)))));
    if (run.imported == nullptr) return;
    for (const std::string& name : run.imported->names)
        m_names.push_back(contains(QString::fromStdString(name)));
}

bool NameMatch::none() const {
    return keyBits(ItemKind::Span) == 0 && keyBits(ItemKind::Device) == 0 &&
           keyBits(ItemKind::Event) == 0;
}

const std::vector<bool>& NameMatch::names(ItemKind kind) const {
    if (kind == ItemKind::Span) return m_ops;
    return kind == ItemKind::Device ? m_deviceNames : m_names;
}

bool NameMatch::matches(ItemKind kind, std::uint32_t key) const {
    if (kind == ItemKind::Device && key >= Items::kUnnamed) {
        const std::size_t unnamed = key - Items::kUnnamed;
        return unnamed < m_deviceKinds.size() && m_deviceKinds[unnamed];
    }
    const auto& wanted = names(kind);
    return key < wanted.size() && wanted[key];
}

std::uint32_t NameMatch::keyBits(ItemKind kind) const {
    std::uint32_t bits = 0;
    const auto& wanted = names(kind);
    for (std::uint32_t key = 0; key < wanted.size(); ++key)
        if (wanted[key]) bits |= IntervalIndex::keyBit(key);
    if (kind != ItemKind::Device) return bits;
    for (std::uint32_t k = 0; k < m_deviceKinds.size(); ++k)
        if (m_deviceKinds[k]) bits |= IntervalIndex::keyBit(Items::kUnnamed + k);
    return bits;
}

}  // namespace lanescope::app

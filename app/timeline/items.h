#pragma once
// One way to look at whatever a track shows: engine spans, and the events of an opened trace. An
// item is its kind and its place in the run's list; nothing is copied. Read next: interval_index.h.

#include <cstdint>
#include <memory>

#include "profiler/store/run_data.h"

namespace lanescope::app {

enum class ItemKind : std::uint8_t { Span, Device, Event };

/// An item of a run. index < 0: none.
struct ItemRef {
    ItemKind kind = ItemKind::Span;
    std::int64_t index = -1;
    [[nodiscard]] bool valid() const { return index >= 0; }
    bool operator==(const ItemRef&) const = default;
};

/// One of a run's lists as a list of stretches of time. Lives as long as the run.
class Items {
  public:
    Items(const profiler::RunData& run, ItemKind kind) : m_run(&run), m_kind(kind) {}

    [[nodiscard]] std::int64_t start(std::uint32_t i) const {
        if (m_kind == ItemKind::Span) return m_run->spans[i].tStartNs;
        return m_kind == ItemKind::Device ? m_run->deviceActivities[i].tStartNs
                                          : m_run->imported->events[i].tStartNs;
    }
    [[nodiscard]] std::int64_t end(std::uint32_t i) const {
        if (m_kind == ItemKind::Span) return m_run->spans[i].tEndNs;
        return m_kind == ItemKind::Device ? m_run->deviceActivities[i].tEndNs
                                          : m_run->imported->events[i].tEndNs;
    }
    /// What it is called, as a number: items with one key have one name and one colour.
    [[nodiscard]] std::uint32_t key(std::uint32_t i) const {
        if (m_kind == ItemKind::Span) return static_cast<std::uint32_t>(m_run->spans[i].op);
        if (m_kind == ItemKind::Event) return m_run->imported->events[i].name;
        const profiler::DeviceActivity& activity = m_run->deviceActivities[i];
        return activity.name >= 0 ? static_cast<std::uint32_t>(activity.name)
                                  : kUnnamed + static_cast<std::uint32_t>(activity.kind);
    }
    /// Keys from here on are kinds of device activities without a name.
    static constexpr std::uint32_t kUnnamed = 0xFFFFFF00U;

    [[nodiscard]] const profiler::RunData& run() const { return *m_run; }
    [[nodiscard]] ItemKind kind() const { return m_kind; }

  private:
    const profiler::RunData* m_run;
    ItemKind m_kind;
};

}  // namespace lanescope::app

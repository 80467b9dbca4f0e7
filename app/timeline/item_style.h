#pragma once
// How any item of the timeline is called, coloured and described. Op spans as op_style.h says;
// other names get one of a few fixed colours, the same wherever the name turns up.

#include <QColor>
#include <QString>
#include <vector>

#include "app/timeline/items.h"

namespace lanescope::app {

/// By name alone: "attention" is the op's colour.
QColor nameColor(const std::string& name);
QColor itemColor(const Items& items, std::uint32_t i);
QColor itemTextColor(const QColor& background);
/// "Attention", "ampere_sgemm_128x64".
QString itemName(const Items& items, std::uint32_t i);
/// itemName with the layer: what is written on a bar.
QString itemLabel(const Items& items, std::uint32_t i);
/// Rich text: name, where it belongs, duration, rates.
QString itemToolTip(const Items& items, std::uint32_t i);
/// One plain line for screen readers.
QString itemDescription(const Items& items, std::uint32_t i);

/// Which names of a run contain a text, whatever the case.
class NameMatch {
  public:
    NameMatch(const profiler::RunData& run, const QString& text);
    [[nodiscard]] bool none() const;
    [[nodiscard]] bool matches(ItemKind kind, std::uint32_t key) const;
    /// For IntervalIndex::next.
    [[nodiscard]] std::uint32_t keyBits(ItemKind kind) const;

  private:
    [[nodiscard]] const std::vector<bool>& names(ItemKind kind) const;
    std::vector<bool> m_ops, m_deviceNames, m_deviceKinds, m_names;
};

}  // namespace lanescope::app

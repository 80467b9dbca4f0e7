#pragma once
// weights | KV | compute | free as one bar, the estimate above, the measurement below once there is
// one. The scale is shared by the caller so that lanes can be compared by length.

#include <QWidget>
#include <array>
#include <cstdint>
#include <optional>

#include "engine/decode/engine.h"
#include "engine/trace/run_record.h"

namespace lanescope::app {

class MemoryBar : public QWidget {
    Q_OBJECT
  public:
    explicit MemoryBar(QWidget* parent = nullptr);

    /// scaleBytes: what the full width stands for. freeBytes: memory the machine can still give, 0
    /// unknown.
    void setFigures(const std::optional<MemoryEstimate>& estimate,
                    const std::optional<trace::MemoryFigures>& measured, std::uint64_t scaleBytes,
                    std::uint64_t freeBytes);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    using Parts = std::array<std::uint64_t, 3>;
    void paintParts(QPainter& painter, const QRectF& area, const Parts& parts, bool hatched) const;

    std::optional<Parts> m_estimate;
    std::optional<Parts> m_measured;
    std::uint64_t m_scale = 0;
    std::uint64_t m_free = 0;
};

}  // namespace lanescope::app

#pragma once
// The sampling knobs that are not needed every time: top-k, top-p, min-p, repeat penalty, stop
// strings, repetitions, warm-up. Shown as a popup of the prompt bar.

#include <QFrame>

#include "engine/lane/plan.h"

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace lanescope::app {

class SamplingPanel : public QFrame {
    Q_OBJECT
  public:
    explicit SamplingPanel(QWidget* parent = nullptr);

    /// Shows values without emitting changed().
    void setValues(const SamplingSpec& sampling, int warmup, int repetitions);
    /// Writes this panel's values into `sampling`; the others stay.
    void apply(SamplingSpec& sampling) const;
    [[nodiscard]] int warmup() const;
    [[nodiscard]] int repetitions() const;
    /// How many knobs differ from their neutral value.
    [[nodiscard]] int activeCount() const;

  signals:
    void changed();

  private:
    QSpinBox* m_topK;
    QDoubleSpinBox* m_topP;
    QDoubleSpinBox* m_minP;
    QDoubleSpinBox* m_repeatPenalty;
    QSpinBox* m_repeatWindow;
    QLineEdit* m_stop;
    QCheckBox* m_ignoreEos;
    QSpinBox* m_repetitions;
    QSpinBox* m_warmup;
};

}  // namespace lanescope::app

#pragma once
// Edits one lane; shows what the lane would need while it is edited, and says what is not possible.

#include <QDialog>
#include <QTimer>

#include "app/bridge/model_info.h"
#include "engine/lane/plan.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace lanescope::app {

class ErrorBanner;
class MemoryBar;

class LaneDialog : public QDialog {
    Q_OBJECT
  public:
    LaneDialog(const LaneSpec& lane, int index, ModelInfoCache* models, QWidget* parent = nullptr);
    /// The lane as edited.
    [[nodiscard]] LaneSpec lane() const;

  private:
    void buildForm();
    void fillCacheOptions();
    void fillGpuOptions();
    /// Rows that mean nothing on a processor are hidden there.
    void showGpuOptions();
    [[nodiscard]] bool onGpu() const;
    void browse();
    void refresh();

    LaneSpec m_lane;
    ModelInfoCache* m_models;
    QComboBox* m_model;
    QComboBox* m_backend;
    QComboBox* m_kv;
    QComboBox* m_kvValues;
    QCheckBox* m_kvRotate;
    QComboBox* m_attention;
    QLineEdit* m_denseLayers;
    QComboBox* m_template;
    QSpinBox* m_threads;
    QSpinBox* m_block;
    QSpinBox* m_context;
    QComboBox* m_acts;
    QComboBox* m_products;
    QComboBox* m_sampling;
    QCheckBox* m_affinity;
    QCheckBox* m_exact;
    QCheckBox* m_pack;
    QLabel* m_facts;
    MemoryBar* m_memory;
    QLabel* m_memoryText;
    ErrorBanner* m_error;
    QFormLayout* m_form = nullptr;
    QTimer m_refresh;
};

}  // namespace lanescope::app

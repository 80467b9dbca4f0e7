#pragma once
// The KV cache in three tabs: its blocks as they are held, what it takes in closed form, and what
// other formats do to predictions.

#include <QWidget>
#include <cstdint>

#include "app/bridge/cache_log.h"
#include "app/bridge/divergence_controller.h"
#include "app/bridge/model_info.h"
#include "app/bridge/plan_document.h"
#include "app/bridge/serving_controller.h"

class QTabBar;
class QStackedWidget;

namespace lanescope::app {

class BlocksTab;
class CalculatorTab;
class FormatsTab;

class CachePage : public QWidget {
    Q_OBJECT
  public:
    struct Sources {
        PlanDocument* document = nullptr;
        ModelInfoCache* models = nullptr;
        CacheLog* log = nullptr;
        ServingController* serving = nullptr;
        DivergenceController* divergence = nullptr;
    };
    explicit CachePage(const Sources& sources, QWidget* parent = nullptr);
    void setRun(const profiler::RunSnapshot& run);
    /// Why nothing can be measured now; empty: it can.
    void setBlocked(const QString& reason);

    enum class Tab : std::uint8_t { Blocks, Calculator, Formats };
    void showTab(Tab tab);
    [[nodiscard]] BlocksTab* blocks() const { return m_blocks; }
    [[nodiscard]] CalculatorTab* calculator() const { return m_calculator; }
    [[nodiscard]] FormatsTab* formats() const { return m_formats; }

  signals:
    /// Of the empty state: something that fills the map.
    void servingRequested();
    void openModelRequested();

  private:
    void updateEmpty();

    PlanDocument* m_document;
    QTabBar* m_tabs;
    QStackedWidget* m_panes;
    BlocksTab* m_blocks;
    CalculatorTab* m_calculator;
    FormatsTab* m_formats;
    QString m_blocked;
};

}  // namespace lanescope::app

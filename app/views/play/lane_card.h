#pragma once
// One lane of the plan: letter, model, settings, memory, state, and what can be done with it.

#include <QFrame>
#include <cstdint>

#include "app/models/lane_chips.h"
#include "app/models/lane_state.h"

class QLabel;

namespace lanescope::app {

class ChipRow;
class ElidedLabel;
class ErrorBanner;
class IconButton;
class MemoryBar;

class LaneCard : public QFrame {
    Q_OBJECT
  public:
    explicit LaneCard(int lane, QWidget* parent = nullptr);

    struct Content {
        QString name;
        QString model;
        std::vector<LaneChip> chips;
        LaneState state;
        bool muted = false;
        bool baseline = false;
        bool canDuplicate = true;
        std::uint64_t scaleBytes = 0;
        std::uint64_t freeBytes = 0;
    };
    void setContent(const Content& content);
    [[nodiscard]] int lane() const { return m_lane; }
    [[nodiscard]] QString errorText() const;
    [[nodiscard]] ElidedLabel* title() const { return m_title; }

  signals:
    void duplicateRequested(int lane);
    void editRequested(int lane);
    void detailsRequested(int lane);
    void muteRequested(int lane, bool muted);
    void pinRequested(int lane, bool pinned);
    void removeRequested(int lane);

  protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void restyle();
    void updateStateLine(const Content& content);

    int m_lane;
    bool m_muted = false;
    bool m_baseline = false;
    bool m_canDuplicate = true;
    QLabel* m_badge;
    ElidedLabel* m_title;
    IconButton* m_pin;
    IconButton* m_mute;
    IconButton* m_duplicate;
    IconButton* m_edit;
    IconButton* m_remove;
    ChipRow* m_chips;
    MemoryBar* m_memory;
    ElidedLabel* m_stateLine;
    ErrorBanner* m_error;
};

}  // namespace lanescope::app

#pragma once
// The one selection that links all panes: a token (or token range), a time range, a layer, an op, a
// lane. UI thread only. Not the state of any widget: views read it and write it.

#include <QObject>
#include <QtGlobal>

namespace lanescope::app {

class Selection : public QObject {
    Q_OBJECT
  public:
    /// -1 means "not restricted by this". Times are ns since the run's start.
    struct State {
        int lane = -1;
        int request = -1;   ///< RequestRecord::id
        int token = -1;     ///< first selected output position
        int tokenEnd = -1;  ///< one past the last; -1: only `token`
        qint64 tStartNs = -1, tEndNs = -1;
        int layer = -1;
        int op = -1;  ///< trace::Op
        bool operator==(const State&) const = default;
    };

    explicit Selection(QObject* parent = nullptr);

    [[nodiscard]] const State& state() const { return m_state; }
    [[nodiscard]] bool empty() const { return m_state == State{}; }
    /// Replaces the selection; emits changed() only when something differs.
    void set(const State& state);
    void clear();

  signals:
    void changed();

  private:
    State m_state;
};

}  // namespace lanescope::app

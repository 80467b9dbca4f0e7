#include "app/bridge/selection.h"

namespace lanescope::app {

Selection::Selection(QObject* parent) : QObject(parent) {}

void Selection::set(const State& state) {
    if (state == m_state) return;
    m_state = state;
    emit changed();
}

void Selection::clear() {
    set(State{});
}

}  // namespace lanescope::app

#pragma once
// Work for a pool thread of which only the newest matters: while one request runs, later ones
// replace each other, and results that were overtaken are dropped. UI thread only.

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <functional>
#include <memory>

namespace lanescope::app {

template <class T>
class LatestTask {
  public:
    /// `deliver` runs on the UI thread, never after `owner` is gone.
    LatestTask(QObject* owner, std::function<void(T)> deliver)
        : m_state(std::make_shared<State>()) {
        m_state->owner = owner;
        m_state->deliver = std::move(deliver);
    }

    /// `work` must not touch the owner: it runs on another thread.
    void start(std::function<T()> work) {
        m_state->pending = std::move(work);
        if (!m_state->running) next(m_state);
    }
    /// Nothing more is delivered until the next start.
    void drop() {
        m_state->pending = nullptr;
        m_state->dropped = m_state->running;
    }
    [[nodiscard]] bool busy() const { return m_state->running && !m_state->dropped; }

  private:
    struct State {
        QPointer<QObject> owner;
        std::function<void(T)> deliver;
        std::function<T()> pending;
        bool running = false;
        bool dropped = false;
    };

    static void next(const std::shared_ptr<State>& state) {
        std::function<T()> work = std::move(state->pending);
        state->pending = nullptr;
        state->running = true;
        state->dropped = false;
        QThreadPool::globalInstance()->start([state, work = std::move(work)] {
            auto result = std::make_shared<T>(work());
            QMetaObject::invokeMethod(
                QCoreApplication::instance(), [state, result] { finish(state, *result); },
                Qt::QueuedConnection);
        });
    }

    static void finish(const std::shared_ptr<State>& state, T& result) {
        state->running = false;
        if (!state->owner) return;
        if (state->pending)
            next(state);
        else if (!state->dropped)
            state->deliver(std::move(result));
    }

    std::shared_ptr<State> m_state;
};

}  // namespace lanescope::app

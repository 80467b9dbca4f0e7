#pragma once
// One answer as text with the place of every token in it. Grows by appending; widgets and tests
// read it.

#include <QString>
#include <vector>

#include "profiler/store/run_data.h"

namespace lanescope::app {

class TokenText {
  public:
    void clear();
    /// Brings the text up to the request's tokens. Returns false when it had to start anew (another
    /// request, or fewer tokens than before).
    bool update(const profiler::RequestData& request);

    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] int size() const { return static_cast<int>(m_starts.size()); }
    [[nodiscard]] int start(int token) const { return m_starts[static_cast<std::size_t>(token)]; }
    [[nodiscard]] int end(int token) const;
    /// The token that wrote the character at `position`; the last one past the end; -1 without
    /// tokens. A token of no text is never returned for a position inside the text.
    [[nodiscard]] int tokenAt(int position) const;
    [[nodiscard]] int request() const { return m_request; }

  private:
    QString m_text;
    std::vector<int> m_starts;
    int m_request = -1;
};

}  // namespace lanescope::app

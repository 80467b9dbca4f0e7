#include "app/models/token_text.h"

#include <algorithm>

namespace lanescope::app {

void TokenText::clear() {
    m_text.clear();
    m_starts.clear();
    m_request = -1;
}

bool TokenText::update(const profiler::RequestData& request) {
    const bool grows = request.record.id == m_request && request.tokens.size() >= m_starts.size();
    if (!grows) {
        clear();
        m_request = request.record.id;
    }
    m_starts.reserve(request.tokens.size());
    for (std::size_t i = m_starts.size(); i < request.tokens.size(); ++i) {
        m_starts.push_back(static_cast<int>(m_text.size()));
        QString piece = QString::fromStdString(request.tokens[i].piece);
        piece.remove(u'\r');
        m_text += piece;
    }
    return grows;
}

int TokenText::end(int token) const {
    const auto next = static_cast<std::size_t>(token) + 1;
    return next < m_starts.size() ? m_starts[next] : static_cast<int>(m_text.size());
}

int TokenText::tokenAt(int position) const {
    if (m_starts.empty()) return -1;
    const auto after = std::upper_bound(m_starts.begin(), m_starts.end(), position);
    return std::max(0, static_cast<int>(after - m_starts.begin()) - 1);
}

}  // namespace lanescope::app

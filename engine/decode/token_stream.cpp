#include "engine/decode/token_stream.h"

#include <algorithm>

namespace lanescope {

StopMatcher::StopMatcher(std::vector<std::string> stop) : m_stop(std::move(stop)) {
    std::erase_if(m_stop, [](const std::string& s) { return s.empty(); });
}

std::string StopMatcher::push(const std::string& text) {
    if (m_matched) return {};
    if (m_stop.empty()) return text;
    m_held += text;
    // The stop string that is complete first wins, so the result does not depend on how the text
    // was cut into tokens; of two that end together, the longer one.
    std::size_t first = std::string::npos;
    std::size_t firstEnd = std::string::npos;
    for (const std::string& stop : m_stop) {
        const std::size_t at = m_held.find(stop);
        if (at == std::string::npos) continue;
        const std::size_t end = at + stop.size();
        if (end < firstEnd || (end == firstEnd && at < first)) {
            first = at;
            firstEnd = end;
        }
    }
    if (first != std::string::npos) {
        m_matched = true;
        m_held.resize(first);
        return std::exchange(m_held, {});
    }
    // Hold back the longest end that starts a stop string.
    std::size_t hold = 0;
    for (const std::string& stop : m_stop)
        for (std::size_t n = std::min(stop.size() - 1, m_held.size()); n > hold; --n)
            if (m_held.compare(m_held.size() - n, n, stop, 0, n) == 0) {
                hold = n;
                break;
            }
    std::string safe = m_held.substr(0, m_held.size() - hold);
    m_held.erase(0, safe.size());
    return safe;
}

std::string StopMatcher::finish() {
    return std::exchange(m_held, {});
}

TokenStream::TokenStream(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stop,
                         trace::Sink* sink)
    : m_stop(std::move(stop)), m_sink(sink) {
    if (tokenizer != nullptr) m_decoder.emplace(std::move(tokenizer));
}

bool TokenStream::push(trace::TokenRecord record) {
    std::string decoded = m_decoder ? m_decoder->push(record.token) : std::string();
    const bool unfinished = m_decoder && decoded.empty();
    std::string safe = m_stop.push(decoded);
    m_text += safe;
    if (m_sink == nullptr) return m_stop.matched();
    record.piece = std::move(safe);
    m_waiting.push_back(std::move(record));
    if (m_stop.matched() || (!unfinished && !m_stop.holding())) settle({});
    return m_stop.matched();
}

void TokenStream::finish() {
    std::string rest;
    if (!m_stop.matched()) {
        rest = m_stop.push(m_decoder ? m_decoder->finish() : std::string());
        if (!m_stop.matched()) rest += m_stop.finish();
    }
    m_text += rest;
    settle(rest);
}

void TokenStream::settle(const std::string& text) {
    if (m_sink == nullptr) return;
    if (!m_waiting.empty()) m_waiting.back().piece += text;
    for (const trace::TokenRecord& record : m_waiting) m_sink->token(record);
    m_waiting.clear();
}

}  // namespace lanescope

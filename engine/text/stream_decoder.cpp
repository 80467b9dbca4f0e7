#include <utility>

#include "engine/text/tokenizer.h"

namespace lanescope {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

StreamDecoder::StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer, SkipSpecial skip)
    : m_tokenizer(std::move(tokenizer)), m_skip(skip) {}

std::string StreamDecoder::push(TokenId id) {
    m_window.push_back(id);
    std::string text = m_tokenizer->decode(m_window, m_skip);
    // An unfinished character decodes to U+FFFD at the end: wait for its other bytes.
    if (text.ends_with(kReplacement) || text.size() <= m_emitted.size()) return {};
    std::string piece = text.substr(m_emitted.size());
    // The ids of this piece stay as context for the next: decoders treat the first token of a
    // sequence in their own way (a space taken off), so that it must not come first.
    m_window.erase(m_window.begin(), m_window.begin() + static_cast<std::ptrdiff_t>(m_nContext));
    m_nContext = m_window.size();
    m_emitted = m_tokenizer->decode(m_window, m_skip);
    return piece;
}

std::string StreamDecoder::finish() {
    const std::string text = m_tokenizer->decode(m_window, m_skip);
    std::string rest = text.size() > m_emitted.size() ? text.substr(m_emitted.size()) : "";
    m_window.clear();
    m_nContext = 0;
    m_emitted.clear();
    return rest;
}

}  // namespace lanescope

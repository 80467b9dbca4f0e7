#pragma once
// Conversations to try a chat template on, and what it makes of them. Pure; any thread.

#include <QString>
#include <string>
#include <vector>

#include "engine/text/chat_template.h"

namespace lanescope::app {

struct ChatSample {
    QString key;    ///< for settings
    QString title;  ///< translated
    std::string messagesJson;
    std::string toolsJson;  ///< empty: none
};

/// A question; with a system prompt; several turns; with a tool; hostile text.
std::vector<ChatSample> chatSamples();

struct TemplatePreview {
    std::vector<ChatSegment> segments;
    QString error;      ///< what the template or its reader says; empty: rendered
    int errorLine = 0;  ///< of the template; 0: not known
    int nTokens = -1;   ///< with the model's tokenizer; -1: none
    bool cut = false;   ///< segments end at kMaxPreviewBytes
    std::size_t nBytes = 0;
};

inline constexpr std::size_t kMaxPreviewBytes = 64U << 10U;

/// tokenizer may be null; with one, its special tokens are given to the template.
TemplatePreview previewTemplate(const std::string& source, const ChatSample& sample,
                                bool generationPrompt, const Tokenizer* tokenizer);

}  // namespace lanescope::app

#pragma once
// From sampled tokens to text that may be shown: decoding across tokens, stop strings across token
// borders, and token records that wait until their text is settled. Nothing that may turn out to
// belong to a stop string is ever given out.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"
#include "engine/trace/sink.h"

namespace lanescope {

/// Finds the first of several strings to be complete in text that comes in pieces.
class StopMatcher {
  public:
    explicit StopMatcher(std::vector<std::string> stop);  ///< empty strings are dropped
    /// Adds text; returns what is safe to show. After a match nothing more is returned.
    std::string push(const std::string& text);
    /// What was held back, when no more text comes.
    std::string finish();
    [[nodiscard]] bool matched() const { return m_matched; }
    [[nodiscard]] bool holding() const { return !m_held.empty(); }

  private:
    std::vector<std::string> m_stop;
    std::string m_held;  ///< the longest end of the text that starts a stop string
    bool m_matched = false;
};

/// The text side of one request. A record goes to the sink as soon as its text is settled: at once
/// as a rule, with the next token when it ends within a character or a possible stop string.
class TokenStream {
  public:
    /// tokenizer may be null: then there is no text.
    TokenStream(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stop,
                trace::Sink* sink);
    /// Takes a sampled token's record (piece is filled here). True: a stop string was completed.
    bool push(trace::TokenRecord record);
    /// No more tokens: the rest of the text belongs to the last one.
    void finish();
    [[nodiscard]] const std::string& text() const { return m_text; }

  private:
    void settle(const std::string& text);

    std::optional<StreamDecoder> m_decoder;
    StopMatcher m_stop;
    trace::Sink* m_sink;
    std::vector<trace::TokenRecord> m_waiting;
    std::string m_text;
};

}  // namespace lanescope

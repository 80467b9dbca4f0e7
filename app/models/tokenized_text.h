#pragma once
// A text cut into tokens, with everything the tokenizer panel shows. Pure; any thread.

#include <QString>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lanescope::app {

/// Longer texts are cut before they are tokenised.
inline constexpr qsizetype kMaxTokenizedChars = 1 << 20;
/// More tokens are counted, but not laid out.
inline constexpr int kMaxShownTokens = 4000;

struct TokenizeOptions {
    bool parseSpecial = true;  ///< "<|im_end|>" is that token
    bool addBos = false;       ///< and what else the vocabulary puts around a text
};

struct ShownToken {
    TokenId id = -1;
    QString text;  ///< with marks for blanks; bytes in hex where they are no whole characters
    std::string bytes;
    bool special = false;
    bool endsLine = false;  ///< holds a line break
};

struct TokenizedText {
    QString error;  ///< not empty: nothing else is there
    std::vector<TokenId> ids;
    std::vector<ShownToken> shown;  ///< the first kMaxShownTokens
    qsizetype nCharacters = 0;      ///< code points
    qsizetype nBytes = 0;
    int nSpecial = 0;
    bool cut = false;        ///< the text was longer than kMaxTokenizedChars
    bool roundTrip = false;  ///< decoding gives the text back
    QString roundTripNote;   ///< where it differs

    [[nodiscard]] double bytesPerToken() const;
};

TokenizedText tokenizeText(const Tokenizer& tokenizer, const QString& text,
                           const TokenizeOptions& options);

/// "E5 85 89".
QString hexBytes(const std::string& bytes);
/// A token's bytes as people read them: "·the", "↵", "⟨E5⟩".
QString readablePiece(const std::string& bytes);
/// "1, 300, 270".
QString idsText(const std::vector<TokenId>& ids);

}  // namespace lanescope::app

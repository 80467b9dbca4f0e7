#pragma once
// SentencePiece's "precompiled charsmap": character sequences and what each becomes, as a double
// array (the layout of Darts-clone) followed by the replacements. Untrusted: every step is checked.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lanescope::tokenizer {

class Charsmap {
  public:
    struct Match {
        std::size_t length = 0;  ///< bytes of the text; 0: nothing matches
        std::string_view replacement;
    };

    /// Errors: BadInput where the table is cut or has no room for its replacements.
    static Result<std::shared_ptr<const Charsmap>> parse(std::string_view blob);

    /// The longest sequence the text starts with.
    [[nodiscard]] Match longest(std::string_view text) const { return find(text, false); }
    /// The shortest one.
    [[nodiscard]] Match shortest(std::string_view text) const { return find(text, true); }

  private:
    Charsmap(std::vector<std::uint32_t> units, std::string replacements);
    [[nodiscard]] Match find(std::string_view text, bool first) const;

    std::vector<std::uint32_t> m_units;
    std::string m_replacements;    ///< each ends with NUL
    bool m_asciiStarts[128] = {};  ///< whether a sequence starts with this character
};

}  // namespace lanescope::tokenizer

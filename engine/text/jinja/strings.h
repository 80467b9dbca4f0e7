#pragma once
// Python's string operations on Text; origins are kept. Used by the methods and the filters.

#include <optional>

#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

enum class Ends : std::uint8_t { Left = 1, Right = 2, Both = 3 };

/// strip(): white space, or any of the code points of `chars`.
TextPtr strip(const Text& text, Ends ends, const Text* chars = nullptr);
TextPtr upper(const Text& text);
TextPtr lower(const Text& text);
TextPtr swapcase(const Text& text);
TextPtr capitalize(const Text& text);
/// str.title(): a capital behind everything that is not a letter.
TextPtr titleMethod(const Text& text);
/// The title filter: a capital at the start and behind white space and - ( { [ <.
TextPtr titleFilter(const Text& text);
/// limit < 0: all.
TextPtr replace(const Text& text, const Text& from, const Text& to, Int limit);
/// split()/rsplit() at `separator`, or at white space if null; limit < 0: all.
Values split(const Text& text, const Text* separator, Int limit, bool fromRight);
Values splitLines(const Text& text, bool keepEnds);
TextPtr joinTexts(const Text& separator, const Values& items);
/// ljust, rjust, center.
TextPtr pad(const Text& text, Int width, Ends textAt, const Text& fill);

bool isLetter(std::uint32_t codepoint);
bool isCasedUpper(std::uint32_t codepoint);
bool isCasedLower(std::uint32_t codepoint);

}  // namespace lanescope::jinja

#pragma once
// A string that knows which of its stretches came from the input (messages, tools, variables) and
// which from the template. UTF-8 inside; positions that templates see count code points, as Python
// does.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/jinja/limits.h"

namespace lanescope::jinja {

/// Anything a Value points at. Charges its size to the budget current at construction.
struct Object {
    Object() = default;
    virtual ~Object();
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    void charge(std::size_t bytes);
    int depth = 0;  ///< levels of containers below and including this one

  private:
    Budget* m_budget = nullptr;
    std::size_t m_charged = 0;
};

/// Up to `end` (bytes, exclusive) from the previous run's end, all of one origin.
struct Run {
    std::size_t end = 0;
    bool fromInput = false;
};

struct Text : Object {
    std::string bytes;
    std::vector<Run> runs;  ///< ascending; the last one ends at bytes.size(); none if empty
    bool markup = false;    ///< made by `safe` or `escape`: adding to it escapes what is added
    bool ascii = true;

    [[nodiscard]] std::size_t length() const;  ///< code points
    /// Byte position of a code point, 0 … length(); length() gives bytes.size().
    [[nodiscard]] std::size_t byteOffset(std::size_t codepoint) const;
    [[nodiscard]] bool fromInputAt(std::size_t byte) const;
};
using TextPtr = std::shared_ptr<const Text>;

/// Gathers text with its origin. Checks the limits as it grows.
class TextBuilder {
  public:
    void append(const Text& text) { append(text, 0, text.bytes.size()); }
    void append(const Text& text, std::size_t from, std::size_t to);
    void append(std::string_view bytes, bool fromInput = false);
    void append(std::uint32_t codepoint, bool fromInput);
    void repeat(std::string_view bytes, std::size_t times);
    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }
    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    /// The gathered text; the builder is empty afterwards.
    TextPtr finish(bool markup = false);

  private:
    void account(std::size_t added);
    void mark(bool fromInput);

    std::string m_bytes;
    std::vector<Run> m_runs;
};

TextPtr makeText(std::string_view bytes, bool fromInput = false);
TextPtr slice(const Text& text, std::size_t fromByte, std::size_t toByte);
TextPtr asMarkup(const Text& text, bool markup);
/// Replaces & < > " ' by entities; the result is markup.
TextPtr escapeHtml(const Text& text);

/// Decodes the code point at `at` and moves past it; a broken byte yields U+FFFD.
std::uint32_t nextCodepoint(std::string_view bytes, std::size_t& at);
/// Start of the code point that ends before `at` (at > 0).
std::size_t previousStart(std::string_view bytes, std::size_t at);
void appendUtf8(std::string& out, std::uint32_t codepoint);
/// What Python's str.isspace accepts.
bool isSpace(std::uint32_t codepoint);
/// First and last byte position without white space at the ends.
std::size_t skipSpace(std::string_view bytes, std::size_t from);
std::size_t trimSpaceEnd(std::string_view bytes, std::size_t from, std::size_t end);

}  // namespace lanescope::jinja

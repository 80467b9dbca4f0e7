// The less common normalisers: SentencePiece's table as the reference library applies it, BERT's,
// and the byte alphabet.

#include <utf8proc.h>

#include <utility>

#include "engine/text/tokenizer/characters.h"
#include "engine/text/tokenizer/charsmap.h"
#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/normalizer.h"
#include "engine/text/utf8.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

Result<std::string> decodeBase64(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    int nBits = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (const char c : text) {
        std::uint32_t value = 0;
        if (c >= 'A' && c <= 'Z') {
            value = static_cast<std::uint32_t>(c - 'A');
        } else if (c >= 'a' && c <= 'z') {
            value = static_cast<std::uint32_t>(c - 'a') + 26;
        } else if (c >= '0' && c <= '9') {
            value = static_cast<std::uint32_t>(c - '0') + 52;
        } else if (c == '+' || c == '/') {
            value = c == '+' ? 62 : 63;
        } else {
            return badInput("precompiled_charsmap is not Base64");
        }
        bits = (bits << 6) | value;
        nBits += 6;
        if (nBits < 8) continue;
        nBits -= 8;
        bytes.push_back(static_cast<char>((bits >> nBits) & 0xFF));
    }
    return bytes;
}

/// The reference library's use of the table: a whole grapheme of up to five bytes is replaced by
/// what its shortest match becomes, else character by character.
class Precompiled final : public Normalizer {
  public:
    explicit Precompiled(std::shared_ptr<const Charsmap> map) : m_map(std::move(map)) {}

    Result<void> apply(std::string& text) const override {
        std::string out;
        out.reserve(text.size() + text.size() / 8);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = graphemeLength(text, at);
            appendGrapheme(std::string_view(text).substr(at, length), out);
            at += length;
        }
        text = std::move(out);
        return {};
    }

  private:
    static std::size_t graphemeLength(std::string_view text, std::size_t begin) {
        utf8proc_int32_t state = 0;
        utf8::Step before = utf8::decode(text, begin);
        std::size_t at = begin + before.length;
        while (at < text.size()) {
            const utf8::Step step = utf8::decode(text, at);
            if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before.codePoint),
                                                 static_cast<utf8proc_int32_t>(step.codePoint),
                                                 &state)) {
                break;
            }
            before = step;
            at += step.length;
        }
        return at - begin;
    }

    void appendGrapheme(std::string_view grapheme, std::string& out) const {
        if (grapheme.size() < 6) {
            if (const auto whole = m_map->shortest(grapheme); whole.length > 0) {
                out.append(whole.replacement);
                return;
            }
        }
        for (std::size_t at = 0; at < grapheme.size();) {
            const std::string_view character =
                grapheme.substr(at, utf8::decode(grapheme, at).length);
            const auto mapped = m_map->shortest(character);
            out.append(mapped.length > 0 ? mapped.replacement : character);
            at += character.size();
        }
    }

    std::shared_ptr<const Charsmap> m_map;
};

bool isControl(char32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return false;
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CN || category == UTF8PROC_CATEGORY_CO;
}

bool isChinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/// Drops control characters, makes every white space a space, and sets CJK characters apart.
class BertClean final : public Normalizer {
  public:
    BertClean(bool clean, bool chinese) : m_clean(clean), m_chinese(chinese) {}

    Result<void> apply(std::string& text) const override {
        std::string out;
        out.reserve(text.size());
        for (std::size_t at = 0; at < text.size();) {
            const utf8::Step step = utf8::decode(text, at);
            at += step.length;
            const char32_t c = step.codePoint;
            if (m_clean && (c == 0 || c == 0xFFFD || isControl(c))) continue;
            const bool apart = m_chinese && isChinese(c);
            if (apart) out.push_back(' ');
            utf8::append(out, m_clean && isWhitespace(c) ? U' ' : c);
            if (apart) out.push_back(' ');
        }
        text = std::move(out);
        return {};
    }

  private:
    bool m_clean;
    bool m_chinese;
};

class ByteAlphabet final : public Normalizer {
  public:
    Result<void> apply(std::string& text) const override {
        std::string out;
        out.reserve(text.size() + text.size() / 2);
        byte_level::appendMapped(out, text);
        text = std::move(out);
        return {};
    }
};

}  // namespace

Result<NormalizerPtr> makePrecompiled(const json& entry) {
    const std::string encoded = textField(entry, "precompiled_charsmap");
    if (encoded.empty()) return NormalizerPtr();
    const auto blob = decodeBase64(encoded);
    if (!blob) return blob.error();
    const auto map = Charsmap::parse(*blob);
    if (!map) return map.error();
    return NormalizerPtr(std::make_unique<Precompiled>(*map));
}

NormalizerPtr makeByteAlphabetNormalizer() {
    return std::make_unique<ByteAlphabet>();
}

NormalizerPtr makeBertClean(bool clean, bool chinese) {
    return std::make_unique<BertClean>(clean, chinese);
}

}  // namespace lanescope::tokenizer

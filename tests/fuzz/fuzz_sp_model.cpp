// Any bytes as a SentencePiece .model file, and as its table of replacements: reading must end in a
// Result, and what was read must encode and decode any text.

#include <nlohmann/json.hpp>

#include "engine/text/tokenizer/charsmap.h"
#include "engine/text/tokenizer/json_reader.h"
#include "tests/fuzz/tokenizer_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanescope;
    static const nlohmann::json kNone;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const auto map = tokenizer::Charsmap::parse(bytes); map) {
        for (const std::string_view text : {bytes, std::string_view("A\uff21\u3000")}) {
            for (std::size_t at = 0; at < text.size() && at < 64; ++at) {
                const auto match = (*map)->longest(text.substr(at));
                fuzz::require(match.length <= text.size() - at, "a match lies in the text");
                fuzz::require(utf8::isValid(match.replacement), "replacements are UTF-8");
            }
        }
    }
    const auto tokenizer = tokenizer::parseSpModel(bytes, "fuzz.model", {kNone, kNone, kNone});
    if (!tokenizer) {
        fuzz::require(!tokenizer.error().toString().empty(), "an error says something");
        return 0;
    }
    for (const char* text : {"", " the  theory\n<s>12 e\u0301\u6f22 ", "ab\xFF<0x0A>\u2581A"}) {
        fuzz::exercise(*tokenizer, text);
    }
    return 0;
}

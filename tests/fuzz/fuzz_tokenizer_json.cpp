// Any bytes as a tokenizer.json: reading must end in a Result, and what was read must encode and
// decode any text.

#include <nlohmann/json.hpp>

#include "engine/text/tokenizer/json_reader.h"
#include "tests/fuzz/tokenizer_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanescope;
    static const nlohmann::json kNone;
    const auto tokenizer = tokenizer::parseTokenizerJson(
        {reinterpret_cast<const char*>(data), size}, "fuzz.json", {kNone, kNone, kNone});
    if (!tokenizer) {
        fuzz::require(!tokenizer.error().toString().empty(), "an error says something");
        return 0;
    }
    for (const char* text : {"", " the  theory\n<s>12 e\u0301\u6f22 ", "ab\xFF<0x0A>\u2581"}) {
        fuzz::exercise(*tokenizer, text);
    }
    return 0;
}

// Any bytes as a text, over several kinds of vocabulary. The first byte chooses which. Vocabularies
// that lose nothing must give the text back.

#include <array>

#include "tests/fuzz/tokenizer_properties.h"

namespace {

using namespace lanescope;

struct Subject {
    const char* file;
    bool lossless;  ///< decoding gives the text back (as valid UTF-8)
};

constexpr std::array<Subject, 9> kSubjects = {{
    {"bbpe_gpt2/tokenizer.json", true},
    {"bbpe_llama3/tokenizer.json", true},
    {"bbpe_qwen2/tokenizer.json", false},
    {"bbpe_smollm/tokenizer.json", true},
    {"bbpe_added/tokenizer.json", false},
    {"spbpe_llama2/tokenizer.json", false},
    {"spbpe_gemma/tokenizer.model", false},
    {"spuni_t5/tokenizer.model", false},
    {"spuni_bytes/tokenizer.json", false},
}};

std::shared_ptr<const Tokenizer> subject(std::size_t i) {
    static std::array<std::shared_ptr<const Tokenizer>, kSubjects.size()> loaded;
    if (loaded[i] == nullptr) {
        const char* golden = std::getenv("LANESCOPE_GOLDEN");
        const std::string folder =
            golden != nullptr ? golden : LANESCOPE_SOURCE_DIR "/tests/golden";
        auto tokenizer = Tokenizer::fromFile(folder + "/tokenizers/" + kSubjects[i].file);
        if (!tokenizer) std::fprintf(stderr, "%s\n", tokenizer.error().toString().c_str());
        fuzz::require(tokenizer.ok(), "the golden tokenizers load");
        loaded[i] = *tokenizer;
    }
    return loaded[i];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t i = data[0] % kSubjects.size();
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto tokenizer = subject(i);
    const auto ids = fuzz::exercise(tokenizer, text);
    if (kSubjects[i].lossless) {
        fuzz::require(tokenizer->decode(ids, SkipSpecial::No) == utf8::repaired(text),
                      "the text comes back");
    }
    return 0;
}

#pragma once
// GGUF names a pre-tokenizer (tokenizer.ggml.pre) instead of writing it down. This is the table of
// the names: the patterns are those of the published tokenizer.json files behind them.

#include <string_view>
#include <vector>

namespace lanescope::tokenizer {

struct GgufPreTokenizer {
    std::vector<std::string_view> patterns;  ///< applied one after the other, matches isolated
    bool ignoreMerges = false;
    bool addBos = false;  ///< where tokenizer.ggml.add_bos_token is missing
    bool nfc = false;     ///< the published tokenizer normalises first
};

/// Null for a name that is not known.
const GgufPreTokenizer* findGgufPreTokenizer(std::string_view name);

/// Every known name, for messages.
std::vector<std::string_view> ggufPreTokenizerNames();

}  // namespace lanescope::tokenizer

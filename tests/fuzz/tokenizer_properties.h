#pragma once
// What must hold of any tokenizer and any text, for the fuzz targets.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"
#include "engine/text/utf8.h"

namespace lanescope::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

/// Encodes and decodes in every mode. Returns the ids of plain text.
inline std::vector<TokenId> exercise(const std::shared_ptr<const Tokenizer>& tokenizer,
                                     std::string_view text) {
    std::vector<TokenId> plain;
    for (const SpecialTokens special : {SpecialTokens::Parse, SpecialTokens::AsText}) {
        const auto ids = tokenizer->encode(text, AddSpecial::No, special);
        if (!ids) {
            require(!ids.error().message.empty(), "an error says something");
            return {};
        }
        for (const TokenId id : *ids) {
            require(id >= 0 && id < tokenizer->vocabSize(), "ids are in the vocabulary");
            if (special != SpecialTokens::AsText || !tokenizer->isSpecial(id)) continue;
            // Without its name (a file alone) the unknown token cannot be told apart.
            const std::string unknown = tokenizer->specialTokenText("unk_token");
            require(unknown.empty() || tokenizer->tokenBytes(id) == unknown,
                    "a person's text is never a control token");
        }
        plain = *ids;
    }
    const std::string whole = tokenizer->decode(plain, SkipSpecial::No);
    StreamDecoder stream(tokenizer, SkipSpecial::No);
    std::string joined;
    for (const TokenId id : plain) {
        const std::string piece = stream.push(id);
        require(utf8::isValid(piece) || !utf8::isValid(whole), "no half characters");
        joined += piece;
    }
    joined += stream.finish();
    return plain;
}

}  // namespace lanescope::fuzz

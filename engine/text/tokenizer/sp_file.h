#pragma once
// SentencePiece's .model files: a ModelProto in protocol-buffer wire format. Only the fields that
// decide how text is cut are read. Untrusted: every length is checked against the bytes left.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/tokenizer/sp_parts.h"

namespace lanescope::tokenizer {

struct SpFile {
    SpVocabulary vocabulary;  ///< its pieces point into the file's bytes
    TokenId bosId = -1;
    TokenId eosId = -1;
    TokenId padId = -1;
};

/// Errors: BadInput with the place for a damaged file; Unsupported for the kinds "word" and "char".
Result<SpFile> parseSpFile(std::string_view bytes);

}  // namespace lanescope::tokenizer

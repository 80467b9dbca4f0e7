#pragma once
// The words of a lane's attention: flash, naive, window:W or window:W+S (S sinks),
// block-sparse:B,L,S (blocks of B tokens: the last L and every S-th), pages:K, heavy:R+H
// (the last R keys and the H that got the most weight).

#include <string>

#include "engine/decode/engine.h"

namespace lanescope {

/// Sets kind and pattern. Error: BadInput with the words that are possible.
Result<void> readAttention(const std::string& word, EngineSettings& settings);
/// "0-3,7": layers that look at all keys; empty: none. Error: BadInput.
Result<void> readDenseLayers(const std::string& text, EngineSettings& settings);
/// The word that readAttention takes.
std::string attentionName(const EngineSettings& settings);

}  // namespace lanescope

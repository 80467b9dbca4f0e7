#pragma once
// What `generate`, `logits` and `bench` share: a model with an engine, made from lane options.

#include <memory>

#include "engine/decode/engine.h"
#include "engine/lane/plan.h"
#include "engine/lane/run.h"

namespace lanescope::cli {

/// Loads the lane's model and builds its engine; reasons for settings that differ from the ones
/// asked for go to stderr. maxSequences: that decode together (bench).
Result<std::unique_ptr<Engine>> openEngine(ModelStore& models, const LaneSpec& lane,
                                           std::int64_t maxSequences = 1);
/// The same with settings made from the lane.
Result<std::unique_ptr<Engine>> openEngine(ModelStore& models, const LaneSpec& lane,
                                           const EngineSettings& settings);

/// Errors: Usage naming the first id outside the vocabulary, or both numbers when the ids do not
/// fit into the context.
Result<void> checkTokens(const Engine& engine, std::span<const TokenId> tokens);

/// Reads a file or, for "-", standard input; at most maxBytes.
Result<std::string> readInput(const std::string& path, std::size_t maxBytes);

}  // namespace lanescope::cli

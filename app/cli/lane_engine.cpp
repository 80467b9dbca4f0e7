#include "app/cli/lane_engine.h"

#include <array>
#include <cstdio>

#include "app/cli/console.h"
#include "engine/base/mapped_file.h"

namespace lanescope::cli {

Result<std::unique_ptr<Engine>> openEngine(ModelStore& models, const LaneSpec& lane,
                                           std::int64_t maxSequences) {
    auto settings = engineSettings(lane);
    if (!settings) return settings.error();
    settings->maxSequences = maxSequences;
    return openEngine(models, lane, *settings);
}

Result<std::unique_ptr<Engine>> openEngine(ModelStore& models, const LaneSpec& lane,
                                           const EngineSettings& settings) {
    auto model = models.get(lane.model);
    if (!model) return model.error();
    auto engine = createEngine(*model, settings);
    if (!engine) return engine;
    for (const std::string& reason : (*engine)->effective().notes) note("note: " + reason);
    return engine;
}

Result<void> checkTokens(const Engine& engine, std::span<const TokenId> tokens) {
    const std::int64_t vocab = engine.model().spec().vocab;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] >= 0 && tokens[i] < vocab) continue;
        return usageError("token " + std::to_string(tokens[i]) + " at position " +
                          std::to_string(i) + " is outside the vocabulary (0 to " +
                          std::to_string(vocab - 1) + ")");
    }
    const std::int64_t context = engine.effective().settings.contextTokens;
    if (static_cast<std::int64_t>(tokens.size()) > context) {
        return usageError("the prompt has " + std::to_string(tokens.size()) +
                              " tokens, the context holds " + std::to_string(context),
                          "give --context " + std::to_string(tokens.size() + 1) +
                              " or more, or a shorter prompt");
    }
    return {};
}

Result<std::string> readInput(const std::string& path, std::size_t maxBytes) {
    if (path != "-") return readTextFile(path, maxBytes);
    std::string text;
    std::array<char, 1 << 16> buffer{};
    std::size_t n = 0;
    while ((n = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0) {
        text.append(buffer.data(), n);
        if (text.size() > maxBytes) {
            return badInput("is more than " + std::to_string(maxBytes) + " bytes",
                            "standard input");
        }
    }
    if (std::ferror(stdin) != 0) return ioError("cannot be read", "standard input");
    return text;
}

}  // namespace lanescope::cli

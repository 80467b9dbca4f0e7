#include "engine/decode/text_windows.h"

#include <algorithm>

namespace lanescope {

Result<TextWindows> TextWindows::create(const Model& model, std::string_view text,
                                        std::int64_t length, const std::string& context) {
    if (model.tokenizer() == nullptr)
        return usageError("a text needs a tokenizer: " + model.tokenizerError());
    if (length < 2) return usageError("a window needs at least 2 tokens");
    auto ids = model.tokenizer()->encode(text, AddSpecial::Yes, SpecialTokens::AsText);
    if (!ids) return ids.error();
    const auto nTokens = std::ssize(*ids);
    if (nTokens < length)
        return badInput(
            "has " + std::to_string(nTokens) + " tokens, a window needs " + std::to_string(length),
            context, "give a longer text or a shorter window");
    const TokenId bos = model.tokenizer()->bos();
    const bool startsWithBos = bos >= 0 && ids->front() == bos;
    return TextWindows(*std::move(ids), length, startsWithBos ? bos : -1);
}

std::vector<TokenId> TextWindows::at(std::size_t index) const {
    const auto begin = m_text.begin() + static_cast<std::ptrdiff_t>(index * m_length);
    std::vector<TokenId> window(begin, begin + static_cast<std::ptrdiff_t>(m_length));
    if (m_bos >= 0) window.front() = m_bos;
    return window;
}

DepthScores::DepthScores(std::vector<std::int64_t> limits) : depths(std::move(limits)) {
    std::sort(depths.begin(), depths.end());
    byDepth.resize(depths.size());
}

Result<void> scoreWindow(Engine& engine, Engine* reference, std::span<const TokenId> window,
                         DepthScores& scores, const ScoreHooks& hooks, const CancelToken& cancel) {
    const auto nTokens = std::ssize(window);
    auto mine = engine.logitStream(nTokens);
    auto theirs = reference != nullptr ? reference->logitStream(nTokens) : nullptr;
    std::int64_t chunk = mine->maxTokens();
    if (theirs != nullptr) chunk = std::min(chunk, theirs->maxTokens());
    const auto usable = static_cast<std::size_t>(engine.model().usableVocab());
    const std::int64_t firstScored = scores.depths.empty() ? nTokens / 2 : 0;
    for (std::int64_t done = 0; done < nTokens; done += chunk) {
        const std::int64_t count = std::min(chunk, nTokens - done);
        const auto part =
            window.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count));
        auto a = mine->feed(part, cancel);
        if (!a) return a.error();
        auto b =
            theirs != nullptr ? theirs->feed(part, cancel) : Result<std::span<const float>>(*a);
        if (!b) return b.error();
        const auto rowOf = [&](std::span<const float> all, std::int64_t i) {
            const auto vocab = all.size() / static_cast<std::size_t>(count);
            return all.subspan(static_cast<std::size_t>(i) * vocab, vocab);
        };
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t position = done + i;
            if (position < firstScored || position + 1 >= nTokens) continue;
            const TokenId next = window[static_cast<std::size_t>(position + 1)];
            const Distribution predicted(rowOf(*a, i).first(usable));
            if (theirs != nullptr) {
                const Distribution expected(rowOf(*b, i).first(usable));
                const double divergence = klDivergence(expected, predicted);
                scores.each(position, [&](TextQuality& quality) {
                    quality.add(predicted, expected, divergence, next);
                });
            } else {
                scores.each(position, [&](TextQuality& quality) { quality.add(predicted, next); });
            }
            if (!hooks.position) continue;
            if (auto ok = hooks.position(rowOf(*b, i)); !ok) return ok.error();
        }
        if (hooks.progress) hooks.progress(done + count);
    }
    return {};
}

}  // namespace lanescope

#pragma once
// A text in windows of equal length, each scored position by position: how well a model predicts
// it, and how far from a reference's predictions, apart by how much came before. The command line
// and the app measure with this. Read next: quality.h.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/decode/engine.h"
#include "engine/decode/quality.h"

namespace lanescope {

/// The text's windows, each starting with BOS where the tokenizer puts one.
class TextWindows {
  public:
    /// length: tokens of a window, at least 2. context: names the text in errors. Errors: Usage
    /// without a tokenizer; BadInput when the text is shorter than a window.
    static Result<TextWindows> create(const Model& model, std::string_view text,
                                      std::int64_t length, const std::string& context);
    [[nodiscard]] std::size_t count() const { return m_text.size() / m_length; }
    /// The tokens of all windows, before BOS takes the place of each one's first.
    [[nodiscard]] std::span<const TokenId> tokens() const {
        return std::span(m_text).first(count() * m_length);
    }
    [[nodiscard]] std::vector<TokenId> at(std::size_t index) const;

  private:
    TextWindows(std::vector<TokenId> text, std::int64_t length, TokenId bos)
        : m_text(std::move(text)), m_length(static_cast<std::size_t>(length)), m_bos(bos) {}

    std::vector<TokenId> m_text;
    std::size_t m_length;
    TokenId m_bos;  ///< -1: none
};

/// What has been scored: all of it, and apart by position.
struct DepthScores {
    TextQuality all;
    std::vector<std::int64_t> depths;  ///< ascending: a figure for [earlier, this)
    std::vector<TextQuality> byDepth;  ///< [depths]

    explicit DepthScores(std::vector<std::int64_t> limits = {});
    /// Where the figure at `index` begins.
    [[nodiscard]] std::int64_t from(std::size_t index) const {
        return index == 0 ? 0 : depths[index - 1];
    }
    /// fn(quality) for everything that a position counts for.
    template <class Fn>
    void each(std::int64_t position, Fn&& fn) {
        fn(all);
        const auto at = std::upper_bound(depths.begin(), depths.end(), position);
        if (at != depths.end()) fn(byDepth[static_cast<std::size_t>(at - depths.begin())]);
    }
};

/// What else is told while a window is scored.
struct ScoreHooks {
    /// The reference's logits [vocab] at a scored position (the engine's own without a reference).
    std::function<Result<void>(std::span<const float> logits)> position = {};
    /// Tokens of the window that both have read.
    std::function<void(std::int64_t nTokens)> progress = {};
};

/// One window, both engines side by side; reference: null for none. With depths every position is
/// scored, without them the second half. Errors: what the engines say; Cancelled.
Result<void> scoreWindow(Engine& engine, Engine* reference, std::span<const TokenId> window,
                         DepthScores& scores, const ScoreHooks& hooks, const CancelToken& cancel);

}  // namespace lanescope

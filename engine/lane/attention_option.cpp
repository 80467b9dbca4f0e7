#include "engine/lane/attention_option.h"

#include <charconv>
#include <string_view>
#include <vector>

namespace lanescope {

namespace {

constexpr const char* kPossible =
    "flash, naive, window:W, window:W+S, block-sparse:B,L,S, pages:K, "
    "heavy:R+H";
constexpr std::int64_t kMostLayers = 4096;

/// Numbers between separators; empty: something else is there.
std::vector<std::int64_t> numbersOf(std::string_view text, std::string_view separators) {
    std::vector<std::int64_t> numbers;
    while (true) {
        const std::size_t end = text.find_first_of(separators);
        const std::string_view part = text.substr(0, end);
        std::int64_t value = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), value);
        if (read.ec != std::errc() || read.ptr != part.data() + part.size() || value < 0) return {};
        numbers.push_back(value);
        if (end == std::string_view::npos) return numbers;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

Result<void> readAttention(const std::string& word, EngineSettings& settings) {
    using Kind = AttentionPattern::Kind;
    AttentionPattern& pattern = settings.pattern;
    pattern.kind = Kind::Dense;
    settings.attention =
        word == "naive" ? kernels::AttentionKind::Naive : kernels::AttentionKind::Flash;
    if (word == "flash" || word == "naive" || word == "auto") return {};
    const std::size_t colon = word.find(':');
    const std::string_view name = std::string_view(word).substr(0, colon);
    const std::string_view rest =
        colon == std::string::npos ? std::string_view() : std::string_view(word).substr(colon + 1);
    const auto numbers = numbersOf(rest, name == "window" || name == "heavy" ? "+" : ",");
    if (name == "window" && (numbers.size() == 1 || numbers.size() == 2)) {
        pattern.kind = Kind::Window;
        pattern.window = numbers[0];
        pattern.sinks = numbers.size() == 2 ? numbers[1] : 0;
        return {};
    }
    if (name == "block-sparse" && numbers.size() == 3) {
        pattern.kind = Kind::BlockSparse;
        pattern.blockTokens = numbers[0];
        pattern.localBlocks = numbers[1];
        pattern.strideBlocks = numbers[2];
        return {};
    }
    if (name == "pages" && numbers.size() == 1) {
        pattern.kind = Kind::Pages;
        pattern.pages = numbers[0];
        return {};
    }
    if (name == "heavy" && numbers.size() == 2) {
        pattern.kind = Kind::HeavyHitters;
        pattern.window = numbers[0];
        pattern.heavy = numbers[1];
        pattern.sinks = 0;
        return {};
    }
    return badInput("attention \"" + word + "\" is not possible; possible: " + kPossible);
}

Result<void> readDenseLayers(const std::string& text, EngineSettings& settings) {
    std::vector<bool>& layers = settings.pattern.denseLayers;
    layers.clear();
    if (text.empty()) return {};
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        const auto range = numbersOf(rest.substr(0, comma), "-");
        if (range.empty() || range.size() > 2 || range.back() < range.front() ||
            range.back() >= kMostLayers)
            return badInput("dense layers \"" + text + "\" are not layers, such as 0-3,7");
        if (std::ssize(layers) <= range.back())
            layers.resize(static_cast<std::size_t>(range.back()) + 1);
        for (std::int64_t i = range.front(); i <= range.back(); ++i)
            layers[static_cast<std::size_t>(i)] = true;
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

std::string attentionName(const EngineSettings& settings) {
    const AttentionPattern& p = settings.pattern;
    switch (p.kind) {
        case AttentionPattern::Kind::Window:
            return "window:" + std::to_string(p.window) +
                   (p.sinks > 0 ? "+" + std::to_string(p.sinks) : "");
        case AttentionPattern::Kind::BlockSparse:
            return "block-sparse:" + std::to_string(p.blockTokens) + "," +
                   std::to_string(p.localBlocks) + "," + std::to_string(p.strideBlocks);
        case AttentionPattern::Kind::Pages:
            return "pages:" + std::to_string(p.pages);
        case AttentionPattern::Kind::HeavyHitters:
            return "heavy:" + std::to_string(p.window) + "+" + std::to_string(p.heavy);
        default:
            return settings.attention == kernels::AttentionKind::Naive ? "naive" : "flash";
    }
}

}  // namespace lanescope

#pragma once
// What heavy-hitter eviction knows of a sequence (H2O, arXiv 2306.14048, section 4): the attention
// each block of its cache got from all queries so far. A block holds all layers' keys of its
// tokens, so there is one decision for all layers and heads, and what is given up is free memory;
// the paper decides by layer and head. (The last layer's weights do not count: it is not computed
// for tokens that only fill the cache.) Prompts are read in full; from their end on, whenever a
// block is full, the blocks that got the least go until the lane's budget holds.

#include <cstdint>
#include <iterator>
#include <vector>

namespace lanescope {

struct HeavyHitters {
    std::int64_t nPrompt = 0;  ///< nothing is given up before
    /// [layers][blocks] weights summed up over queries and heads. Layers apart, so that the order
    /// of additions is the text's, however it is cut into passes.
    std::vector<std::vector<double>> mass;

    /// Of all layers; 0: nobody looked at it yet.
    [[nodiscard]] double massOf(std::int64_t block) const {
        double sum = 0.0;
        for (const std::vector<double>& layer : mass)
            if (block < std::ssize(layer)) sum += layer[static_cast<std::size_t>(block)];
        return sum;
    }
};

}  // namespace lanescope

#pragma once
// A text in the middle of the pipeline: its characters and the pieces they are cut into. Pieces are
// ranges, so that cutting copies nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::tokenizer {

struct Pieces {
    struct Range {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };

    std::string text;           ///< under 4 GiB; the pipeline sees to it
    bool atTextStart = false;   ///< `text` is (what became of) the very start of what was given
    std::vector<Range> ranges;  ///< in order, without overlap, none empty

    [[nodiscard]] std::string_view view(const Range& range) const {
        return std::string_view(text).substr(range.begin, range.end - range.begin);
    }
};

}  // namespace lanescope::tokenizer

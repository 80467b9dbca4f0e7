#include "engine/model/norm_gains.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/ops/quantise_acts.h"

namespace lanescope {

bool unevenGains(std::span<const float> gains) {
    constexpr double kUneven = 1.7;
    constexpr auto kBlock = static_cast<std::size_t>(kernels::kActsBlock);
    double all = 0.0;
    double greatest = 0.0;  // of each block, for all of its entries
    for (std::size_t begin = 0; begin < gains.size(); begin += kBlock) {
        const auto block = gains.subspan(begin, std::min(kBlock, gains.size() - begin));
        double most = 0.0;
        for (const float gain : block) {
            const double square = static_cast<double>(gain) * static_cast<double>(gain);
            all += square;
            most = std::max(most, square);
        }
        greatest += most * static_cast<double>(block.size());
    }
    return std::isfinite(greatest) && greatest >= kUneven * kUneven * all && all > 0.0;
}

}  // namespace lanescope

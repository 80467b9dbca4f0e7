#pragma once
// How keys and values are stored in the blocks of a cache. A slice is what one KV head has in one
// block: rows of codes, a token each, and behind them what the codes are scaled by. The rows of one
// slice are all of a size, so that kernels read them in place.

#include <cstdint>
#include <string_view>

namespace lanescope::kernels {

/// E4M3, E5M2: 8-bit floats of OCP OFP8, rounded to nearest even, too large ones become the
/// largest. Int8: code · scale, a scale (f32, largest magnitude / 127) a token. Int4: minimum +
/// code · scale (both f16). Values have a pair a token; keys a pair a channel over the tokens of a
/// block (arXiv 2402.02750: a few channels of keys are large throughout). The keys of a block can
/// therefore be coded only when all of them are there: see PagedKv::tail.
enum class KvFormat : std::uint8_t { F32, F16, BF16, E4M3, E5M2, Int8, Int4 };
inline constexpr int kKvFormats = 7;

enum class KvPart : std::uint8_t { Keys, Values };

/// "fp32", "fp16", "bf16", "fp8-e4m3", "fp8-e5m2", "int8", "int4".
std::string_view kvFormatName(KvFormat format);

/// Bytes of one slice.
struct KvSlice {
    std::int64_t rowBytes = 0;     ///< codes of a token
    std::int64_t scaleOffset = 0;  ///< where scales begin: after the rows
    std::int64_t bytes = 0;
};
/// Precondition: canStore().
KvSlice kvSlice(KvFormat format, KvPart part, std::int64_t blockTokens, std::int64_t headDim);
/// Int4 needs heads of a multiple of 8 columns, Int8 of 4.
bool canStore(KvFormat format, std::int64_t headDim);
/// Whether keys of this format are coded a block at a time.
inline bool codesWholeBlocks(KvFormat format, KvPart part) {
    return format == KvFormat::Int4 && part == KvPart::Keys;
}

}  // namespace lanescope::kernels

#include "engine/cache/kv_memory.h"

#include <cmath>

namespace lanescope {

namespace {

using kernels::KvFormat;
using kernels::KvPart;

/// "2", "1", "1 + 4/64" …: bytes of one number, and what scales it.
std::string bytesOfNumber(KvFormat format, KvPart part, const KvLayout& layout) {
    switch (format) {
        case KvFormat::F32:
            return "4 bytes";
        case KvFormat::F16:
        case KvFormat::BF16:
            return "2 bytes";
        case KvFormat::E4M3:
        case KvFormat::E5M2:
            return "1 byte";
        case KvFormat::Int8:
            return "(1 + 4/" + std::to_string(layout.headDim) + ") bytes";
        case KvFormat::Int4:
            return "(1/2 + 4/" +
                   std::to_string(part == KvPart::Keys ? layout.blockTokens : layout.headDim) +
                   ") bytes";
    }
    return {};
}

std::string rounded(double bytes) {
    return std::to_string(static_cast<std::int64_t>(std::llround(bytes)));
}

}  // namespace

KvMemory kvMemory(const KvLayout& layout, std::int64_t contextTokens, std::int64_t batch,
                  std::int64_t passTokens) {
    KvMemory m;
    m.bytesPerTokenPerLayer =
        static_cast<double>(layout.layerBytes()) / static_cast<double>(layout.blockTokens);
    m.bytesPerToken = m.bytesPerTokenPerLayer * static_cast<double>(layout.nLayers);
    m.blocksPerSequence = layout.blocksFor(contextTokens);
    m.bytesPerSequence = static_cast<std::uint64_t>(m.blocksPerSequence) * layout.blockBytes();
    const auto nBlocks = static_cast<std::int32_t>(batch * m.blocksPerSequence);
    m.total = layout.poolBytes(nBlocks, layout.tailsFor(passTokens, batch));
    m.tailBytes = m.total - static_cast<std::uint64_t>(nBlocks) * layout.blockBytes();
    const std::string shape = std::to_string(layout.nLayers) + " layers × " +
                              std::to_string(layout.nKvHeads) + " KV heads × " +
                              std::to_string(layout.headDim) + " columns × ";
    const std::string keys = bytesOfNumber(layout.keys, KvPart::Keys, layout);
    const std::string values = bytesOfNumber(layout.values, KvPart::Values, layout);
    m.formula = keys == values ? "2 (K, V) × " + shape + keys
                               : shape + "(" + keys + " of K + " + values + " of V)";
    if (layout.bounds)
        m.formula +=
            " + bounds of " + std::to_string(layout.boundsBytes()) + " bytes a block and layer";
    m.formula += " = " + rounded(m.bytesPerToken) + " bytes a token";
    return m;
}

}  // namespace lanescope

// Writing, sealing and reading rows of the cache, number by number.

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/ops/kv_codes.h"
#include "kernels/ops/kv_select_loop.h"
#include "kernels/reference/reference.h"
#include "kernels/types/float8.h"

namespace lanescope::kernels::reference {
namespace {

DType plainType(KvFormat format) {
    return format == KvFormat::F16    ? DType::F16
           : format == KvFormat::BF16 ? DType::BF16
                                      : DType::F32;
}

/// A slice of one head in one physical block.
char* sliceAt(const PagedKv& kv, KvPart part, std::int64_t block, std::int64_t head) {
    void* storage = part == KvPart::Keys ? kv.k : kv.v;
    const KvSlice slice = part == KvPart::Keys ? kv.keySlice() : kv.valueSlice();
    return static_cast<char*>(storage) + (block * kv.nKvHeads + head) * slice.bytes;
}

std::uint16_t* tailRow(const PagedKv& kv, std::int64_t position, std::int64_t head) {
    const std::int64_t tail = kv.tailTable[position / kv.blockTokens];
    const std::int64_t slot = position % kv.blockTokens;
    return static_cast<std::uint16_t*>(kv.tail) +
           ((tail * kv.nKvHeads + head) * kv.blockTokens + slot) * kv.headDim;
}

void putScale(char* at, const Int4Scale& s) {
    std::memcpy(at, &s.scaleBits, 2);
    std::memcpy(at + 2, &s.lowBits, 2);
}

void writeRow(KvFormat format, const KvSlice& layout, char* slice, std::int64_t slot,
              const float* x, std::int64_t n) {
    char* row = slice + slot * layout.rowBytes;
    switch (format) {
        case KvFormat::E4M3:
        case KvFormat::E5M2:
            for (std::int64_t i = 0; i < n; ++i)
                row[i] =
                    static_cast<char>(format == KvFormat::E4M3 ? f32ToE4m3(x[i]) : f32ToE5m2(x[i]));
            return;
        case KvFormat::Int8: {
            float largest = 0.0F;
            for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(x[i]));
            const Int8Scale s = int8Scale(largest);
            std::memcpy(slice + layout.scaleOffset + 4 * slot, &s.scale, 4);
            for (std::int64_t i = 0; i < n; ++i)
                row[i] = static_cast<char>(int8Code(x[i], s.inverse));
            return;
        }
        case KvFormat::Int4: {
            const auto [low, high] = std::minmax_element(x, x + n);
            const Int4Scale s = int4Scale(*low, *high);
            putScale(slice + layout.scaleOffset + 4 * slot, s);
            for (std::int64_t i = 0; i < n; i += 2)
                row[i / 2] = static_cast<char>(int4Code(x[i], s) | int4Code(x[i + 1], s) << 4);
            return;
        }
        default:
            return fromF32(plainType(format), x, row, n);
    }
}

void readRow(KvFormat format, KvPart part, const KvSlice& layout, const char* slice,
             std::int64_t slot, float* out, std::int64_t n) {
    const char* row = slice + slot * layout.rowBytes;
    const char* scales = slice + layout.scaleOffset;
    const auto half = [](const char* at) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, 2);
        return halfToF32(bits);
    };
    switch (format) {
        case KvFormat::E4M3:
        case KvFormat::E5M2:
            for (std::int64_t i = 0; i < n; ++i) {
                const auto b = static_cast<std::uint8_t>(row[i]);
                out[i] = format == KvFormat::E4M3 ? e4m3ToF32(b) : e5m2ToF32(b);
            }
            return;
        case KvFormat::Int8: {
            float scale = 0.0F;
            std::memcpy(&scale, scales + 4 * slot, 4);
            for (std::int64_t i = 0; i < n; ++i)
                out[i] = static_cast<float>(static_cast<std::int8_t>(row[i])) * scale;
            return;
        }
        case KvFormat::Int4:
            for (std::int64_t i = 0; i < n; ++i) {
                const char* pair = scales + 4 * (part == KvPart::Keys ? i : slot);
                const int code = (static_cast<std::uint8_t>(row[i / 2]) >> (4 * (i % 2))) & 15;
                out[i] = std::fma(static_cast<float>(code), half(pair), half(pair + 2));
            }
            return;
        default:
            return dequantiseRow(plainType(format), row, out, n);
    }
}

}  // namespace

void kvWrite(const KvWriteArgs& args) {
    const PagedKv& kv = args.kv;
    const KvSlice keys = kv.keySlice();
    const KvSlice values = kv.valueSlice();
    for (std::int64_t t = args.tokenBegin; t < args.tokenEnd; ++t) {
        const std::int64_t position = args.positions[t];
        const std::int64_t block = kv.blockTable[position / kv.blockTokens];
        const std::int64_t slot = position % kv.blockTokens;
        for (std::int64_t h = 0; h < kv.nKvHeads; ++h) {
            const float* k = args.k + t * args.kStride + h * kv.headDim;
            const float* v = args.v + t * args.vStride + h * kv.headDim;
            if (codesWholeBlocks(kv.kFormat, KvPart::Keys))
                fromF32(DType::F16, k, tailRow(kv, position, h), kv.headDim);
            else
                writeRow(kv.kFormat, keys, sliceAt(kv, KvPart::Keys, block, h), slot, k,
                         kv.headDim);
            writeRow(kv.vFormat, values, sliceAt(kv, KvPart::Values, block, h), slot, v,
                     kv.headDim);
        }
    }
}

namespace {

void codeBlocks(const KvSealArgs& args) {
    const PagedKv& kv = args.kv;
    const KvSlice layout = kv.keySlice();
    for (std::int64_t b = args.blockBegin; b < args.blockEnd; ++b) {
        for (std::int64_t h = args.headBegin; h < args.headEnd; ++h) {
            char* slice = sliceAt(kv, KvPart::Keys, kv.blockTable[b], h);
            for (std::int64_t i = 0; i < kv.headDim; ++i) {
                const auto at = [&](std::int64_t t) {
                    return halfToF32(tailRow(kv, b * kv.blockTokens + t, h)[i]);
                };
                float low = at(0);
                float high = low;
                for (std::int64_t t = 1; t < kv.blockTokens; ++t) {
                    low = std::min(low, at(t));
                    high = std::max(high, at(t));
                }
                const Int4Scale s = int4Scale(low, high);
                putScale(slice + layout.scaleOffset + 4 * i, s);
                for (std::int64_t t = 0; t < kv.blockTokens; ++t) {
                    auto* byte =
                        reinterpret_cast<std::uint8_t*>(slice + t * layout.rowBytes + i / 2);
                    const int code = int4Code(at(t), s);
                    *byte = static_cast<std::uint8_t>(i % 2 == 0 ? code : (*byte & 15) | code << 4);
                }
            }
        }
    }
}

void findBounds(const KvSealArgs& args) {
    const PagedKv& kv = args.kv;
    std::vector<float> row(static_cast<std::size_t>(kv.headDim));
    for (std::int64_t b = args.blockBegin; b < args.blockEnd; ++b) {
        for (std::int64_t h = args.headBegin; h < args.headEnd; ++h) {
            std::uint16_t* low = kv.bounds + (kv.blockTable[b] * kv.nKvHeads + h) * 2 * kv.headDim;
            for (std::int64_t t = 0; t < kv.blockTokens; ++t) {
                const std::int64_t position = b * kv.blockTokens + t;
                loadKvRow(kv, KvPart::Keys, position, h, position + kv.blockTokens, row.data());
                for (std::int64_t i = 0; i < kv.headDim; ++i) {
                    const float x = row[static_cast<std::size_t>(i)];
                    std::uint16_t* high = low + kv.headDim;
                    if (t == 0 || x < fromBf16(low[i])) low[i] = bf16Below(x);
                    if (t == 0 || x > fromBf16(high[i])) high[i] = bf16Above(x);
                }
            }
        }
    }
}

}  // namespace

void kvSeal(const KvSealArgs& args) {
    if (codesWholeBlocks(args.kv.kFormat, KvPart::Keys)) codeBlocks(args);
    if (args.kv.bounds != nullptr) findBounds(args);
}

void kvSelect(const KvSelectArgs& args) {
    kvSelectLoop(args);
}

void loadKvRow(const PagedKv& kv, KvPart part, std::int64_t position, std::int64_t head,
               std::int64_t from, float* out) {
    const bool keys = part == KvPart::Keys;
    if (codesWholeBlocks(keys ? kv.kFormat : kv.vFormat, part) &&
        position / kv.blockTokens == from / kv.blockTokens)
        return dequantiseRow(DType::F16, tailRow(kv, position, head), out, kv.headDim);
    const std::int64_t block = kv.blockTable[position / kv.blockTokens];
    readRow(keys ? kv.kFormat : kv.vFormat, part, keys ? kv.keySlice() : kv.valueSlice(),
            sliceAt(kv, part, block, head), position % kv.blockTokens, out, kv.headDim);
}

}  // namespace lanescope::kernels::reference

#pragma once
// How blocks of 32 weights become small integers with scales, four columns a word, for the products
// (elements one by one: decode.cuh). A run is 256 columns of a row as stored: eight simple blocks
// or one super-block. Block formats are 2-byte aligned at best, so words are put together from the
// aligned ones around them.
//
// Coder<Block> of a format:
//   kKind       the arithmetic (kernels/cpu/panel.h)
//   kShifts     whether a block may start at 2 mod 4; if not, it starts at a multiple of 4
//   (K-quants:
//               of 16)
//   place(s)    where in a run block s is read from (the block's start, or the super-block's)
//   pair        columns 4p … 4p + 3 and 16 + 4p … of block s: an operand of a tensor core's lane
//   all         all 32 columns of block s
//   scales      its scales

#include "kernels/cpu/panel.h"
#include "kernels/cuda/decode.cuh"
#include "kernels/cuda/matmul_product.cuh"

namespace lanescope::kernels::cuda {

template <PanelKind kKind>
inline constexpr bool kHasHalves = hasHalves(kKind);
template <PanelKind kKind>
inline constexpr bool kHasMinimum = hasMinimum(kKind);
template <PanelKind kKind>
inline constexpr int kZeroPoint = zeroPoint(kKind);

/// d, m and, of Scaled6, the scales of the two halves.
struct Scales {
    float d;
    float m;
    int first;
    int second;
};

struct CodePair {
    std::uint32_t first;   ///< of the first 16 columns
    std::uint32_t second;  ///< of the last 16
};

/// Reads around a place that may be at 2 mod 4 (kShifts). Memory::word(p) loads an aligned word.
template <class Memory, bool kShifts>
class Reader {
  public:
    SIMT_DEVICE explicit Reader(const std::uint8_t* at) : m_at(at) {
        if constexpr (kShifts) {
            m_shift = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at) & 2U);
            m_at = at - m_shift;
        }
    }
    /// The four bytes at an even offset (kShifts) or a multiple of four.
    [[nodiscard]] SIMT_DEVICE std::uint32_t word(int offset) const {
        if constexpr (kShifts) {
            const std::uint8_t* from = m_at + (offset & ~3);
            const std::uint32_t skip = static_cast<std::uint32_t>(offset & 3) + m_shift;
            return bytePermute(Memory::word(from), Memory::word(from + 4),
                               0x3210U + 0x1111U * skip);
        } else {
            return Memory::word(m_at + offset);
        }
    }
    /// The two bytes at an even offset, without reading beyond their word.
    [[nodiscard]] SIMT_DEVICE std::uint16_t half(int offset) const {
        const int at = offset + static_cast<int>(m_shift);
        return static_cast<std::uint16_t>(Memory::word(m_at + (at & ~3)) >> (8 * (at & 2)));
    }
    [[nodiscard]] SIMT_DEVICE std::uint8_t byte(int offset) const {
        const int at = offset + static_cast<int>(m_shift);
        return static_cast<std::uint8_t>(Memory::word(m_at + (at & ~3)) >> (8 * (at & 3)));
    }
    /// 16 bytes at a multiple of 16.
    [[nodiscard]] SIMT_DEVICE Uint4 quad(int offset) const { return Memory::quad(m_at + offset); }
    /// 32 bytes at an offset: in two loads where kQuads, which needs a multiple of 16.
    template <bool kQuads>
    SIMT_DEVICE void words(int offset, std::uint32_t (&out)[8]) const {
        if constexpr (kQuads) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const Uint4 four = quad(offset + 16 * i);
                out[4 * i] = four.x;
                out[4 * i + 1] = four.y;
                out[4 * i + 2] = four.z;
                out[4 * i + 3] = four.w;
            }
        } else {
#pragma unroll
            for (int i = 0; i < 8; ++i) out[i] = word(offset + 4 * i);
        }
    }

  private:
    const std::uint8_t* m_at;
    std::uint32_t m_shift = 0;
};

struct GlobalMemory {
    static SIMT_DEVICE std::uint32_t word(const std::uint8_t* at) {
        return loadConstant<std::uint32_t>(at);
    }
    static SIMT_DEVICE Uint4 quad(const std::uint8_t* at) { return loadConstant<Uint4>(at); }
};
struct SharedMemory {
    static SIMT_DEVICE std::uint32_t word(const std::uint8_t* at) {
        return loadShared(reinterpret_cast<const std::uint32_t*>(at));
    }
    static SIMT_DEVICE Uint4 quad(const std::uint8_t* at) {
        return loadShared(reinterpret_cast<const Uint4*>(at));
    }
};

/// Bits i of the low nibble as bit `at` of byte i.
template <int at>
SIMT_DEVICE std::uint32_t spreadBits(std::uint32_t nibble) {
    return ((nibble & 15U) * 0x00204081U & 0x01010101U) << at;
}

/// Blocks of 32 with 16 bytes of nibbles: element j below j + 16. kScale: halves d, m; kHigh: four
/// bytes of fifth bits after them.
template <class Block, PanelKind kTheKind, int kScale, bool kHigh>
struct NibbleCoder {
    static constexpr PanelKind kKind = kTheKind;
    static constexpr bool kShifts = sizeof(Block) % 4 != 0;
    static constexpr int kRunBytes = 8 * static_cast<int>(sizeof(Block));
    static constexpr int kCodes = 2 * kScale + (kHigh ? 4 : 0);
    static SIMT_DEVICE int place(int s) { return s * static_cast<int>(sizeof(Block)); }

    static SIMT_DEVICE CodePair split(std::uint32_t nibbles, std::uint32_t high, int p) {
        CodePair out{nibbles & 0x0F0F0F0FU, nibbles >> 4 & 0x0F0F0F0FU};
        if constexpr (kHigh) {
            out.first |= spreadBits<4>(high >> (4 * p));
            out.second |= spreadBits<4>(high >> (16 + 4 * p));
        }
        return out;
    }
    template <class Run>
    static SIMT_DEVICE CodePair pair(const Run& run, int, int p) {
        return split(run.word(kCodes + 4 * p), kHigh ? run.word(2 * kScale) : 0U, p);
    }
    template <class Run>
    static SIMT_DEVICE void all(const Run& run, int, std::uint32_t (&w)[8]) {
        const std::uint32_t high = kHigh ? run.word(2 * kScale) : 0U;
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const CodePair codes = split(run.word(kCodes + 4 * p), high, p);
            w[p] = codes.first;
            w[p + 4] = codes.second;
        }
    }
    template <class Run>
    static SIMT_DEVICE Scales scales(const Run& run, int) {
        return {halfAt(run.half(0)), kScale > 1 ? halfAt(run.half(2)) : 0.0F, 0, 0};
    }
};

template <class Block>
struct Coder;
template <>
struct Coder<BlockQ4_0> : NibbleCoder<BlockQ4_0, PanelKind::Zero4, 1, false> {};
template <>
struct Coder<BlockQ4_1> : NibbleCoder<BlockQ4_1, PanelKind::Minimum4, 2, false> {};
template <>
struct Coder<BlockQ5_0> : NibbleCoder<BlockQ5_0, PanelKind::Zero5, 1, true> {};
template <>
struct Coder<BlockQ5_1> : NibbleCoder<BlockQ5_1, PanelKind::Minimum5, 2, true> {};

template <>
struct Coder<BlockQ8_0> {
    static constexpr PanelKind kKind = PanelKind::Signed8;
    static constexpr bool kShifts = true;
    static constexpr int kRunBytes = 8 * static_cast<int>(sizeof(BlockQ8_0));
    static SIMT_DEVICE int place(int s) { return s * static_cast<int>(sizeof(BlockQ8_0)); }
    template <class Run>
    static SIMT_DEVICE CodePair pair(const Run& run, int, int p) {
        return {run.word(2 + 4 * p), run.word(18 + 4 * p)};
    }
    template <class Run>
    static SIMT_DEVICE void all(const Run& run, int, std::uint32_t (&w)[8]) {
        run.template words<false>(2, w);
    }
    template <class Run>
    static SIMT_DEVICE Scales scales(const Run& run, int) {
        return {halfAt(run.half(0)), 0.0F, 0, 0};
    }
};

/// Q4_K and Q5_K: nibbles of two blocks share 32 bytes; bit s of high[j] is the fifth of block s.
template <class Block, PanelKind kTheKind, bool kHigh>
struct PairedCoder {
    static constexpr PanelKind kKind = kTheKind;
    static constexpr bool kShifts = false;
    static constexpr int kRunBytes = static_cast<int>(sizeof(Block));
    static constexpr int kHead = 4 + kScaleBytes;
    static constexpr int kCodes = kHead + (kHigh ? kSuperBlock / 8 : 0);
    static_assert(sizeof(Block) % 16 == 0 && kCodes % 16 == 0);
    static SIMT_DEVICE int place(int) { return 0; }

    static SIMT_DEVICE std::uint32_t code(std::uint32_t nibbles, std::uint32_t high, int s) {
        const std::uint32_t low = nibbles >> (4 * (s & 1)) & 0x0F0F0F0FU;
        return kHigh ? low | (high >> s & 0x01010101U) << 4 : low;
    }
    template <class Run>
    static SIMT_DEVICE CodePair pair(const Run& run, int s, int p) {
        const int at = kCodes + 32 * (s / 2) + 4 * p;
        const int high = kHead + 4 * p;
        return {code(run.word(at), kHigh ? run.word(high) : 0U, s),
                code(run.word(at + 16), kHigh ? run.word(high + 16) : 0U, s)};
    }
    template <class Run>
    static SIMT_DEVICE void all(const Run& run, int s, std::uint32_t (&w)[8]) {
        run.template words<true>(kCodes + 32 * (s / 2), w);
        std::uint32_t high[8] = {};
        if constexpr (kHigh) run.template words<true>(kHead, high);
#pragma unroll
        for (int i = 0; i < 8; ++i) w[i] = code(w[i], high[i], s);
    }
    template <class Run>
    static SIMT_DEVICE Scales scales(const Run& run, int s) {
        // Six bits of scale and minimum: bytes s and s + 4 of the first four; for the last four
        // the nibbles of byte 4 + s with the upper two bits of bytes s - 4 and s (decode.cuh).
        const Uint4 head = run.quad(0);
        const int byte = 8 * (s & 3);
        const std::uint32_t a = head.y >> byte;
        const std::uint32_t b = head.z >> byte;
        const std::uint32_t c = head.w >> byte;
        const std::uint32_t scale = s < 4 ? a & 63U : (c & 15U) | (a >> 2 & 0x30U);
        const std::uint32_t minimum = s < 4 ? b & 63U : (c >> 4 & 15U) | (b >> 2 & 0x30U);
        return {halfAt(static_cast<HalfBits>(head.x)) * static_cast<float>(scale),
                -(halfAt(static_cast<HalfBits>(head.x >> 16)) * static_cast<float>(minimum)), 0, 0};
    }
};
template <>
struct Coder<BlockQ4_K> : PairedCoder<BlockQ4_K, PanelKind::Minimum4, false> {};
template <>
struct Coder<BlockQ5_K> : PairedCoder<BlockQ5_K, PanelKind::Minimum5, true> {};

template <>
struct Coder<BlockQ6_K> {
    static constexpr PanelKind kKind = PanelKind::Scaled6;
    static constexpr bool kShifts = true;
    static constexpr int kRunBytes = static_cast<int>(sizeof(BlockQ6_K));
    static constexpr int kHigh = kSuperBlock / 2;
    static constexpr int kScaleAt = kHigh + kSuperBlock / 4;
    static SIMT_DEVICE int place(int) { return 0; }

    static SIMT_DEVICE std::uint32_t code(std::uint32_t low, std::uint32_t high, int s) {
        const int run = s & 3;
        return (low >> (4 * (run / 2)) & 0x0F0F0F0FU) | (high >> (2 * run) & 0x03030303U) << 4;
    }
    static SIMT_DEVICE int lowAt(int s) { return 64 * (s / 4) + 32 * (s & 1); }
    static SIMT_DEVICE int highAt(int s) { return kHigh + 32 * (s / 4); }
    template <class Run>
    static SIMT_DEVICE CodePair pair(const Run& run, int s, int p) {
        const int low = lowAt(s) + 4 * p;
        const int high = highAt(s) + 4 * p;
        return {code(run.word(low), run.word(high), s),
                code(run.word(low + 16), run.word(high + 16), s)};
    }
    template <class Run>
    static SIMT_DEVICE void all(const Run& run, int s, std::uint32_t (&w)[8]) {
        run.template words<false>(lowAt(s), w);
        std::uint32_t high[8];
        run.template words<false>(highAt(s), high);
#pragma unroll
        for (int i = 0; i < 8; ++i) w[i] = code(w[i], high[i], s);
    }
    template <class Run>
    static SIMT_DEVICE Scales scales(const Run& run, int s) {
        const std::uint16_t both = run.half(kScaleAt + 2 * s);
        return {halfAt(run.half(kScaleAt + kSuperBlock / 16)), 0.0F,
                static_cast<std::int8_t>(both & 255), static_cast<std::int8_t>(both >> 8)};
    }
};

}  // namespace lanescope::kernels::cuda

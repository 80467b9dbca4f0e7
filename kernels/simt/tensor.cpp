// Matrix loads and products of a whole warp. Which lane holds what: PTX ISA, "Matrix fragments for
// mma.m16n8k16", "… m16n8k32", and ldmatrix.

#include <bit>
#include <cstring>

#include "kernels/simt/block.h"
#include "kernels/types/float16.h"

namespace lanescope::kernels::simt {
namespace {

struct MmaIn {
    const std::uint32_t* a;
    const std::uint32_t* b;
};

// Exact for every half but infinity and NaN, without a branch that would stop vectorising.
float fromHalf(std::uint16_t h) {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7FFFU) << 13;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
    const std::uint32_t bits =
        magnitude >= 0x0F800000U ? magnitude + 0x70000000U : std::bit_cast<std::uint32_t>(scaled);
    return std::bit_cast<float>(bits | static_cast<std::uint32_t>(h & 0x8000U) << 16);
}

template <Element16 kElement>
float value(std::uint32_t pair, int which) {
    const auto bits = static_cast<std::uint16_t>(pair >> (16 * which));
    return kElement == Element16::Half ? fromHalf(bits) : bf16ToF32(bits);
}

template <Element16 kElement>
void combineMma16(const Meeting& meeting) {
    float a[16][16];
    float b[16][8];
    float sums[16][8];
    for (int lane = 0; lane < 32; ++lane) {
        const WarpCall& call = *meeting.calls[static_cast<std::size_t>(lane)];
        const auto& in = *static_cast<const MmaIn*>(call.in);
        const auto* d = static_cast<const float*>(call.out);
        const int row = lane / 4;
        const int pair = lane % 4 * 2;
        for (int i = 0; i < 2; ++i) {
            a[row][pair + i] = value<kElement>(in.a[0], i);
            a[row + 8][pair + i] = value<kElement>(in.a[1], i);
            a[row][pair + 8 + i] = value<kElement>(in.a[2], i);
            a[row + 8][pair + 8 + i] = value<kElement>(in.a[3], i);
            b[pair + i][row] = value<kElement>(in.b[0], i);
            b[pair + 8 + i][row] = value<kElement>(in.b[1], i);
            sums[row][pair + i] = d[i];
            sums[row + 8][pair + i] = d[2 + i];
        }
    }
    for (int m = 0; m < 16; ++m)
        for (int k = 0; k < 16; ++k)
            for (int n = 0; n < 8; ++n) sums[m][n] += a[m][k] * b[k][n];
    for (int lane = 0; lane < 32; ++lane) {
        auto* d = static_cast<float*>(meeting.calls[static_cast<std::size_t>(lane)]->out);
        for (int i = 0; i < 2; ++i) {
            d[i] = sums[lane / 4][lane % 4 * 2 + i];
            d[2 + i] = sums[lane / 4 + 8][lane % 4 * 2 + i];
        }
    }
    ++meeting.block.counts().mmas;
}

std::int32_t byteOf(std::uint32_t word, int which) {
    return static_cast<std::int8_t>(word >> (8 * which));
}

void combineMma8(const Meeting& meeting) {
    std::int32_t a[16][32];
    std::int32_t b[32][8];
    std::uint32_t sums[16][8];  // wraps, as the machine does
    for (int lane = 0; lane < 32; ++lane) {
        const WarpCall& call = *meeting.calls[static_cast<std::size_t>(lane)];
        const auto& in = *static_cast<const MmaIn*>(call.in);
        const auto* d = static_cast<const std::int32_t*>(call.out);
        const int row = lane / 4;
        const int quad = lane % 4 * 4;
        for (int i = 0; i < 4; ++i) {
            a[row][quad + i] = byteOf(in.a[0], i);
            a[row + 8][quad + i] = byteOf(in.a[1], i);
            a[row][quad + 16 + i] = byteOf(in.a[2], i);
            a[row + 8][quad + 16 + i] = byteOf(in.a[3], i);
            b[quad + i][row] = byteOf(in.b[0], i);
            b[quad + 16 + i][row] = byteOf(in.b[1], i);
        }
        for (int i = 0; i < 2; ++i) {
            sums[row][lane % 4 * 2 + i] = static_cast<std::uint32_t>(d[i]);
            sums[row + 8][lane % 4 * 2 + i] = static_cast<std::uint32_t>(d[2 + i]);
        }
    }
    for (int m = 0; m < 16; ++m)
        for (int k = 0; k < 32; ++k)
            for (int n = 0; n < 8; ++n) sums[m][n] += static_cast<std::uint32_t>(a[m][k] * b[k][n]);
    for (int lane = 0; lane < 32; ++lane) {
        auto* d = static_cast<std::int32_t*>(meeting.calls[static_cast<std::size_t>(lane)]->out);
        for (int i = 0; i < 2; ++i) {
            d[i] = static_cast<std::int32_t>(sums[lane / 4][lane % 4 * 2 + i]);
            d[2 + i] = static_cast<std::int32_t>(sums[lane / 4 + 8][lane % 4 * 2 + i]);
        }
    }
    ++meeting.block.counts().mmas;
}

template <bool kTransposed>
void combineLoadMatrices(const Meeting& meeting) {
    const int count = meeting.calls[0]->width;
    BankCounter* banks = meeting.block.banks();
    const AsScheduler asScheduler(meeting.block.identity());
    for (int matrix = 0; matrix < count; ++matrix) {
        std::uint16_t rows[8][8];
        std::array<BankAccess, 8> part;
        for (int row = 0; row < 8; ++row) {
            const auto* from = static_cast<const std::uint16_t*>(
                meeting.calls[static_cast<std::size_t>(8 * matrix + row)]->in);
            for (int i = 0; i < 8; ++i) rows[row][i] = from[i];
            part[static_cast<std::size_t>(row)] = {from, 16};
        }
        if (banks != nullptr) banks->addPart(part);
        for (int lane = 0; lane < 32; ++lane) {
            auto* out =
                static_cast<std::uint32_t*>(meeting.calls[static_cast<std::size_t>(lane)]->out);
            const int row = lane / 4;
            const int pair = lane % 4 * 2;
            const std::uint32_t low = kTransposed ? rows[pair][row] : rows[row][pair];
            const std::uint32_t high = kTransposed ? rows[pair + 1][row] : rows[row][pair + 1];
            out[matrix] = low | high << 16;
        }
    }
    if (banks != nullptr) banks->addAccess();
}

}  // namespace

void loadMatrices(std::uint32_t* out, int count, bool transposed, const void* row,
                  const Site& site) {
    Block& block = Block::current();
    const bool used = static_cast<int>(currentLane->index % 32) < 8 * count;
    if (used) {
        checkAligned(row, 16, site);
        if (block.shared().holding(row, 16) == nullptr)
            block.fail(ErrorKind::SharedOutOfBounds, site, [&] {
                return "loadMatrix reads 16 bytes at " + block.shared().describe(row);
            });
        laneReads(row, 16);
    }
    WarpCall call{"loadMatrix",
                  kAllLanes,
                  site,
                  transposed ? combineLoadMatrices<true> : combineLoadMatrices<false>,
                  row,
                  out,
                  0,
                  0,
                  count};
    block.meet(call);
}

void mma16816(Element16 element, float* d, const std::uint32_t* a, const std::uint32_t* b,
              const Site& site) {
    const MmaIn in{a, b};
    WarpCall call{"mma",
                  kAllLanes,
                  site,
                  element == Element16::Half ? combineMma16<Element16::Half>
                                             : combineMma16<Element16::BFloat16>,
                  &in,
                  d};
    Block::current().meet(call);
}

void mma16832(std::int32_t* d, const std::uint32_t* a, const std::uint32_t* b, const Site& site) {
    const MmaIn in{a, b};
    WarpCall call{"mma", kAllLanes, site, combineMma8, &in, d};
    Block::current().meet(call);
}

}  // namespace lanescope::kernels::simt

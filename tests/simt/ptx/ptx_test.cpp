// What nvcc makes of the one-instruction probes, run by an interpreter of PTX, agrees with what the
// emulator does for the same source: operands in the right order, the right variant.

#include <fstream>
#include <random>
#include <sstream>

#include "tests/simt/ptx/interpreter.h"
#include "tests/simt/ptx/probes.cuh"
#include "tests/simt/simt_test.h"

namespace lanescope::kernels::cuda::test {
namespace {

using namespace probes;  // NOLINT
using Words = std::vector<std::uint32_t>;

struct Probe {
    const char* name;
    void (*kernel)(const std::uint32_t*, std::uint32_t*);
};

constexpr Probe kProbes[] = {{"probeMmaF16", probeMmaF16},
                             {"probeMmaBf16", probeMmaBf16},
                             {"probeMmaS8", probeMmaS8},
                             {"probeLoad1", probeLoad1},
                             {"probeLoad2", probeLoad2},
                             {"probeLoad4", probeLoad4},
                             {"probeLoadTransposed1", probeLoadTransposed1},
                             {"probeLoadTransposed2", probeLoadTransposed2},
                             {"probeLoadTransposed4", probeLoadTransposed4},
                             {"probeCopy4", probeCopy4},
                             {"probeCopy8", probeCopy8},
                             {"probeCopy16", probeCopy16},
                             {"probeShuffles", probeShuffles},
                             {"probeVotes", probeVotes},
                             {"probeReductions", probeReductions},
                             {"probeIntegers", probeIntegers},
                             {"probeBits", probeBits}};

std::string probesPtx() {
    std::ifstream file(LANESCOPE_PROBES_PTX);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Random words; for matrix products of floats small integers, so that every order of summing gives
/// the same bits.
Words inputs(const std::string& name, std::mt19937& random) {
    Words out(32 * kProbeIn);
    for (auto& word : out) word = static_cast<std::uint32_t>(random());
    const bool half = name == "probeMmaF16";
    if (!half && name != "probeMmaBf16") return out;
    const auto small = [&] { return static_cast<float>(static_cast<int>(random() % 17) - 8); };
    for (std::size_t i = 0; i < out.size(); ++i) {
        const float first = small();
        const float second = small();
        out[i] = i % kProbeIn >= 6 ? bitsOf(first)
                 : half            ? packPair<Half>(first, second)
                                   : packPair<BFloat16>(first, second);
    }
    return out;
}

struct Buffers {
    explicit Buffers(const Words& in) {
        // copyAsync wants 16-byte alignment of the source.
        std::copy(in.begin(), in.end(), words);
        std::fill(std::begin(results), std::end(results), 0xDEADBEEFU);
    }
    alignas(16) std::uint32_t words[32 * kProbeIn];
    std::uint32_t results[32 * kProbeOut];
};

TEST(Ptx, OfEveryProbeAgreesWithTheEmulator) {
    const auto kernels = parsePtx(probesPtx());
    std::mt19937 random(11);
    for (const Probe& probe : kProbes) {
        ASSERT_TRUE(kernels.contains(probe.name)) << probe.name;
        for (int round = 0; round < 8; ++round) {
            Buffers emulated(inputs(probe.name, random));
            Buffers interpreted = emulated;
            launch({{1}, {32}}, {}, probe.kernel, emulated.words, emulated.results);
            PtxWarp(kernels.at(probe.name)).run({interpreted.words, interpreted.results});
            for (int i = 0; i < 32 * kProbeOut; ++i)
                ASSERT_EQ(emulated.results[i], interpreted.results[i])
                    << probe.name << " lane " << i / kProbeOut << " word " << i % kProbeOut;
        }
    }
}

/// The interpreter has to notice: swapped operands, another variant, another order.
TEST(Ptx, OfAnotherInstructionDoesNotAgree) {
    struct Change {
        const char* probe;
        const char* from;
        const char* to;
    };
    for (const Change& change : {Change{"probeMmaBf16", "bf16.bf16", "f16.f16"},
                                 {"probeLoad4", "x4.shared", "x4.trans.shared"},
                                 {"probeIntegers", "dp4a.u32.s32", "dp4a.s32.s32"},
                                 {"probeIntegers", "shf.l.wrap", "shf.r.wrap"},
                                 {"probeShuffles", "shfl.sync.up", "shfl.sync.down"}}) {
        std::string text = probesPtx();
        const std::size_t begin = text.find(std::string(".entry ") + change.probe);
        const std::size_t at = text.find(change.from, begin);
        ASSERT_NE(at, std::string::npos) << change.from;
        text.replace(at, std::string(change.from).size(), change.to);
        const auto kernels = parsePtx(text);
        std::mt19937 random(11);
        for (const Probe& probe : kProbes) {
            if (std::string(probe.name) != change.probe) continue;
            Buffers emulated(inputs(probe.name, random));
            Buffers interpreted = emulated;
            launch({{1}, {32}}, {}, probe.kernel, emulated.words, emulated.results);
            PtxWarp(kernels.at(probe.name)).run({interpreted.words, interpreted.results});
            EXPECT_FALSE(std::equal(std::begin(emulated.results), std::end(emulated.results),
                                    interpreted.results))
                << change.to;
        }
    }
}

}  // namespace
}  // namespace lanescope::kernels::cuda::test

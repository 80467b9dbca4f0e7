#pragma once
// One table of functions per instruction set; the CPU backend picks a table once and calls through
// it. The reference table is the oracle of every test. Adding an op: its Args struct here in ops/,
// a row below, the form in reference/, the forms in cpu/, a case in tests/kernels.

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/ops/attention.h"
#include "kernels/ops/burst.h"
#include "kernels/ops/elementwise.h"
#include "kernels/ops/matmul.h"
#include "kernels/ops/pack.h"
#include "kernels/ops/quantise_acts.h"
#include "kernels/types/dtype.h"

namespace lanescope::kernels {

/// Instruction sets, best last. Reference is plain loops that run anywhere.
enum class Isa : std::uint8_t { Reference, Avx2, Avx512Vnni, Avx512Amx };

/// The functions of one instruction set. All are pure on their arguments and safe to call from
/// several threads.
struct OpTable {
    Isa isa = Isa::Reference;
    void (*dequantiseRow)(DType type, const void* src, float* dst, std::int64_t n) = nullptr;
    void (*quantiseActs)(const QuantiseActsArgs&) = nullptr;
    void (*matmul)(const MatmulArgs&) = nullptr;
    void (*rmsNorm)(const RmsNormArgs&) = nullptr;
    void (*layerNorm)(const LayerNormArgs&) = nullptr;
    void (*rope)(const RopeArgs&) = nullptr;
    void (*activate)(const ActivateArgs&) = nullptr;
    void (*add)(const AddArgs&) = nullptr;
    void (*softcap)(const SoftcapArgs&) = nullptr;
    void (*embed)(const EmbedArgs&) = nullptr;
    void (*hadamard)(const HadamardArgs&) = nullptr;
    void (*kvWrite)(const KvWriteArgs&) = nullptr;
    void (*kvSeal)(const KvSealArgs&) = nullptr;
    void (*kvSelect)(const KvSelectArgs&) = nullptr;
    void (*attention)(const AttentionArgs&) = nullptr;
    /// Turns the partial sums of items [itemBegin, itemEnd) into their rows of out. Null where
    /// attention does not share out keys.
    void (*attentionCombine)(const AttentionArgs&) = nullptr;
    /// Converts n values between f32 and F32/F16/BF16 (round to nearest even).
    void (*fromF32)(DType type, const float* src, void* dst, std::int64_t n) = nullptr;
    /// Null where the product reads stored formats only.
    void (*pack)(const PackArgs&) = nullptr;
    /// Does `rounds` rounds of a burst; returns the operations done (2 a multiply-accumulate).
    std::uint64_t (*burst)(Burst kind, std::uint64_t rounds) = nullptr;
    /// Reads `bytes` (a multiple of 128) once; returns them.
    std::uint64_t (*readBurst)(const void* data, std::uint64_t bytes) = nullptr;
};

/// What this processor can run, reference first. Never empty.
std::vector<Isa> availableIsas();
/// The best of availableIsas(), unless LANESCOPE_ISA=reference|avx2|avx512vnni|avx512amx asks for
/// a lesser one.
Isa preferredIsa();
/// The table of an instruction set. Precondition: it is in availableIsas().
const OpTable& opTable(Isa isa);
/// "reference", "avx2", "avx512vnni", "avx512amx".
std::string_view isaName(Isa isa);

}  // namespace lanescope::kernels

#pragma once
// The ops of ops.h as a table, so that the backend can use them from a module that is loaded at run
// time or from the emulator.

#include "kernels/cuda/ops.h"

namespace lanescope::kernels::cuda {

struct OpTable {
    Status (*embed)(const EmbedArgs&, Stream);
    Status (*norm)(const NormArgs&, Stream);
    Status (*quantiseActs)(const QuantiseActsArgs&, Stream);
    Status (*roundActs)(const RoundActsArgs&, Stream);
    Status (*ropeKv)(const RopeKvArgs&, Stream);
    Status (*kvSeal)(const PagedSealArgs&, Stream);
    Status (*hadamard)(const HadamardArgs&, Stream);
    Status (*keyBlocks)(const KeyBlocksArgs&, Stream);
    Status (*kvSelect)(const PagedSelectArgs&, Stream);
    Status (*activate)(const ActivateQ8Args&, Stream);
    Status (*add)(const AddArgs&, Stream);
    Status (*softcap)(const SoftcapArgs&, Stream);
    Status (*matmul)(const MatmulArgs&, Stream);
    Status (*matmulTensor)(const MatmulArgs&, Stream);
    Status (*attention)(const PagedAttentionArgs&, Stream);
    Status (*sample)(const SampleArgs&, Stream);
    Status (*topCandidates)(const TopCandidatesArgs&, Stream);
    bool (*canEmbed)(DType);
    bool (*canMultiply)(DType, bool int8);
    bool (*canAttend)(std::int64_t headDim);
};

/// The ops as they are linked here.
inline OpTable linkedOps() {
    return {embed,     norm,     quantiseActs,  roundActs, ropeKv,      kvSeal,   hadamard,
            keyBlocks, kvSelect, activate,      add,       softcap,     matmul,   matmulTensor,
            attention, sample,   topCandidates, canEmbed,  canMultiply, canAttend};
}

}  // namespace lanescope::kernels::cuda

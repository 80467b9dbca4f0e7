// y = x · Wᵀ with int8 activations: the tiles of avx512_tile.h in the loop of panel_loop.h. Same
// bits as the AVX2 form (panel.h fixes the order). Tests compile this file a second time over
// emulated intrinsics (tests/kernels/support/simde_avx512.h), so keep to those it lists.

#include "kernels/cpu/avx512vnni.h"

#include "kernels/cpu/avx512_tile.h"

namespace lanescope::kernels::avx512vnni {
namespace {

/// The two places blocks come from.
struct Kernel {
    static constexpr bool kWholePanels = true;  ///< lanes without a row still compute
    template <PanelKind kKind>
    static void run(const Chunk& c, const Panel& panel) {
        allTokens<kKind>(c, PanelSource<PanelBlock<kKind>>{panel});
    }
    template <DType kType>
    static void run(const Chunk& c, const std::uint8_t* panel) {
        allTokens<panelKind(kType)>(c, PackedSource<PackedBlock<kType>>{panel});
    }
};

}  // namespace

void matmul(const MatmulArgs& args) {
    if (args.xq == nullptr || args.nCols == 0 || info(args.weightType).blockSize == 1)
        return matmulExact(args);
    avx2::panelProduct<Kernel>(args);
}

}  // namespace lanescope::kernels::avx512vnni

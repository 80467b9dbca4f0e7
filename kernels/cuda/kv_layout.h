#pragma once
// Where rows and scales of a cache lie, worked out on the host once a launch: kernels get it beside
// their Args, as kvSlice() is not theirs to call.

#include "kernels/ops/attention.h"

namespace lanescope::kernels::cuda {

struct KvSlices {
    KvSlice keys, values;
    /// Rows may be copied as they are by cp.async: they are of the type that is computed in, and
    /// each starts at a multiple of 16 bytes.
    bool copiesKeys = false;
    bool copiesValues = false;
};

/// Precondition: canStore() of both formats.
inline KvSlices kvSlices(const PagedKv& kv) {
    return {kv.keySlice(), kv.valueSlice()};
}

/// The same for a kernel that computes in `type` (F32, F16, BF16).
inline KvSlices kvSlices(const PagedKv& kv, KvFormat type) {
    const auto aligned = [](const void* storage, const KvSlice& slice) {
        return (reinterpret_cast<std::uintptr_t>(storage) |
                static_cast<std::uintptr_t>(slice.bytes) |
                static_cast<std::uintptr_t>(slice.rowBytes)) %
                   16 ==
               0;
    };
    KvSlices all = kvSlices(kv);
    all.copiesKeys = kv.kFormat == type && aligned(kv.k, all.keys);
    all.copiesValues = kv.vFormat == type && aligned(kv.v, all.values);
    return all;
}

}  // namespace lanescope::kernels::cuda

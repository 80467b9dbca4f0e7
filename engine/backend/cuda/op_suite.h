#pragma once
// Every op of the table on a device against the plain loops of kernels/reference: what says of a
// GPU that nobody has tried yet whether its kernels are right, and if not, which one and by how
// much. Seconds on a GPU. Read next: op_check.h, which has the tolerances.

#include "engine/backend/cuda/op_check.h"
#include "engine/base/cancel.h"

namespace lanescope {

struct OpSuite {
    std::vector<OpCheckRow> rows;
    [[nodiscard]] bool passed() const;
};

/// `ops`: usually device.ops(). What a device refuses or gets wrong is in the rows. Errors:
/// Cancelled.
Result<OpSuite> runOpSuite(GpuDevice& device, const kernels::cuda::OpTable& ops,
                           const CancelToken& cancel);

}  // namespace lanescope

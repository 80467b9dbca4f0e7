#pragma once
// Everything a person wants to know about a checkpoint before it runs, read without touching its
// weights: the file stays mapped, so that 20 GB open as fast as 20 MB. A file that cannot run keeps
// what could be read of it, and why it cannot.

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/decode/engine.h"
#include "engine/lane/plan.h"
#include "engine/model/model.h"

namespace lanescope::app {

/// All tensors of one type.
struct TypeTotal {
    QString type;  ///< "q4_1"
    std::uint64_t bytes = 0;
    std::int64_t nElements = 0;
    int nTensors = 0;
};

struct ModelInspection {
    std::string name;                              ///< as asked for
    QString path;                                  ///< where it lies; empty when it was not found
    std::shared_ptr<const Checkpoint> checkpoint;  ///< null: nothing could be read
    std::shared_ptr<const Model> model;            ///< null: it cannot run, see error
    std::optional<Error> error;
    QString architecture;          ///< also of a model that cannot run; may be empty
    std::vector<TypeTotal> types;  ///< largest first
    std::uint64_t tensorBytes = 0;

    [[nodiscard]] bool usable() const { return model != nullptr; }
};

/// Blocking (file system); any thread. Never fails as a whole: see ModelInspection::error.
ModelInspection inspectModel(const std::string& model);

/// The architecture as the file names it ("llama", "LlamaForCausalLM"); empty: it does not say.
QString architectureName(const Checkpoint& checkpoint);
/// Bytes, elements and tensors by type, largest first.
std::vector<TypeTotal> typeTotals(const Checkpoint& checkpoint);

/// What a lane needs beside what the machine has.
struct MemoryFit {
    MemoryEstimate estimate;
    std::uint64_t freeBytes = 0;  ///< 0: not known
    bool fits = true;
    std::int64_t contextTokens = 0;   ///< of the estimate
    std::int64_t largestContext = 0;  ///< that fits, up to the trained one; 0: none does
};
/// Closed form, fast. Errors: an option that is not possible.
Result<MemoryFit> fitMemory(const ModelSpec& spec, const WeightBytes& weights, const LaneSpec& lane,
                            std::uint64_t freeBytes);

}  // namespace lanescope::app

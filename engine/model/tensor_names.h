#pragma once
// How files name the tensors of a decoder: one table a spelling (tensor_names.cpp). Read next:
// model.cpp, which looks them up.

#include <cstdint>
#include <string>

#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"

namespace lanescope {

/// Names without ".weight" / ".bias". Null or empty: the spelling has no such tensor.
struct TensorNames {
    std::string embedding, positions, finalNorm, head;
    std::string layerPrefix;  ///< before the layer's number

    // Parts of a layer.
    const char* attnNorm = nullptr;
    const char* q = nullptr;
    const char* k = nullptr;
    const char* v = nullptr;
    const char* qkv = nullptr;  ///< q, k and v as one matrix, where a file has it
    const char* qNorm = nullptr;
    const char* kNorm = nullptr;
    const char* o = nullptr;
    const char* attnPostNorm = nullptr;
    const char* ffnNorm = nullptr;
    const char* gate = nullptr;
    const char* up = nullptr;
    const char* down = nullptr;
    const char* ffnPostNorm = nullptr;

    /// Matrices of the layers are stored [in, out] (GPT-2's Conv1D).
    bool transposed = false;

    [[nodiscard]] std::string layer(std::int64_t index, const char* part) const {
        return layerPrefix + std::to_string(index) + "." + part;
    }
};

/// The checkpoint's spelling; files of a bare body lack the prefix ("model.", "transformer.").
TensorNames tensorNames(const Checkpoint& checkpoint, const ModelSpec& spec);

}  // namespace lanescope

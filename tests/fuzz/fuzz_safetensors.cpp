// Any bytes as a safetensors file: reading must end in a Result, and what it hands out must lie in
// the file.

#include <cstdlib>

#include "engine/checkpoint/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanescope;
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto file = parseSafetensors(bytes, "fuzz.safetensors");
    if (!file) {
        if (file.error().toString().empty()) std::abort();
        return 0;
    }
    for (const auto& tensor : file->tensors) {
        if (tensor.data < bytes.data()) std::abort();
        if (tensor.data + tensor.sizeBytes > bytes.data() + bytes.size()) std::abort();
    }
    return 0;
}

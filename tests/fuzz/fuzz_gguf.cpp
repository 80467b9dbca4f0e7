// Any bytes as a GGUF file: reading must end in a Result, and what it hands out must lie in the
// file.

#include <cstdlib>
#include <string>

#include "engine/checkpoint/gguf_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lanescope;
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto file = parseGguf(bytes, "fuzz.gguf");
    if (!file) {
        if (file.error().toString().empty()) std::abort();
        return 0;
    }
    for (const auto& tensor : file->tensors) {
        if (tensor.data < bytes.data()) std::abort();
        if (tensor.data + tensor.sizeBytes > bytes.data() + bytes.size()) std::abort();
    }
    for (const auto& [key, value] : file->metadata.items()) {
        const auto* found = file->metadata.find(key);
        if (found != &value) std::abort();
        if (const auto* text = std::get_if<std::string_view>(found)) {
            (void)std::string(*text);  // reads every byte
        }
    }
    return 0;
}

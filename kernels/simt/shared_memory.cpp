// Arrays of shared memory and their guards.

#include "kernels/simt/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels/simt/sanitizers.h"

namespace lanescope::kernels::simt {
namespace {

constexpr std::size_t kAlign = 128;  // one turn of all banks
constexpr std::size_t kGuard = kAddressSanitizer ? 0 : 128;
constexpr unsigned char kFill = 0xFF;  // NaN in f32, f16, bf16 and both fp8 formats

const auto* bytesOf(const void* address) {
    return static_cast<const unsigned char*>(address);
}

}  // namespace

SharedMemory::~SharedMemory() {
    for (const Array& array : m_arrays) ::operator delete (array.memory, std::align_val_t{kAlign});
}

const SharedMemory::Array* SharedMemory::find(const void* key) const {
    for (const Array& array : m_arrays)
        if (array.key == key) return &array;
    return nullptr;
}

const SharedMemory::Array& SharedMemory::add(const void* key, const char* name, std::size_t bytes,
                                             const Site& site) {
    const std::size_t all = bytes + 2 * kGuard;
    auto* memory = static_cast<unsigned char*>(::operator new (all, std::align_val_t{kAlign}));
    std::memset(memory, kFill, all);
    m_totalBytes += bytes;
    m_arrays.push_back({key, name, bytes, memory + kGuard, memory, site});
    return m_arrays.back();
}

const SharedMemory::Array* SharedMemory::holding(const void* address, std::size_t bytes) const {
    for (const Array& array : m_arrays) {
        const unsigned char* first = bytesOf(address);
        if (first >= array.data && first + bytes <= array.data + array.bytes) return &array;
    }
    return nullptr;
}

const SharedMemory::Array* SharedMemory::damaged() const {
    for (const Array& array : m_arrays) {
        const auto intact = [](unsigned char byte) { return byte == kFill; };
        const unsigned char* behind = array.data + array.bytes;
        if (!std::all_of(array.memory, array.memory + kGuard, intact) ||
            !std::all_of(behind, behind + kGuard, intact))
            return &array;
    }
    return nullptr;
}

std::string SharedMemory::describe(const void* address) const {
    const Array* nearest = nullptr;
    std::ptrdiff_t best = 0;
    for (const Array& array : m_arrays) {
        const std::ptrdiff_t offset = bytesOf(address) - array.data;
        const std::ptrdiff_t distance =
            offset < 0
                ? -offset
                : std::max<std::ptrdiff_t>(0, offset - static_cast<std::ptrdiff_t>(array.bytes));
        if (nearest == nullptr || distance < best) {
            nearest = &array;
            best = distance;
        }
    }
    if (nearest == nullptr || best > (1 << 20)) return "no shared array";
    const std::ptrdiff_t offset = bytesOf(address) - nearest->data;
    return "'" + std::string(nearest->name) + "' (" + std::to_string(nearest->bytes) + " bytes) " +
           (offset < 0 ? "- " : "+ ") + std::to_string(offset < 0 ? -offset : offset);
}

}  // namespace lanescope::kernels::simt

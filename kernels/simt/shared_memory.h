#pragma once
// The shared memory of one block: an exact-size heap block for each array, filled with NaN bytes.
// Between guard bytes, so that a write beyond an array is found even without AddressSanitizer
// (which sees every access and gets arrays without guards).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/lane.h"

namespace lanescope::kernels::simt {

class SharedMemory {
  public:
    struct Array {
        const void* key = nullptr;
        const char* name = nullptr;
        std::size_t bytes = 0;
        unsigned char* data = nullptr;
        unsigned char* memory = nullptr;  ///< data with its guards
        Site site;
    };

    SharedMemory() = default;
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] const Array* find(const void* key) const;
    const Array& add(const void* key, const char* name, std::size_t bytes, const Site& site);
    /// The array that holds all of [address, address + bytes), or null.
    [[nodiscard]] const Array* holding(const void* address, std::size_t bytes) const;
    /// An array whose guards were written to, or null.
    [[nodiscard]] const Array* damaged() const;
    /// "'tile' (256 bytes) + 260": where an address lies, for reports.
    [[nodiscard]] std::string describe(const void* address) const;
    [[nodiscard]] std::size_t totalBytes() const { return m_totalBytes; }

  private:
    std::vector<Array> m_arrays;
    std::size_t m_totalBytes = 0;
};

}  // namespace lanescope::kernels::simt

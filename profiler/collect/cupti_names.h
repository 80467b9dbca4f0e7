#pragma once
// Names of kernels, demangled, each once. CUPTI gives pointers that last as long as the module is
// loaded, so they are read when the buffer comes and compared as text after that.

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace lanescope::profiler::cupti {

/// "void f<int>(int*)" of "_Z1fIiEvPT_"; the text itself where it is not mangled.
std::string demangled(const char* name);

/// "GPU-01234567-89ab-…", as NVML and nvidia-smi write it.
std::string uuidText(const std::array<std::uint8_t, 16>& uuid);

class NameTable {
  public:
    static constexpr std::size_t kMaxNames = 65'536;

    std::int32_t ofKernel(const char* mangled);  ///< -1 for null, and when the table is full
    std::int32_t ofText(const std::string& text);
    [[nodiscard]] const std::string& text(std::int32_t index) const {
        return m_texts[static_cast<std::size_t>(index)];
    }
    /// Pointers seen so far may mean other names from now on.
    void forgetPointers() { m_pointers.clear(); }

  private:
    std::unordered_map<const char*, std::int32_t> m_pointers;
    std::unordered_map<std::string, std::int32_t> m_places;
    std::vector<std::string> m_texts;
};

}  // namespace lanescope::profiler::cupti

#include "profiler/collect/cupti_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace lanescope::profiler::cupti {

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
    return status == 0 && text != nullptr ? text.get() : name;
}

std::string uuidText(const std::array<std::uint8_t, 16>& uuid) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "GPU-";
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += kDigits[uuid[i] >> 4];
        text += kDigits[uuid[i] & 15];
    }
    return text;
}

std::int32_t NameTable::ofKernel(const char* mangled) {
    if (mangled == nullptr) return -1;
    const auto known = m_pointers.find(mangled);
    if (known != m_pointers.end()) return known->second;
    const std::int32_t index = ofText(demangled(mangled));
    m_pointers.emplace(mangled, index);
    return index;
}

std::int32_t NameTable::ofText(const std::string& text) {
    const auto known = m_places.find(text);
    if (known != m_places.end()) return known->second;
    if (m_texts.size() >= kMaxNames) return -1;
    const auto index = static_cast<std::int32_t>(m_texts.size());
    m_texts.push_back(text);
    m_places.emplace(text, index);
    return index;
}

}  // namespace lanescope::profiler::cupti

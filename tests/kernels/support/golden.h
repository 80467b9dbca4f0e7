#pragma once
// Reads golden .safetensors files for the kernel tests: whole file in memory, tensors by name. Not
// a loader of untrusted files; a broken file throws and fails the test.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace lanescope::kernels::test {

inline std::filesystem::path goldenDir() {
    const char* given = std::getenv("LANESCOPE_GOLDEN");
    return given != nullptr ? std::filesystem::path(given)
                            : std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests" / "golden";
}

inline nlohmann::json readJson(const std::filesystem::path& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path.string());
    return nlohmann::json::parse(in);
}

class GoldenFile {
  public:
    explicit GoldenFile(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        if (!in) throw std::runtime_error("cannot open " + path.string());
        m_bytes.assign(std::istreambuf_iterator<char>(in), {});
        std::uint64_t headerBytes = 0;
        std::memcpy(&headerBytes, m_bytes.data(), sizeof headerBytes);
        m_header = nlohmann::json::parse(m_bytes.substr(8, headerBytes));
        m_data = 8 + headerBytes;
    }

    [[nodiscard]] bool has(const std::string& name) const { return m_header.contains(name); }
    [[nodiscard]] std::vector<std::int64_t> shape(const std::string& name) const {
        return m_header.at(name).at("shape").get<std::vector<std::int64_t>>();
    }
    template <class T>
    [[nodiscard]] std::vector<T> values(const std::string& name) const {
        const auto& offsets = m_header.at(name).at("data_offsets");
        const std::size_t begin = offsets[0];
        const std::size_t end = offsets[1];
        std::vector<T> out((end - begin) / sizeof(T));
        if (!out.empty()) std::memcpy(out.data(), m_bytes.data() + m_data + begin, end - begin);
        return out;
    }

  private:
    std::string m_bytes;
    nlohmann::json m_header;
    std::size_t m_data = 0;
};

}  // namespace lanescope::kernels::test

#include "tests/support/golden.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace lanescope::test {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::size_t dtypeBytes(const std::string& dtype) {
    if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
    if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
    if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
    if (dtype == "I8" || dtype == "U8" || dtype == "BOOL" || dtype.starts_with("F8_")) return 1;
    throw std::runtime_error("golden tensor has the unknown dtype " + dtype);
}

template <class T>
T load(const std::uint8_t* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

double halfToDouble(std::uint16_t h) {
    const int exponent = (h >> 10) & 0x1f;
    const int mantissa = h & 0x3ff;
    double value = 0;
    if (exponent == 0x1f) {
        value = mantissa != 0 ? std::nan("") : HUGE_VAL;
    } else if (exponent == 0) {
        value = std::ldexp(mantissa, -24);
    } else {
        value = std::ldexp(mantissa + 1024, exponent - 25);
    }
    return (h & 0x8000) != 0 ? -value : value;
}

double element(const std::string& dtype, const std::uint8_t* p) {
    if (dtype == "F64") return load<double>(p);
    if (dtype == "F32") return load<float>(p);
    if (dtype == "F16") return halfToDouble(load<std::uint16_t>(p));
    if (dtype == "BF16") {
        return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(p)) << 16);
    }
    throw std::runtime_error("golden tensor of dtype " + dtype + " read as a float");
}

std::int64_t integer(const std::string& dtype, const std::uint8_t* p) {
    if (dtype == "I64") return load<std::int64_t>(p);
    if (dtype == "U64") return static_cast<std::int64_t>(load<std::uint64_t>(p));
    if (dtype == "I32") return load<std::int32_t>(p);
    if (dtype == "U32") return load<std::uint32_t>(p);
    if (dtype == "I16") return load<std::int16_t>(p);
    if (dtype == "U16") return load<std::uint16_t>(p);
    if (dtype == "I8") return load<std::int8_t>(p);
    if (dtype == "U8" || dtype == "BOOL") return *p;
    throw std::runtime_error("golden tensor of dtype " + dtype + " read as integers");
}

bool isFloat(const std::string& dtype) {
    return dtype.starts_with('F') || dtype == "BF16";
}

}  // namespace

std::string goldenDir() {
    const std::string set = environment("LANESCOPE_GOLDEN");
    return set.empty() ? std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden" : set;
}

std::optional<std::string> sharedDir() {
    std::string dir = environment("LANESCOPE_SHARED");
    if (dir.empty()) dir = std::string(LANESCOPE_SOURCE_DIR) + "/../shared";
    std::error_code ignored;
    if (!fs::is_directory(dir, ignored)) return std::nullopt;
    return dir;
}

std::optional<std::string> modelPath(const std::string& name) {
    std::string dir = environment("LANESCOPE_MODELS");
    if (dir.empty()) {
        const std::string cache = environment("XDG_CACHE_HOME");
        dir = (cache.empty() ? environment("HOME") + "/.cache" : cache) + "/lanescope/models";
    }
    const std::string path = dir + "/" + name;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::nullopt;
    return path;
}

std::int64_t GoldenTensor::nElements() const {
    std::int64_t n = 1;
    for (const std::int64_t d : shape) n *= d;
    return n;
}

std::vector<double> GoldenTensor::asDoubles() const {
    const std::size_t step = dtypeBytes(dtype);
    std::vector<double> out(bytes.size() / step);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint8_t* p = bytes.data() + i * step;
        out[i] = isFloat(dtype) ? element(dtype, p) : static_cast<double>(integer(dtype, p));
    }
    return out;
}

std::vector<float> GoldenTensor::asFloats() const {
    const std::vector<double> wide = asDoubles();
    return {wide.begin(), wide.end()};
}

std::vector<std::int64_t> GoldenTensor::asInts() const {
    const std::size_t step = dtypeBytes(dtype);
    std::vector<std::int64_t> out(bytes.size() / step);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = integer(dtype, bytes.data() + i * step);
    return out;
}

std::string readFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("test data cannot be opened: " + path);
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

std::map<std::string, GoldenTensor> loadGolden(const std::string& path) {
    const std::string file = readFile(path);
    if (file.size() < 8) throw std::runtime_error("golden file is too short: " + path);
    std::uint64_t headerBytes = 0;
    std::memcpy(&headerBytes, file.data(), sizeof headerBytes);
    if (headerBytes > file.size() - 8) throw std::runtime_error("golden header is cut: " + path);
    const auto header = nlohmann::json::parse(file.substr(8, headerBytes));
    const std::size_t dataStart = 8 + headerBytes;

    std::map<std::string, GoldenTensor> out;
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__") continue;
        GoldenTensor tensor;
        tensor.dtype = entry.at("dtype");
        tensor.shape = entry.at("shape").get<std::vector<std::int64_t>>();
        const std::size_t begin = entry.at("data_offsets").at(0);
        const std::size_t end = entry.at("data_offsets").at(1);
        if (begin > end || end > file.size() - dataStart ||
            end - begin !=
                static_cast<std::size_t>(tensor.nElements()) * dtypeBytes(tensor.dtype)) {
            throw std::runtime_error("golden tensor " + name + " has a wrong range: " + path);
        }
        const auto first = file.begin() + static_cast<std::ptrdiff_t>(dataStart + begin);
        tensor.bytes.assign(first, first + static_cast<std::ptrdiff_t>(end - begin));
        out.emplace(name, std::move(tensor));
    }
    return out;
}

testing::AssertionResult allClose(std::span<const float> actual, std::span<const float> expected,
                                  double absTol, double relTol) {
    if (actual.size() != expected.size()) {
        return testing::AssertionFailure()
               << "has " << actual.size() << " elements, expected " << expected.size();
    }
    std::size_t worst = 0;
    std::size_t nBad = 0;
    double worstExcess = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double a = actual[i];
        const double e = expected[i];
        if (a == e || (std::isnan(a) && std::isnan(e))) continue;
        const double difference = std::abs(a - e);
        const double excess = difference - (absTol + relTol * std::abs(e));
        if (excess <= 0) continue;
        const bool first = nBad++ == 0;
        const double rank = std::isnan(excess) ? HUGE_VAL : excess;
        if (first || rank > worstExcess) {
            worst = i;
            worstExcess = rank;
        }
    }
    if (nBad == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << nBad << " of " << actual.size() << " elements differ by more than " << absTol << " + "
           << relTol << " * |expected|; worst at [" << worst << "]: " << actual[worst]
           << ", expected " << expected[worst] << " (difference "
           << std::abs(static_cast<double>(actual[worst]) - expected[worst]) << ")";
}

}  // namespace lanescope::test

#include "tests/bench/bench_support.h"

#include <random>

namespace lanescope::kernels::bench {

const OpTable& ops() {
    static const OpTable& kTable = opTable(preferredIsa());
    return kTable;
}

std::vector<float> normals(std::int64_t n) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = normal(random);
    return out;
}

std::string nameOf(const char* op, const Shape& shape) {
    return std::string(op) + "/" + std::string(info(shape.type).name) + "/" +
           std::to_string(shape.nRows) + "x" + std::to_string(shape.nCols);
}

const std::vector<std::uint8_t>& weightBytes(const Shape& shape) {
    static std::vector<std::uint8_t> bytes;
    const auto size = static_cast<std::size_t>(rowBytes(shape.type, shape.nCols) * shape.nRows);
    if (bytes.size() == size) return bytes;
    std::mt19937 random(2);
    bytes.resize(size);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random() & 0x33);
    return bytes;
}

std::vector<DType> blockFormats() {
    std::vector<DType> out;
    for (int i = 0; i < kDTypes; ++i) {
        const auto type = static_cast<DType>(i);
        if (info(type).computable && info(type).blockSize > 1) out.push_back(type);
    }
    return out;
}

void report(benchmark::State& state, const Work& perIteration) {
    const auto add = [&state](const char* name, double amount) {
        if (amount <= 0.0) return;
        state.counters[name] = benchmark::Counter(
            amount * static_cast<double>(state.iterations()) / 1e9, benchmark::Counter::kIsRate);
    };
    add("GB/s", perIteration.bytes);
    add("GFLOP/s", perIteration.flops);
}

}  // namespace lanescope::kernels::bench

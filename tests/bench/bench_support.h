#pragma once
// What the kernel benchmarks share: made-up inputs and the counters. All of them run one thread, on
// the best instruction set (LANESCOPE_ISA chooses another).

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ops/dispatch.h"

namespace lanescope::kernels::bench {

const OpTable& ops();

/// n normally distributed numbers, always the same.
std::vector<float> normals(std::int64_t n);

struct Shape {
    DType type;
    std::int64_t nRows, nCols;
};
/// "op/q4_1/576x1536"
std::string nameOf(const char* op, const Shape& shape);
/// Bits of a matrix; every byte is small, so scales are ordinary halves and nothing is subnormal.
/// Kept until another shape is asked for, as a benchmark's function runs several times.
const std::vector<std::uint8_t>& weightBytes(const Shape& shape);

/// Formats whose blocks hold several elements and that a product can read.
std::vector<DType> blockFormats();

/// Work of one iteration; 0: not reported. GFLOP/s counts 2 a multiply-accumulate, also of
/// integers.
struct Work {
    double bytes = 0.0, flops = 0.0;
};
void report(benchmark::State& state, const Work& perIteration);

/// Times run() and reports.
template <class F>
void measure(benchmark::State& state, const Work& perIteration, F run) {
    for (auto _ : state) {
        run();
        benchmark::ClobberMemory();
    }
    report(state, perIteration);
}

template <class... Args>
benchmark::internal::Benchmark* add(const std::string& name, Args&&... args) {
    return benchmark::RegisterBenchmark(name.c_str(), std::forward<Args>(args)...);
}

void addMatmul();
/// Half a billion weights a matrix, one thread and two: takes minutes, and up to 1.2 GB.
void addLargeMatmul();
void addAttention();
void addElementwise();
void addConversions();

}  // namespace lanescope::kernels::bench

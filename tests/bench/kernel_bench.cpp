// Speed of each op at the shapes of small models, one thread. Figures are per second of processor
// time, so that a busy machine disturbs them little. Example: kernel_bench
// --benchmark_filter='matmulPacked/q4_1.*tokens:1$'. The cases are in the files beside this one.
// `--large` as the first word runs the products of matrices out of cache instead.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/bench/bench_support.h"

int main(int argc, char** argv) {
    namespace kernels = lanescope::kernels;
    benchmark::AddCustomContext("isa", std::string(kernels::isaName(kernels::preferredIsa())));
    // Short, so that all cases together take about two minutes; a later argument overrules it.
    std::string minTime = "--benchmark_min_time=0.2";
    std::vector<char*> words(argv, argv + argc);
    words.insert(words.begin() + std::min(argc, 1), minTime.data());
    const bool large = argc > 1 && std::strcmp(argv[1], "--large") == 0;
    if (large) words.erase(words.begin() + 2);
    argc = static_cast<int>(words.size());
    benchmark::Initialize(&argc, words.data());
    if (benchmark::ReportUnrecognizedArguments(argc, words.data())) return 2;
    if (large) {
        kernels::bench::addLargeMatmul();
    } else {
        kernels::bench::addMatmul();
        kernels::bench::addAttention();
        kernels::bench::addElementwise();
        kernels::bench::addConversions();
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

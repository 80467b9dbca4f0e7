#pragma once
// Where the tests find their data, and how they read and compare it. The reader here is written
// apart from engine/checkpoint on purpose: a fault in one cannot hide in the other.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::test {

/// Folder of the golden data kept with the sources: $LANESCOPE_GOLDEN, else tests/golden.
std::string goldenDir();
/// Folder of the larger shared data: $LANESCOPE_SHARED, else ../shared beside the sources; none
/// where it is absent (then the test skips).
std::optional<std::string> sharedDir();
/// A file of the models cache, if it is there: $LANESCOPE_MODELS, else
/// ${XDG_CACHE_HOME:-~/.cache}/lanescope/models.
std::optional<std::string> modelPath(const std::string& name);

/// One tensor of a golden file, with the bytes as stored and widening accessors.
struct GoldenTensor {
    std::string dtype;                ///< as safetensors writes it: "F32", "BF16", "I64" …
    std::vector<std::int64_t> shape;  ///< outermost first
    std::vector<std::uint8_t> bytes;  ///< row-major, little-endian

    [[nodiscard]] std::int64_t nElements() const;
    /// Any dtype as numbers; floats of 16 bits are widened exactly.
    [[nodiscard]] std::vector<double> asDoubles() const;
    [[nodiscard]] std::vector<float> asFloats() const;
    /// Integer and bool dtypes only; throws for floats.
    [[nodiscard]] std::vector<std::int64_t> asInts() const;
};

/// Reads a whole .safetensors file of golden data. Throws std::runtime_error (which fails the
/// test) if it cannot be read.
std::map<std::string, GoldenTensor> loadGolden(const std::string& path);

/// Whole file as text; throws if it cannot be read.
std::string readFile(const std::string& path);

/// |actual - expected| <= absTol + relTol * |expected| everywhere and equal lengths; NaN equals
/// NaN, infinities equal themselves. The message names the worst element. Use as
/// EXPECT_TRUE(allClose(…)).
testing::AssertionResult allClose(std::span<const float> actual, std::span<const float> expected,
                                  double absTol, double relTol = 0.0);

}  // namespace lanescope::test

/// First line of a test that needs the shared data; `dir` becomes its folder.
#define LANESCOPE_NEEDS_SHARED(dir)                                                    \
    const std::optional<std::string> dir##Optional = ::lanescope::test::sharedDir();   \
    if (!dir##Optional) GTEST_SKIP() << "shared data is absent: set LANESCOPE_SHARED"; \
    const std::string& dir = *dir##Optional

/// First line of a test that needs a real model; `path` becomes its file.
#define LANESCOPE_NEEDS_MODEL(path, name)                                                 \
    const std::optional<std::string> path##Optional = ::lanescope::test::modelPath(name); \
    if (!path##Optional) GTEST_SKIP() << (name) << " is not in the models cache";         \
    const std::string& path = *path##Optional

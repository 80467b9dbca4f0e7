// Stored formats against golden blocks, and the 16-bit floats against their definition.

#include <cctype>
#include <cmath>
#include <cstring>

#include "kernels/types/float16.h"
#include "tests/kernels/support/golden.h"
#include "tests/kernels/support/isa_test.h"

namespace lanescope::kernels::test {
namespace {

class Dequantise : public IsaTest {};
LANESCOPE_FOR_EACH_ISA(Dequantise);

/// "IQ2_XXS" of "iq2_XXS": golden files are named in capitals.
std::string goldenName(DType type) {
    std::string name(info(type).name);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

/// Index of the first element whose bits differ, or -1. NaNs are equal.
std::int64_t firstDifference(const std::vector<float>& a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isnan(a[i]) && std::isnan(b[i])) continue;
        if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) return static_cast<std::int64_t>(i);
    }
    return -1;
}

TEST_P(Dequantise, EqualsGoldenBlocksBitForBit) {
    for (const DType type : kWeightTypes) {
        if (!isBlockFormat(type)) continue;
        const GoldenFile golden(goldenDir() / "dequant" / (goldenName(type) + ".safetensors"));
        const std::pair<const char*, const char*> pairs[] = {
            {"random.bytes", "random.f32"},
            {"quantize.bytes_gguf_py", "quantize.dequantized_gguf_py"},
            {"quantize.bytes_ggml_c", "quantize.dequantized_ggml_c"}};
        for (const auto& [bytesName, valuesName] : pairs) {
            if (!golden.has(bytesName)) continue;
            const auto bytes = golden.values<std::uint8_t>(bytesName);
            const auto expected = golden.values<float>(valuesName);
            ASSERT_EQ(static_cast<std::int64_t>(bytes.size()),
                      rowBytes(type, static_cast<std::int64_t>(expected.size())));
            // One byte off alignment, as weights may lie anywhere in a file.
            std::vector<std::uint8_t> shifted(bytes.size() + 1);
            std::memcpy(shifted.data() + 1, bytes.data(), bytes.size());
            std::vector<float> actual(expected.size());
            ops().dequantiseRow(type, shifted.data() + 1, actual.data(),
                                static_cast<std::int64_t>(actual.size()));
            const std::int64_t at = firstDifference(actual, expected);
            EXPECT_EQ(at, -1) << goldenName(type) << " " << bytesName << " element " << at << ": "
                              << actual[static_cast<std::size_t>(std::max<std::int64_t>(at, 0))]
                              << " instead of "
                              << expected[static_cast<std::size_t>(std::max<std::int64_t>(at, 0))];
        }
    }
}

TEST_P(Dequantise, HandlesNoElementsAndOddCounts) {
    for (const std::int64_t n : {0, 1, 7, 8, 9, 31, 100}) {
        const std::vector<float> source = normals(n);
        for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
            std::vector<std::uint8_t> stored(static_cast<std::size_t>(rowBytes(type, n)) + 2, 0xEE);
            ops().fromF32(type, source.data(), stored.data() + 1, n);
            EXPECT_EQ(stored.back(), 0xEE) << "wrote past the end for n = " << n;
            std::vector<float> back(static_cast<std::size_t>(n) + 1, -77.0F);
            ops().dequantiseRow(type, stored.data() + 1, back.data(), n);
            EXPECT_EQ(back.back(), -77.0F);
            std::vector<float> expected(static_cast<std::size_t>(n) + 1, -77.0F);
            reference().dequantiseRow(type, stored.data() + 1, expected.data(), n);
            EXPECT_EQ(firstDifference(back, expected), -1);
        }
    }
}

template <class T>
void expectPlainRow(const OpTable& ops, DType type, const std::vector<T>& values) {
    std::vector<std::uint8_t> stored(values.size() * sizeof(T) + 1);
    std::memcpy(stored.data() + 1, values.data(), stored.size() - 1);
    std::vector<float> actual(values.size());
    ops.dequantiseRow(type, stored.data() + 1, actual.data(),
                      static_cast<std::int64_t>(actual.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(actual[i], static_cast<float>(values[i])) << info(type).name << " " << i;
}

TEST_P(Dequantise, RoundsDoublesAndIntegers) {
    expectPlainRow<double>(ops(), DType::F64, {0.1, -1e30, 3.0});
    expectPlainRow<std::int8_t>(ops(), DType::I8, {-128, 0, 127});
    expectPlainRow<std::int16_t>(ops(), DType::I16, {-32768, 5});
    expectPlainRow<std::int32_t>(ops(), DType::I32, {INT32_MIN, 16777217, -7});
    expectPlainRow<std::int64_t>(ops(), DType::I64, {INT64_MIN, INT64_MAX, 3});
}

TEST_P(Dequantise, EveryHalfSurvivesTheRoundTrip) {
    for (const DType type : {DType::F16, DType::BF16}) {
        std::vector<std::uint16_t> all(65536);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
        std::vector<float> wide(all.size());
        std::vector<std::uint16_t> back(all.size());
        ops().dequantiseRow(type, all.data(), wide.data(), 65536);
        ops().fromF32(type, wide.data(), back.data(), 65536);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool half = type == DType::F16;
            const float value = half ? halfToF32(all[i]) : bf16ToF32(all[i]);
            if (std::isnan(value)) {
                EXPECT_TRUE(std::isnan(wide[i])) << i;
                EXPECT_TRUE(std::isnan(half ? halfToF32(back[i]) : bf16ToF32(back[i]))) << i;
            } else {
                ASSERT_EQ(wide[i], value) << i;
                ASSERT_EQ(back[i], all[i]) << "value " << value;
            }
        }
    }
}

/// Nearest 16-bit float by search over the definition: halfway cases go to the even pattern.
std::uint16_t nearestHalf(float f, float (*widen)(std::uint16_t), std::uint16_t infinity) {
    const std::uint16_t sign = std::signbit(f) ? 0x8000 : 0;
    const double magnitude = std::fabs(static_cast<double>(f));
    std::uint16_t low = 0;
    std::uint16_t high = infinity;
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (static_cast<double>(widen(middle)) <= magnitude ? low : high) = middle;
    }
    const double below = widen(low);
    // Past the largest finite value the next step counts as if it existed.
    const double above =
        high == infinity
            ? 2 * below - static_cast<double>(widen(static_cast<std::uint16_t>(low - 1)))
            : static_cast<double>(widen(high));
    const double middle = (below + above) / 2;
    const bool up = magnitude > middle || (magnitude == middle && low % 2 == 1);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
}

TEST_P(Dequantise, RoundsToNearestEven) {
    std::vector<float> values = {0.0F,     -0.0F,    1.0F,          65504.0F,     65519.99F,
                                 65520.0F, 1e9F,     0x1p-24F,      0x1p-25F,     0x1.000002p-25F,
                                 0x3p-25F, 6.1e-5F,  0x1.ff8p-15F,  0x1.ffcp-15F, 0x1.ffdp-15F,
                                 3.39e38F, 1.0e-39F, 0x1.00efffp0F, 0x1.01p0F,    0x1.03p0F};
    std::uniform_int_distribution<std::uint32_t> bits;
    while (values.size() < 20000) {
        const float f = std::bit_cast<float>(bits(m_random));
        if (std::isfinite(f)) values.push_back(f);
    }
    for (int i = 0; i < 20000; ++i)  // dense in the range of halves and their subnormals
        values.push_back(std::ldexp(static_cast<float>(i) / 8192.0F, i % 44 - 27));
    std::vector<std::uint16_t> half(values.size());
    std::vector<std::uint16_t> brain(values.size());
    const auto n = static_cast<std::int64_t>(values.size());
    ops().fromF32(DType::F16, values.data(), half.data(), n);
    ops().fromF32(DType::BF16, values.data(), brain.data(), n);
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(half[i], nearestHalf(values[i], halfToF32, 0x7C00)) << values[i];
        ASSERT_EQ(brain[i], nearestHalf(values[i], bf16ToF32, 0x7F80)) << values[i];
    }
}

}  // namespace
}  // namespace lanescope::kernels::test

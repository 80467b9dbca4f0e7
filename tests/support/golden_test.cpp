#include "tests/support/golden.h"

#include <cmath>
#include <limits>

namespace lanescope::test {
namespace {

TEST(GoldenData, TensorsOfSeveralTypesAreReadAsNumbers) {
    const auto tensors = loadGolden(goldenDir() + "/gguf/kvtypes.tensors.safetensors");
    ASSERT_TRUE(tensors.contains("i64"));
    EXPECT_EQ(tensors.at("i64").asInts().size(), 3U);
    EXPECT_EQ(tensors.at("c3").nElements(), 24);
    const auto bf16 = loadGolden(goldenDir() + "/checkpoints/llama_gqa_bf16/model.safetensors");
    const auto f32 = loadGolden(goldenDir() + "/checkpoints/llama_gqa/model.safetensors");
    const auto f16 = loadGolden(goldenDir() + "/checkpoints/llama_gqa_f16/model.safetensors");
    const std::string name = "model.embed_tokens.weight";
    EXPECT_TRUE(allClose(bf16.at(name).asFloats(), f32.at(name).asFloats(), 0, 1.0 / 256));
    EXPECT_TRUE(allClose(f16.at(name).asFloats(), f32.at(name).asFloats(), 1e-6, 1.0 / 2048));
    EXPECT_FALSE(allClose(f16.at(name).asFloats(), f32.at(name).asFloats(), 0, 1e-6));
}

TEST(GoldenData, AMissingFileFailsTheTestWithItsName) {
    EXPECT_THROW((void)loadGolden(goldenDir() + "/no-such-file"), std::runtime_error);
}

TEST(AllClose, NamesTheWorstElementAndTreatsNaNAsEqualToNaNOnly) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(allClose(std::vector{nan, inf, 1.F}, std::vector{nan, inf, 1.F}, 0));
    EXPECT_FALSE(allClose(std::vector{nan}, std::vector{1.F}, 1));
    EXPECT_FALSE(allClose(std::vector{1.F}, std::vector{nan}, 1));
    EXPECT_FALSE(allClose(std::vector{-inf}, std::vector{inf}, 1));
    EXPECT_FALSE(allClose(std::vector{1.F}, std::vector{1.F, 2.F}, 1));
    const auto result = allClose(std::vector{1.F, 5.F, 3.F}, std::vector{1.5F, 2.F, 3.F}, 0.1);
    EXPECT_FALSE(result);
    EXPECT_NE(std::string(result.message()).find("[1]"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace lanescope::test

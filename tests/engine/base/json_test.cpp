#include "engine/base/json.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/base/format.h"

namespace lanescope {
namespace {

TEST(Json, RefusesNestingBeyondTheLimitWithoutParsing) {
    const std::string deep(100000, '[');
    auto r = parseJson(deep, "x.json");
    ASSERT_FALSE(r);
    EXPECT_NE(r.error().message.find("nested"), std::string::npos);
    EXPECT_TRUE(parseJson("[[[1]]]", "x", 3).ok());
    EXPECT_FALSE(parseJson("[[[1]]]", "x", 2).ok());
    EXPECT_TRUE(parseJson(R"({"a":"[[[[[[ \" [["})", "x", 1).ok());
}

TEST(Json, SaysWhereTheTextIsBroken) {
    auto r = parseJson("{\"a\": tru}", "plan.json");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().context, "plan.json");
    EXPECT_EQ(r.error().exitCode(), 3);
}

TEST(Json, DumpsBrokenTextAndNonFiniteNumbersAsValidJson) {
    nlohmann::json j = {{"s", "\xff!"}, {"n", std::numeric_limits<double>::quiet_NaN()}};
    EXPECT_TRUE(nlohmann::json::parse(dumpJson(j)).contains("s"));
    EXPECT_TRUE(nlohmann::json::parse(dumpJson(j))["n"].is_null());
}

TEST(Format, BytesAndNumbers) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(1536), "1.5 KiB");
    EXPECT_EQ(formatBytes(std::uint64_t{4} << 30), "4.0 GiB");
    EXPECT_EQ(formatNumber(3.14159, 2), "3.14");
    EXPECT_EQ(formatNumber(std::numeric_limits<double>::infinity(), 2), "n/a");
}

}  // namespace
}  // namespace lanescope

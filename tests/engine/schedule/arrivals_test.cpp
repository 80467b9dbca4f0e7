#include "engine/schedule/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/engine/decode/engine_support.h"

namespace lanescope::test {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Model> tinyModel() {
    static const auto model = loadOrFail(goldenDir() + "/checkpoints/llama_gqa");
    return model;
}

std::vector<Arrival> made(const LoadSettings& settings) {
    auto arrivals = makeArrivals(*tinyModel(), settings);
    EXPECT_TRUE(arrivals.ok()) << arrivals.error().toString();
    return arrivals ? *arrivals : std::vector<Arrival>();
}

TEST(Arrivals, APoissonProcessHasItsRateAndExponentialGaps) {
    LoadSettings settings;
    settings.pattern = *parseArrivals("poisson:5");
    settings.nRequests = 4000;
    settings.promptTokens = {1, 1};
    const auto arrivals = made(settings);
    const double seconds = arrivals.back().seconds;
    EXPECT_NEAR(4000.0 / seconds, 5.0, 0.25);
    // An exponential gap is as wide as it is long on average.
    double sum = 0.0, squares = 0.0, before = 0.0;
    for (const Arrival& arrival : arrivals) {
        const double gap = arrival.seconds - before;
        ASSERT_GE(gap, 0.0);
        sum += gap;
        squares += gap * gap;
        before = arrival.seconds;
    }
    const double mean = sum / 4000.0;
    EXPECT_NEAR(std::sqrt(squares / 4000.0 - mean * mean) / mean, 1.0, 0.1);
}

TEST(Arrivals, BurstsComeAtOnceAndThenAgain) {
    LoadSettings settings;
    settings.pattern = *parseArrivals("burst:3@2.5");
    settings.nRequests = 7;
    const auto arrivals = made(settings);
    ASSERT_EQ(arrivals.size(), 7U);
    EXPECT_EQ(arrivals[2].seconds, 0.0);
    EXPECT_EQ(arrivals[3].seconds, 2.5);
    EXPECT_EQ(arrivals[6].seconds, 5.0);
}

TEST(Arrivals, TheSameSeedGivesTheSameRequestsAndLengthsStayInside) {
    LoadSettings settings;
    settings.nRequests = 200;
    settings.promptTokens = {4, 40};
    settings.outputTokens = {2, 9};
    settings.sharedPrefix = 6;
    settings.seed = 3;
    const auto a = made(settings), b = made(settings);
    settings.seed = 4;
    const auto c = made(settings);
    ASSERT_EQ(a.size(), b.size());
    bool longOne = false, shortOne = false, differs = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].prompt, b[i].prompt);
        EXPECT_EQ(a[i].maxTokens, b[i].maxTokens);
        differs = differs || a[i].prompt != c[i].prompt;
        const auto own = std::ssize(a[i].prompt) - 6;
        EXPECT_GE(own, 4);
        EXPECT_LE(own, 40);
        EXPECT_GE(a[i].maxTokens, 2);
        EXPECT_LE(a[i].maxTokens, 9);
        longOne = longOne || own > 35;
        shortOne = shortOne || own < 6;
        EXPECT_TRUE(std::equal(a[i].prompt.begin(), a[i].prompt.begin() + 6, a[0].prompt.begin()));
    }
    EXPECT_TRUE(longOne && shortOne && differs);
}

TEST(Arrivals, WordsThatMeanNothingAreRefusedWithAnExample) {
    for (const char* text : {"poisson:", "poisson:0", "poisson:-1", "poisson:nan",
                             "burst:", "burst:0", "burst:3@", "burst:3@-1", "burst:99999999"}) {
        const auto pattern = parseArrivals(text);
        ASSERT_FALSE(pattern.ok()) << text;
        EXPECT_EQ(pattern.error().code, ErrorCode::Usage) << text;
    }
    for (const char* text : {"", "0", "5-3", "a", "3-", "-3", "1-99999999"})
        EXPECT_FALSE(parseLengths(text).ok()) << text;
    EXPECT_EQ(parseLengths("12")->most, 12);
    EXPECT_EQ(parseLengths("3-12")->least, 3);
}

class ArrivalsFile : public testing::Test {
  protected:
    Result<std::vector<Arrival>> read(const std::string& text) {
        const std::string path = (m_folder.path() / "load.jsonl").string();
        std::ofstream(path) << text;
        LoadSettings settings;
        settings.pattern = *parseArrivals(path);
        return makeArrivals(*tinyModel(), settings);
    }
    TemporaryFolder m_folder;
};

TEST_F(ArrivalsFile, LinesBecomeRequestsInOrderOfTime) {
    const auto arrivals = read(
        "{\"t\": 2, \"promptTokens\": 5, \"maxTokens\": 3}\n\n"
        "{\"t\": 0.5, \"prompt\": \"the river\", \"maxTokens\": 4, \"priority\": 2, "
        "\"client\": \"a\", \"cancelAfter\": 1}\n");
    ASSERT_TRUE(arrivals.ok()) << arrivals.error().toString();
    ASSERT_EQ(arrivals->size(), 2U);
    EXPECT_EQ((*arrivals)[0].seconds, 0.5);
    EXPECT_EQ((*arrivals)[0].priority, 2);
    EXPECT_EQ((*arrivals)[0].client, "a");
    EXPECT_EQ((*arrivals)[0].cancelAfterSeconds, 1.0);
    EXPECT_FALSE((*arrivals)[0].prompt.empty());
    EXPECT_EQ((*arrivals)[1].prompt.size(), 5U);
    EXPECT_EQ((*arrivals)[1].maxTokens, 3);
}

TEST_F(ArrivalsFile, WhatIsWrittenIsReadAgain) {
    LoadSettings settings;
    settings.pattern = *parseArrivals("poisson:3");
    auto arrivals = made(settings);
    arrivals[1].client = "b";
    arrivals[2].priority = -1;
    arrivals[3].cancelAfterSeconds = 0.25;
    const auto again = read(arrivalLines(arrivals));
    ASSERT_TRUE(again.ok()) << again.error().toString();
    ASSERT_EQ(again->size(), arrivals.size());
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        EXPECT_EQ((*again)[i].seconds, arrivals[i].seconds);
        EXPECT_EQ((*again)[i].prompt, arrivals[i].prompt);
        EXPECT_EQ((*again)[i].maxTokens, arrivals[i].maxTokens);
        EXPECT_EQ((*again)[i].client, arrivals[i].client);
        EXPECT_EQ((*again)[i].priority, arrivals[i].priority);
        EXPECT_EQ((*again)[i].cancelAfterSeconds, arrivals[i].cancelAfterSeconds);
    }
}

TEST_F(ArrivalsFile, WhatIsWrongIsNamedWithItsLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"{\"t\": 0}\n[]\n", "line 2"},
        {"{\"t\": -1}\n", "\"t\""},
        {"{\"t\": 1e300}\n", "\"t\""},
        {"{\"t\": 0, \"tokens\": 3}\n", "\"tokens\""},
        {"{\"t\": 0, \"words\": 3}\n", "\"words\""},
        {"{\"t\": 0, \"maxTokens\": 0}\n", "\"maxTokens\""},
        {"{\"t\": 0, \"promptTokens\": 1e18}\n", "\"promptTokens\""},
        {"{\"t\": 0, \"prompt\": 3}\n", "\"prompt\""},
        {"{\"t\": 0, \"priority\": 1e9}\n", "\"priority\""},
        {"{\"t\": 0, \"tokens\": [1, -2]}\n", "\"tokens\""},
        {"{\"t\": 0, \"tokens\": []}\n", "empty"},
        {"{\"t\": 0,\n", "line 1"},
        {"\n\n", "no requests"},
    };
    for (const auto& [text, word] : cases) {
        const auto arrivals = read(text);
        ASSERT_FALSE(arrivals.ok()) << text;
        EXPECT_EQ(arrivals.error().code, ErrorCode::BadInput) << text;
        EXPECT_THAT(arrivals.error().toString(), HasSubstr(word)) << text;
    }
}

}  // namespace
}  // namespace lanescope::test

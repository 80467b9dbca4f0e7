// Whole templates against what the reference implementation renders.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <stdexcept>

#include "tests/engine/text/template/template_support.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

/// Every template and conversation of a folder made like golden/chat.
void checkFolder(const std::string& folder, std::size_t leastCases) {
    const auto conversations = orderedJson(folder + "/conversations.json");
    const auto expected = orderedJson(folder + "/expected.json");
    std::size_t cases = 0;
    for (const auto& [name, entry] : expected["templates"].items()) {
        const std::string source = readFile(folder + "/templates/" + name + ".jinja");
        nlohmann::ordered_json special;
        special["bos_token"] = entry["bos_token"];
        special["eos_token"] = entry["eos_token"];
        for (const auto& item : entry["cases"]) {
            const auto conversation = item["conversation"].get<std::string>();
            const std::string text =
                rendered(source, inputFrom(conversations[conversation], special));
            ++cases;
            if (item.contains("rendered")) {
                EXPECT_EQ(text, item["rendered"].get<std::string>()) << name << " " << conversation;
            } else {
                EXPECT_EQ(text.rfind("ERROR: ", 0), 0U) << name << " " << conversation << "\n"
                                                        << text;
                if (item["error"] != "TypeError") {
                    EXPECT_EQ(text, "ERROR: " + item["message"].get<std::string>())
                        << name << " " << conversation;
                }
            }
        }
    }
    EXPECT_GE(cases, leastCases);
}

TEST(ChatTemplateReference, SmolLm2AndQwen25StylesRenderAsTheReference) {
    checkFolder(goldenDir() + "/chat", 40);
}

TEST(ChatTemplateReference, AllOwnTemplatesRenderAsTheReference) {
    LANESCOPE_NEEDS_SHARED(shared);
    checkFolder(shared + "/reference/chat", 340);
}

/// The day the published templates were rendered, as one of them writes it.
std::tm dayOf(const nlohmann::ordered_json& expected) {
    const auto text = expected["openai-gpt-oss-120b.jinja"]["single"]["text"].get<std::string>();
    std::smatch match;
    const std::regex date("Current date: (\\d+)-(\\d+)-(\\d+)");
    if (!std::regex_search(text, match, date)) throw std::runtime_error("no date in: " + text);
    std::tm day{};
    day.tm_year = std::stoi(match[1]) - 1900;
    day.tm_mon = std::stoi(match[2]) - 1;
    day.tm_mday = std::stoi(match[3]);
    day.tm_hour = 12;
    timegm(&day);  // fills in the day of the week
    return day;
}

TEST(ChatTemplateReference, PublishedTemplatesRenderAsTheReference) {
    LANESCOPE_NEEDS_SHARED(shared);
    const std::string folder = shared + "/templates";
    if (!std::filesystem::exists(folder + "/expected.json")) GTEST_SKIP() << folder << " is absent";
    const auto all = orderedJson(folder + "/expected.json");
    const std::tm day = dayOf(all["expected"]);
    std::size_t cases = 0;
    for (const auto& [file, entry] : all["expected"].items()) {
        const std::string source = readFile(folder + "/" + file);
        for (const auto& [conversation, result] : entry.items()) {
            ChatInput input = inputFrom(all["conversations"][conversation], all["special"]);
            input.now = day;
            const std::string text = rendered(source, input);
            if (result.contains("text")) {
                EXPECT_EQ(text, result["text"].get<std::string>()) << file << " " << conversation;
            } else {
                EXPECT_EQ(text.rfind("ERROR: ", 0), 0U) << file << " " << conversation;
            }
            ++cases;
        }
    }
    EXPECT_GE(cases, 235U);
    RecordProperty("cases", static_cast<int>(cases));
}

TEST(ChatTemplateReference, OneLinersOfEveryFeatureRenderAsTheReference) {
    LANESCOPE_NEEDS_SHARED(shared);
    const auto features = orderedJson(shared + "/cases/C37/features.json");
    ChatInput input;
    input.messages = features["messages"];
    input.variables = features["vars"];
    for (const auto& item : features["cases"]) {
        const auto source = item["template"].get<std::string>();
        EXPECT_EQ(rendered(source, input), item["text"].get<std::string>()) << source;
    }
}

}  // namespace
}  // namespace lanescope::test

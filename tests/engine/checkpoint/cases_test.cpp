// The shared bug log (cases C01 to C21): files that broke other readers, with the right outcome.
// Here: what is decided before a model is built. Files that are sound as a container and wrong as a
// model (kDecidedByModel) must open here; the model's tests hold them to their outcome.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/checkpoint/checkpoint.h"
#include "tests/support/golden.h"

namespace lanescope {
namespace {

using nlohmann::json;

const std::set<std::string> kCases{"BASE", "C01", "C02", "C04", "C05", "C07", "C09", "C11",
                                   "C13",  "C14", "C15", "C16", "C17", "C20", "C21"};

const std::set<std::string> kDecidedByModel{
    "C05/complete_but_tensor_absent.gguf",
    "C15/integer_weights_without_quant_config",
    "C16/untied_without_lm_head",
    "C16/key_absent_and_no_lm_head",
    "C21/gguf_more_rows_than_tokens.gguf",
    "C21/gguf_fewer_rows_than_tokens.gguf",
    "C21/hf_tokens_beyond_rows",
    "C21/gguf_bos_out_of_range.gguf",
    "C21/gguf_scores_shorter_than_tokens.gguf",
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

void checkWords(const json& entry, const std::string& message) {
    const std::string text = lower(message);
    const auto mentions = [&](const json& word) {
        return text.find(lower(word.get<std::string>())) != std::string::npos;
    };
    if (entry.contains("mentions_any")) {
        const json& any = entry["mentions_any"];
        EXPECT_TRUE(std::any_of(any.begin(), any.end(), mentions)) << any << "\n" << message;
    }
    for (const char* all : {"mentions_also", "mentions_preferred"}) {
        if (!entry.contains(all)) continue;
        for (const json& word : entry[all]) EXPECT_TRUE(mentions(word)) << word << "\n" << message;
    }
    if (entry.contains("never_mentions")) {
        for (const json& word : entry["never_mentions"]) EXPECT_FALSE(mentions(word)) << message;
    }
}

TEST(BugLog, EveryModelFileOpensOrIsRefusedAsItShould) {
    LANESCOPE_NEEDS_SHARED(shared);
    const json expected = json::parse(test::readFile(shared + "/cases/expected.json"));
    int nChecked = 0;
    for (const json& entry : expected["cases"]) {
        if (!kCases.contains(entry["id"])) continue;
        const std::string path = entry["path"];
        SCOPED_TRACE(path);
        const auto start = std::chrono::steady_clock::now();
        auto opened = Checkpoint::open(shared + "/cases/" + path);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        EXPECT_LT(seconds.count(), 1.0);
        ++nChecked;
        if (entry["outcome"] == "loads" || kDecidedByModel.contains(path)) {
            EXPECT_TRUE(opened) << opened.error().toString();
            continue;
        }
        ASSERT_EQ(entry["outcome"], "error");
        if (opened) {
            ADD_FAILURE() << "opened, should have been refused";
            continue;
        }
        EXPECT_EQ(opened.error().exitCode(), 3);
        checkWords(entry, opened.error().toString());
        if (std::getenv("LANESCOPE_SHOW_MESSAGES") != nullptr) {
            std::printf("%s\n", opened.error().toString().c_str());
        }
    }
    EXPECT_GE(nChecked, 90);
}

}  // namespace
}  // namespace lanescope

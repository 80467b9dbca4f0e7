// The bug log's model files through the built program: each opens and answers, or is refused with
// status 3 and the stated words, within five seconds and without a crash.

#include <algorithm>
#include <chrono>
#include <set>

#include "tests/app/cli/process.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

const std::set<std::string> kModelFiles{"BASE", "C01", "C02", "C04", "C05", "C07", "C09", "C11",
                                        "C13",  "C14", "C15", "C16", "C17", "C20", "C21"};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class CliModelCases : public CliTest {
  protected:
    CliResult generate(const std::string& model, const std::vector<int>& prompt, std::size_t n) {
        std::string tokens;
        for (const int id : prompt) tokens += (tokens.empty() ? "" : ",") + std::to_string(id);
        return cli({"generate", model, "--tokens", tokens, "-n", std::to_string(n), "--temp", "0",
                    "--ignore-eos", "--json"});
    }

    void expectRefusal(const json& entry, const std::string& model) {
        CliResult result = generate(model, {1}, 1);
        // Some faults only concern words: then ids run, and text is refused.
        if (result.status == 0) result = cli({"tokenize", model, "--text", "a"});
        if (result.status == 0 && entry.value("or_outcome", "") == "loads") return;
        EXPECT_TRUE(failsWith(result, 3, ""));
        const std::string message = lower(result.err);
        const auto mentions = [&](const json& word) {
            return message.find(lower(word.get<std::string>())) != std::string::npos;
        };
        const json any = entry.value("mentions_any", json::array());
        EXPECT_TRUE(any.empty() || std::any_of(any.begin(), any.end(), mentions)) << message;
        for (const json& word : entry.value("mentions_also", json::array()))
            EXPECT_TRUE(mentions(word)) << word << "\n" << message;
    }
};

TEST_F(CliModelCases, EveryFileEndsAsItShould) {
    LANESCOPE_NEEDS_SHARED(shared);
    const json expected = json::parse(readFile(shared + "/cases/expected.json"));
    int nChecked = 0;
    for (const json& entry : expected["cases"]) {
        if (!kModelFiles.contains(entry["id"])) continue;
        const std::string path = entry["path"];
        SCOPED_TRACE(path);
        const std::string model = shared + "/cases/" + path;
        const auto start = std::chrono::steady_clock::now();
        if (entry["outcome"] == "error") {
            expectRefusal(entry, model);
        } else if (entry.contains("greedy")) {
            const auto ids = entry["greedy"]["ids"].get<std::vector<int>>();
            const auto result =
                generate(model, entry["greedy"]["prompt_ids"].get<std::vector<int>>(), ids.size());
            EXPECT_EQ(result.status, 0) << result.err;
            if (result.status == 0) {
                EXPECT_EQ(result.json()["tokens"], json(ids));
            }
        } else {
            const auto result = cli({"info", model, "--json"});
            EXPECT_EQ(result.status, 0) << result.err;
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        EXPECT_LT(seconds.count(), 5.0);
        ++nChecked;
    }
    EXPECT_GE(nChecked, 103);
}

}  // namespace
}  // namespace lanescope::test

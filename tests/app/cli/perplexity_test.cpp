#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/app/cli/process.h"

namespace lanescope::test {
namespace {

class CliPerplexity : public CliTest {
  protected:
    const std::string m_model = golden("llama_wide.Q4_K_M.llama_quantize.gguf");
    std::string text() {
        std::string words;
        for (int i = 0; i < 60; ++i)
            words += "the theory of the thing is " + std::to_string(i) + " ";
        write("text.txt", words);
        return path("text.txt");
    }
};

TEST_F(CliPerplexity, TheExactPathIsItsOwnReferenceAndTheFastOneIsNear) {
    const auto exact = cli({"perplexity", m_model, "--file", text(), "--ctx", "64", "--exact",
                            "--against", m_model, "--json"});
    ASSERT_EQ(exact.status, 0) << exact.err;
    const auto e = exact.json();
    EXPECT_EQ(e["kld"]["max"], 0.0);
    EXPECT_EQ(e["top1"], 1.0);
    EXPECT_GT(e["tokens"], 31);
    const auto fast = cli(
        {"perplexity", m_model, "--file", text(), "--ctx", "64", "--against", m_model, "--json"});
    ASSERT_EQ(fast.status, 0) << fast.err;
    const auto f = fast.json();
    EXPECT_GT(f["kld"]["mean"].get<double>(), 0.0);
    EXPECT_LT(f["kld"]["mean"].get<double>(), 0.05);
    EXPECT_NEAR(f["ppl"].get<double>() / e["ppl"].get<double>(), 1.0, 0.05);
    const auto alone = cli({"perplexity", m_model, "--file", text(), "--ctx", "64"});
    EXPECT_EQ(alone.out.rfind("perplexity ", 0), 0U) << alone.out;
}

TEST_F(CliPerplexity, WhatCannotBeScoredSaysWhy) {
    write("short.txt", "hello");
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", path("short.txt")}), 3, "window"));
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", path("none.txt")}), 3, "none.txt"));
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", text(), "--ctx", "64", "--against",
                               golden("llama_tied.F16.gguf")}),
                          2, "vocabularies"));
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model, "--file", text(), "--ctx", "64",
                               "--save-logits", path("none/base.kld")}),
                          1, "none/base.kld"));
}

/// Reads what --save-logits wrote, as llama.cpp's llama-perplexity does.
struct SavedPredictions {
    std::int32_t window = 0, vocab = 0, nWindows = 0;
    std::vector<std::int32_t> tokens;
    std::vector<std::vector<double>> rows;  ///< log probabilities of a position
    bool complete = false;                  ///< nothing is missing and nothing follows

    explicit SavedPredictions(const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        const std::string all{std::istreambuf_iterator<char>(in), {}};
        std::size_t at = 8;
        const auto take = [&](void* to, std::size_t n) {
            if (at + n > all.size()) return false;
            std::memcpy(to, all.data() + at, n);
            at += n;
            return true;
        };
        if (all.rfind("_logits_", 0) != 0 || !take(&window, 4) || !take(&vocab, 4) ||
            !take(&nWindows, 4))
            return;
        tokens.resize(static_cast<std::size_t>(window) * static_cast<std::size_t>(nWindows));
        if (!take(tokens.data(), tokens.size() * sizeof tokens[0])) return;
        std::vector<std::uint16_t> codes(static_cast<std::size_t>(vocab + vocab % 2));
        for (std::int32_t i = 0; i < nWindows * (window - 1 - window / 2); ++i) {
            float scale = 0, lowest = 0;
            if (!take(&scale, 4) || !take(&lowest, 4) || !take(codes.data(), codes.size() * 2))
                return;
            auto& row = rows.emplace_back();
            for (std::size_t c = 0; c < static_cast<std::size_t>(vocab); ++c)
                row.push_back(static_cast<double>(scale) * codes[c] + static_cast<double>(lowest));
        }
        complete = at == all.size();
    }
};

TEST_F(CliPerplexity, SavedPredictionsReadBackGiveTheSamePerplexity) {
    // 65: an odd window, so that halves differ by one.
    for (const int window : {64, 65}) {
        const std::string base = path("base.kld");
        const auto ran = cli({"perplexity", m_model, "--file", text(), "--ctx",
                              std::to_string(window), "--exact", "--save-logits", base, "--json"});
        ASSERT_EQ(ran.status, 0) << ran.err;
        const SavedPredictions saved(base);
        ASSERT_TRUE(saved.complete);
        EXPECT_EQ(saved.window, window);
        double nll = 0.0;
        std::size_t row = 0;
        for (std::int32_t w = 0; w < saved.nWindows; ++w) {
            for (std::int32_t i = window / 2; i + 1 < window; ++i, ++row) {
                double sum = 0.0;
                for (const double logProbability : saved.rows[row]) sum += std::exp(logProbability);
                // Codes are half a step of 0.00024 off at most; what is below e^-16 becomes e^-16.
                ASSERT_NEAR(sum, 1.0, 0.0003);
                nll -= saved.rows[row][static_cast<std::size_t>(
                    saved.tokens[static_cast<std::size_t>(w * window + i + 1)])];
            }
        }
        const auto json = ran.json();
        ASSERT_EQ(json["tokens"], row);
        // This made-up model gives a few tokens less than e^-16 of the best one; the file cannot.
        const double ratio = std::exp(nll / static_cast<double>(row)) / json["ppl"].get<double>();
        EXPECT_LT(ratio, 1.0002);
        EXPECT_GT(ratio, 0.98);
    }
}

TEST_F(CliPerplexity, TheReferenceIsWhatIsSaved) {
    const std::string alone = path("alone.kld"), beside = path("beside.kld");
    const std::vector<std::string> words{"perplexity", m_model, "--file", text(), "--ctx", "64"};
    const auto with = [&](const std::vector<std::string>& more) {
        auto all = words;
        all.insert(all.end(), more.begin(), more.end());
        return cli(all).status;
    };
    ASSERT_EQ(with({"--exact", "--save-logits", alone}), 0);
    ASSERT_EQ(with({"--against", m_model, "--save-logits", beside}), 0);
    EXPECT_EQ(SavedPredictions(alone).rows, SavedPredictions(beside).rows);
    EXPECT_TRUE(SavedPredictions(beside).complete);
}

}  // namespace
}  // namespace lanescope::test

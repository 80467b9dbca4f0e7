// generate and logits on tiny golden checkpoints, and on a real model where it is there.

#include <signal.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "tests/app/cli/process.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

class CliGenerate : public CliTest {
  protected:
    std::vector<std::string> tokens(const std::vector<std::string>& more = {}) {
        std::vector<std::string> args{"generate",     golden("llama_gqa.F16.gguf"),
                                      "--tokens",     "1,5,9,20,33",
                                      "-n",           "16",
                                      "--ignore-eos", "--json"};
        args.insert(args.end(), more.begin(), more.end());
        return args;
    }
    /// A model with a tokenizer, so that there is text.
    std::vector<std::string> text(const std::vector<std::string>& more = {}) {
        std::vector<std::string> args{
            "generate", golden("qwen2.F16.gguf"), "--prompt", "hello", "-n",
            "24",       "--ignore-eos",           "--json"};
        args.insert(args.end(), more.begin(), more.end());
        return args;
    }
};

TEST_F(CliGenerate, OneDocumentHoldsEverythingThatScriptsRead) {
    const CliResult r = cli(tokens());
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j["promptTokens"], (std::vector<int>{1, 5, 9, 20, 33}));
    EXPECT_EQ(j["tokens"].size(), 16U);
    EXPECT_TRUE(j["text"].is_string());
    EXPECT_EQ(j["finishReason"], "length");
    const auto& t = j["timing"];
    EXPECT_GE(t["loadMs"].get<double>(), 0.0);
    EXPECT_GT(t["ttftMs"].get<double>(), 0.0);
    EXPECT_EQ(t["itlMs"].size(), 15U);
    EXPECT_GT(t["prefillTps"].get<double>(), 0.0);
    EXPECT_GT(t["decodeTps"].get<double>(), 0.0);
    EXPECT_EQ(j["kv"]["blockTokens"], 16);
    // 5 + 15 tokens were stored in blocks of 16; 384 bytes a token.
    EXPECT_EQ(j["kv"]["blocks"], 2);
    EXPECT_EQ(j["kv"]["bytes"], 2 * 16 * 384);
    EXPECT_TRUE(j.contains("speculation"));
}

TEST_F(CliGenerate, GreedyTokensAreTheReferencesOwn) {
    const auto data = loadGolden(golden("llama_gqa.F16.golden.safetensors"));
    const auto prompt = data.at("len7.input_ids").asInts();
    const auto expected = data.at("len7.greedy").asInts();
    std::string ids;
    for (const auto id : prompt) ids += (ids.empty() ? "" : ",") + std::to_string(id);
    const CliResult r = cli({"generate", golden("llama_gqa.F16.gguf"), "--tokens", ids, "-n",
                             std::to_string(expected.size()), "--ignore-eos", "--exact", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.json()["tokens"], expected);
}

TEST_F(CliGenerate, TheSameSeedGivesTheSameTokens) {
    const auto with = [&](const std::string& seed) {
        const CliResult r = cli(tokens({"--temp", "1.5", "--seed", seed}));
        EXPECT_EQ(r.status, 0) << r.err;
        return r.json()["tokens"];
    };
    const auto first = with("7");
    EXPECT_EQ(with("7"), first);
    EXPECT_NE(with("8"), first);
}

TEST_F(CliGenerate, ThreadsAndAttentionDoNotChangeGreedyTokens) {
    const auto one = cli(tokens({"--threads", "1"})).json();
    const auto two = cli(tokens({"--threads", "2"})).json();
    ASSERT_EQ(one["tokens"].size(), 16U);
    EXPECT_EQ(one["tokens"], two["tokens"]);
    EXPECT_EQ(two["settings"]["threads"], 2);
    const auto naive = cli(tokens({"--attention", "naive", "--kv", "fp32"})).json();
    const auto flash = cli(tokens({"--attention", "flash", "--kv", "fp32"})).json();
    EXPECT_EQ(naive["tokens"], flash["tokens"]);
}

TEST_F(CliGenerate, HeavyHittersKeepFewerKeysAndSayByWhichKernel) {
    const auto all = cli(tokens({"--kv-block", "8"})).json();
    const CliResult r = cli(tokens({"--kv-block", "8", "--attention", "heavy:8+0"}));
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_LT(r.json()["kv"]["bytes"], all["kv"]["bytes"]) << r.out;
    EXPECT_NE(r.err.find("note: attention naive: it has the weights"), std::string::npos) << r.err;
    const CliResult dense = cli(tokens({"--attention", "heavy:8+0", "--dense-layers", "0"}));
    EXPECT_TRUE(failsWith(dense, 2, "none can be dense"));
}

TEST_F(CliGenerate, OptionsOfAGpuAreSaidToBeOffOnAProcessor) {
    const CliResult r = cli(tokens({"--products", "cublaslt", "--sampling", "device"}));
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.json()["settings"]["products"], "own");
    EXPECT_EQ(r.json()["settings"]["sampling"], "host");
    EXPECT_EQ(r.json()["tokens"], cli(tokens()).json()["tokens"]);
    EXPECT_NE(r.err.find("note: products own instead of cublaslt: not on a GPU"), std::string::npos)
        << r.err;
    EXPECT_NE(r.err.find("note: sampling host instead of device: not on a GPU"), std::string::npos)
        << r.err;
}

TEST_F(CliGenerate, TheExactPathComesFromTheEnvironmentToo) {
    const CliResult flag = cli(tokens({"--exact"}));
    const CliResult variable = cli(tokens(), {"LANESCOPE_EXACT=1"});
    ASSERT_EQ(variable.status, 0) << variable.err;
    EXPECT_EQ(flag.json()["settings"]["exact"], true);
    EXPECT_EQ(variable.json()["settings"]["exact"], true);
    EXPECT_EQ(cli(tokens()).json()["settings"]["exact"], false);
    EXPECT_EQ(flag.json()["tokens"], variable.json()["tokens"]);
    EXPECT_NE(flag.err.find("exact path"), std::string::npos) << "the KV format differs: say so";
}

TEST_F(CliGenerate, PlainOutputIsTheTextAndNothingElse) {
    const auto json = cli(text()).json();
    std::vector<std::string> args = text();
    args.pop_back();  // --json
    const CliResult r = cli(args);
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.out, json["text"].get<std::string>() + "\n");
    EXPECT_NE(r.err.find("decode"), std::string::npos);
}

TEST_F(CliGenerate, AStopStringEndsTheText) {
    const auto whole = cli(text()).json()["text"].get<std::string>();
    // Three letters from the middle of what it says anyway.
    std::size_t at = whole.size() / 4;
    const auto plain = [&](std::size_t i) { return i < whole.size() && whole[i] > ' '; };
    while (at < whole.size() && !(plain(at) && plain(at + 1))) ++at;
    ASSERT_LT(at, whole.size()) << whole;
    const std::string stop = whole.substr(at, 2);
    const auto j = cli(text({"--stop", "never there", "--stop", stop})).json();
    EXPECT_EQ(j["finishReason"], "stop-string");
    EXPECT_EQ(j["text"], whole.substr(0, whole.find(stop)));
}

TEST_F(CliGenerate, AChatGoesThroughTheTemplate) {
    std::vector<std::string> args{
        "generate", golden("qwen2.F16.gguf"), "--chat", "hi", "--system", "Be brief", "-n", "2",
        "--json"};
    const auto chat = cli(args).json();
    ASSERT_TRUE(chat.contains("promptTokens"));
    write("t.jinja", "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}");
    args.insert(args.end(), {"--template", path("t.jinja")});
    const auto own = cli(args).json();
    ASSERT_TRUE(own.contains("promptTokens"));
    EXPECT_NE(own["promptTokens"], chat["promptTokens"]);
    const auto raw =
        cli({"tokenize", golden("qwen2.F16.gguf"), "--text", "<system>Be brief<user>hi", "--json"})
            .json();
    EXPECT_EQ(own["promptTokens"], raw["tokens"]);
}

TEST_F(CliGenerate, LogitsAreWrittenAsSafetensors) {
    const auto data = loadGolden(golden("llama_gqa.F16.golden.safetensors"));
    const auto prompt = data.at("len7.input_ids").asInts();
    const auto expected = data.at("len7.logits").asFloats();
    std::string ids;
    for (const auto id : prompt) ids += (ids.empty() ? "" : ",") + std::to_string(id);
    const CliResult r = cli({"logits", golden("llama_gqa.F16.gguf"), "--tokens", ids, "--out",
                             path("l.safetensors"), "--exact", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.json()["shape"], (std::vector<int>{7, 620}));
    const auto written = loadGolden(path("l.safetensors"));
    const auto& logits = written.at("logits");
    EXPECT_EQ(logits.dtype, "F32");
    EXPECT_EQ(logits.shape, (std::vector<std::int64_t>{7, 620}));
    EXPECT_TRUE(allClose(logits.asFloats(), expected, 3e-4));
}

TEST_F(CliGenerate, CtrlCPrintsWhatWasGenerated) {
    LANESCOPE_NEEDS_MODEL(model, "SmolLM2-135M-Instruct.Q4_1.gguf");
    CliProcess process({"generate", model, "--prompt", "Once upon a time", "-n", "4000",
                        "--ignore-eos", "--context", "4096", "--json"},
                       m_dir);
    std::this_thread::sleep_for(std::chrono::seconds(5));
    process.signal(SIGINT);
    const CliResult r = process.wait();
    EXPECT_TRUE(failsWith(r, 5, "cancelled"));
    const auto j = r.json();
    EXPECT_EQ(j["finishReason"], "cancelled");
    EXPECT_GT(j["tokens"].size(), 0U);
    EXPECT_LT(j["tokens"].size(), 4000U);
}

TEST_F(CliGenerate, ARealModelAnswersAChat) {
    LANESCOPE_NEEDS_MODEL(model, "SmolLM2-135M-Instruct.Q4_1.gguf");
    const CliResult r = cli({"generate", model, "--chat", "What is the capital of France?", "-n",
                             "24", "--exact", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_NE(r.json()["text"].get<std::string>().find("Paris"), std::string::npos)
        << r.json()["text"];
}

}  // namespace
}  // namespace lanescope::test

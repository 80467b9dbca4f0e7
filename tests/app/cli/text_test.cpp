// info, tokenize, detokenize, template, --help: what does not run a model.

#include <fstream>

#include "tests/app/cli/process.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

class CliText : public CliTest {};

TEST_F(CliText, HelpAndVersionSucceed) {
    const CliResult help = cli({"--help"});
    EXPECT_EQ(help.status, 0);
    for (const char* command : {"info", "tokenize", "detokenize", "template", "logits", "generate",
                                "bench", "run", "compare", "demo", "runs"}) {
        EXPECT_NE(help.out.find(command), std::string::npos) << command;
    }
    EXPECT_EQ(cli({"generate", "--help"}).status, 0);
    EXPECT_EQ(cli({"--version"}).out.rfind("lanescope-cli ", 0), 0U);
}

TEST_F(CliText, InfoDescribesACheckpoint) {
    const CliResult r = cli({"info", golden("llama_gqa.F16.gguf"), "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j["architecture"], "llama");
    EXPECT_EQ(j["layers"], 3);
    EXPECT_EQ(j["heads"], 6);
    EXPECT_EQ(j["kvHeads"], 2);
    EXPECT_EQ(j["headDim"], 16);
    EXPECT_EQ(j["vocab"], 620);
    EXPECT_EQ(j["contextLength"], 512);
    // K and V, 3 layers, 2 heads of 16, 2 bytes each.
    EXPECT_EQ(j["kvBytesPerToken"], 2 * 3 * 2 * 16 * 2);
    EXPECT_TRUE(j["tensorTypes"].is_object());
    std::int64_t nTensors = 0;
    for (const auto& [type, n] : j["tensorTypes"].items()) nTensors += n.get<std::int64_t>();
    EXPECT_GT(nTensors, 20);
    EXPECT_GT(j["parameters"].get<std::int64_t>(), 100'000);
    EXPECT_GT(j["weightBytes"].get<std::int64_t>(), 200'000);
    EXPECT_TRUE(j.contains("tokenizer"));
    EXPECT_TRUE(j["hasChatTemplate"].is_boolean());

    const CliResult fp32 = cli({"info", golden("llama_gqa.F16.gguf"), "--kv", "fp32", "--json"});
    EXPECT_EQ(fp32.json()["kvBytesPerToken"], 2 * 3 * 2 * 16 * 4);
    EXPECT_NE(cli({"info", golden("llama_gqa.F16.gguf")}).out.find("architecture"),
              std::string::npos);
}

TEST_F(CliText, InfoReadsAFolderToo) {
    const CliResult r = cli({"info", goldenDir() + "/checkpoints/qwen2", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.json()["architecture"], "qwen2");
    EXPECT_TRUE(r.json()["tokenizer"].is_string()) << r.json()["tokenizerError"];
    EXPECT_EQ(r.json()["hasChatTemplate"], true);
}

TEST_F(CliText, TextSurvivesTokenizeAndDetokenize) {
    const std::string tokenizer = goldenDir() + "/tokenizers/bbpe_qwen2/tokenizer.json";
    const std::string text = "Hello, world! 你好 ✓";
    const CliResult ids = cli({"tokenize", tokenizer, "--text", text, "--json"});
    ASSERT_EQ(ids.status, 0) << ids.err;
    const auto j = ids.json();
    ASSERT_GT(j["tokens"].size(), 3U);
    EXPECT_EQ(j["pieces"].size(), j["tokens"].size());
    std::string list;
    for (const auto& id : j["tokens"]) list += (list.empty() ? "" : ",") + id.dump();
    EXPECT_EQ(cli({"tokenize", tokenizer, "--text", text}).out, list + "\n");

    const CliResult back = cli({"detokenize", tokenizer, "--tokens", list, "--json"});
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_EQ(back.json()["text"], text);

    write("in.txt", text);
    EXPECT_EQ(cli({"tokenize", tokenizer, "--file", path("in.txt")}).out, list + "\n");
}

TEST_F(CliText, ATemplateRendersMessagesAndVariables) {
    write("t.jinja",
          "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
          "{% if add_generation_prompt %}[assistant]{% endif %}{{ mood }}");
    write("list.json", R"([{"role": "user", "content": "hi"}])");
    write("object.json", R"({"messages": [{"role": "user", "content": "hi"}], "mood": "!",
                             "add_generation_prompt": true, "special": {"bos_token": "<s>"}})");
    const CliResult list =
        cli({"template", "--template", path("t.jinja"), "--messages", path("list.json"), "--json"});
    ASSERT_EQ(list.status, 0) << list.err;
    EXPECT_EQ(list.json()["text"], "[user]hi");
    EXPECT_EQ(
        cli({"template", "--template", path("t.jinja"), "--messages", path("object.json")}).out,
        "<s>[user]hi[assistant]!");
    EXPECT_TRUE(failsWith(cli({"template", "--messages", path("list.json")}), 2, "MODEL"));
}

TEST_F(CliText, BrokenTemplatesAndMessagesAreBadInput) {
    write("t.jinja", "{% for m in messages %}");
    write("raise.jinja", "{{ raise_exception('only users here') }}");
    write("m.json", R"([{"role": "user", "content": "hi"}])");
    write("bad.json", R"({"content": "hi"})");
    EXPECT_TRUE(
        failsWith(cli({"template", "--template", path("t.jinja"), "--messages", path("m.json")}), 3,
                  "t.jinja"));
    EXPECT_TRUE(failsWith(
        cli({"template", "--template", path("raise.jinja"), "--messages", path("m.json")}), 3,
        "only users here"));
    EXPECT_TRUE(failsWith(
        cli({"template", "--template", path("raise.jinja"), "--messages", path("bad.json")}), 3,
        "messages"));
}

}  // namespace
}  // namespace lanescope::test

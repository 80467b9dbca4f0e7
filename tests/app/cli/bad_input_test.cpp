// Whatever is wrong gets one line, the right exit status and a way out.

#include <unistd.h>

#include <filesystem>

#include "tests/app/cli/process.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;

class CliBadInput : public CliTest {
  protected:
    CliResult generate(const std::string& model, const std::vector<std::string>& more = {}) {
        std::vector<std::string> args{"generate", model, "--tokens", "1,2,3", "-n", "2"};
        args.insert(args.end(), more.begin(), more.end());
        return cli(args);
    }
    const std::string m_model = golden("llama_gqa.F16.gguf");
};

TEST_F(CliBadInput, UnknownWordsAreUsageErrors) {
    EXPECT_TRUE(failsWith(cli({}), 2, "subcommand"));
    EXPECT_TRUE(failsWith(cli({"fly"}), 2, "unknown command \"fly\""));
    EXPECT_TRUE(failsWith(cli({"info"}), 2, "MODEL"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--wings"}), 2, "--wings"));
    EXPECT_TRUE(failsWith(cli({"generate", m_model}), 2, "prompt"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--prompt", "x"}), 2, "prompt"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--system", "x"}), 2, "--chat"));
    EXPECT_TRUE(failsWith(cli({"bench", m_model, "-b", "300"}), 2, "-b"));
    EXPECT_TRUE(failsWith(cli({"perplexity", m_model}), 2, "--file"));
    EXPECT_TRUE(failsWith(cli({"quantise", m_model}), 2, "not in this version"));
}

TEST_F(CliBadInput, ValuesThatAreNotPossibleListWhatIs) {
    EXPECT_TRUE(failsWith(generate(m_model, {"--kv", "fp17"}), 2, "fp32, fp16, bf16"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--kv-values", "int3"}), 2, "int8, int4"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--attention", "quick"}), 2, "flash, naive"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--dense-layers", "3-1"}), 2, "0-3,7"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--weights", "int4"}), 2, "as-is"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--backend", "tpu"}), 2, "cpu, cuda"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--products", "mkl"}), 2, "own, cublaslt"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--sampling", "gpu"}), 2, "host, device"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--kv-block", "4"}), 2, "--kv-block"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--threads", "-1"}), 2, "--threads"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--temp", "-1"}), 2, "temperature"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--top-p", "1.5"}), 2, "top"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--temp", "warm"}), 2, "--temp"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--draft", "x.gguf"}), 2, "speculative"));
    EXPECT_TRUE(failsWith(generate(m_model, {"--draft-lookup"}), 2, "speculative"));
    EXPECT_TRUE(failsWith(cli({"generate", m_model, "--tokens", "1,x", "-n", "1"}), 2, "\"x\""));
}

TEST_F(CliBadInput, AMissingDeviceIsNamed) {
    EXPECT_TRUE(failsWith(generate(m_model, {"--backend", "cuda:9"}), 4, "cuda: "));
}

TEST_F(CliBadInput, FilesThatAreNotModelsAreBadInput) {
    EXPECT_TRUE(failsWith(generate(path("absent.gguf")), 3, "absent.gguf"));
    EXPECT_TRUE(failsWith(generate("nosuchmodel"), 3, "smollm2"));
    EXPECT_TRUE(failsWith(generate("synthetic:x.json"), 3, "x.json: no such file"));
    write("empty.gguf", "");
    EXPECT_TRUE(failsWith(generate(path("empty.gguf")), 3, "empty"));
    write("page.gguf", "<!DOCTYPE html><html></html>");
    EXPECT_TRUE(failsWith(generate(path("page.gguf")), 3, "page.gguf"));
    const std::string whole = readFile(m_model);
    write("cut.gguf", whole.substr(0, whole.size() / 2));
    EXPECT_TRUE(failsWith(generate(path("cut.gguf")), 3, "cut.gguf"));
    write("head.gguf", whole.substr(0, 20));
    EXPECT_TRUE(failsWith(generate(path("head.gguf")), 3, "head.gguf"));
    fs::create_directory(m_dir / "folder");
    EXPECT_TRUE(failsWith(generate(path("folder")), 3, "folder"));
    fs::copy_file(goldenDir() + "/checkpoints/qwen2/config.json", m_dir / "folder/config.json");
    EXPECT_TRUE(failsWith(generate(path("folder")), 3, "safetensors"));
    EXPECT_TRUE(failsWith(generate(golden("kvtypes.gguf")), 3, "kvtypes.gguf"));
}

TEST_F(CliBadInput, AnUnknownArchitectureIsNamed) {
    std::string odd = readFile(m_model);
    // general.architecture = "llama" becomes one nobody knows; the keys follow.
    for (std::size_t at = 0; (at = odd.find("llama", at)) != std::string::npos && at < 8000;) {
        odd.replace(at, 5, "zebra");
    }
    write("odd.gguf", odd);
    EXPECT_TRUE(failsWith(generate(path("odd.gguf")), 3, "zebra"));
}

TEST_F(CliBadInput, TokensThatDoNotFitAreNamed) {
    EXPECT_TRUE(failsWith(cli({"generate", m_model, "--tokens", "1,620", "-n", "1"}), 2,
                          "token 620 at position 1 is outside the vocabulary (0 to 619)"));
    EXPECT_TRUE(failsWith(cli({"generate", m_model, "--tokens", "1,-4", "-n", "1"}), 2, "-4"));
    EXPECT_TRUE(
        failsWith(cli({"logits", m_model, "--tokens", "9999", "--out", path("x")}), 2, "9999"));
    std::string many = "1";
    for (int i = 0; i < 40; ++i) many += ",2";
    EXPECT_TRUE(
        failsWith(cli({"generate", m_model, "--tokens", many, "-n", "1", "--context", "32"}), 2,
                  "41 tokens, the context holds 32"));
}

TEST_F(CliBadInput, AHugeContextIsRefusedWithNumbers) {
    const CliResult r = generate(m_model, {"--context", "2000000000"});
    EXPECT_TRUE(failsWith(r, 4, "GiB"));
    EXPECT_NE(r.err.find("free"), std::string::npos) << r.err;
}

TEST_F(CliBadInput, ChatNeedsATemplate) {
    // A copy of a Hugging Face folder without its template.
    const fs::path folder = m_dir / "plain";
    fs::copy(goldenDir() + "/checkpoints/qwen2", folder);
    auto config = nlohmann::json::parse(readFile((folder / "tokenizer_config.json").string()));
    config.erase("chat_template");
    write("plain/tokenizer_config.json", config.dump());
    fs::remove(folder / "chat_template.jinja");
    const CliResult r = cli({"generate", folder.string(), "--chat", "hi", "-n", "1"});
    EXPECT_TRUE(failsWith(r, 3, "use text prompts or choose a template"));
}

TEST_F(CliBadInput, BadPlansAreBadInput) {
    write("plan.json", R"({"schema": 1, "lanes": [{"model": "m", "kvv": 1}]})");
    EXPECT_TRUE(failsWith(cli({"run", path("plan.json")}), 3, "lanes[0].kvv: unknown key"));
    write("plan.json", "not json");
    EXPECT_TRUE(failsWith(cli({"run", path("plan.json")}), 3, "not valid JSON"));
    EXPECT_TRUE(failsWith(cli({"run", path("absent.json")}), 3, "absent.json"));
}

TEST_F(CliBadInput, PlacesThatCannotBeWrittenAreNamed) {
    write("plan.json", R"({"schema": 1, "prompts": [{"tokens": [1]}], "lanes": [{"model": ")" +
                           m_model + R"("}]})");
    EXPECT_TRUE(failsWith(cli({"run", path("plan.json"), "--out", "/dev/full"}), 1, "/dev/full"));
    EXPECT_TRUE(failsWith(cli({"run", path("plan.json"), "--report", "html"}), 2, "--out"));
    EXPECT_TRUE(failsWith(
        cli({"run", path("plan.json"), "--out", path("o"), "--report", "html,doc"}), 2, "doc"));
    EXPECT_TRUE(failsWith(cli({"run", path("plan.json"), "--out", path("o"), "--report", "pdf"}), 2,
                          "app"));
    EXPECT_TRUE(failsWith(
        cli({"logits", m_model, "--tokens", "1", "--out", path("no/such/folder.safetensors")}), 1,
        "folder.safetensors"));
    write("store.db", "this is not a database, but it is long enough to be looked at as one");
    EXPECT_NE(cli({"runs", "list", "--db", path("store.db")}).status, 0);
    EXPECT_EQ(readFile(path("store.db")).substr(0, 7), "this is") << "never overwritten";
}

TEST_F(CliBadInput, AFullDiskIsNoticedAndAClosedPipeIsHarmless) {
    CliProcess full({"info", m_model}, m_dir, {}, "/dev/full");
    EXPECT_TRUE(failsWith(full.wait(), 1, "standard output"));
    const std::string command = std::string("set -o pipefail; ") + LANESCOPE_CLI + " info '" +
                                m_model + "' --json 2>'" + path("pipe.err") + "' | true";
    EXPECT_EQ(::system(("bash -c \"" + command + "\"").c_str()), 0) << readFile(path("pipe.err"));
}

}  // namespace
}  // namespace lanescope::test

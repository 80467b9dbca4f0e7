// run, compare and runs: a plan becomes a stored run, reports and figures.

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/app/cli/process.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

namespace fs = std::filesystem;

class CliRun : public CliTest {
  protected:
    void writePlan(const std::string& name, const std::string& model, int maxTokens,
                   int repetitions = 2) {
        write(name, R"({"schema": 1, "name": "two lanes", "prompts": [{"tokens": [1, 5, 9, 20]}],
            "sampling": {"maxTokens": )" +
                        std::to_string(maxTokens) + R"(, "ignoreEos": true},
            "warmup": 1, "repetitions": )" +
                        std::to_string(repetitions) + R"(, "baseline": "A",
            "lanes": [{"model": ")" +
                        model + R"(", "kv": "fp32"}, {"like": "A", "kv": "fp16"}]})");
    }
    nlohmann::json runPlan() {
        const CliResult r = cli({"run", path("plan.json"), "--json"});
        EXPECT_EQ(r.status, 0) << r.err;
        return r.json();
    }
};

TEST_F(CliRun, APlanMakesReportsAndAStoredRun) {
    writePlan("plan.json", golden("llama_gqa.F16.gguf"), 8);
    const CliResult r = cli({"run", path("plan.json"), "--out", path("out"), "--report",
                             "html,csv,json,md,trace", "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j["status"], "finished");
    ASSERT_EQ(j["lanes"].size(), 2U);
    EXPECT_EQ(j["lanes"][0]["name"], "A");
    EXPECT_EQ(j["lanes"][0]["settings"]["kv"], "fp32");
    EXPECT_EQ(j["lanes"][1]["settings"]["kv"], "fp16");
    EXPECT_EQ(j["lanes"][0]["requests"], 2) << "warm-ups are not counted";
    EXPECT_EQ(j["lanes"][1]["decodeTps"]["n"], 2);
    ASSERT_EQ(j["requests"].size(), 6U);
    const std::vector<int> order{0, 1, 0, 1, 1, 0};
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(j["requests"][i]["lane"], order[i]) << i;
        EXPECT_EQ(j["requests"][i]["warmup"], i < 2) << i;
        EXPECT_EQ(j["requests"][i]["tokens"].size(), 8U) << i;
    }
    ASSERT_GE(j["reports"].size(), 5U);
    for (const auto& report : j["reports"]) {
        EXPECT_GT(fs::file_size(report.get<std::string>()), 0U) << report;
    }

    const auto list = cli({"runs", "list", "--json"}).json();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0]["id"], j["id"]);
    EXPECT_EQ(list[0]["status"], "finished");
    EXPECT_NE(r.err.find("[6/6] lane A"), std::string::npos) << r.err;
}

TEST_F(CliRun, TheSamePlanGivesTheSameTokensAgain) {
    writePlan("plan.json", golden("llama_gqa.F16.gguf"), 12);
    const auto first = runPlan(), second = runPlan();
    ASSERT_EQ(first["requests"].size(), second["requests"].size());
    for (std::size_t i = 0; i < first["requests"].size(); ++i) {
        EXPECT_EQ(first["requests"][i]["tokens"], second["requests"][i]["tokens"]) << i;
    }
    EXPECT_NE(first["id"], second["id"]);
}

TEST_F(CliRun, TheTextSummaryIsATable) {
    writePlan("plan.json", golden("llama_gqa.F16.gguf"), 4, 1);
    const CliResult r = cli({"run", path("plan.json"), "--no-store"});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_NE(r.out.find('|'), std::string::npos) << r.out;
    EXPECT_FALSE(fs::exists(m_dir / "runs.db"));
}

TEST_F(CliRun, RunsAreComparedByIdPrefixAndFile) {
    writePlan("plan.json", golden("llama_gqa.F16.gguf"), 6);
    const std::string a = runPlan()["id"], b = runPlan()["id"];
    const CliResult table = cli({"compare", a.substr(0, 12), b.substr(0, 12)});
    ASSERT_EQ(table.status, 0) << table.err;
    EXPECT_NE(table.out.find('|'), std::string::npos) << table.out;
    const CliResult json = cli({"compare", a, b, "--json"});
    ASSERT_EQ(json.status, 0) << json.err;
    EXPECT_FALSE(json.json().is_discarded());
    EXPECT_NE(json.out.find("verdict"), std::string::npos) << json.out;

    ASSERT_EQ(cli({"runs", "export", a, path("a.lanescope")}).status, 0);
    ASSERT_EQ(cli({"runs", "export", a, path("a.json")}).status, 0);
    const CliResult file = cli({"compare", path("a.lanescope"), b});
    EXPECT_EQ(file.status, 0) << file.err;
    EXPECT_EQ(cli({"runs", "list", "--json"}).json().size(), 2U)
        << "comparing with a file adds nothing to the history";
    EXPECT_TRUE(failsWith(cli({"compare", "ffffffffffff", b}), 2, "ffffffffffff"));
}

TEST_F(CliRun, TheHistoryCanBeEdited) {
    writePlan("plan.json", golden("llama_gqa.F16.gguf"), 4, 1);
    const std::string id = runPlan()["id"];
    ASSERT_EQ(cli({"runs", "rename", id.substr(0, 10), "a new name"}).status, 0);
    EXPECT_EQ(cli({"runs", "list", "--json"}).json()[0]["name"], "a new name");
    ASSERT_EQ(cli({"runs", "export", id, path("kept.lanescope")}).status, 0);
    const CliResult removed = cli({"runs", "delete", id});
    ASSERT_EQ(removed.status, 0) << removed.err;
    EXPECT_EQ(cli({"runs", "list", "--json"}).json().size(), 0U);
    const CliResult imported = cli({"runs", "import", path("kept.lanescope"), "--json"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    const CliResult shown = cli({"runs", "show", imported.json()["id"].get<std::string>()});
    ASSERT_EQ(shown.status, 0) << shown.err;
    EXPECT_NE(shown.out.find("a new name"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("lanescope-cli run"), std::string::npos) << shown.out;
}

TEST_F(CliRun, ALaneThatCannotRunIsReportedAndTheRestIsKept) {
    write("plan.json", R"({"schema": 1, "prompts": [{"tokens": [1, 5]}],
        "sampling": {"maxTokens": 3}, "lanes": [{"model": "absent.gguf"}, {"model": ")" +
                           golden("llama_gqa.F16.gguf") + R"("}]})");
    const CliResult r = cli({"run", path("plan.json"), "--json"});
    EXPECT_TRUE(failsWith(r, 1, "1 of 2 lanes could not run"));
    const auto j = r.json();
    EXPECT_NE(j["lanes"][0]["error"].get<std::string>().find("absent.gguf"), std::string::npos);
    EXPECT_TRUE(j["lanes"][1]["error"].is_null());
    EXPECT_EQ(cli({"runs", "list", "--json"}).json().size(), 1U);
}

TEST_F(CliRun, AKilledRunKeepsItsTokens) {
    LANESCOPE_NEEDS_MODEL(model, "SmolLM2-135M-Instruct.Q4_1.gguf");
    writePlan("plan.json", model, 4000, 1);
    std::string id;
    {
        CliProcess process({"run", path("plan.json")}, m_dir);
        for (int i = 0; i < 300; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            if (process.errSoFar().find("[2/") != std::string::npos) break;
        }
        std::this_thread::sleep_for(std::chrono::seconds(4));
        process.signal(SIGKILL);
        const CliResult killed = process.wait();
        ASSERT_EQ(killed.status, 128 + SIGKILL) << killed.err;
        id = killed.err.substr(killed.err.find("run ") + 4, 32);
    }
    const CliResult shown = cli({"runs", "show", id, "--json"});
    ASSERT_EQ(shown.status, 0) << shown.err;
    EXPECT_NE(shown.out.find("interrupted"), std::string::npos);
    const CliResult text = cli({"runs", "show", id});
    const auto at = text.out.find("## lane A, prompt 1, repetition 1: ");
    ASSERT_NE(at, std::string::npos) << text.out;
    EXPECT_GT(std::stoi(text.out.substr(at + 35)), 0) << text.out.substr(at, 80);
    EXPECT_NE(text.out.find("unfinished"), std::string::npos);
}

TEST_F(CliRun, CtrlCEndsARunAndKeepsItsReports) {
    LANESCOPE_NEEDS_MODEL(model, "SmolLM2-135M-Instruct.Q4_1.gguf");
    writePlan("plan.json", model, 4000, 1);
    CliProcess process({"run", path("plan.json"), "--out", path("out"), "--json"}, m_dir);
    for (int i = 0; i < 300; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        if (process.errSoFar().find("[2/") != std::string::npos) break;
    }
    process.signal(SIGINT);
    const CliResult r = process.wait();
    EXPECT_TRUE(failsWith(r, 5, "cancelled"));
    EXPECT_EQ(r.json()["status"], "cancelled");
    EXPECT_GE(r.json()["reports"].size(), 4U);
}

TEST_F(CliRun, TheDemoSaysHowToGetItsModel) {
    const CliResult r = cli({"demo", "--out", path("demo")},
                            {"LANESCOPE_MODELS=" + path("none"), "XDG_CACHE_HOME=" + path("none")});
    EXPECT_TRUE(failsWith(r, 3, "dev models"));
    EXPECT_NE(r.err.find("SmolLM2-135M-Instruct.Q4_1.gguf"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace lanescope::test

#include "tests/app/cli/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/golden.h"

extern char** environ;

namespace lanescope::test {

namespace fs = std::filesystem;

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (std::string& word : words) out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

}  // namespace

CliProcess::CliProcess(const std::vector<std::string>& args, const fs::path& dir,
                       const std::vector<std::string>& environment, const std::string& stdoutPath)
    : m_dir(dir) {
    std::vector<std::string> words{LANESCOPE_CLI};
    words.insert(words.end(), args.begin(), args.end());
    std::vector<std::string> variables{"LANESCOPE_RUNS=" + (dir / "runs.db").string()};
    variables.insert(variables.end(), environment.begin(), environment.end());
    for (char** e = environ; *e != nullptr; ++e) {
        const std::string variable = *e;
        const std::string name = variable.substr(0, variable.find('=') + 1);
        bool replaced = name == "LANESCOPE_EXACT=";
        for (const std::string& v : variables) replaced = replaced || v.starts_with(name);
        if (!replaced) variables.push_back(variable);
    }
    const std::string out = stdoutPath.empty() ? (dir / "stdout").string() : stdoutPath;
    const std::string err = (dir / "stderr").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    auto argv = pointers(words);
    auto envp = pointers(variables);
    if (::posix_spawn(&m_pid, LANESCOPE_CLI, &actions, nullptr, argv.data(), envp.data()) != 0) {
        m_pid = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
}

CliProcess::~CliProcess() {
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL);
        wait();
    }
}

void CliProcess::signal(int number) const {
    if (m_pid > 0) ::kill(m_pid, number);
}

CliResult CliProcess::wait() {
    CliResult result;
    int status = 0;
    if (m_pid > 0 && ::waitpid(m_pid, &status, 0) == m_pid) {
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    m_pid = -1;
    std::error_code ec;
    if (fs::exists(m_dir / "stdout", ec)) result.out = readFile((m_dir / "stdout").string());
    result.err = errSoFar();
    return result;
}

std::string CliProcess::errSoFar() const {
    return readFile((m_dir / "stderr").string());
}

void CliTest::SetUp() {
    std::string name = (fs::temp_directory_path() / "lanescope-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    m_dir = name;
}

void CliTest::TearDown() {
    std::error_code ec;
    fs::remove_all(m_dir, ec);
}

CliResult CliTest::cli(const std::vector<std::string>& args,
                       const std::vector<std::string>& environment) {
    return CliProcess(args, m_dir, environment).wait();
}

void CliTest::write(const std::string& name, const std::string& content) const {
    std::ofstream(m_dir / name, std::ios::binary) << content;
}

std::string CliTest::golden(const std::string& name) {
    return goldenDir() + "/gguf/" + name;
}

testing::AssertionResult failsWith(const CliResult& result, int status, const std::string& part) {
    const auto explain = [&](const std::string& why) {
        return testing::AssertionFailure()
               << why << "; status " << result.status << ", stderr: " << result.err
               << ", stdout: " << result.out.substr(0, 200);
    };
    if (result.status != status) return explain("expected status " + std::to_string(status));
    const auto start = result.err.find("error: ");
    if (start == std::string::npos) return explain("no line starts with \"error: \"");
    const std::string line = result.err.substr(start);
    if (line.find('\n') + 1 != line.size()) return explain("the error is not the last line");
    if (line.find(part) == std::string::npos) return explain("the error lacks \"" + part + "\"");
    return testing::AssertionSuccess();
}

}  // namespace lanescope::test

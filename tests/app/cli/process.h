#pragma once
// Runs the built lanescope-cli as a person would: arguments in, exit status and both streams out.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lanescope::test {

struct CliResult {
    int status = -1;  ///< exit status; 128 + signal when killed
    std::string out, err;
    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

/// A running program whose streams go to files in `dir`.
class CliProcess {
  public:
    CliProcess(const std::vector<std::string>& args, const std::filesystem::path& dir,
               const std::vector<std::string>& environment = {},
               const std::string& stdoutPath = {});
    ~CliProcess();
    CliProcess(const CliProcess&) = delete;
    CliProcess& operator=(const CliProcess&) = delete;
    void signal(int number) const;
    CliResult wait();
    [[nodiscard]] std::string errSoFar() const;

  private:
    std::filesystem::path m_dir;
    pid_t m_pid = -1;
};

/// Every test gets a folder of its own and a run store in it.
class CliTest : public testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;
    /// Runs to the end. "NAME=VALUE" entries are added to the environment.
    CliResult cli(const std::vector<std::string>& args,
                  const std::vector<std::string>& environment = {});
    [[nodiscard]] std::string path(const std::string& name) const {
        return (m_dir / name).string();
    }
    void write(const std::string& name, const std::string& content) const;
    static std::string golden(const std::string& name);  ///< of tests/golden/gguf

    std::filesystem::path m_dir;
};

/// Status 2 … and exactly one line on stderr that starts with "error: " and holds `part`.
testing::AssertionResult failsWith(const CliResult& result, int status, const std::string& part);

}  // namespace lanescope::test

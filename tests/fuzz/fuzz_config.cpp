// Any bytes as the config.json of a folder (or, where they start so, as a GGUF file): opening it
// and describing the model from it must end in a Result.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"
#include "engine/text/tokenizer.h"

namespace {

using namespace lanescope;

/// A folder of this process with one small tensor; gone when it ends.
class Folder {
  public:
    Folder() {
        std::error_code ignored;
        const std::filesystem::path shm = "/dev/shm";
        const auto base = std::filesystem::is_directory(shm, ignored)
                              ? shm
                              : std::filesystem::temp_directory_path(ignored);
        m_path = base / ("lanescope_fuzz_config_" + std::to_string(getpid()));
        std::filesystem::create_directories(m_path / "folder", ignored);
        const std::string header =
            R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}          )";
        std::string file(8, '\0');
        file[0] = static_cast<char>(header.size());
        write("folder/model.safetensors", file + header + std::string(4, '\0'));
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, std::string_view bytes) const {
        const auto path = m_path / name;
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path.string();
    }
    [[nodiscard]] std::string folder() const { return (m_path / "folder").string(); }

  private:
    std::filesystem::path m_path;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Folder kFolder;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const bool gguf = bytes.starts_with("GGUF");
    const std::string written = kFolder.write(gguf ? "model.gguf" : "folder/config.json", bytes);
    const auto checkpoint = Checkpoint::open(gguf ? written : kFolder.folder());
    if (!checkpoint) {
        if (checkpoint.error().toString().empty()) std::abort();
        return 0;
    }
    const auto spec = buildSpec(**checkpoint);
    if (!spec && spec.error().toString().empty()) std::abort();
    if (!gguf) return 0;
    const auto tokenizer = Tokenizer::fromCheckpoint(**checkpoint);
    if (!tokenizer && tokenizer.error().toString().empty()) std::abort();
    return 0;
}

// Where models are found, and the models that are loaded. A model is loaded once, however many
// lanes and runs use it.

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "engine/checkpoint/synthetic.h"
#include "engine/lane/run.h"

namespace lanescope {

namespace fs = std::filesystem;

namespace {

struct KnownModel {
    const char* name;
    const char* file;
};
constexpr std::array<KnownModel, 2> kKnownModels{{
    {"smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"},
    {"qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"},
}};

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// In the order in which they are searched.
std::vector<std::string> modelFolders() {
    std::vector<std::string> folders;
    if (const std::string dir = environment("LANESCOPE_MODELS"); !dir.empty()) {
        folders.push_back(dir);
    }
    folders.push_back(cacheFolder() + "/models");
    return folders;
}

std::string findKnown(const KnownModel& known) {
    for (const std::string& folder : modelFolders()) {
        std::error_code ec;
        const fs::path path = fs::path(folder) / known.file;
        if (fs::is_regular_file(path, ec)) return path.string();
    }
    return {};
}

std::string listKnown() {
    std::string out;
    for (const KnownModel& known : kKnownModels) {
        out += (out.empty() ? "" : ", ") + std::string(known.name);
    }
    return out;
}

std::string listFolders() {
    std::string out;
    for (const std::string& folder : modelFolders()) out += (out.empty() ? "" : ", ") + folder;
    return out;
}

/// Something that changes when the checkpoint on disk does: names, sizes and modification times.
std::string fingerprint(const std::string& path) {
    const auto stamp = [](const std::string& file) -> std::string {
        struct stat info {};
        if (::stat(file.c_str(), &info) != 0) return "?";
        return std::to_string(info.st_size) + "/" + std::to_string(info.st_mtim.tv_sec) + "." +
               std::to_string(info.st_mtim.tv_nsec) + "/" + std::to_string(info.st_ino);
    };
    std::error_code ec;
    if (isSynthetic(path) && !fs::exists(path, ec))
        return path + "|" + stamp(syntheticConfigPath(path));
    const fs::path canonical = fs::weakly_canonical(path, ec);
    std::string out = (ec ? fs::path(path) : canonical).string() + "|" + stamp(path);
    if (!fs::is_directory(path, ec)) return out;
    std::vector<std::string> files;
    for (fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec)) {
        files.push_back(it->path().string());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) out += "|" + file + "|" + stamp(file);
    return out;
}

}  // namespace

std::string cacheFolder() {
    std::string cache = environment("XDG_CACHE_HOME");
    if (cache.empty()) {
        const std::string home = environment("HOME");
        cache = (home.empty() ? "." : home) + "/.cache";
    }
    return cache + "/lanescope";
}

Result<std::string> ModelStore::resolve(const std::string& model) {
    if (model.empty()) return usageError("no model given", "known names: " + listKnown());
    std::error_code ec;
    if (fs::exists(model, ec)) return model;
    if (isSynthetic(model)) {
        const std::string config = syntheticConfigPath(model);
        if (fs::is_regular_file(config, ec)) return model;
        return badInput("no such file", config,
                        "give synthetic:CONFIG.json, the config.json of a Hugging Face model");
    }
    if (model == "demo" || model == "demo-draft") {
        return unsupported("is not in this version", model,
                           "use a .gguf file, a folder with config.json, or one of " + listKnown());
    }
    for (const KnownModel& known : kKnownModels) {
        if (model != known.name) continue;
        if (std::string path = findKnown(known); !path.empty()) return path;
        return badInput(
            "the file " + std::string(known.file) + " is not there; looked in " + listFolders(),
            model, "put it there, or set LANESCOPE_MODELS to the folder that has it");
    }
    if (model.find('/') != std::string::npos || model.ends_with(".gguf") ||
        model.ends_with(".safetensors")) {
        return badInput("no such file or folder", model, "check the path");
    }
    return badInput("is neither a file nor a folder, nor a known model name", model,
                    "known names: " + listKnown() + "; looked for in " + listFolders());
}

std::vector<std::pair<std::string, std::string>> ModelStore::knownModels() {
    std::vector<std::pair<std::string, std::string>> out;
    out.reserve(std::size(kKnownModels));
    for (const KnownModel& known : kKnownModels) out.emplace_back(known.name, findKnown(known));
    return out;
}

Result<std::shared_ptr<const Model>> ModelStore::get(const std::string& model) {
    auto path = resolve(model);
    if (!path) return path.error();
    const std::string key = fingerprint(*path);
    // Held while loading, so that two lanes asking for one model load it once.
    const std::lock_guard lock(m_mutex);
    if (const auto it = m_models.find(key); it != m_models.end()) return it->second;
    auto loaded = Model::load(*path);
    if (!loaded) return loaded.error();
    m_models.emplace(key, *loaded);
    return *loaded;
}

void ModelStore::trim() {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_models, [](const auto& entry) { return entry.second.use_count() == 1; });
}

}  // namespace lanescope

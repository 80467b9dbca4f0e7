#include "engine/checkpoint/foreign_file.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lanescope {

namespace {

std::string_view startOf(std::span<const std::byte> file, std::size_t limit) {
    return {reinterpret_cast<const char*>(file.data()), std::min(file.size(), limit)};
}

Error lfsPointer(std::string_view text, const std::string& path) {
    std::string message =
        "is a Git LFS pointer, not the file itself (" + std::to_string(text.size()) + " bytes";
    if (const auto at = text.find("\nsize "); at != std::string_view::npos) {
        std::string_view digits = text.substr(at + 6);
        digits = digits.substr(0, digits.find_first_not_of("0123456789"));
        if (!digits.empty() && digits.size() < 20) {
            message += "; the real file has " + std::string(digits);
        }
    }
    return badInput(message + ")", path, "run 'git lfs pull' or download the file itself");
}

bool startsLikeHtml(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first == std::string_view::npos) return false;
    std::string lower(text.substr(first, 15));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower.starts_with("<!doctype html") || lower.starts_with("<html");
}

}  // namespace

std::optional<Error> recogniseForeign(std::span<const std::byte> file, const std::string& path) {
    const std::string_view start = startOf(file, 1024);
    if (start.starts_with("version https://git-lfs")) return lfsPointer(start, path);
    if (startsLikeHtml(start)) {
        return badInput("is an HTML page, not a checkpoint: the server sent a web page instead",
                        path, "download again; a login or licence agreement may be needed");
    }
    if (start.starts_with("PK\x03\x04")) {
        return unsupported(
            "is a ZIP archive (PyTorch checkpoints are): only GGUF and safetensors "
            "are read",
            path, "convert it to safetensors, or unpack it");
    }
    if (start.starts_with("\x1f\x8b") || start.starts_with("\x28\xb5\x2f\xfd") ||
        start.starts_with("\xfd"
                          "7zXZ")) {
        return badInput("is a compressed archive, not a checkpoint", path, "unpack it first");
    }
    return std::nullopt;
}

bool looksLikeGguf(std::span<const std::byte> file) {
    return startOf(file, 4) == "GGUF";
}

bool looksLikeSafetensors(std::span<const std::byte> file) {
    return file.size() > 8 && startOf(file, 9)[8] == '{';
}

}  // namespace lanescope

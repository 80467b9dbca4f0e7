#include "engine/checkpoint/gguf_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "engine/checkpoint/checkpoint_builder.h"
#include "engine/checkpoint/gguf_reader.h"

namespace lanescope {

namespace {

constexpr std::int64_t kMaxParts = 99999;
constexpr std::size_t kSuffixLength = std::string_view("-00001-of-00002.gguf").size();

/// "-00001-of-00002.gguf"
std::string partSuffix(std::int64_t part, std::int64_t count) {
    char text[64];
    std::snprintf(text, sizeof text, "-%05lld-of-%05lld.gguf", static_cast<long long>(part + 1),
                  static_cast<long long>(count));
    return text;
}

/// How many parts the model has; 1 if it is not split.
Result<std::int64_t> partCount(const GgufFile& file, const std::string& path) {
    if (file.metadata.find("split.count") == nullptr) return std::int64_t{1};
    const auto count = file.metadata.integer("split.count");
    if (!count || *count < 0 || *count > kMaxParts) {
        return badInput(
            "metadata key 'split.count' is not a number from 0 to " + std::to_string(kMaxParts),
            path);
    }
    return std::max<std::int64_t>(*count, 1);
}

/// Checks that a part is the one that its name says, and adds it.
Result<void> addPart(CheckpointBuilder& builder, std::shared_ptr<const MappedFile> mapped,
                     GgufFile file, std::int64_t part, std::int64_t count) {
    const std::string path = mapped->path();
    const auto saidCount = file.metadata.integer("split.count");
    const auto saidPart = file.metadata.integer("split.no");
    if (saidCount != count || saidPart != part) {
        return badInput("should be part " + std::to_string(part + 1) + " of " +
                            std::to_string(count) + ", but says it is part " +
                            std::to_string(saidPart.value_or(-1) + 1) + " of " +
                            std::to_string(saidCount.value_or(1)),
                        path, "the parts of different downloads are mixed");
    }
    if (part == 0) builder.setMetadata(std::move(file.metadata));
    return builder.addFile(std::move(mapped), std::move(file.tensors));
}

Result<std::shared_ptr<const Checkpoint>> openParts(const std::string& path, std::int64_t count) {
    const std::string name = path.substr(0, path.size() - std::min(path.size(), kSuffixLength));
    const std::string suffix = path.substr(name.size());
    std::int64_t given = 0;
    while (given < count && suffix != partSuffix(given, count)) ++given;
    if (given == count) {
        return unsupported("is one of " + std::to_string(count) +
                               " parts of a split model, but is not named so: the name must end "
                               "like " +
                               partSuffix(0, count),
                           path, "give all parts their names back, or join them with gguf-split");
    }
    // Say at once everything that is missing, before parts of many gigabytes are mapped.
    std::string missing;
    std::int64_t nMissing = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string part = name + partSuffix(i, count);
        std::error_code ignored;
        if (std::filesystem::exists(part, ignored)) continue;
        if (++nMissing == 1) missing = std::filesystem::path(part).filename().string();
    }
    if (nMissing > 0) {
        return badInput("is a split model of " + std::to_string(count) + " parts, " +
                            std::to_string(nMissing) + " of them are missing: " + missing +
                            (nMissing > 1 ? " and others" : ""),
                        path, "download all parts into one folder");
    }
    CheckpointBuilder builder(CheckpointFormat::Gguf, path);
    std::int64_t nTensors = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        auto mapped = MappedFile::open(name + partSuffix(i, count));
        if (!mapped) return mapped.error();
        auto file = parseGguf((*mapped)->bytes(), (*mapped)->path());
        if (!file) return file.error();
        nTensors += static_cast<std::int64_t>(file->tensors.size());
        auto added = addPart(builder, std::move(*mapped), std::move(*file), i, count);
        if (!added) return added.error();
    }
    const auto said = builder.metadata().integer("split.tensors.count");
    if (said && *said != nTensors) {
        return badInput("the parts hold " + std::to_string(nTensors) + " tensors, the first says " +
                            std::to_string(*said),
                        path, "download all parts again");
    }
    return builder.build();
}

}  // namespace

Result<std::shared_ptr<const Checkpoint>> openGguf(std::shared_ptr<const MappedFile> file,
                                                   const std::string& path) {
    auto parsed = parseGguf(file->bytes(), path);
    if (!parsed) return parsed.error();
    const auto count = partCount(*parsed, path);
    if (!count) return count.error();
    if (*count > 1) return openParts(path, *count);
    CheckpointBuilder builder(CheckpointFormat::Gguf, path);
    builder.setMetadata(std::move(parsed->metadata));
    auto added = builder.addFile(std::move(file), std::move(parsed->tensors));
    if (!added) return added.error();
    return builder.build();
}

}  // namespace lanescope

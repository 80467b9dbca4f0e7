#pragma once
// Reading the numbers of an architecture out of GGUF keys or config.json with one vocabulary of
// checks: present, of the right type, in a range that no later product overflows. The first failure
// is kept, so that a builder reads as a list of fields.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/model/spec.h"

namespace lanescope {

/// Limits far above any published model and far below overflow.
inline constexpr std::int64_t kMaxLayers = 4096;
inline constexpr std::int64_t kMaxWidth = 1 << 20;
inline constexpr std::int64_t kMaxVocab = 1 << 24;
inline constexpr std::int64_t kMaxContext = 1 << 30;

/// Keys of one checkpoint: config.json's, or GGUF's below "ARCH.".
class SpecKeys {
  public:
    /// The decoder's part of config.json: text_config where a model of several parts has one.
    static SpecKeys config(const Checkpoint& checkpoint);
    static SpecKeys gguf(const Checkpoint& checkpoint, std::string_view architecture);

    /// A whole number in [minimum, maximum]; absent (or null): the fallback, or an error without
    /// one.
    std::int64_t count(std::string_view key, std::int64_t maximum,
                       std::optional<std::int64_t> fallback = std::nullopt,
                       std::int64_t minimum = 1);
    /// A finite number above zero.
    double positive(std::string_view key, std::optional<double> fallback = std::nullopt);
    bool flag(std::string_view key, bool fallback);
    std::string text(std::string_view key, std::string_view fallback);
    /// A name of a non-linearity.
    kernels::Activation activation(std::string_view key, std::string_view fallback);
    [[nodiscard]] bool has(std::string_view key) const;

    /// Keeps the first failure.
    void fail(Error error);
    /// "llama.block_count", or "num_hidden_layers".
    [[nodiscard]] std::string fullKey(std::string_view key) const;
    [[nodiscard]] const std::string& file() const { return m_file; }
    /// config.json only: the object the keys are in.
    [[nodiscard]] const nlohmann::json& object() const { return *m_config; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

  private:
    SpecKeys(const Checkpoint& checkpoint, const nlohmann::json* config, std::string prefix,
             std::string file);
    [[nodiscard]] std::optional<std::int64_t> findInteger(std::string_view key) const;
    [[nodiscard]] std::optional<double> findNumber(std::string_view key) const;

    const Checkpoint& m_checkpoint;
    const nlohmann::json* m_config;  ///< null for GGUF
    std::string m_prefix;
    std::string m_file;
    std::optional<Error> m_error;
};

/// Refuses shapes no kernel can run: heads that do not divide, odd head sizes …
Result<void> checkShapes(const ModelSpec& spec, const std::string& file);

}  // namespace lanescope

#pragma once
// The words and bounds a plan may use, in one place: the parser, the checks and the command line
// list the same ones. Private to lane/ and app/cli.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::plan {

inline constexpr std::int64_t kMaxLanes = 16;
inline constexpr std::int64_t kMaxPrompts = 10'000;
inline constexpr std::int64_t kMaxRequests = 1'000'000;
inline constexpr std::int64_t kMaxTokens = 10'000'000;
inline constexpr std::int64_t kMaxContext = 2'147'483'647;  ///< positions are 32 bit
inline constexpr std::int64_t kMaxThreads = 1024;
inline constexpr std::int64_t kMaxWarmup = 100;
inline constexpr std::int64_t kMaxRepetitions = 10'000;
inline constexpr std::int64_t kMaxCandidates = 100;
inline constexpr std::int64_t kMinKvBlock = 8;
inline constexpr std::int64_t kMaxKvBlock = 64;
inline constexpr std::int64_t kMaxTemplateBytes = 1 << 20;  ///< what the template reader takes

// "auto" is the default of each. Words that this version knows but cannot run are refused where
// the lane is built, so that the other lanes of the plan still run.
inline constexpr std::array<std::string_view, 3> kActs{"int8", "int8x2", "bf16"};
inline constexpr std::array<std::string_view, 2> kAffinities{"none", "cores"};
inline constexpr std::array<std::string_view, 2> kProducts{"own", "cublaslt"};
inline constexpr std::array<std::string_view, 2> kSamplings{"host", "device"};
inline constexpr std::array<std::string_view, 7> kKvFormats{"fp32",     "fp16", "bf16", "fp8-e4m3",
                                                            "fp8-e5m2", "int8", "int4"};

/// "fp32, fp16, bf16": for messages.
std::string joinWords(std::span<const std::string_view> words);
bool isOneOf(std::string_view word, std::span<const std::string_view> words);

}  // namespace lanescope::plan

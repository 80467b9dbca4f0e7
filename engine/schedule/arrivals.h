#pragma once
// Made-up or recorded load: which requests arrive when. The same seed gives the same requests on
// every machine.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/model.h"

namespace lanescope {

struct Arrival {
    double seconds = 0.0;  ///< after the start
    std::vector<TokenId> prompt;
    std::int32_t maxTokens = 0;
    int priority = 0;
    std::string client;
    double cancelAfterSeconds = -1.0;  ///< it is given up so long after its arrival; < 0: never
};

/// How requests follow each other. Poisson: `rate` a second on average. Burst: `size` at once every
/// `everySeconds`. File: JSON lines.
struct ArrivalPattern {
    enum class Kind : std::uint8_t { Poisson, Burst, File } kind = Kind::Burst;
    double rate = 1.0;
    std::int64_t size = 1;
    double everySeconds = 10.0;
    std::string path;
};
/// "poisson:4", "burst:32", "burst:8@2.5", else the path of a file. Error: Usage with what is
/// wrong.
Result<ArrivalPattern> parseArrivals(const std::string& text);

/// Lengths of made-up requests, each drawn from [least, most], short ones more often than long ones
/// (evenly on a logarithmic scale).
struct LengthRange {
    std::int64_t least = 1;
    std::int64_t most = 1;
};
/// "64" or "16-256". Error: Usage.
Result<LengthRange> parseLengths(const std::string& text);

struct LoadSettings {
    ArrivalPattern pattern;
    std::int64_t nRequests = 16;
    LengthRange promptTokens{16, 256};
    LengthRange outputTokens{16, 128};
    std::int64_t sharedPrefix = 0;  ///< tokens that all prompts begin with
    std::uint64_t seed = 1;
};

/// Lines that a file of arrivals may hold, with prompts as token ids.
std::string arrivalLines(const std::vector<Arrival>& arrivals);

/// In order of arrival; prompts of common words in the model's vocabulary. Errors: BadInput naming
/// the line of the file; Usage.
Result<std::vector<Arrival>> makeArrivals(const Model& model, const LoadSettings& settings);

}  // namespace lanescope

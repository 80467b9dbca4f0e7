#include "engine/schedule/arrivals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/decode/random_stream.h"

namespace lanescope {

namespace {

constexpr std::int64_t kMostRequests = 100000;
constexpr std::int64_t kMostTokens = 1 << 20;
constexpr double kMostSeconds = 1e6;
constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;

constexpr std::array<std::string_view, 48> kWords{
    "the",   "river", "of",    "light",  "and",    "stone",  "was",   "found", "near",  "a",
    "small", "house", "where", "people", "could",  "read",   "about", "time",  "water", "trees",
    "when",  "it",    "is",    "cold",   "they",   "make",   "bread", "with",  "open",  "hands",
    "under", "every", "long",  "road",   "one",    "number", "or",    "two",   "from",  "many",
    "as",    "first", "day",   "of",     "winter", "came",   "in",    "slowly"};

template <class T>
bool parseNumber(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

std::int64_t drawLength(RandomStream& random, const LengthRange& range) {
    const double ratio = static_cast<double>(range.most) / static_cast<double>(range.least);
    const double value = static_cast<double>(range.least) * std::pow(ratio, random.uniform());
    return std::clamp(static_cast<std::int64_t>(std::llround(value)), range.least, range.most);
}

/// Prompts out of words, or out of any ids where the model has no tokenizer.
class PromptMaker {
  public:
    PromptMaker(const Model& model, std::uint64_t seed) : m_model(model), m_random(seed) {}

    Result<std::vector<TokenId>> make(std::int64_t nTokens) {
        std::vector<TokenId> tokens;
        if (m_model.tokenizer() == nullptr) {
            for (std::int64_t i = 0; i < nTokens; ++i)
                tokens.push_back(static_cast<TokenId>(m_random.uniform() *
                                                      static_cast<double>(m_model.usableVocab())));
            return tokens;
        }
        while (std::ssize(tokens) < nTokens) {
            std::string text;
            for (std::int64_t i = 0; i < nTokens; ++i)
                text += " " + std::string(kWords[static_cast<std::size_t>(
                                  m_random.uniform() * static_cast<double>(kWords.size()))]);
            auto some = m_model.tokenizer()->encode(text, AddSpecial::No, SpecialTokens::AsText);
            if (!some) return some.error();
            if (some->empty()) return badInput("its tokenizer gives no tokens for words", "model");
            tokens.insert(tokens.end(), some->begin(), some->end());
        }
        tokens.resize(static_cast<std::size_t>(nTokens));
        return tokens;
    }

  private:
    const Model& m_model;
    RandomStream m_random;
};

double numberOf(const nlohmann::json& line, const char* key, double fallback) {
    const auto it = line.find(key);
    return it == line.end() || !it->is_number() ? fallback : it->get<double>();
}

Result<Arrival> readArrival(const nlohmann::json& line, const std::string& where,
                            const Model& model, const LoadSettings& settings,
                            PromptMaker& prompts) {
    if (!line.is_object()) return badInput("not an object", where);
    static constexpr std::array<std::string_view, 8> kKeys{
        "t", "prompt", "promptTokens", "tokens", "maxTokens", "priority", "client", "cancelAfter"};
    for (const auto& item : line.items())
        if (std::ranges::find(kKeys, item.key()) == kKeys.end())
            return badInput("unknown key \"" + item.key() + "\"", where);
    Arrival arrival;
    arrival.seconds = numberOf(line, "t", 0.0);
    const double maxTokens =
        numberOf(line, "maxTokens", static_cast<double>(settings.outputTokens.most));
    const double priority = numberOf(line, "priority", 0.0);
    arrival.cancelAfterSeconds = numberOf(line, "cancelAfter", -1.0);
    if (!(arrival.seconds >= 0.0 && arrival.seconds <= kMostSeconds))
        return badInput("\"t\" must be between 0 and 1e6 seconds", where);
    if (!(maxTokens >= 1.0 && maxTokens <= static_cast<double>(kMostTokens)))
        return badInput("\"maxTokens\" must be between 1 and 1048576", where);
    if (!(std::abs(priority) <= 1000.0))
        return badInput("\"priority\" must be between -1000 and 1000", where);
    arrival.maxTokens = static_cast<std::int32_t>(maxTokens);
    arrival.priority = static_cast<int>(priority);
    if (const auto it = line.find("client"); it != line.end() && it->is_string())
        arrival.client = it->get<std::string>();
    if (const auto it = line.find("prompt"); it != line.end()) {
        if (!it->is_string()) return badInput("\"prompt\" is not a text", where);
        if (model.tokenizer() == nullptr)
            return badInput("a prompt needs a tokenizer: " + model.tokenizerError(), where);
        auto ids = model.tokenizer()->encode(it->get<std::string>(), AddSpecial::Yes,
                                             SpecialTokens::AsText);
        if (!ids) return ids.error();
        arrival.prompt = *std::move(ids);
    } else if (const auto ids = line.find("tokens"); ids != line.end()) {
        if (!ids->is_array()) return badInput("\"tokens\" is not a list", where);
        for (const auto& id : *ids) {
            if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
                id.get<std::int64_t>() >= model.usableVocab())
                return badInput("\"tokens\" has something that is no id of the vocabulary", where);
            arrival.prompt.push_back(id.get<TokenId>());
        }
    } else {
        const double n =
            numberOf(line, "promptTokens", static_cast<double>(settings.promptTokens.least));
        if (!(n >= 1.0 && n <= static_cast<double>(kMostTokens)))
            return badInput("\"promptTokens\" must be between 1 and 1048576", where);
        auto made = prompts.make(static_cast<std::int64_t>(n));
        if (!made) return made.error();
        arrival.prompt = *std::move(made);
    }
    if (arrival.prompt.empty()) return badInput("the prompt is empty", where);
    return arrival;
}

Result<std::vector<Arrival>> readFile(const Model& model, const LoadSettings& settings) {
    const std::string& path = settings.pattern.path;
    auto text = readTextFile(path, kMostFileBytes);
    if (!text) return text.error();
    std::istringstream in(*std::move(text));
    PromptMaker prompts(model, settings.seed);
    std::vector<Arrival> arrivals;
    std::string lineText;
    for (int number = 1; std::getline(in, lineText); ++number) {
        const std::string where = path + ", line " + std::to_string(number);
        if (lineText.find_first_not_of(" \t\r") == std::string::npos) continue;
        if (std::ssize(arrivals) == kMostRequests)
            return badInput("more than 100000 requests", path);
        auto line = parseJson(lineText, where);
        if (!line) return line.error();
        auto arrival = readArrival(*line, where, model, settings, prompts);
        if (!arrival) return arrival.error();
        arrivals.push_back(*std::move(arrival));
    }
    if (arrivals.empty()) return badInput("has no requests", path);
    std::ranges::stable_sort(arrivals, {}, &Arrival::seconds);
    return arrivals;
}

}  // namespace

std::string arrivalLines(const std::vector<Arrival>& arrivals) {
    std::string out;
    for (const Arrival& arrival : arrivals) {
        nlohmann::ordered_json line{
            {"t", arrival.seconds}, {"tokens", arrival.prompt}, {"maxTokens", arrival.maxTokens}};
        if (arrival.priority != 0) line["priority"] = arrival.priority;
        if (!arrival.client.empty()) line["client"] = arrival.client;
        if (arrival.cancelAfterSeconds >= 0.0) line["cancelAfter"] = arrival.cancelAfterSeconds;
        out += dumpJson(line) + "\n";
    }
    return out;
}

Result<ArrivalPattern> parseArrivals(const std::string& text) {
    ArrivalPattern pattern;
    const auto startsWith = [&](std::string_view word) { return text.rfind(word, 0) == 0; };
    if (startsWith("poisson:")) {
        pattern.kind = ArrivalPattern::Kind::Poisson;
        if (!parseNumber(std::string_view(text).substr(8), pattern.rate) ||
            !(pattern.rate > 0.0 && pattern.rate <= 1e6))
            return usageError(
                "arrivals \"" + text + "\": the rate must be above 0 requests a second",
                "write poisson:4");
        return pattern;
    }
    if (startsWith("burst:")) {
        pattern.kind = ArrivalPattern::Kind::Burst;
        std::string_view rest = std::string_view(text).substr(6);
        const std::size_t at = rest.find('@');
        const bool timed = at != std::string_view::npos;
        if (!parseNumber(rest.substr(0, at), pattern.size) || pattern.size < 1 ||
            pattern.size > kMostRequests ||
            (timed && (!parseNumber(rest.substr(at + 1), pattern.everySeconds) ||
                       !(pattern.everySeconds > 0.0 && pattern.everySeconds <= kMostSeconds))))
            return usageError("arrivals \"" + text +
                                  "\": a burst is a number of requests, with "
                                  "seconds between bursts if wanted",
                              "write burst:32 or burst:8@2.5");
        return pattern;
    }
    pattern.kind = ArrivalPattern::Kind::File;
    pattern.path = text;
    return pattern;
}

Result<LengthRange> parseLengths(const std::string& text) {
    LengthRange range;
    const std::size_t dash = text.find('-');
    const std::string_view all = text;
    const bool one = dash == std::string::npos;
    const bool read = parseNumber(all.substr(0, dash), range.least) &&
                      parseNumber(one ? all : all.substr(dash + 1), range.most);
    if (!read || range.least < 1 || range.most < range.least || range.most > kMostTokens)
        return usageError("\"" + text + "\" is not a number of tokens or a range of them",
                          "write 64 or 16-256");
    return range;
}

Result<std::vector<Arrival>> makeArrivals(const Model& model, const LoadSettings& settings) {
    if (settings.pattern.kind == ArrivalPattern::Kind::File) return readFile(model, settings);
    if (settings.nRequests < 1 || settings.nRequests > kMostRequests)
        return usageError("the number of requests is " + std::to_string(settings.nRequests) +
                          ", it must be between 1 and " + std::to_string(kMostRequests));
    // Times, lengths and words have streams of their own: one may change without the others.
    RandomStream times(settings.seed);
    RandomStream lengths(settings.seed + 1);
    PromptMaker prompts(model, settings.seed + 2);
    auto shared = prompts.make(settings.sharedPrefix);
    if (!shared) return shared.error();
    std::vector<Arrival> arrivals;
    double at = 0.0;
    for (std::int64_t i = 0; i < settings.nRequests; ++i) {
        Arrival arrival;
        const std::int64_t burst = i / settings.pattern.size;
        if (settings.pattern.kind == ArrivalPattern::Kind::Poisson)
            at += -std::log1p(-times.uniform()) / settings.pattern.rate;
        else
            at = static_cast<double>(burst) * settings.pattern.everySeconds;
        arrival.seconds = at;
        auto own = prompts.make(drawLength(lengths, settings.promptTokens));
        if (!own) return own.error();
        arrival.prompt = *shared;
        arrival.prompt.insert(arrival.prompt.end(), own->begin(), own->end());
        arrival.maxTokens = static_cast<std::int32_t>(drawLength(lengths, settings.outputTokens));
        arrivals.push_back(std::move(arrival));
    }
    return arrivals;
}

}  // namespace lanescope

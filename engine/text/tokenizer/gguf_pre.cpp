#include "engine/text/tokenizer/gguf_pre.h"

#include <array>

#include "engine/text/tokenizer/pre_tokenizer.h"

namespace lanescope::tokenizer {

namespace {

constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Cased letters as DeepSeek LLM's file lists them.
constexpr std::string_view kDeepSeekLetters =
    R"(\s?[A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293})"
    R"(\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386}\x{388}-\x{38a})"
    R"(\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5}\x{3f7}-\x{481}\x{48a}-\x{52f}\x{531}-\x{556})"
    R"(\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba}\x{1cbd}-\x{1cbf})"
    R"(\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d})"
    R"(\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-)"
    R"(\x{1f7d}\x{1f80}-\x{1fb4}\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc})"
    R"(\x{1fd0}-\x{1fd3}\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc})"
    R"(\x{2102}\x{2107}\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128})"
    R"(\x{212a}-\x{212d}\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e})"
    R"(\x{2183}\x{2184}\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3})"
    R"(\x{a640}-\x{a66d}\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787}\x{a78b}-\x{a78e})"
    R"(\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17}\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a})"
    R"(\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb}\x{10c80}-\x{10cb2}\x{10cc0}-)"
    R"(\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943}]+)";
constexpr std::string_view kDeepSeekMarks =
    R"(\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+)";
constexpr std::string_view kDeepSeekHan =
    R"([\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+)";
constexpr std::string_view kDeepSeekV3Han =
    R"([\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)";
constexpr std::string_view kDeepSeekV3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)"
    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kFalconMarks = R"([\p{P}\$\+<=>\^~\|`]+)";

constexpr std::string_view kDefaultMarks = R"([\p{P}\$\+<=>\^~\|]+)";
constexpr std::string_view kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
    R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBailing =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|)"
    R"(\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kBloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
// The published file takes Han out of the letters with a class intersection.
constexpr std::string_view kKimi =
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?(?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])*)"
    R"((?:(?!\p{Han})[\p{Ll}\p{Lm}\p{Lo}\p{M}])+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?(?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])+)"
    R"((?:(?!\p{Han})[\p{Ll}\p{Lm}\p{Lo}\p{M}])*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct Entry {
    std::vector<std::string_view> names;
    GgufPreTokenizer preTokenizer;
};

const std::vector<Entry>& table() {
    static const std::string_view kGpt2 = kGpt2Pattern;
    static const std::vector<Entry> kTable = {
        {{"default"}, {{kDefaultMarks, kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}}},
        {{"gpt-2",   "gpt2",    "jina-v1-en",  "jina-v2-code",    "phi-2",
          "mpt",     "olmo",    "jais",        "trillion",        "roberta-bpe",
          "jina-es", "jina-de", "jina-v2-es",  "jina-v2-de",      "gigachat",
          "exaone4", "mellum",  "modern-bert", "granite-docling", "a.x-4.0"},
         {{kGpt2}}},
        {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"},
         {{kLlama3}, true, true}},
        {{"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}, {{kLlama3}}},
        {{"qwen2", "deepseek-r1-qwen", "megrez", "kormo"}, {{kQwen2}, false, false, true}},
        {{"stablelm2", "hunyuan", "grok-2"}, {{kQwen2}}},
        {{"qwen35"}, {{kQwen35}, false, false, true}},
        {{"bailingmoe", "bailingmoe2", "llada-moe"}, {{kBailing}}},
        {{"bloom", "gpt3-finnish", "poro-chat"}, {{kBloom}}},
        {{"viking"}, {{kBloom, R"(\p{N})"}}},
        {{"superbpe"}, {{R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"}}},
        {{"kimi-k2"}, {{kKimi}}},
        {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"},
         {{R"(\p{N})", kGpt2}}},
        {{"falcon"}, {{kFalconMarks, kGpt2, "[0-9][0-9][0-9]"}}},
        {{"deepseek-llm"},
         {{R"([\r\n])", kDeepSeekLetters, kDeepSeekMarks, R"(\s+$)", kDeepSeekHan, R"(\p{N}+)"}}},
        {{"deepseek-coder"},
         {{R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepSeekHan, R"(\p{N})"}}},
        {{"deepseek-v3", "deepseek-r1", "hunyuan-dense"},
         {{R"(\p{N}{1,3})", kDeepSeekV3Han, kDeepSeekV3}}},
        {{"gpt-4o", "o200k", "llama4", "kanana2", "minimax-m2"}, {{kO200k}}},
        {{"tekken"}, {{kTekken}, true, true}},
    };
    return kTable;
}

}  // namespace

const GgufPreTokenizer* findGgufPreTokenizer(std::string_view name) {
    for (const Entry& entry : table()) {
        for (const std::string_view known : entry.names) {
            if (known == name) return &entry.preTokenizer;
        }
    }
    return nullptr;
}

std::vector<std::string_view> ggufPreTokenizerNames() {
    std::vector<std::string_view> names;
    for (const Entry& entry : table()) {
        names.insert(names.end(), entry.names.begin(), entry.names.end());
    }
    return names;
}

}  // namespace lanescope::tokenizer

#include "engine/convert/vocabulary_keys.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "engine/base/json.h"
#include "engine/base/mapped_file.h"
#include "engine/text/chat_template.h"

namespace lanescope {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

/// Numbers of tokenizer.ggml.token_type.
enum TokenType : std::int32_t {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,
    kUserDefined = 4,
    kUnused = 5,
    kByte = 6
};

bool contains(const json& value, std::string_view text) {
    return dumpJson(value).find(text) != std::string::npos;
}

/// llama.cpp's name for the way words are cut, told by what is in the pre-tokenizer.
std::string preTokenizerName(const json& pre) {
    if (contains(pre, R"(\\p{N}{1,3})")) return "llama-bpe";
    if (contains(pre, R"((?i:'s|'t|'re|'ve|'m|'ll|'d))") && contains(pre, R"(|\\p{N}|)"))
        return "qwen2";
    if (contains(pre, R"("individual_digits":true)") && contains(pre, R"("ByteLevel")"))
        return "smollm";
    if (pre.is_object() && pre.value("type", "") == "ByteLevel" && pre.value("use_regex", true))
        return "gpt-2";
    return {};
}

/// "bos_token" of tokenizer_config.json: a string or an object with its content.
std::string specialText(const json& config, const char* name) {
    if (!config.is_object() || !config.contains(name)) return {};
    const json& value = config[name];
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.contains("content") && value["content"].is_string())
        return value["content"].get<std::string>();
    return {};
}

class Vocabulary {
  public:
    Vocabulary(json file, const Checkpoint& checkpoint)
        : m_file(std::move(file)), m_checkpoint(checkpoint) {}

    Result<void> read(std::int64_t nRows);
    Result<void> write(GgufWriter& writer) const;

  private:
    [[nodiscard]] Error damaged(const std::string& what) const {
        return badInput(what, m_checkpoint.tokenizerJsonPath());
    }
    Result<void> place(const std::string& word, const json& id, std::int32_t type);
    Result<void> readMerges();
    [[nodiscard]] std::vector<float> scores() const;
    void writeSpecials(GgufWriter& writer) const;
    [[nodiscard]] bool addsBos() const;

    json m_file;
    const Checkpoint& m_checkpoint;
    bool m_bytePieces = false;  ///< SentencePiece style: ▁ for spaces, <0xNN> for bytes
    std::vector<std::string> m_words;
    std::vector<std::int32_t> m_types;
    std::vector<std::string> m_merges;  ///< "left right"
    std::unordered_map<std::string, std::uint32_t> m_ids;
};

Result<void> Vocabulary::place(const std::string& word, const json& id, std::int32_t type) {
    if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
        id.get<std::int64_t>() >= static_cast<std::int64_t>(m_words.size()))
        return damaged("the id of token \"" + word + "\" is not in 0 to " +
                       std::to_string(m_words.size() - 1) + ", the rows of the embedding");
    const auto at = id.get<std::size_t>();
    m_words[at] = word;
    m_types[at] = type;
    m_ids[word] = static_cast<std::uint32_t>(at);
    return {};
}

Result<void> Vocabulary::readMerges() {
    const json& merges = m_file["model"]["merges"];
    if (!merges.is_array()) return damaged("model.merges is not a list");
    m_merges.reserve(merges.size());
    for (const json& merge : merges) {
        if (merge.is_string()) {
            m_merges.push_back(merge.get<std::string>());
        } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                   merge[1].is_string()) {
            m_merges.push_back(merge[0].get<std::string>() + " " + merge[1].get<std::string>());
        } else {
            return damaged("merge " + std::to_string(m_merges.size()) + " is not a pair of words");
        }
    }
    return {};
}

Result<void> Vocabulary::read(std::int64_t nRows) {
    if (!m_file.is_object() || !m_file.contains("model") || !m_file["model"].is_object() ||
        m_file["model"].value("type", "") != "BPE" || !m_file["model"].contains("vocab") ||
        !m_file["model"]["vocab"].is_object() || !m_file["model"].contains("merges"))
        return unsupported("its model is not BPE; other vocabularies are not written to GGUF",
                           m_checkpoint.tokenizerJsonPath());
    const json& model = m_file["model"];
    m_bytePieces = model.contains("byte_fallback") && model["byte_fallback"] == true;
    m_types.assign(static_cast<std::size_t>(nRows), kUnused);
    for (std::int64_t i = 0; i < nRows; ++i) m_words.push_back("[PAD" + std::to_string(i) + "]");
    for (const auto& [word, id] : model["vocab"].items()) {
        const bool byte =
            m_bytePieces && word.size() == 6 && word.starts_with("<0x") && word.ends_with(">");
        if (auto placed = place(word, id, byte ? kByte : kNormal); !placed) return placed;
    }
    const std::string unknown =
        model.contains("unk_token") && model["unk_token"].is_string() ? model["unk_token"] : "";
    const json added = m_file.value("added_tokens", json::array());
    for (const json& token : added) {
        if (!token.is_object() || !token.contains("content") || !token["content"].is_string() ||
            !token.contains("id"))
            return damaged("an entry of added_tokens has no content or id");
        const std::string word = token["content"];
        const bool special = token.value("special", false);
        const TokenType type = m_bytePieces && word == unknown ? kUnknown
                               : special                       ? kControl
                                                               : kUserDefined;
        if (auto placed = place(word, token["id"], type); !placed) return placed;
    }
    return readMerges();
}

/// A SentencePiece vocabulary joins the pair whose word has the best score: earlier merges first.
std::vector<float> Vocabulary::scores() const {
    std::vector<float> out(m_words.size(), 0.0F);
    for (std::size_t i = m_merges.size(); i-- > 0;) {
        std::string word = m_merges[i];
        if (const auto space = word.find(' '); space != std::string::npos) word.erase(space, 1);
        if (const auto it = m_ids.find(word); it != m_ids.end())
            out[it->second] = -static_cast<float>(i + 1);
    }
    return out;
}

/// What the folder says, else whether the post-processor puts it in front.
bool Vocabulary::addsBos() const {
    const json& config = m_checkpoint.tokenizerConfig();
    if (config.is_object() && config.contains("add_bos_token") &&
        config["add_bos_token"].is_boolean())
        return config["add_bos_token"];
    const std::string bos = specialText(config, "bos_token");
    return !bos.empty() && m_file.contains("post_processor") &&
           contains(m_file["post_processor"], "\"id\":" + dumpJson(json(bos)));
}

void Vocabulary::writeSpecials(GgufWriter& writer) const {
    writer.set("tokenizer.ggml.add_bos_token", GgufValue::number(addsBos()));
    constexpr std::pair<const char*, const char*> kNames[] = {{"bos_token", "bos"},
                                                              {"eos_token", "eos"},
                                                              {"unk_token", "unknown"},
                                                              {"pad_token", "padding"}};
    for (const auto& [name, key] : kNames) {
        const auto it = m_ids.find(specialText(m_checkpoint.tokenizerConfig(), name));
        if (it != m_ids.end())
            writer.set("tokenizer.ggml." + std::string(key) + "_token_id",
                       GgufValue::number(it->second));
    }
}

Result<void> Vocabulary::write(GgufWriter& writer) const {
    const json pre = m_file.value("pre_tokenizer", json());
    const std::string name = m_bytePieces ? "default" : preTokenizerName(pre);
    if (name.empty())
        return unsupported("its pre-tokenizer has no name in GGUF that is known here",
                           m_checkpoint.tokenizerJsonPath(),
                           "known are those of gpt-2, llama 3, qwen2 and smollm");
    writer.set("tokenizer.ggml.model", GgufValue::text(m_bytePieces ? "llama" : "gpt2"));
    writer.set("tokenizer.ggml.pre", GgufValue::text(name));
    writer.set("tokenizer.ggml.tokens", GgufValue::texts(m_words));
    if (m_bytePieces) {
        const std::vector<float> all = scores();
        writer.set("tokenizer.ggml.scores", GgufValue::numbers(std::span<const float>(all)));
    }
    writer.set("tokenizer.ggml.token_type",
               GgufValue::numbers(std::span<const std::int32_t>(m_types)));
    if (m_bytePieces) {
        const bool prefix =
            m_file.contains("normalizer") && contains(m_file["normalizer"], R"("type":"Prepend")");
        writer.set("tokenizer.ggml.add_space_prefix",
                   GgufValue::number(prefix || contains(pre, R"("prepend_scheme":"first")")));
    } else {
        writer.set("tokenizer.ggml.merges", GgufValue::texts(m_merges));
    }
    writeSpecials(writer);
    return {};
}

Result<void> setChatTemplate(GgufWriter& writer, const Checkpoint& checkpoint) {
    const auto found = findChatTemplate(checkpoint);
    if (!found) return found.error();
    if (*found) writer.set("tokenizer.chat_template", GgufValue::text((*found)->source));
    return {};
}

}  // namespace

Result<void> setVocabularyKeys(GgufWriter& writer, const Checkpoint& checkpoint,
                               std::int64_t nRows) {
    const std::string& path = checkpoint.tokenizerJsonPath();
    if (path.empty()) return {};
    auto text = readTextFile(path, kMaxFileBytes);
    if (!text) return text.error();
    auto file = parseJson(*text, path);
    if (!file) return file.error();
    Vocabulary vocabulary(std::move(*file), checkpoint);
    if (auto read = vocabulary.read(nRows); !read) return read;
    if (auto written = vocabulary.write(writer); !written) return written;
    return setChatTemplate(writer, checkpoint);
}

}  // namespace lanescope

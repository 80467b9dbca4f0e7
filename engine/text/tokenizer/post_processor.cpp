#include "engine/text/tokenizer/post_processor.h"

#include "engine/text/tokenizer/json_fields.h"
#include "engine/text/tokenizer/vocabulary.h"

namespace lanescope::tokenizer {

namespace {

using nlohmann::json;

Result<TokenId> tokenIdOf(const json& value) {
    const auto id = asInteger(value);
    if (!id || *id < 0 || *id >= kMaxVocabSize) {
        return badInput("post_processor names a token id that is no id: " +
                        value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 64));
    }
    return static_cast<TokenId>(*id);
}

Result<AroundIds> readTemplate(const json& entry) {
    const json& single = member(entry, "single");
    if (!single.is_array()) return badInput("post_processor TemplateProcessing has no \"single\"");
    AroundIds around;
    bool seenText = false;
    for (const json& item : single) {
        if (const json& sequence = member(item, "Sequence"); !sequence.is_null()) {
            if (seenText || textField(sequence, "id") != "A") {
                return unsupported("post_processor has a template that uses the text twice");
            }
            seenText = true;
            continue;
        }
        const std::string name = textField(member(item, "SpecialToken"), "id");
        const json& ids = member(member(member(entry, "special_tokens"), name.c_str()), "ids");
        if (!ids.is_array()) {
            return badInput("post_processor uses the token \"" + name + "\" without its ids");
        }
        for (const json& value : ids) {
            const auto id = tokenIdOf(value);
            if (!id) return id.error();
            (seenText ? around.suffix : around.prefix).push_back(*id);
        }
    }
    if (!seenText) return badInput("post_processor has a template without the text");
    return around;
}

/// BertProcessing and RobertaProcessing: "cls" before, "sep" after, both as [text, id].
Result<AroundIds> readClsSep(const json& entry) {
    AroundIds around;
    for (const char* name : {"cls", "sep"}) {
        const json& pair = member(entry, name);
        if (!pair.is_array() || pair.size() != 2) {
            return badInput(std::string("post_processor has no \"") + name + "\"");
        }
        const auto id = tokenIdOf(pair[1]);
        if (!id) return id.error();
        (name[0] == 'c' ? around.prefix : around.suffix).push_back(*id);
    }
    return around;
}

Result<AroundIds> readSequence(const json& entry) {
    const json& list = member(entry, "processors");
    if (!list.is_array()) return badInput("post_processor Sequence has no \"processors\"");
    AroundIds around;
    for (const json& item : list) {
        auto step = readPostProcessor(item);
        if (!step) return step.error();
        around.prefix.insert(around.prefix.begin(), step->prefix.begin(), step->prefix.end());
        around.suffix.insert(around.suffix.end(), step->suffix.begin(), step->suffix.end());
    }
    return around;
}

}  // namespace

Result<AroundIds> readPostProcessor(const json& entry) {
    if (entry.is_null()) return AroundIds{};
    const std::string type = typeOf(entry);
    if (type == "ByteLevel") return AroundIds{};  // about offsets only
    if (type == "TemplateProcessing") return readTemplate(entry);
    if (type == "RobertaProcessing" || type == "BertProcessing") return readClsSep(entry);
    if (type == "Sequence") return readSequence(entry);
    return unsupported("post_processor of type \"" + type + "\" is not supported");
}

}  // namespace lanescope::tokenizer

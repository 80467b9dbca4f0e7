// Chat templates on top of the Jinja subset in jinja/. Where a checkpoint keeps its template:
// chat_template_checkpoint.cpp; from segments to ids: chat_encode.cpp.
#include "engine/text/chat_template.h"

#include "engine/text/jinja/from_json.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/parser.h"

namespace lanescope {

namespace {

Error templateError(const jinja::Failure& failure, const std::string& context) {
    std::string where = context;
    if (failure.line > 0) where += ", line " + std::to_string(failure.line);
    return badInput(failure.message, where);
}

/// "bos_token", "eos_token" … are the model's own words, not the person's.
bool isSpecialTokenName(const std::string& name) {
    constexpr std::string_view kEnd = "_token";
    return name.size() > kEnd.size() &&
           name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

class JinjaChatTemplate : public ChatTemplate {
  public:
    JinjaChatTemplate(std::string source, std::string context, jinja::Block root)
        : m_source(std::move(source)), m_context(std::move(context)), m_root(std::move(root)) {}

    Result<std::vector<ChatSegment>> render(const ChatInput& input) const override {
        jinja::Budget budget{jinja::Limits{}};
        const jinja::BudgetScope scope(&budget);
        try {
            jinja::Interpreter interpreter(m_root, budget, input.now);
            setGlobals(interpreter, input);
            return segmentsOf(*interpreter.render());
        } catch (const jinja::Failure& failure) {
            return templateError(failure, m_context);
        }
    }

    [[nodiscard]] const std::string& source() const override { return m_source; }

  private:
    static void setGlobals(jinja::Interpreter& interpreter, const ChatInput& input) {
        interpreter.setGlobal("documents", jinja::Value::none());
        interpreter.setGlobal("messages", jinja::fromJson(input.messages, true));
        interpreter.setGlobal("tools", jinja::fromJson(input.tools, true));
        interpreter.setGlobal("add_generation_prompt",
                              jinja::Value::boolean(input.addGenerationPrompt));
        if (!input.variables.is_object()) return;
        for (const auto& [name, value] : input.variables.items()) {
            interpreter.setGlobal(name, jinja::fromJson(value, !isSpecialTokenName(name)));
        }
    }

    static std::vector<ChatSegment> segmentsOf(const jinja::Text& text) {
        std::vector<ChatSegment> segments;
        segments.reserve(text.runs.size());
        std::size_t from = 0;
        for (const jinja::Run& run : text.runs) {
            segments.push_back({text.bytes.substr(from, run.end - from), run.fromInput});
            from = run.end;
        }
        return segments;
    }

    std::string m_source;
    std::string m_context;
    jinja::Block m_root;
};

}  // namespace

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::parse(std::string_view source,
                                                                const std::string& context) {
    try {
        jinja::Block root = jinja::parseTemplate(source);
        return std::shared_ptr<const ChatTemplate>(
            std::make_shared<JinjaChatTemplate>(std::string(source), context, std::move(root)));
    } catch (const jinja::Failure& failure) {
        return templateError(failure, context);
    }
}

std::string joinSegments(const std::vector<ChatSegment>& segments) {
    std::string text;
    for (const ChatSegment& segment : segments) text += segment.text;
    return text;
}

}  // namespace lanescope

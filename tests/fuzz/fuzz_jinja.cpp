// Any bytes as a chat template: parsing and rendering must end with a text or a Failure, within
// small limits, and the text's runs must cover it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/text/jinja/from_json.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/parser.h"

namespace {

using namespace lanescope::jinja;

const nlohmann::ordered_json& conversation() {
    static const auto kMessages = nlohmann::ordered_json::parse(R"([
        {"role": "system", "content": " Be \u00e9 brief. "},
        {"role": "user", "content": "<think>1+1?</think>"},
        {"role": "assistant", "content": null, "tool_calls":
            [{"function": {"name": "f", "arguments": {"x": [1, 2.5, true, {}]}}}]}])");
    return kMessages;
}

/// Far below what real rendering may use, so that one input takes milliseconds.
Limits smallLimits() {
    Limits limits;
    limits.steps = 200'000;
    limits.iterations = 20'000;
    limits.evalDepth = 300;
    limits.textBytes = limits.outputBytes = std::size_t{1} << 20;
    limits.memoryBytes = std::size_t{32} << 20;
    return limits;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Block root = parseTemplate({reinterpret_cast<const char*>(data), size});
        Budget budget(smallLimits());
        const BudgetScope scope(&budget);
        Interpreter interpreter(root, budget, std::tm{});
        interpreter.setGlobal("messages", fromJson(conversation(), true));
        interpreter.setGlobal("tools", Value::none());
        interpreter.setGlobal("add_generation_prompt", Value::boolean(true));
        interpreter.setGlobal("bos_token", Value::string("<s>"));
        const TextPtr text = interpreter.render();
        std::size_t end = 0;
        for (const Run& run : text->runs) {
            if (run.end <= end) std::abort();
            end = run.end;
        }
        if (end != text->bytes.size()) std::abort();
    } catch (const Failure&) {  // the expected end of most inputs
    }
    return 0;
}

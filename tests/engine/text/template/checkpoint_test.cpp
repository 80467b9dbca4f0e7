// Where checkpoints keep their template, and a real model's chat as ids.
#include <gtest/gtest.h>

#include "engine/checkpoint/checkpoint.h"
#include "tests/engine/text/template/template_support.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

/// The checkpoint's template rendered for one message "hi"; "none" if it has none.
std::string greeting(const std::string& path) {
    const auto checkpoint = Checkpoint::open(path);
    if (!checkpoint) return "ERROR: " + checkpoint.error().toString();
    const auto chat = ChatTemplate::fromCheckpoint(**checkpoint);
    if (!chat) return "ERROR: " + chat.error().toString();
    if (*chat == nullptr) return "none";
    ChatInput input;
    input.messages = nlohmann::ordered_json::parse(R"([{"role": "user", "content": "hi"}])");
    input.variables["bos_token"] = "<s>";
    const auto segments = (*chat)->render(input);
    return segments ? joinSegments(*segments) : "ERROR: " + segments.error().toString();
}

TEST(ChatTemplateOfCheckpoint, IsFoundWhereverItIsKept) {
    LANESCOPE_NEEDS_SHARED(shared);
    const std::string cases = shared + "/cases/C36/";
    EXPECT_EQ(greeting(cases + "jinja_file_wins"), "<s>D[hi]");
    EXPECT_EQ(greeting(cases + "list_of_two"), "<s>D[hi]");
    EXPECT_EQ(greeting(cases + "list_without_default"), "<s>D[hi]");
    EXPECT_EQ(greeting(cases + "gguf_two_templates.gguf"), "<s>D[hi]");
    EXPECT_EQ(greeting(cases + "gguf_no_template.gguf"), "none");
    EXPECT_EQ(greeting(shared + "/cases/C23/chatml.gguf"),
              "<s><|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatTemplateOfCheckpoint, WhitespaceCasesRenderAsTheReference) {
    LANESCOPE_NEEDS_SHARED(shared);
    const std::string folder = shared + "/cases/C34/";
    ChatInput input = inputFrom(nlohmann::ordered_json::parse(R"({
        "messages": [{"role": "user", "content": " a "}, {"role": "assistant", "content": "b\n"}],
        "add_generation_prompt": true, "bos_token": "<s>"})"));
    EXPECT_EQ(rendered(readFile(folder + "block_lines.jinja"), input), "U:  a \nA: b\n  \nA:");
    EXPECT_EQ(rendered(readFile(folder + "dashes.jinja"), input),
              "<s>[user]   a [assistant]  b\n\n >");
    EXPECT_EQ(rendered(readFile(folder + "content_kept.jinja"), input), " a |b\n|");
}

TEST(ChatTemplateOfCheckpoint, ErrorsAreTheTemplatesOwnWords) {
    LANESCOPE_NEEDS_SHARED(shared);
    const std::string source = readFile(shared + "/cases/C31/no_system_role.jinja");
    const auto render = [&](const char* messages) {
        ChatInput input;
        input.messages = nlohmann::ordered_json::parse(messages);
        return rendered(source, input);
    };
    EXPECT_EQ(render(R"([{"role": "system", "content": "x"}])"),
              "ERROR: this model has no system role");
    EXPECT_EQ(render(R"([{"role": "assistant", "content": "x"}])"),
              "ERROR: turns must go user, assistant, user");
    EXPECT_EQ(render(R"([{"role": "user", "content": " x "}])"),
              "<turn>user\nx</turn>\n<turn>model\n");
    EXPECT_EQ(rendered(readFile(shared + "/cases/C32/unknown_function.jinja")),
              "ERROR: 'no_such_function' is undefined");
}

TEST(ChatTemplateOfCheckpoint, DatesUseTheGivenClock) {
    LANESCOPE_NEEDS_SHARED(shared);
    EXPECT_EQ(rendered(readFile(shared + "/cases/C32/strftime_now_hours.jinja")),
              "09:05:07 208 Fri Friday 24 AM %");
    ChatInput input = inputFrom(nlohmann::ordered_json::parse(
        R"({"messages": [{"role": "user", "content": "hi"}], "bos_token": "<s>"})"));
    EXPECT_EQ(rendered(readFile(shared + "/cases/C32/strftime_now.jinja"), input),
              "<s>[sys]Today is 26 July 2024, 2024-07-26.[/sys][date]26 Jul 2024[/date]"
              "[user]hi[/user]");
}

}  // namespace
}  // namespace lanescope::test

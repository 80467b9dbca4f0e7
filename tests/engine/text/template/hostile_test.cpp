// Templates made to hang, to eat memory or to overflow the stack: each ends with a named limit.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <random>

#include "tests/engine/text/template/template_support.h"
#include "tests/support/golden.h"

namespace lanescope::test {
namespace {

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

struct Hostile {
    const char* name;
    std::string source;
    const char* limit;  ///< words of the message
};

std::vector<Hostile> hostileTemplates() {
    const std::string grow = "{% set ns = namespace(s='0123456789') %}{% for i in range(200) %}";
    return {
        {"loops in loops",
         repeated("{% for i in range(100000) %}", 3) + repeated("{% endfor %}", 3), "loop limit"},
        {"steps without loops turning much",
         "{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}"
         "{{ f(60) }}",
         "step limit"},
        {"huge range", "{% for i in range(10 ** 12) %}x{% endfor %}", "range limit"},
        {"doubling string", grow + "{% set ns.s = ns.s + ns.s %}{% endfor %}", "text limit"},
        {"doubling string by ~", grow + "{% set ns.s = ns.s ~ ns.s %}{% endfor %}", "text limit"},
        {"doubling by join", grow + "{% set ns.s = [ns.s, ns.s] | join %}{% endfor %}",
         "text limit"},
        {"doubling by replace",
         grow + "{% set ns.s = ns.s | replace('0', '00000000') %}{% endfor %}", "text limit"},
        {"doubling by format", grow + "{% set ns.s = '%s%s' % (ns.s, ns.s) %}{% endfor %}",
         "text limit"},
        {"doubling by tojson",
         "{% set ns = namespace(s='\\\\') %}{% for i in range(99) %}"
         "{% set ns.s = ns.s | tojson %}{% endfor %}",
         "limit"},
        {"multiplied string", "{{ 'x' * 10 ** 18 }}", "text limit"},
        {"multiplied list", "{{ ([1] * 10 ** 18) | length }}", "memory limit"},
        {"doubling list",
         "{% set ns = namespace(l=[1]) %}{% for i in range(200) %}{% set ns.l = ns.l + ns.l %}"
         "{% endfor %}",
         "memory limit"},
        {"shared list printed",
         "{% set ns = namespace(l=['x']) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}"
         "{% endfor %}{{ ns.l }}",
         "limit"},
        {"wide padding", "{{ '%1000000000000d' % 1 }}", "limit"},
        {"wide format", "{{ '{:>1000000000}'.format('x') }}", "text limit"},
        {"wide center", "{{ 'x' | center(10 ** 15) }}", "limit"},
        {"wide indent", "{{ 'x\ny' | indent(10 ** 15) }}", "limit"},
        {"many characters kept",
         "{% set ns = namespace(l=[]) %}{% for i in range(100000) %}"
         "{% set ns.l = [ns.l, 'x' * 100000] %}{% endfor %}",
         "limit"},
        {"output", "{% set s = 'x' * 1000000 %}{% for i in range(1000) %}{{ s }}{% endfor %}",
         "limit"},
        {"macro calls itself", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
         "recursion limit"},
        {"macros call each other",
         "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
         "recursion limit"},
        {"caller recursion",
         "{% macro f() %}{{ caller() if 0 }}{% call f() %}{% endcall %}{% endmacro %}{{ f() }}",
         "recursion limit"},
        {"recursive loop on itself", "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
         "recursion limit"},
        {"nested values",
         "{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = [ns.l] %}{% endfor "
         "%}",
         "nesting limit"},
        {"namespace in itself", "{% set ns = namespace() %}{% set ns.me = ns %}{{ ns }}",
         "recursion limit"},
        {"brackets", "{{ " + repeated("(", 100000) + "1" + repeated(")", 100000) + " }}",
         "nesting limit"},
        {"lists", "{{ " + repeated("[", 100000) + repeated("]", 100000) + " }}", "nesting limit"},
        {"minus signs", "{{ " + repeated("-", 100000) + "1 }}", "nesting limit"},
        {"nots", "{{ " + repeated("not ", 100000) + "1 }}", "nesting limit"},
        {"sums", "{{ 1" + repeated("+1", 100000) + " }}", "nesting limit"},
        {"filters", "{{ 1" + repeated("|abs", 100000) + " }}", "nesting limit"},
        {"attributes", "{{ x" + repeated(".a", 100000) + " }}", "nesting limit"},
        {"blocks", repeated("{% if 1 %}", 40000) + repeated("{% endif %}", 40000), "nesting limit"},
        {"elses", "{{ 1" + repeated(" if 0 else 1", 50000) + " }}", "nesting limit"},
        {"big integers", "{{ 9 ** 9 ** 9 }}", "number limit"},
        {"multiplied integers",
         "{% set ns = namespace(n=3) %}{% for i in range(200) %}{% set ns.n = ns.n * ns.n %}"
         "{% endfor %}",
         "number limit"},
        {"split and join",
         "{% set s = 'x ' * 1000000 %}{% for i in range(1000) %}{% set t = s.split(' ') | join %}"
         "{% endfor %}",
         "limit"},
        {"searching",
         "{% set s = 'x' * 10000000 %}{% for i in range(100000) %}{{ 'y' in s }}{% endfor %}",
         "step limit"},
        {"sorting",
         "{% for i in range(1000) %}{% set l = range(100000) | list | sort %}{% endfor %}",
         "limit"},
        {"comparing",
         "{% set l = range(100000) | list %}{% for i in range(10000) %}{{ l == l }}{% endfor %}",
         "step limit"},
        {"filtered loop lengths",
         "{% for i in range(100000) if i >= 0 %}{% for j in range(100000) if j >= 0 %}"
         "{{ loop.length }}{% endfor %}{% endfor %}",
         "limit"},
        {"dates", "{{ strftime_now('%A' * 100000) }}", "limit"},
        {"pairs in a dictionary",
         "{% for i in range(100) %}{% set d = dict(range(100000) | batch(2)) %}{% endfor %}",
         "limit"},
        {"blocks on one line", repeated("{% if 1 %}x{% endif %}", 45000) + "{{ 1 / 0 }}", "zero"},
        {"source too long", repeated("{% if 1 %}x{% endif %}", 50000), "limit"},
        {"views of a large dictionary",
         "{% set d = dict(range(100000) | batch(2)) %}{% for i in range(100000) %}"
         "{% set x = d.items() %}{% endfor %}",
         "limit"},
        {"a namespace of many names",
         "{% set ns = namespace(dict(range(40000) | map('string') | batch(2))) %}"
         "{% for i in range(100000) %}{% set ns.x = ns.nothing %}{% endfor %}",
         "limit"},
        {"many keywords",
         "{% macro f() %}{{ kwargs | length }}{% endmacro %}"
         "{% set d = dict(range(40000) | map('string') | batch(2)) %}"
         "{% for i in range(100000) %}{{ f(**d) }}{% endfor %}",
         "limit"},
        {"equal long strings",
         "{% set a = 'x' * 10000000 %}{% set b = a + '' %}{% for i in range(100000) %}"
         "{{ a == b }}{% endfor %}",
         "limit"},
        {"stripping",
         "{% set a = ' ' * 10000000 %}{% for i in range(100000) %}{{ a | trim }}"
         "{% endfor %}",
         "limit"},
        {"long dates",
         "{% for i in range(100000) %}{% set x = strftime_now('%A' * 2000) %}{% endfor %}",
         "limit"},
        {"captured scopes",
         "{% macro m() %}{{ caller() }}{% endmacro %}{% for i in range(1000) %}{% for j in "
         "range(999) %}"
         "{% call m() %}x{% endcall %}{% endfor %}{% endfor %}",
         "limit"},
        {"unicode indexing",
         "{% set s = '\xC3\xA9' * 1000000 %}{% for i in range(100000) %}{{ s[-1] }}{% endfor %}",
         "step limit"},
    };
}

TEST(HostileTemplate, EachEndsSoonWithANamedLimit) {
    for (const Hostile& hostile : hostileTemplates()) {
        SCOPED_TRACE(hostile.name);
        rusage before{};
        getrusage(RUSAGE_SELF, &before);
        const std::string text = rendered(hostile.source);
        rusage after{};
        getrusage(RUSAGE_SELF, &after);
        EXPECT_EQ(text.rfind("ERROR: ", 0), 0U) << hostile.name << ": " << text.substr(0, 200);
        EXPECT_NE(text.find(hostile.limit), std::string::npos)
            << hostile.name << ": " << text.substr(0, 300);
        // Processor time, so that a busy machine does not count; sanitizers take their share.
        const double seconds =
            static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
            static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        EXPECT_LT(seconds, 30.0) << hostile.name;
#else
        EXPECT_LT(seconds, 2.0) << hostile.name;
        EXPECT_LT(after.ru_maxrss, 1 << 20) << hostile.name << ": over 1 GiB at its peak";
#endif
    }
}

TEST(HostileTemplate, DeepInputIsRefused) {
    nlohmann::ordered_json deep = "x";
    for (int i = 0; i < 5000; ++i) deep = nlohmann::ordered_json::array({std::move(deep)});
    ChatInput input;
    input.messages = deep;
    EXPECT_NE(rendered("{{ messages }}", input).find("nesting limit"), std::string::npos);
}

TEST(HostileTemplate, SandboxRefusesChangesAndPrivateAttributes) {
    EXPECT_EQ(rendered("{{ [].append(1) }}"),
              "ERROR: access to attribute 'append' of 'list' object is unsafe.");
    EXPECT_EQ(rendered("{{ {}.update({}) }}"),
              "ERROR: access to attribute 'update' of 'dict' object is unsafe.");
    EXPECT_EQ(rendered("{{ ''.__class__.__mro__ }}").rfind("ERROR: ", 0), 0U);
    EXPECT_EQ(rendered("{% include 'x' %}").rfind("ERROR: ", 0), 0U);
}

/// Bytes of good templates changed, cut out and doubled: a Result either way, and no crash.
TEST(HostileTemplate, MutatedTemplatesEndInAResult) {
    const std::string folder = goldenDir() + "/chat/";
    const auto conversations = orderedJson(folder + "conversations.json");
    const ChatInput input = inputFrom(conversations["tools_gen"]);
    std::mt19937 random(7);
    int renderedCount = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string source =
            readFile(folder + "templates/" +
                     (round % 2 == 0 ? "qwen25_style.jinja" : "smollm2_style.jinja"));
        for (unsigned change = 0; change <= random() % 3; ++change) {
            const std::size_t at = random() % source.size();
            const std::size_t size = std::min<std::size_t>(random() % 12, source.size() - at);
            switch (random() % 3) {
                case 0:
                    source[at] = "{}%#()[]'\"|.-+~x1,:= \n"[random() % 23];
                    break;
                case 1:
                    source.erase(at, size);
                    break;
                default:
                    source.insert(at, source.substr(random() % source.size(), size));
            }
        }
        if (rendered(source, input).rfind("ERROR: ", 0) != 0) ++renderedCount;
    }
    EXPECT_GT(renderedCount, 300) << "mutations should leave some templates whole";
    EXPECT_LT(renderedCount, 2900) << "and break others";
}

TEST(HostileTemplate, DamagedTemplatesNameTheLine) {
    const auto parsed = ChatTemplate::parse("a\nb\n{% if x %}\n", "some.jinja");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::BadInput);
    EXPECT_EQ(parsed.error().context, "some.jinja, line 3");
    for (const char* source :
         {"{{", "{%", "{#", "{{ 'x }}", "{% raw %}", "{{ 1 + }}", "{% for x %}{% endfor %}",
          "{% endif %}", "{{ a b }}", "{{ ) }}", "{% set 1 = 2 %}", "{{ x | }}", "{{ x is }}",
          "{% break %}", "{% nothing %}", "{{ '\\x4' }}", "{{ [1, }}", "{{ {1: } }}", "{{ @ }}"}) {
        EXPECT_FALSE(ChatTemplate::parse(source)) << source;
    }
}

}  // namespace
}  // namespace lanescope::test

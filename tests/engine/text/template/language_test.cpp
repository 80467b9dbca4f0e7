// The language piece by piece; expected texts are those of jinja2 3.1 set up as transformers does.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/engine/text/template/template_support.h"

namespace lanescope::test {
namespace {

struct Case {
    const char* source;
    const char* text;
};

void check(std::initializer_list<Case> cases,
           const nlohmann::ordered_json& variables = nlohmann::ordered_json::object()) {
    for (const Case& c : cases) EXPECT_EQ(rendered(c.source, variables), c.text) << c.source;
}

TEST(JinjaWhitespace, BlocksTrimTheirLines) {
    check({
        {"a\n  {% if 1 %}\n  b\n  {% endif %}\nc\n", "a\n  b\nc"},
        {"a  {% if 1 %}b{% endif %}  \nc", "a  b  \nc"},
        {"a\n  {{ 1 }}\n  b", "a\n  1\n  b"},
        {"a \n {%- if 1 -%} \n b \n {%- endif -%} \n c", "abc"},
        {"a\n  {%+ if 1 %}b{% endif %}", "a\n  b"},
        {"{% if 1 +%}\nb{% endif %}", "\nb"},
        {"a\n  {# c #}\nb", "a\nb"},
        {"a {#- c -#} b", "ab"},
        {"a\n\n", "a\n"},
        {"a\r\nb\rc", "a\nb\nc"},
        {"{% raw %}\n {{ x }}\n{% endraw %}\nz", "\n {{ x }}\nz"},
        {"x {%- raw -%} {{ y }} {%- endraw -%} z", "x{{ y }}z"},
        {"{{- 'a' -}}  b  {{- 'c' }}", "abc"},
    });
}

TEST(JinjaScopes, FollowTheReference) {
    check({
        {"{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}", "21"},
        {"{% set x = 1 %}{% if 1 %}{% set x = 2 %}{% endif %}{{ x }}", "2"},
        {"{% for i in [1,2] %}{{ x }}{% set x = i %}{% endfor %}", ""},
        {"{% set x = 1 %}{% with x = 5, y = 6 %}{{ x }}{{ y }}{% endwith %}{{ x }}", "561"},
        {"{% macro f() %}{{ x }}{% endmacro %}{% set x = 3 %}{{ f() }}", "3"},
        {"{% set x %}{% set y = 1 %}{% endset %}{{ y is defined }}", "False"},
        {"{% macro m(a) %}[{{ caller(a) }}]{% endmacro %}{% call(z) m(4) %}<{{ z }}>{% endcall %}",
         "[<4>]"},
        {"{% macro f(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, 2) }}", "1112"},
        {"{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, k=2) }}", "(1,){'k': 2}"},
        {"{% filter upper %}a{{ 'b' }}{% endfilter %}", "AB"},
        {"{% set x | upper | replace('B', 'c') %}ab{% endset %}{{ x }}", "Ac"},
        {"{% for x in [1, [2, [3]]] recursive %}{{ loop(x) if x is iterable else x }}{% endfor %}",
         "123"},
        {"{% for a in [1,2,3] %}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.revindex }} "
         "{% endfor %}",
         "23 132 21 "},
        {"{% for x in [1,1,2] if x %}{{ loop.length }}{{ loop.changed(x) }}{% endfor %}",
         "3True3False3True"},
        {"{% for (a, b), c in [((1, 2), 3)] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "123"},
        {"{% for a in [1,2,3,4] %}{% if a == 2 %}{% continue %}{% endif %}{% if a == 4 %}"
         "{% break %}{% endif %}{{ a }}{% endfor %}",
         "13"},
        {"{% generation %}a{% endgeneration %}b", "ab"},
    });
}

TEST(JinjaNumbers, ArePythons) {
    check(
        {
            {"{{ 7 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}",
             "3.5 -4 2 3.0 0.5"},
            {"{{ 2 ** 70 }} {{ 2 ** -1 }} {{ 1e3 }} {{ 1e16 }} {{ 1.5e-7 }} {{ 0.1 + 0.2 }}",
             "1180591620717411303424 0.5 1000.0 1e+16 1.5e-07 0.30000000000000004"},
            {"{{ -3 | abs }} {{ 2.5 | round }} {{ 3.14159 | round(2) }} {{ 2.1 | round(0, 'ceil') "
             "}}",
             "3 2.0 3.14 3.0"},
            {"{{ '0x1f' | int(base=16) }} {{ 'z' | int(7) }} {{ '3.9' | int }} {{ '1_0' | float }}",
             "31 7 3 10.0"},
            {"{{ true + 1 }} {{ 1 == 1.0 == true }} {{ 1_000 }} {{ 0x10 }} {{ 0b11 }}",
             "2 True 1000 16 3"},
            {"{{ 1 / 0 }}", "ERROR: division by zero"},
            {"{{ big }}", "18446744073709551615"},
        },
        {{"big", 18446744073709551615ULL}});
}

TEST(JinjaStrings, BehaveAsPythons) {
    check({
        {"{{ 'a-b c'.title() }} {{ 'a-b(c d' | title }} {{ 'aBC' | capitalize }}",
         "A-B C A-B(C D Abc"},
        {"{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a b c'.rsplit(' ', 1) }}",
         "['a', 'b', '', 'c'] ['a', 'b'] ['a b', 'c']"},
        {"{{ 'xxaxx'.strip('x') }} {{ 'abc'.find('c') }} {{ 'abc'.count('') }}", "a 2 4"},
        {"{{ 'a\\nb\\r\\nc'.splitlines() }} {{ 'k=v'.partition('=') }}",
         "['a', 'b', 'c'] ('k', '=', 'v')"},
        {"{{ 'abc'[::-1] }} {{ 'abcdef'[1:-1:2] }} {{ 'abc'[-1] }} {{ 'abc'[9] }}", "cba bd c "},
        {"{{ '7'.zfill(3) }} {{ 'x'.ljust(3, '.') }} {{ 'x' | center(5) }}|", "007 x..   x  |"},
        {"{{ 'a'.replace('', '-') }} {{ 'aaa'.replace('a', 'b', 2) }}", "-a- bba"},
        {"{{ 'ab'.startswith(('x', 'a')) }} {{ 'ab'.removeprefix('a') }}", "True b"},
        {"{{ '{0}{x}{0!r:>5}{y[1]:03d}'.format('a', x=1, y=[1, 2]) }}", "a1  'a'002"},
        {"{{ '%5.1f|%-4s|%+d|%x|%%' % (3.14159, 'a', 5, 255) }}", "  3.1|a   |+5|ff|%"},
        {"{{ '{:,}{:.2%}{:<4}|{:^5}|{:e}'.format(1234567, 0.25, 'a', 'b', 12345.678) }}",
         "1,234,56725.00%a   |  b  |1.234568e+04"},
        {"{{ '\\u00e9' | upper }}{{ '\xC3\x89\xC3\x9F' | lower }}{{ '\xF0\x9F\x98\x80x' | length "
         "}}",
         "\xC3\x89\xC3\xA9\xC3\x9F"
         "2"},
        {"{{ 'it\\'s' | list }} {{ ['\"\\'', '\\n\\x01'] }}",
         "['i', 't', \"'\", 's'] ['\"\\'', '\\n\\x01']"},
        {"{{ '<a>' | escape }} {{ ('<b>' | safe) + '<' }}", "&lt;a&gt; <b>&lt;"},
        {"{{ 'a' ~ 1 ~ none ~ [1.0] }}", "a1None[1.0]"},
        {"{{ 'a\\nb' | indent(2) }} {{ 'a\\n\\nb' | indent(1, true, true) }}", "a\n  b  a\n \n b"},
        {"{{ 'a long text here' | truncate(9) }} {{ 'abcdefghijklmnop' | truncate(9, true, "
         "leeway=0) }}",
         "a... abcdef..."},
    });
}

TEST(JinjaValues, PrintAndCompareAsPythons) {
    check({
        {"{{ [1, (2,), {'a': none}, 'x', 1.0, true] }}", "[1, (2,), {'a': None}, 'x', 1.0, True]"},
        {"{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }} {{ [1] < [1, 2] }} {{ 'a' < 'b' }}",
         "True True True"},
        {"{{ {'a': 1}.items() }} {{ {'a': 1}.keys() | list }}", "dict_items([('a', 1)]) ['a']"},
        {"{{ x.y.z }}", "ERROR: 'x' is undefined"},
        {"{{ {}.y.z }}", "ERROR: 'dict object' has no attribute 'y'"},
        {"{{ 'a' + 1 }}", "ERROR: can only concatenate str (not \"int\") to str"},
        {"{{ none | length }}", "ERROR: object of type 'NoneType' has no len()"},
        {"{% for x in none %}{% endfor %}", "ERROR: 'NoneType' object is not iterable"},
        {"{{ no_such('x') }}", "ERROR: 'no_such' is undefined"},
        {"{{ 1 | no_such }}", "ERROR: No filter named 'no_such'"},
        {"{{ 1 is no_such }}", "ERROR: No test named 'no_such'"},
        {"{{ raise_exception('so it goes') }}", "ERROR: so it goes"},
        {"{{ {1: 2}[1.0] }}{{ {'items': 5}['items'] }}{{ (1, 2).0 }}", "251"},
        {"{{ range(5)[1:4] | list }} {{ 3 in range(5) }} {{ range(3) }}",
         "[1, 2, 3] True range(0, 3)"},
        {"{{ 5 is odd }}{{ 4 is divisibleby 2 }}{{ 'a' is in ['a'] }}{{ x is not defined }}",
         "TrueTrueTrueTrue"},
        {"{{ 'x' is sequence }}{{ {} is iterable }}{{ 1.5 is float }}{{ 1 is integer }}"
         "{{ true is integer }}",
         "TrueTrueTrueTrueFalse"},
        {"{{ 1 if false }}|{{ (1 if false) is defined }}", "|False"},
    });
}

TEST(JinjaFilters, BehaveAsTheReference) {
    check({
        {"{{ [3, 1, 2] | sort(reverse=true) }} {{ ['b', 'A'] | sort }}", "[3, 2, 1] ['A', 'b']"},
        {"{{ [{'a': 2}, {'a': 1}] | sort(attribute='a') | map(attribute='a') | list }}", "[1, 2]"},
        {"{{ {'b': 1, 'A': 2} | dictsort }} {{ {'b': 1, 'a': 2} | dictsort(by='value') }}",
         "[('A', 2), ('b', 1)] [('b', 1), ('a', 2)]"},
        {"{{ [1, 2, 3, 4, 5] | batch(2, 0) | list }} {{ range(5) | slice(2) | list }}",
         "[[1, 2], [3, 4], [5, 0]] [[0, 1, 2], [3, 4]]"},
        {"{{ ['a', 'A', 'b'] | unique | list }} {{ [1, 2] | sum }} {{ [1, 3] | max }}",
         "['a', 'b'] 3 3"},
        {"{{ none | map('upper') | list }} {{ none | selectattr('a') | list }}", "[] []"},
        {"{{ [1, 0, 2] | select | list }} {{ [1, 2, 3] | reject('odd') | list }}", "[1, 2] [2]"},
        {"{{ ['a', 'b'] | map('upper') | join(', ') }}", "A, B"},
        {"{% for g, l in [{'k': 1}, {'k': 2}, {'k': 1}] | groupby('k') %}{{ g }}{{ l | length }};"
         "{% endfor %}",
         "12;21;"},
        {"{{ {'b': 1, 'a': [1.0, '\xC3\xA9', none]} | tojson(sort_keys=true) }}",
         "{\"a\": [1.0, \"\xC3\xA9\", null], \"b\": 1}"},
        {"{{ {'a': [], 'b': {'c': 1}} | tojson(indent=1) }}",
         "{\n \"a\": [],\n \"b\": {\n  \"c\": 1\n }\n}"},
        {"{{ [1, {'a': 2}] | tojson(separators=(',', ':')) }} {{ '\xC3\xA9' | tojson(true) }}",
         "[1,{\"a\":2}] \"\\u00e9\""},
        {"{{ x | tojson }}", "ERROR: Object of type Undefined is not JSON serializable"},
        {"{{ 'a b' | urlencode }} {{ '<p>a</p>  b' | striptags }} {{ 'a b' | wordcount }}",
         "a%20b a b 2"},
        {"{{ 'abc' | reverse }} {{ [1, 2] | reverse | list }} {{ [] | first }}", "cba [2, 1] "},
    });
}

TEST(JinjaDates, UseTheCLocale) {
    check({
        {"{{ strftime_now('%d %B %Y') }}", "26 July 2024"},
        {"{{ strftime_now('%H:%M:%S %j %a %A %y %p %%') }}", "09:05:07 208 Fri Friday 24 AM %"},
        {"{{ strftime_now('%Y-%m-%dT%I %f %z%Z|%U %W %w %u %V %G %e %-d %c %x %X') }}",
         "2024-07-26T09 000000 |29 30 5 5 30 2024 26 26 Fri Jul 26 09:05:07 2024 07/26/24 "
         "09:05:07"},
        {"{{ strftime_now('') }}|{{ strftime_now('100%') }}", "|100%"},
    });
}

}  // namespace
}  // namespace lanescope::test

// Methods of strings.
#include <algorithm>
#include <array>

#include "engine/text/jinja/format.h"
#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/slices.h"
#include "engine/text/jinja/strings.h"

namespace lanescope::jinja {

namespace {

constexpr std::array<std::string_view, 42> kMethods = {
    "capitalize",   "casefold", "center",    "count",      "endswith",   "find",
    "format",       "index",    "isalnum",   "isalpha",    "isascii",    "isdecimal",
    "isdigit",      "islower",  "isnumeric", "isspace",    "istitle",    "isupper",
    "join",         "ljust",    "lower",     "lstrip",     "partition",  "removeprefix",
    "removesuffix", "replace",  "rfind",     "rindex",     "rjust",      "rpartition",
    "rsplit",       "rstrip",   "split",     "splitlines", "startswith", "strip",
    "swapcase",     "title",    "upper",     "zfill",      "expandtabs", "isidentifier"};

const Text& needText(const Bound& bound, std::size_t i, const std::string& method) {
    const Value value = bound.value(i);
    if (value.isUndefined()) fail(value.whyUndefined());
    if (!value.isString()) fail(method + "() argument must be str, not " + typeName(value));
    return value.text();  // kept alive by the arguments
}

/// find, rfind, index, rindex, count: code point positions, within [start, end).
Value search(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"sub", "start", "end"}, 1);
    const std::string& mark = needText(bound, 0, name).bytes;
    const auto n = static_cast<Int>(text.length());
    const auto position = [&](std::size_t i, Int fallback) {
        return clampIndex(bound.integer(i, fallback), n, fallback);
    };
    const Int start = position(1, 0);
    const std::size_t from = text.byteOffset(static_cast<std::size_t>(start));
    const std::size_t to = text.byteOffset(static_cast<std::size_t>(position(2, n)));
    if (Budget* budget = currentBudget()) budget->copied(text.bytes.size());
    const bool countAll = name == "count";
    const bool outOfOrder = from > to || (bound.has(1) && bound.integer(1, 0) > n);
    const std::string_view part =
        outOfOrder ? std::string_view() : std::string_view(text.bytes).substr(from, to - from);
    if (countAll) {
        if (outOfOrder) return Value::integer(0);
        if (mark.empty()) return Value::integer(position(2, n) - start + 1);
        Int count = 0;
        for (std::size_t at = part.find(mark); at != std::string_view::npos;
             at = part.find(mark, at + mark.size())) {
            ++count;
        }
        return Value::integer(count);
    }
    const std::size_t at = outOfOrder            ? std::string_view::npos
                           : name.front() == 'r' ? part.rfind(mark)
                                                 : part.find(mark);
    if (at == std::string_view::npos) {
        if (name == "index" || name == "rindex") fail("substring not found");
        return Value::integer(-1);
    }
    const std::string_view before = part.substr(0, at);
    const auto codepoints = std::count_if(before.begin(), before.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return Value::integer(start + codepoints);
}

Value startsOrEnds(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"prefix", "start", "end"}, 1);
    const auto n = static_cast<Int>(text.length());
    const Int start = clampIndex(bound.integer(1, 0), n, 0);
    const Int end = std::max(start, clampIndex(bound.integer(2, n), n, n));
    const std::size_t from = text.byteOffset(static_cast<std::size_t>(start));
    const std::size_t to = text.byteOffset(static_cast<std::size_t>(end));
    const std::string_view part = std::string_view(text.bytes).substr(from, to - from);
    const Value wanted = bound.value(0);
    if (wanted.isUndefined()) fail(wanted.whyUndefined());
    const Values options = wanted.is(Kind::Tuple) ? wanted.items().values : Values{wanted};
    for (const Value& option : options) {
        if (!option.isString()) {
            fail(name + " first arg must be str or a tuple of str, not " + typeName(option));
        }
        const std::string& mark = option.text().bytes;
        if (part.size() < mark.size()) continue;
        const std::size_t at = name == "startswith" ? 0 : part.size() - mark.size();
        if (part.substr(at, mark.size()) == mark) return Value::boolean(true);
    }
    return Value::boolean(false);
}

Value splitMethod(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"sep", "maxsplit"});
    const Int limit = bound.integer(1, -1);
    const bool atSpace = !bound.has(0) || bound.value(0).is(Kind::None);
    const Text* separator = atSpace ? nullptr : &needText(bound, 0, name);
    return Value::list(split(text, separator, limit, name == "rsplit"));
}

Value partition(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"sep"}, 1);
    const Text& mark = needText(bound, 0, name);
    if (mark.bytes.empty()) fail("empty separator");
    const bool fromRight = name == "rpartition";
    const std::size_t at = fromRight ? text.bytes.rfind(mark.bytes) : text.bytes.find(mark.bytes);
    const Value nothing = Value::string("");
    const Value whole = Value::string(slice(text, 0, text.bytes.size()));
    if (at == std::string::npos) {
        return Value::tuple(fromRight ? Values{nothing, nothing, whole}
                                      : Values{whole, nothing, nothing});
    }
    const std::size_t end = at + mark.bytes.size();
    return Value::tuple({Value::string(slice(text, 0, at)), Value::string(slice(text, at, end)),
                         Value::string(slice(text, end, text.bytes.size()))});
}

Value stripMethod(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"chars"});
    const Ends ends = name == "lstrip" ? Ends::Left : name == "rstrip" ? Ends::Right : Ends::Both;
    if (!bound.has(0) || bound.value(0).is(Kind::None)) return Value::string(strip(text, ends));
    return Value::string(strip(text, ends, &needText(bound, 0, name)));
}

Value padMethod(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"width", "fillchar"}, 1);
    const Ends at = name == "ljust" ? Ends::Left : name == "rjust" ? Ends::Right : Ends::Both;
    return Value::string(pad(text, bound.integer(0, 0), at, *bound.text(1, " ")));
}

Value zfill(const Text& text, const Args& args) {
    const Bound bound("zfill", args, {"width"}, 1);
    const Int missing = narrow(bound.integer(0, 0)) - static_cast<Int>(text.length());
    const bool sign = !text.bytes.empty() && (text.bytes[0] == '+' || text.bytes[0] == '-');
    TextBuilder out;
    out.append(text, 0, sign ? 1 : 0);
    if (missing > 0) out.repeat("0", static_cast<std::size_t>(missing));
    out.append(text, sign ? 1 : 0, text.bytes.size());
    return Value::string(out.finish());
}

Value expandTabs(const Text& text, const Args& args) {
    const Bound bound("expandtabs", args, {"tabsize"});
    const Int size = std::min<Int>(bound.integer(0, 8), 1 << 20);
    TextBuilder out;
    Int column = 0;
    for (std::size_t at = 0; at < text.bytes.size();) {
        const std::size_t from = at;
        const std::uint32_t c = nextCodepoint(text.bytes, at);
        if (c != '\t') {
            out.append(text, from, at);
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        } else if (size > 0) {
            const Int spaces = size - column % size;
            out.repeat(" ", static_cast<std::size_t>(spaces));
            column += spaces;
        }
    }
    return Value::string(out.finish(text.markup));
}

Value removeAffix(const Text& text, const std::string& name, const Args& args) {
    const Bound bound(name.c_str(), args, {"affix"}, 1);
    const std::string& mark = needText(bound, 0, name).bytes;
    const std::size_t size = text.bytes.size();
    if (mark.size() > size) return Value::string(slice(text, 0, size));
    const bool prefix = name == "removeprefix";
    const std::size_t at = prefix ? 0 : size - mark.size();
    if (text.bytes.compare(at, mark.size(), mark) != 0) return Value::string(slice(text, 0, size));
    return Value::string(prefix ? slice(text, mark.size(), size) : slice(text, 0, at));
}

/// The is… methods: every code point fits and there is at least one.
Value classify(const Text& text, const std::string& name) {
    chargeWork(text.bytes.size() * 8);
    bool any = false;
    bool all = true;
    bool inWord = false;
    for (std::size_t at = 0; at < text.bytes.size();) {
        const std::uint32_t c = nextCodepoint(text.bytes, at);
        const bool digit = c >= '0' && c <= '9';
        const bool up = isCasedUpper(c);
        const bool low = isCasedLower(c);
        if (name == "isupper" || name == "islower" || name == "istitle") {
            any = any || up || low;
            if (name == "isupper" && low) all = false;
            if (name == "islower" && up) all = false;
            if (name == "istitle" && ((up && inWord) || (low && !inWord))) all = false;
            inWord = up || low;
            continue;
        }
        any = true;
        if (name == "isspace") all = all && isSpace(c);
        if (name == "isalpha") all = all && isLetter(c);
        if (name == "isalnum") all = all && (isLetter(c) || digit);
        if (name == "isdigit" || name == "isnumeric" || name == "isdecimal") all = all && digit;
        if (name == "isidentifier") {
            all = all && (isLetter(c) || c == '_' || (digit && inWord));
            inWord = true;
        }
    }
    return Value::boolean(any && all);
}

Value changeCase(const Text& text, const std::string& name) {
    if (name == "upper") return Value::string(upper(text));
    if (name == "lower" || name == "casefold") return Value::string(lower(text));
    if (name == "title") return Value::string(titleMethod(text));
    if (name == "swapcase") return Value::string(swapcase(text));
    return Value::string(capitalize(text));
}

Value replaceMethod(const Text& text, const Args& args) {
    const Bound bound("replace", args, {"old", "new", "count"}, 2);
    return Value::string(replace(text, needText(bound, 0, "replace"), needText(bound, 1, "replace"),
                                 bound.integer(2, -1)));
}

Value joinMethod(const Text& text, const Args& args) {
    const Bound bound("join", args, {"iterable"}, 1);
    const Values items = iterate(bound.value(0));
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].isString()) {
            fail("sequence item " + std::to_string(i) + ": expected str instance, " +
                 typeName(items[i]) + " found");
        }
    }
    return Value::string(joinTexts(text, items));
}

}  // namespace

bool hasStringMethod(std::string_view name) {
    return std::find(kMethods.begin(), kMethods.end(), name) != kMethods.end();
}

Value callStringMethod(Interpreter& interpreter, const Value& self, const std::string& name,
                       const Args& args) {
    const Text& text = self.text();
    if (name == "format") return formatBraces(interpreter, text, args);
    if (name == "strip" || name == "lstrip" || name == "rstrip")
        return stripMethod(text, name, args);
    if (name == "split" || name == "rsplit") return splitMethod(text, name, args);
    if (name == "startswith" || name == "endswith") return startsOrEnds(text, name, args);
    if (name == "replace") return replaceMethod(text, args);
    if (name == "join") return joinMethod(text, args);
    if (name == "partition" || name == "rpartition") return partition(text, name, args);
    if (name == "removeprefix" || name == "removesuffix") return removeAffix(text, name, args);
    if (name == "ljust" || name == "rjust" || name == "center") return padMethod(text, name, args);
    if (name == "zfill") return zfill(text, args);
    if (name == "expandtabs") return expandTabs(text, args);
    if (name == "count" || name == "find" || name == "rfind" || name == "index" ||
        name == "rindex") {
        return search(text, name, args);
    }
    if (name == "splitlines") {
        const Bound bound("splitlines", args, {"keepends"});
        return Value::list(splitLines(text, bound.flag(0, false)));
    }
    const Bound bound(name.c_str(), args, {});
    if (name == "isascii") return Value::boolean(text.ascii);
    if (name.substr(0, 2) == "is") return classify(text, name);
    return changeCase(text, name);
}

}  // namespace lanescope::jinja

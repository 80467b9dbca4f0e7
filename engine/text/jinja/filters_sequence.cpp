// Filters on sequences and mappings.
#include <algorithm>

#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/slices.h"
#include "engine/text/jinja/strings.h"

namespace lanescope::jinja {

namespace {

Value lengthFilter(Interpreter&, const Value& value, const Args&) {
    return Value::integer(length(value));
}

Value listFilter(Interpreter&, const Value& value, const Args&) {
    return Value::list(iterate(value));
}

Value firstFilter(Interpreter&, const Value& value, const Args&) {
    if (value.is(Kind::Iterator)) {  // takes one, leaves the rest
        Items& items = value.items();
        if (items.next < items.values.size()) return items.values[items.next++];
        return Value::undefined("No first item, sequence was empty.");
    }
    const Values items = iterate(value);
    return items.empty() ? Value::undefined("No first item, sequence was empty.") : items.front();
}

Value lastFilter(Interpreter&, const Value& value, const Args&) {
    if (value.is(Kind::Iterator)) fail("'generator' object is not reversible");
    const Values items = iterate(value);
    return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Value defaultFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("default", args, {"default_value", "boolean"});
    const bool use = value.isUndefined() || (bound.flag(1, false) && !truth(value));
    if (!use) return value;
    return bound.has(0) ? bound.value(0) : Value::string("");
}

Value reverseFilter(Interpreter&, const Value& value, const Args&) {
    if (value.isString()) return sliceValue(value, std::nullopt, std::nullopt, -1);
    Values items = iterate(value);
    std::reverse(items.begin(), items.end());
    return Value::iterator(std::move(items));
}

Value itemsFilter(Interpreter&, const Value& value, const Args&) {
    Values out;
    if (value.isUndefined()) return Value::iterator(std::move(out));
    if (!value.is(Kind::Dict)) fail("Can only get item pairs from a mapping.");
    for (const auto& [key, item] : value.dict().entries) out.push_back(Value::tuple({key, item}));
    return Value::iterator(std::move(out));
}

Value attrFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound("attr", args, {"name"}, 1);
    const std::string name = bound.text(0)->bytes;
    if (value.is(Kind::Dict) && value.dict().find(std::string_view(name)) != nullptr) {
        return Value::undefined("'dict object' has no attribute '" + name + "'");
    }
    return interpreter.getAttribute(value, name);
}

/// The arguments behind the first `skip`.
Args behind(const Args& args, std::size_t skip) {
    Args rest;
    for (std::size_t i = skip; i < args.positional.size(); ++i) {
        rest.positional.push_back(args.positional[i]);
    }
    rest.keywords = args.keywords;
    return rest;
}

/// What map and select walk: nothing for none and everything else that is false.
Values iterateIfTrue(const Value& value) {
    return truth(value) ? iterate(value) : Values();
}

Value mapFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    Values items = iterateIfTrue(value);
    if (args.positional.empty() && args.keyword("attribute") != nullptr) {
        const Value* fallback = args.keyword("default");
        for (const auto& [name, ignored] : args.keywords) {
            if (name != "attribute" && name != "default") {
                fail("map() got an unexpected keyword argument '" + name + "'");
            }
        }
        for (Value& item : items) {
            interpreter.budget().iteration();
            item = interpreter.getPath(item, *args.keyword("attribute"), fallback);
        }
        return Value::iterator(std::move(items));
    }
    if (args.positional.empty()) fail("map requires a filter argument");
    const std::string name = str(args.positional[0])->bytes;
    const Args rest = behind(args, 1);
    for (Value& item : items) {
        interpreter.budget().iteration();
        item = interpreter.applyFilter(name, item, rest);
    }
    return Value::iterator(std::move(items));
}

template <bool ByAttribute, bool Wanted>
Value selectFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    constexpr std::size_t kName = ByAttribute ? 1 : 0;
    if (ByAttribute && args.positional.empty()) fail("Missing parameter for attribute name");
    const bool hasTest = args.positional.size() > kName;
    const std::string test = hasTest ? str(args.positional[kName])->bytes : std::string();
    const Args rest = behind(args, kName + 1);
    Values out;
    for (Value& item : iterateIfTrue(value)) {
        interpreter.budget().iteration();
        const Value looked = ByAttribute ? interpreter.getPath(item, args.positional[0]) : item;
        const bool fits = hasTest ? interpreter.applyTest(test, looked, rest) : truth(looked);
        if (fits == Wanted) out.push_back(std::move(item));
    }
    return Value::iterator(std::move(out));
}

Value batchFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("batch", args, {"linecount", "fill_with"}, 1);
    const Int size = bound.integer(0, 1);
    Values out;
    Values row;
    for (Value& item : iterate(value)) {
        if (static_cast<Int>(row.size()) == size && !row.empty()) {
            out.push_back(Value::list(std::move(row)));
            row.clear();
        }
        row.push_back(std::move(item));
    }
    if (!row.empty()) {
        if (bound.has(1) && !bound.value(1).is(Kind::None)) {
            if (size > kMaxRange) fail("range limit reached: batch of more than 100000");
            while (static_cast<Int>(row.size()) < size) row.push_back(bound.value(1));
        }
        out.push_back(Value::list(std::move(row)));
    }
    return Value::iterator(std::move(out));
}

Value sliceFilter(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("slice", args, {"slices", "fill_with"}, 1);
    const Values items = iterate(value);
    const Int slices = bound.integer(0, 1);
    if (slices <= 0) fail("integer division or modulo by zero");
    if (slices > kMaxRange) fail("range limit reached: more than 100000 slices");
    const auto count = static_cast<std::size_t>(slices);
    const std::size_t per = items.size() / count;
    const std::size_t extra = items.size() % count;
    const bool fill = bound.has(1) && !bound.value(1).is(Kind::None);
    Values out;
    std::size_t from = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t to = from + per + (i < extra ? 1 : 0);
        Values part(items.begin() + static_cast<std::ptrdiff_t>(from),
                    items.begin() + static_cast<std::ptrdiff_t>(to));
        if (fill && i >= extra) part.push_back(bound.value(1));
        out.push_back(Value::list(std::move(part)));
        from = to;
    }
    return Value::iterator(std::move(out));
}

}  // namespace

FilterTable sequenceFilters() {
    return {{"length", lengthFilter},
            {"count", lengthFilter},
            {"list", listFilter},
            {"first", firstFilter},
            {"last", lastFilter},
            {"default", defaultFilter},
            {"d", defaultFilter},
            {"reverse", reverseFilter},
            {"items", itemsFilter},
            {"attr", attrFilter},
            {"map", mapFilter},
            {"select", selectFilter<false, true>},
            {"reject", selectFilter<false, false>},
            {"selectattr", selectFilter<true, true>},
            {"rejectattr", selectFilter<true, false>},
            {"batch", batchFilter},
            {"slice", sliceFilter}};
}

}  // namespace lanescope::jinja

// Filters that order, group and add up; and the table of all filters.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/text/jinja/arithmetic.h"
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/strings.h"

namespace lanescope::jinja {

namespace {

/// Strings compare without case unless asked otherwise.
Value foldCase(const Value& value, bool caseSensitive) {
    return value.isString() && !caseSensitive ? Value::string(lower(value.text())) : value;
}

/// Sorts positions by key; stable in both directions, as Python is.
std::vector<std::size_t> sortedOrder(const Values& keys, bool descending) {
    std::vector<std::size_t> order(keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return descending ? less(keys[b], keys[a]) : less(keys[a], keys[b]);
    });
    return order;
}

Values reordered(const Values& items, const std::vector<std::size_t>& order) {
    Values out;
    out.reserve(items.size());
    for (const std::size_t i : order) out.push_back(items[i]);
    return out;
}

/// The sort key of an item: itself, one attribute, or several ("a,b") as a tuple.
Value sortKey(Interpreter& interpreter, const Value& item, const Value& attribute,
              bool caseSensitive) {
    if (attribute.isUndefined() || attribute.is(Kind::None)) return foldCase(item, caseSensitive);
    if (!attribute.isString()) {
        return foldCase(interpreter.getPath(item, attribute), caseSensitive);
    }
    const Values paths = split(attribute.text(), makeText(",").get(), -1, false);
    Values keys;
    for (const Value& path : paths) {
        keys.push_back(foldCase(interpreter.getPath(item, path), caseSensitive));
    }
    return paths.size() == 1 ? keys.front() : Value::tuple(std::move(keys));
}

Value sortFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound("sort", args, {"reverse", "case_sensitive", "attribute"});
    const Values items = iterate(value);
    Values keys;
    keys.reserve(items.size());
    for (const Value& item : items) {
        keys.push_back(sortKey(interpreter, item, bound.value(2), bound.flag(1, false)));
    }
    return Value::list(reordered(items, sortedOrder(keys, bound.flag(0, false))));
}

Value dictSort(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("dictsort", args, {"case_sensitive", "by", "reverse"});
    const std::string by = bound.text(1, "key")->bytes;
    if (by != "key" && by != "value") fail("You can only sort by either \"key\" or \"value\"");
    if (!value.is(Kind::Dict)) fail("'" + typeName(value) + "' object has no attribute 'items'");
    Values pairs;
    Values keys;
    for (const auto& [key, item] : value.dict().entries) {
        pairs.push_back(Value::tuple({key, item}));
        keys.push_back(foldCase(by == "key" ? key : item, bound.flag(0, false)));
    }
    return Value::list(reordered(pairs, sortedOrder(keys, bound.flag(2, false))));
}

Value uniqueFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound("unique", args, {"case_sensitive", "attribute"});
    std::set<std::string> seen;
    Values out;
    for (Value& item : iterate(value)) {
        interpreter.budget().iteration();
        const Value key = bound.has(1) && !bound.value(1).is(Kind::None)
                              ? interpreter.getPath(item, bound.value(1))
                              : item;
        if (seen.insert(hashKey(foldCase(key, bound.flag(0, false)))).second) {
            out.push_back(std::move(item));
        }
    }
    return Value::iterator(std::move(out));
}

Value groupBy(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound("groupby", args, {"attribute", "default", "case_sensitive"}, 1);
    const Value fallback = bound.value(1);
    const bool caseSensitive = bound.flag(2, false);
    const Values items = iterate(value);
    Values plain;
    Values keys;
    for (const Value& item : items) {
        plain.push_back(
            interpreter.getPath(item, bound.value(0), bound.has(1) ? &fallback : nullptr));
        keys.push_back(foldCase(plain.back(), caseSensitive));
    }
    Values out;
    Values members;
    const std::vector<std::size_t> order = sortedOrder(keys, false);
    for (std::size_t i = 0; i < order.size(); ++i) {
        members.push_back(items[order[i]]);
        const bool last = i + 1 == order.size() || !equal(keys[order[i]], keys[order[i + 1]]);
        if (!last) continue;
        const Value grouper = plain[order[i + 1 - members.size()]];
        out.push_back(Value::tuple({grouper, Value::list(std::move(members))}));
        members.clear();
    }
    return Value::list(std::move(out));
}

template <bool Greatest>
Value extreme(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound(Greatest ? "max" : "min", args, {"case_sensitive", "attribute"});
    const Values items = iterate(value);
    if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
    std::size_t best = 0;
    Values keys;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Value key = bound.has(1) ? interpreter.getPath(items[i], bound.value(1)) : items[i];
        keys.push_back(foldCase(key, bound.flag(0, false)));
        if (i > 0 && (Greatest ? less(keys[best], keys[i]) : less(keys[i], keys[best]))) best = i;
    }
    return items[best];
}

Value sumFilter(Interpreter& interpreter, const Value& value, const Args& args) {
    const Bound bound("sum", args, {"attribute", "start"});
    Value total = bound.has(1) ? bound.value(1) : Value::integer(0);
    if (total.isString()) fail("sum() can't sum strings");
    for (const Value& item : iterate(value)) {
        const bool byAttribute = bound.has(0) && !bound.value(0).is(Kind::None);
        total = arithmetic(Op::Add, total,
                           byAttribute ? interpreter.getPath(item, bound.value(0)) : item);
    }
    return total;
}

}  // namespace

FilterTable orderFilters() {
    return {{"sort", sortFilter}, {"dictsort", dictSort},  {"unique", uniqueFilter},
            {"groupby", groupBy}, {"min", extreme<false>}, {"max", extreme<true>},
            {"sum", sumFilter}};
}

Filter findFilter(const std::string& name) {
    static const std::unordered_map<std::string_view, Filter> kTable = [] {
        std::unordered_map<std::string_view, Filter> table;
        for (const auto& part : {textFilters(), sequenceFilters(), orderFilters()}) {
            table.insert(part.begin(), part.end());
        }
        return table;
    }();
    const auto it = kTable.find(name);
    return it == kTable.end() ? nullptr : it->second;
}

Value Interpreter::applyFilter(const std::string& name, const Value& value, const Args& args) {
    const DepthGuard guard(m_budget);
    m_budget.step();
    const Filter filter = findFilter(name);
    if (filter == nullptr) fail("No filter named '" + name + "'");
    return filter(*this, value, args);
}

}  // namespace lanescope::jinja

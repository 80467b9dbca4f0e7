// Python's rules for values: truth, equality, order, membership, length, walking.
#include <algorithm>
#include <cmath>

#include "engine/text/jinja/interpreter_types.h"
#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

std::string typeName(const Value& value) {
    switch (value.kind()) {
        case Kind::Undefined:
            return "Undefined";
        case Kind::None:
            return "NoneType";
        case Kind::Bool:
            return "bool";
        case Kind::Integer:
            return "int";
        case Kind::Float:
            return "float";
        case Kind::String:
            return value.text().markup ? "Markup" : "str";
        case Kind::List:
            return "list";
        case Kind::Tuple:
            return "tuple";
        case Kind::View:
            return value.items().name;
        case Kind::Iterator:
            return "generator";
        case Kind::Range:
            return "range";
        case Kind::Dict:
            return "dict";
        case Kind::Namespace:
            return "Namespace";
        case Kind::Callable:
            return "function";
        case Kind::Loop:
            return "LoopContext";
    }
    return "object";
}

std::string objectName(const Value& value) {
    if (value.is(Kind::None)) return "None";
    if (value.is(Kind::Namespace)) return "jinja2.utils.Namespace object";
    if (value.is(Kind::Loop)) return "jinja2.runtime.LoopContext object";
    return typeName(value) + " object";
}

bool truth(const Value& value) {
    switch (value.kind()) {
        case Kind::Undefined:
        case Kind::None:
            return false;
        case Kind::Bool:
        case Kind::Integer:
            return value.asInt() != 0;
        case Kind::Float:
            return value.asReal() != 0;
        case Kind::String:
            return !value.text().bytes.empty();
        case Kind::List:
        case Kind::Tuple:
        case Kind::View:
            return !value.items().values.empty();
        case Kind::Range:
            return value.rangeObject().length() != 0;
        case Kind::Dict:
            return !value.dict().entries.empty();
        default:
            return true;
    }
}

namespace {

bool equalItems(const Values& a, const Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Value& x, const Value& y) { return equal(x, y); });
}

bool equalDicts(const Dict& a, const Dict& b) {
    if (a.entries.size() != b.entries.size()) return false;
    return std::all_of(a.entries.begin(), a.entries.end(), [&](const auto& entry) {
        const Value* other = b.find(entry.first);
        return other != nullptr && equal(entry.second, *other);
    });
}

bool equalRanges(const RangeObject& a, const RangeObject& b) {
    const Int n = a.length();
    if (n != b.length()) return false;
    return n == 0 || (a.start == b.start && (n == 1 || a.step == b.step));
}

}  // namespace

bool equal(const Value& a, const Value& b) {
    if (Budget* budget = currentBudget()) budget->step();
    if (a.isNumber() && b.isNumber()) {
        if (a.isIntegral() && b.isIntegral()) return a.asInt() == b.asInt();
        return a.asReal() == b.asReal();
    }
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Kind::Undefined:
        case Kind::None:
            return true;
        case Kind::String:
            if (a.text().bytes.size() != b.text().bytes.size()) return false;
            chargeWork(a.text().bytes.size());
            return a.text().bytes == b.text().bytes;
        case Kind::List:
        case Kind::Tuple:
            return equalItems(a.items().values, b.items().values);
        case Kind::Dict:
            return equalDicts(a.dict(), b.dict());
        case Kind::Range:
            return equalRanges(a.rangeObject(), b.rangeObject());
        default:
            return a.identical(b);
    }
}

bool less(const Value& a, const Value& b, const char* op) {
    if (Budget* budget = currentBudget()) budget->step();
    if (a.isNumber() && b.isNumber()) {
        if (a.isIntegral() && b.isIntegral()) return a.asInt() < b.asInt();
        return a.asReal() < b.asReal();
    }
    if (a.isString() && b.isString()) {
        chargeWork(std::min(a.text().bytes.size(), b.text().bytes.size()));
        return a.text().bytes < b.text().bytes;
    }
    if (a.kind() == b.kind() && (a.is(Kind::List) || a.is(Kind::Tuple))) {
        const Values& x = a.items().values;
        const Values& y = b.items().values;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
            if (!equal(x[i], y[i])) return less(x[i], y[i], op);
        }
        return x.size() < y.size();
    }
    if (a.isUndefined()) fail(a.whyUndefined());
    if (b.isUndefined()) fail(b.whyUndefined());
    fail("'" + std::string(op) + "' not supported between instances of '" + typeName(a) +
         "' and '" + typeName(b) + "'");
}

bool contains(const Value& container, const Value& item) {
    switch (container.kind()) {
        case Kind::String:
            if (!item.isString()) {
                fail("'in <string>' requires string as left operand, not " + typeName(item));
            }
            if (Budget* budget = currentBudget()) budget->copied(container.text().bytes.size());
            return container.text().bytes.find(item.text().bytes) != std::string::npos;
        case Kind::Dict:
            return container.dict().find(item) != nullptr;
        case Kind::Range: {
            const RangeObject& range = container.rangeObject();
            if (!item.isNumber() || item.asReal() != std::trunc(item.asReal())) return false;
            const Int at = item.isIntegral() ? item.asInt() : static_cast<Int>(item.asReal());
            const bool inside = range.step > 0 ? at >= range.start && at < range.stop
                                               : at <= range.start && at > range.stop;
            return inside && (at - range.start) % range.step == 0;
        }
        case Kind::List:
        case Kind::Tuple:
        case Kind::View: {
            const Values& items = container.items().values;
            return std::any_of(items.begin(), items.end(),
                               [&](const Value& v) { return equal(v, item); });
        }
        case Kind::Undefined:
            return false;
        case Kind::Iterator: {
            Items& items = container.items();
            while (items.next < items.values.size()) {
                if (equal(items.values[items.next++], item)) return true;
            }
            return false;
        }
        default:
            fail("argument of type '" + typeName(container) + "' is not iterable");
    }
}

bool isIterable(const Value& value) {
    switch (value.kind()) {
        case Kind::None:
        case Kind::Bool:
        case Kind::Integer:
        case Kind::Float:
        case Kind::Namespace:
        case Kind::Callable:
            return false;
        default:
            return true;
    }
}

Values iterate(const Value& value) {
    Budget* budget = currentBudget();
    Values out;
    switch (value.kind()) {
        case Kind::Undefined:
            break;
        case Kind::String: {
            const Text& text = value.text();
            for (std::size_t at = 0; at < text.bytes.size();) {
                if (budget != nullptr) budget->step();
                const std::size_t from = at;
                nextCodepoint(text.bytes, at);
                out.push_back(Value::string(slice(text, from, at)));
            }
            break;
        }
        case Kind::List:
        case Kind::Tuple:
        case Kind::View:
            out = value.items().values;
            break;
        case Kind::Iterator: {
            Items& items = value.items();
            out.assign(items.values.begin() + static_cast<std::ptrdiff_t>(items.next),
                       items.values.end());
            items.next = items.values.size();
            break;
        }
        case Kind::Range: {
            const RangeObject& range = value.rangeObject();
            const Int n = range.length();
            for (Int i = 0; i < n; ++i) out.push_back(Value::integer(range.start + i * range.step));
            break;
        }
        case Kind::Dict:
            for (const auto& [key, item] : value.dict().entries) out.push_back(key);
            break;
        case Kind::Loop:
            fail("a loop object can be walked only by its own loop");
        default:
            fail("'" + typeName(value) + "' object is not iterable");
    }
    if (budget != nullptr) budget->copied(out.size() * sizeof(Value));
    return out;
}

Int length(const Value& value) {
    switch (value.kind()) {
        case Kind::Undefined:
            return 0;
        case Kind::String:
            return static_cast<Int>(value.text().length());
        case Kind::List:
        case Kind::Tuple:
        case Kind::View:
            return static_cast<Int>(value.items().values.size());
        case Kind::Range:
            return value.rangeObject().length();
        case Kind::Dict:
            return static_cast<Int>(value.dict().entries.size());
        default:
            fail("object of type '" + typeName(value) + "' has no len()");
    }
}

}  // namespace lanescope::jinja

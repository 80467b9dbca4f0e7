// Methods of dictionaries, lists, tuples, numbers and loops, and the way to strings'.
#include "engine/text/jinja/methods.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/jinja/print.h"
#include "engine/text/jinja/slices.h"

namespace lanescope::jinja {

namespace {

template <std::size_t N>
bool oneOf(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Value callDictMethod(const Value& self, const std::string& name, const Args& args) {
    const Dict& dict = self.dict();
    if (name == "get") {
        const Bound bound("get", args, {"key", "default"}, 1);
        hashKey(bound.value(0));
        if (const Value* value = dict.find(bound.value(0))) return *value;
        return bound.has(1) ? bound.value(1) : Value::none();
    }
    const Bound bound(name.c_str(), args, {});
    if (name == "copy") return self;
    Values out;
    out.reserve(dict.entries.size());
    for (const auto& [key, value] : dict.entries) {
        if (name == "keys") {
            out.push_back(key);
        } else if (name == "values") {
            out.push_back(value);
        } else {
            out.push_back(Value::tuple({key, value}));
        }
    }
    return Value::view("dict_" + name, std::move(out));
}

Value callSequenceMethod(const Value& self, const std::string& name, const Args& args) {
    const Values& items = self.items().values;
    if (name == "copy") return self;
    if (name == "count") {
        const Bound bound("count", args, {"value"}, 1);
        return Value::integer(std::count_if(items.begin(), items.end(), [&](const Value& item) {
            return equal(item, bound.value(0));
        }));
    }
    const Bound bound("index", args, {"value", "start", "stop"}, 1);
    const auto n = static_cast<Int>(items.size());
    const Int from = clampIndex(bound.integer(1, 0), n, 0);
    const Int to = clampIndex(bound.integer(2, n), n, n);
    for (Int i = from; i < to; ++i) {
        if (equal(items[static_cast<std::size_t>(i)], bound.value(0))) return Value::integer(i);
    }
    fail(repr(bound.value(0))->bytes + " is not in list");
}

Value callLoopMethod(const Value& self, const std::string& name, const Args& args) {
    Loop& loop = self.loop();
    if (!args.keywords.empty()) fail(name + "() takes no keyword arguments");
    if (name == "cycle") {
        if (args.positional.empty()) fail("no items for cycling given");
        const Int n = static_cast<Int>(args.positional.size());
        return args.positional[static_cast<std::size_t>(loop.index0 % n)];
    }
    const bool same =
        loop.hasChanged && std::equal(args.positional.begin(), args.positional.end(),
                                      loop.lastChanged.begin(), loop.lastChanged.end(), equal);
    loop.hasChanged = true;
    loop.lastChanged = args.positional;
    return Value::boolean(!same);
}

}  // namespace

bool hasMethod(const Value& object, std::string_view name) {
    static constexpr std::array<std::string_view, 5> kDict = {"get", "items", "keys", "values",
                                                              "copy"};
    switch (object.kind()) {
        case Kind::String:
            return hasStringMethod(name);
        case Kind::Dict:
            return oneOf(name, kDict);
        case Kind::List:
            return name == "count" || name == "index" || name == "copy";
        case Kind::Tuple:
            return name == "count" || name == "index";
        case Kind::Float:
            return name == "is_integer";
        default:
            return false;
    }
}

bool isMutator(const Value& object, std::string_view name) {
    static constexpr std::array<std::string_view, 8> kList = {
        "append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove"};
    static constexpr std::array<std::string_view, 5> kDict = {"clear", "pop", "popitem",
                                                              "setdefault", "update"};
    if (object.is(Kind::List)) return oneOf(name, kList);
    return object.is(Kind::Dict) && oneOf(name, kDict);
}

Value boundMethod(const Value& self, const std::string& name) {
    auto method = std::make_shared<Callable>();
    method->charge(sizeof(Callable));
    method->type = Callable::Type::Method;
    method->name = name;
    method->self = self;
    method->depth = self.depth() + 1;
    checkDepth(method->depth);
    return Value::object(Kind::Callable, std::move(method));
}

Value callMethod(Interpreter& interpreter, const Value& self, const std::string& name,
                 const Args& args) {
    switch (self.kind()) {
        case Kind::String:
            return callStringMethod(interpreter, self, name, args);
        case Kind::Dict:
            return callDictMethod(self, name, args);
        case Kind::Loop:
            return callLoopMethod(self, name, args);
        case Kind::Float:
            return Value::boolean(std::isfinite(self.asReal()) &&
                                  self.asReal() == std::trunc(self.asReal()));
        default:
            return callSequenceMethod(self, name, args);
    }
}

}  // namespace lanescope::jinja

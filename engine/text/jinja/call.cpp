// Calls, attributes and items.
#include "engine/text/jinja/functions.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/slices.h"

namespace lanescope::jinja {

Value Interpreter::makeNamespace() {
    auto ns = std::make_shared<Namespace>();
    ns->charge(sizeof(Namespace) + sizeof(Value));
    m_namespaces.push_back(Value::object(Kind::Namespace, std::move(ns)));
    return m_namespaces.back();
}

Value Interpreter::call(const Value& callee, const Args& args) {
    const DepthGuard guard(m_budget);
    if (callee.isUndefined()) fail(callee.whyUndefined());
    if (callee.is(Kind::Loop)) {
        Loop& loop = callee.loop();
        if (loop.recurse == nullptr || !loop.outer) {
            fail("The loop must have the 'recursive' marker to be called recursively");
        }
        const Bound bound("loop", args, {"iterable"}, 1);
        TextBuilder out;
        TextBuilder* previous = m_out;
        struct Restore {
            TextBuilder*& slot;
            TextBuilder* old;
            ~Restore() { slot = old; }
        } restore{m_out, previous};
        m_out = &out;
        const ScopePtr outer = loop.outer;
        runLoop(*loop.recurse, bound.value(0), loop.depth0 + 1, outer);
        return Value::string(out.finish());
    }
    if (!callee.is(Kind::Callable)) fail("'" + typeName(callee) + "' object is not callable");
    const Callable& target = callee.callable();
    switch (target.type) {
        case Callable::Type::Macro:
            return callMacro(target, args);
        case Callable::Type::Method:
            return callMethod(*this, target.self, target.name, args);
        default:
            return callFunction(*this, target.name, args);
    }
}

Value Interpreter::callMacro(const Callable& macro, const Args& args) {
    if (m_budget.macroDepth >= m_budget.limits().macroDepth) {
        fail("recursion limit reached: macros call each other deeper than " +
             std::to_string(m_budget.limits().macroDepth) + " levels");
    }
    struct Deeper {
        int& depth;
        ~Deeper() { --depth; }
    } deeper{++m_budget.macroDepth};
    const int line = m_line;
    const Enter enter(*this, std::make_shared<Scope>(macro.closure));
    bindMacro(macro, args, *m_scope);
    const Value result = Value::string(capture(macro.signature->body));
    m_line = line;
    return result;
}

void Interpreter::bindMacro(const Callable& macro, const Args& args, Scope& scope) {
    const Signature& signature = *macro.signature;
    const std::size_t n = signature.params.size();
    auto extra = std::make_shared<Dict>();
    Value caller = Value::undefined("No caller defined");
    for (const auto& [name, value] : args.keywords) {
        bool known = false;
        for (std::size_t i = args.positional.size(); i < n; ++i) {
            if (signature.params[i] == name) known = true;
        }
        if (known) continue;
        if (name == "caller" && signature.usesCaller) {
            caller = value;
        } else if (signature.usesKwargs) {
            extra->set(Value::string(name), value);
        } else {
            fail("macro '" + signature.name + "' takes no keyword argument '" + name + "'");
        }
    }
    if (args.positional.size() > n && !signature.usesVarargs) {
        fail("macro '" + signature.name + "' takes not more than " + std::to_string(n) +
             " argument(s)");
    }
    if (signature.usesCaller) scope.set("caller", caller);
    if (signature.usesKwargs) scope.set("kwargs", Dict::seal(std::move(extra)));
    if (signature.usesVarargs) {
        Values more;
        for (std::size_t i = n; i < args.positional.size(); ++i) more.push_back(args.positional[i]);
        scope.set("varargs", Value::tuple(std::move(more)));
    }
    const std::size_t firstDefault = n - signature.defaults.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::string& name = signature.params[i];
        if (i < args.positional.size()) {
            scope.set(name, args.positional[i]);
        } else if (const Value* given = args.keyword(name)) {
            scope.set(name, *given);
        } else if (i >= firstDefault) {
            scope.set(name, evaluate(*signature.defaults[i - firstDefault]));
        } else {
            scope.set(name, Value::undefined("parameter '" + name + "' was not provided"));
        }
    }
}

Value Interpreter::loopAttribute(const Value& value, const std::string& name) {
    Loop& loop = value.loop();
    if (name == "index") return Value::integer(loop.index0 + 1);
    if (name == "index0") return Value::integer(loop.index0);
    if (name == "first") return Value::boolean(loop.index0 == 0);
    if (name == "last") return Value::boolean(!loop.peek());
    if (name == "length") return Value::integer(loop.length());
    if (name == "revindex") return Value::integer(loop.length() - loop.index0);
    if (name == "revindex0") return Value::integer(loop.length() - loop.index0 - 1);
    if (name == "depth") return Value::integer(loop.depth0 + 1);
    if (name == "depth0") return Value::integer(loop.depth0);
    if (name == "previtem") {
        return loop.index0 == 0 ? Value::undefined("there is no previous item") : loop.previous;
    }
    if (name == "nextitem") {
        return loop.peek() ? loop.nextItem() : Value::undefined("there is no next item");
    }
    if (name == "cycle" || name == "changed") return boundMethod(value, name);
    return {};
}

namespace {

Value noAttribute(const Value& object, const std::string& name) {
    return Value::undefined("'" + objectName(object) + "' has no attribute '" + name + "'");
}

/// A method or other attribute Python's type has; undefined without a reason if it has none.
Value attributeOf(const Value& object, const std::string& name) {
    if (name.substr(0, 1) == "_" || isMutator(object, name)) {
        return Value::undefined(
            "access to attribute '" + name + "' of '" + typeName(object) + "' object is unsafe.",
            true);
    }
    if (hasMethod(object, name)) return boundMethod(object, name);
    if (object.is(Kind::Tuple) && object.items().values.size() == 2) {
        if (name == "grouper") return object.items().values[0];  // what groupby gives
        if (name == "list") return object.items().values[1];
    }
    return {};
}

}  // namespace

Value Interpreter::getAttribute(const Value& object, const std::string& name) {
    switch (object.kind()) {
        case Kind::Undefined:
            fail(object.whyUndefined());
        case Kind::Namespace:
            if (const Value* value = object.ns().find(name)) return *value;
            return noAttribute(object, name);
        case Kind::Loop: {
            Value value = loopAttribute(object, name);
            return value.isUndefined() && value.depth() == 0 && value.address() == nullptr
                       ? noAttribute(object, name)
                       : value;
        }
        case Kind::Callable:
            if (name == "name") return Value::string(object.callable().name);
            return noAttribute(object, name);
        default:
            break;
    }
    const bool priv = name.substr(0, 1) == "_";
    if (!priv) {
        const Value attribute = attributeOf(object, name);
        if (!attribute.isUndefined() || attribute.address() != nullptr) return attribute;
    }
    if (object.is(Kind::Dict)) {
        if (const Value* value = object.dict().find(std::string_view(name))) return *value;
    }
    return noAttribute(object, name);
}

Value Interpreter::getItem(const Value& object, const Value& key) {
    if (object.isUndefined()) fail(object.whyUndefined());
    if (object.is(Kind::Dict)) {
        if (const Value* value = object.dict().find(key)) return *value;
    } else if (key.isIntegral()) {
        if (const auto value = itemAt(object, key.asInt())) return *value;
    }
    if (key.isString()) return getAttribute(object, key.text().bytes);
    TextBuilder why;
    why.append(objectName(object));
    why.append(" has no element ");
    appendRepr(why, key);
    return Value::undefined(why.bytes());
}

Value Interpreter::getPath(const Value& object, const Value& path, const Value* fallback) {
    Value value = object;
    const auto step = [&](const Value& key) {
        value = getItem(value, key);
        if (value.isUndefined() && fallback != nullptr) value = *fallback;
    };
    if (!path.isString()) {
        step(path);
        return value;
    }
    const std::string& bytes = path.text().bytes;
    for (std::size_t from = 0; from <= bytes.size();) {
        const std::size_t dot = std::min(bytes.find('.', from), bytes.size());
        const std::string part = bytes.substr(from, dot - from);
        const bool number = !part.empty() && part.size() < 10 &&
                            part.find_first_not_of("0123456789") == std::string::npos;
        step(number ? Value::integer(std::stoi(part)) : Value::string(part));
        from = dot + 1;
    }
    return value;
}

}  // namespace lanescope::jinja

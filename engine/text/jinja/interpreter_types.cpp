#include "engine/text/jinja/interpreter_types.h"

#include <limits>

#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

const Value* Scope::findHere(std::string_view name) const {
    chargeWork(variables.size() * 8);  // searched one by one
    for (const auto& [key, value] : variables) {
        if (key == name) return &value;
    }
    return nullptr;
}

const Value* Scope::find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get()) {
        if (const Value* value = scope->findHere(name)) return value;
    }
    return nullptr;
}

void Scope::set(std::string_view name, Value value) {
    chargeWork(variables.size() * 8);
    for (auto& [key, old] : variables) {
        if (key == name) {
            old = std::move(value);
            return;
        }
    }
    variables.emplace_back(std::string(name), std::move(value));
}

std::string Callable::describe() const {
    switch (type) {
        case Type::Macro:
            return "<Macro '" + name + "'>";
        case Type::Method:
            return "<built-in method " + name + " of " + typeName(self) + " object>";
        default:
            return "<function " + name + ">";
    }
}

bool Loop::peek() {
    while (aheadNext >= ahead.size()) {
        if (next >= source.size()) return false;
        ahead.clear();
        aheadNext = 0;
        Value item = source[next++];
        if (!filter || filter(item)) ahead.push_back(std::move(item));
    }
    return true;
}

bool Loop::advance() {
    if (!peek()) return false;
    ++index0;
    previous = std::move(current);
    current = std::move(ahead[aheadNext++]);
    return true;
}

Int Loop::length() {
    if (!filtered) return static_cast<Int>(source.size());
    while (next < source.size()) {
        Value item = source[next++];
        if (!filter || filter(item)) ahead.push_back(std::move(item));
    }
    return index0 + 1 + static_cast<Int>(ahead.size() - aheadNext);
}

void Loop::finish() {
    filter = nullptr;
    outer.reset();
}

const Value* Args::keyword(std::string_view name) const {
    chargeWork(keywords.size() * 8);
    for (const auto& [key, value] : keywords) {
        if (key == name) return &value;
    }
    return nullptr;
}

Bound::Bound(const char* callee, const Args& args, std::initializer_list<const char*> params,
             std::size_t required)
    : m_values(params.size()), m_callee(callee) {
    if (args.positional.size() > params.size()) {
        fail(std::string(callee) + "() takes at most " + std::to_string(params.size()) +
             " arguments (" + std::to_string(args.positional.size()) + " given)");
    }
    for (std::size_t i = 0; i < args.positional.size(); ++i) m_values[i] = args.positional[i];
    for (const auto& [name, value] : args.keywords) {
        std::size_t i = 0;
        for (const char* param : params) {
            if (name == param) break;
            ++i;
        }
        if (i == params.size()) {
            fail(std::string(callee) + "() got an unexpected keyword argument '" + name + "'");
        }
        if (m_values[i]) {
            fail(std::string(callee) + "() got multiple values for argument '" + name + "'");
        }
        m_values[i] = value;
    }
    for (std::size_t i = 0; i < required; ++i) {
        if (!m_values[i]) {
            fail(std::string(callee) + "() missing required argument '" + *(params.begin() + i) +
                 "'");
        }
    }
}

TextPtr Bound::text(std::size_t i, const char* fallback) const {
    return m_values[i] ? str(*m_values[i]) : makeText(fallback);
}

Int Bound::integer(std::size_t i, Int fallback) const {
    if (!m_values[i] || m_values[i]->is(Kind::None)) return fallback;
    const Value& value = *m_values[i];
    if (value.isUndefined()) fail(value.whyUndefined());
    if (!value.isIntegral()) {
        fail(std::string(m_callee) + "(): '" + typeName(value) +
             "' object cannot be interpreted as an integer");
    }
    return value.asInt();
}

bool Bound::flag(std::size_t i, bool fallback) const {
    return m_values[i] ? truth(*m_values[i]) : fallback;
}

std::int64_t narrow(Int value) {
    if (value < std::numeric_limits<std::int64_t>::min() ||
        value > std::numeric_limits<std::int64_t>::max()) {
        fail("number limit reached: " + printInt(value) + " does not fit into 64 bits");
    }
    return static_cast<std::int64_t>(value);
}

}  // namespace lanescope::jinja

#include "engine/text/jinja/value.h"

#include <algorithm>
#include <cmath>

#include "engine/text/jinja/interpreter_types.h"
#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

namespace {

constexpr std::size_t kIndexFrom = 12;  ///< entries from which a dictionary keeps an index

int depthOver(const Values& values) {
    int deepest = 0;
    for (const Value& value : values) deepest = std::max(deepest, value.depth());
    return deepest + 1;
}

}  // namespace

void checkDepth(int depth) {
    if (depth > kMaxValueDepth) {
        fail("nesting limit reached: lists and dictionaries nest deeper than " +
             std::to_string(kMaxValueDepth) + " levels");
    }
}

void fail(std::string message) {
    throw Failure{std::move(message)};
}

Value Value::boolean(bool b) {
    Value value(Kind::Bool);
    value.m_int = b ? 1 : 0;
    return value;
}

Value Value::integer(Int i) {
    Value value(Kind::Integer);
    value.m_int = i;
    return value;
}

Value Value::real(double d) {
    Value value(Kind::Float);
    value.m_real = d;
    return value;
}

Value Value::object(Kind kind, std::shared_ptr<Object> object) {
    Value value(kind);
    value.m_object = std::move(object);
    return value;
}

Value Value::string(TextPtr text) {
    return object(Kind::String, std::const_pointer_cast<Text>(std::move(text)));
}

Value Value::string(std::string_view text, bool fromInput) {
    return string(makeText(text, fromInput));
}

Value Value::sequence(Kind kind, Values items) {
    auto object = std::make_shared<Items>();
    object->charge(sizeof(Items) + items.size() * sizeof(Value));
    chargeWork(512 + items.size() * sizeof(Value));  // an allocation costs about as much as 4 steps
    object->depth = depthOver(items);
    checkDepth(object->depth);
    object->values = std::move(items);
    return Value::object(kind, std::move(object));
}

Value Value::view(std::string name, Values items) {
    Value value = sequence(Kind::View, std::move(items));
    value.items().name = std::move(name);
    return value;
}

Value Value::range(Int start, Int stop, Int step) {
    auto object = std::make_shared<RangeObject>();
    object->charge(sizeof(RangeObject));
    object->start = start;
    object->stop = stop;
    object->step = step;
    return Value::object(Kind::Range, std::move(object));
}

Value Value::undefined(std::string why, bool unsafe) {
    auto object = std::make_shared<UndefinedObject>();
    object->charge(sizeof(UndefinedObject) + why.size());
    object->why = std::move(why);
    object->unsafe = unsafe;
    return Value::object(Kind::Undefined, std::move(object));
}

const Text& Value::text() const {
    return static_cast<const Text&>(*m_object);
}
TextPtr Value::textPtr() const {
    return std::static_pointer_cast<const Text>(m_object);
}
Items& Value::items() const {
    return static_cast<Items&>(*m_object);
}
const RangeObject& Value::rangeObject() const {
    return static_cast<RangeObject&>(*m_object);
}
const Dict& Value::dict() const {
    return static_cast<const Dict&>(*m_object);
}
Namespace& Value::ns() const {
    return static_cast<Namespace&>(*m_object);
}
const Callable& Value::callable() const {
    return static_cast<const Callable&>(*m_object);
}
Loop& Value::loop() const {
    return static_cast<Loop&>(*m_object);
}

std::string Value::whyUndefined() const {
    return m_object ? static_cast<UndefinedObject&>(*m_object).why : "value is undefined";
}

bool Value::identical(const Value& other) const {
    if (m_kind != other.m_kind) return false;
    if (m_object || other.m_object) return m_object == other.m_object;
    return m_kind == Kind::Float ? m_real == other.m_real : m_int == other.m_int;
}

Int RangeObject::length() const {
    if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

const Value* Dict::find(std::string_view key) const {
    chargeWork(key.size());
    if (!m_index.empty()) {
        const auto it = m_index.find("s" + std::string(key));
        return it == m_index.end() ? nullptr : &entries[it->second].second;
    }
    for (const auto& [name, value] : entries) {
        if (name.isString() && name.text().bytes == key) return &value;
    }
    return nullptr;
}

const Value* Dict::find(const Value& key) const {
    if (key.isString()) return find(std::string_view(key.text().bytes));
    const std::string hash = hashKey(key);
    if (!m_index.empty()) {
        const auto it = m_index.find(hash);
        return it == m_index.end() ? nullptr : &entries[it->second].second;
    }
    for (const auto& [name, value] : entries) {
        if (!name.isString() && hashKey(name) == hash) return &value;
    }
    return nullptr;
}

void Dict::set(Value key, Value value) {
    chargeWork(1024);  // hashing and storing
    if (const Value* there = find(key)) {
        *const_cast<Value*>(there) = std::move(value);
        return;
    }
    if (!m_index.empty()) m_index.emplace(hashKey(key), entries.size());
    entries.emplace_back(std::move(key), std::move(value));
    if (m_index.empty() && entries.size() >= kIndexFrom) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            m_index.emplace(hashKey(entries[i].first), i);
        }
    }
}

Value Dict::seal(std::shared_ptr<Dict> dict) {
    dict->charge(sizeof(Dict) + dict->entries.size() * (2 * sizeof(Value) + 64));
    chargeWork(512);
    int deepest = 0;
    for (const auto& [key, value] : dict->entries) {
        deepest = std::max({deepest, key.depth(), value.depth()});
    }
    dict->depth = deepest + 1;
    checkDepth(dict->depth);
    return Value::object(Kind::Dict, std::move(dict));
}

const Value* Namespace::find(std::string_view name) const {
    chargeWork(attributes.size() * 8);  // searched one by one
    for (const auto& [key, value] : attributes) {
        if (key == name) return &value;
    }
    return nullptr;
}

void Namespace::set(std::string_view name, Value value) {
    chargeWork(attributes.size() * 8);
    for (auto& [key, old] : attributes) {
        if (key == name) {
            old = std::move(value);
            return;
        }
    }
    charge(name.size() + sizeof(Value) + 64);
    attributes.emplace_back(std::string(name), std::move(value));
}

std::string hashKey(const Value& value) {
    switch (value.kind()) {
        case Kind::String:
            chargeWork(value.text().bytes.size());
            return "s" + value.text().bytes;
        case Kind::Bool:
        case Kind::Integer:
            return "i" + printInt(value.asInt());
        case Kind::Float: {
            const double d = value.asReal();
            if (std::abs(d) < 1e30 && d == std::trunc(d)) {
                return "i" + printInt(static_cast<Int>(d));
            }
            return "f" + printFloat(d);
        }
        case Kind::None:
            return "n";
        case Kind::Tuple: {
            std::string key = "t(";
            for (const Value& item : value.items().values) {
                const std::string part = hashKey(item);
                key += std::to_string(part.size()) + ":" + part;
            }
            return key;
        }
        case Kind::List:
        case Kind::Dict:
        case Kind::View:
            fail("unhashable type: '" + typeName(value) + "'");
        case Kind::Undefined:
            return "u";
        default:
            return "p" + std::to_string(reinterpret_cast<std::uintptr_t>(value.address()));
    }
}

}  // namespace lanescope::jinja

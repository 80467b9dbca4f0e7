#pragma once
// The values templates compute with, and Python's rules for them: truth, equality, order, type
// names. Values are immutable but for namespaces and iterators, so containers never form cycles
// (a namespace may; the interpreter empties them all at the end). Printing: print.h.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/text/jinja/text.h"

namespace lanescope::jinja {

/// Wide enough for every integer JSON can carry; over it is a named failure, not wrap-around.
__extension__ typedef __int128 Int;

enum class Kind : std::uint8_t {
    Undefined,
    None,
    Bool,
    Integer,
    Float,
    String,
    List,
    Tuple,
    View,      ///< dict.keys(), .values(), .items(): iterable, has a length, no index
    Iterator,  ///< what map, select … give: can be walked once
    Range,
    Dict,
    Namespace,
    Callable,
    Loop,
};

struct Items;
struct RangeObject;
struct Dict;
struct Namespace;
struct Callable;
struct Loop;
struct UndefinedObject;
class Value;
using Values = std::vector<Value>;

class Value {
  public:
    Value() = default;  ///< undefined without a reason
    static Value none() { return Value(Kind::None); }
    static Value boolean(bool b);
    static Value integer(Int i);
    static Value real(double d);
    static Value string(TextPtr text);
    static Value string(std::string_view text, bool fromInput = false);
    static Value list(Values items) { return sequence(Kind::List, std::move(items)); }
    static Value tuple(Values items) { return sequence(Kind::Tuple, std::move(items)); }
    static Value iterator(Values items) { return sequence(Kind::Iterator, std::move(items)); }
    static Value view(std::string name, Values items);
    static Value range(Int start, Int stop, Int step);
    static Value object(Kind kind, std::shared_ptr<Object> object);
    /// `unsafe`: the sandbox refuses it; using it says so.
    static Value undefined(std::string why, bool unsafe = false);

    [[nodiscard]] Kind kind() const { return m_kind; }
    [[nodiscard]] bool is(Kind kind) const { return m_kind == kind; }
    [[nodiscard]] bool isUndefined() const { return m_kind == Kind::Undefined; }
    [[nodiscard]] bool isString() const { return m_kind == Kind::String; }
    [[nodiscard]] bool isNumber() const {
        return m_kind == Kind::Bool || m_kind == Kind::Integer || m_kind == Kind::Float;
    }
    [[nodiscard]] bool isIntegral() const {
        return m_kind == Kind::Bool || m_kind == Kind::Integer;
    }
    [[nodiscard]] Int asInt() const { return m_int; }  ///< Bool and Int
    [[nodiscard]] double asReal() const {
        return m_kind == Kind::Float ? m_real : static_cast<double>(m_int);
    }
    [[nodiscard]] const Text& text() const;
    [[nodiscard]] TextPtr textPtr() const;
    [[nodiscard]] Items& items() const;  ///< List, Tuple, View, Iterator
    [[nodiscard]] const RangeObject& rangeObject() const;
    [[nodiscard]] const Dict& dict() const;
    [[nodiscard]] Namespace& ns() const;
    [[nodiscard]] const Callable& callable() const;
    [[nodiscard]] Loop& loop() const;
    [[nodiscard]] std::string whyUndefined() const;
    [[nodiscard]] const void* address() const { return m_object.get(); }
    [[nodiscard]] bool identical(const Value& other) const;
    [[nodiscard]] int depth() const { return m_object ? m_object->depth : 0; }

  private:
    explicit Value(Kind kind) : m_kind(kind) {}
    static Value sequence(Kind kind, Values items);

    Kind m_kind = Kind::Undefined;
    union {
        Int m_int = 0;
        double m_real;
    };
    std::shared_ptr<Object> m_object;
};

struct UndefinedObject : Object {
    std::string why;
    bool unsafe = false;
};

struct Items : Object {
    Values values;
    std::size_t next = 0;  ///< Iterator only: how far it was walked
    std::string name;      ///< View only: "dict_items" …
};

struct RangeObject : Object {
    Int start = 0, stop = 0, step = 1;
    [[nodiscard]] Int length() const;
};

struct Dict : Object {
    std::vector<std::pair<Value, Value>> entries;

    [[nodiscard]] const Value* find(const Value& key) const;
    [[nodiscard]] const Value* find(std::string_view key) const;
    /// Only while being built. Replaces the value of a key that is there.
    void set(Value key, Value value);
    /// Ends building: charges the budget, fixes the depth.
    static Value seal(std::shared_ptr<Dict> dict);

  private:
    std::unordered_map<std::string, std::size_t> m_index;  ///< by hashKey; empty while small
};

struct Namespace : Object {
    std::vector<std::pair<std::string, Value>> attributes;
    [[nodiscard]] const Value* find(std::string_view name) const;
    void set(std::string_view name, Value value);
};

/// Fails with Python's wording for a type that does not fit.
[[noreturn]] void fail(std::string message);
std::string typeName(const Value& value);
/// What the reference implementation calls a value in "… has no attribute".
std::string objectName(const Value& value);
/// A key under which equal hashable values meet; fails for unhashable kinds.
std::string hashKey(const Value& value);

bool truth(const Value& value);
bool equal(const Value& a, const Value& b);
/// a < b as Python orders; fails for kinds without order.
bool less(const Value& a, const Value& b, const char* op = "<");
bool contains(const Value& container, const Value& item);
/// The values one gets by walking it; an iterator is used up. Fails if not iterable.
Values iterate(const Value& value);
bool isIterable(const Value& value);
/// len(); fails if it has none.
Int length(const Value& value);
/// Fails if lists and dictionaries would nest too deep.
void checkDepth(int depth);

}  // namespace lanescope::jinja

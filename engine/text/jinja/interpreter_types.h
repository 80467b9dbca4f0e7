#pragma once
// What only a running template has: scopes, macros and functions as values, the state of a loop,
// and the arguments of a call.

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/jinja/ast.h"
#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

/// The variables of a block; looked up outwards. A loop turn, a macro call … has its own.
struct Scope {
    explicit Scope(std::shared_ptr<Scope> outer) : parent(std::move(outer)) {}

    std::shared_ptr<Scope> parent;
    std::vector<std::pair<std::string, Value>> variables;
    bool registered = false;  ///< captured by a macro: emptied when the rendering ends

    [[nodiscard]] const Value* findHere(std::string_view name) const;
    [[nodiscard]] const Value* find(std::string_view name) const;
    void set(std::string_view name, Value value);
};

struct Callable : Object {
    enum class Type : std::uint8_t {
        Function,  ///< a global of this name
        Method,    ///< method `name` of `self`
        Macro,
    };
    Type type = Type::Function;
    std::string name;
    Value self;
    const Signature* signature = nullptr;
    std::shared_ptr<Scope> closure;

    [[nodiscard]] std::string describe() const;
};

/// The `loop` variable and the walk behind it. Items are filtered only as they are reached, as in
/// the reference implementation (a filter may read what the body changes).
struct Loop : Object {
    std::vector<Value> source;
    std::size_t next = 0;                      ///< in source
    std::function<bool(const Value&)> filter;  ///< empty: every item
    std::vector<Value> ahead;                  ///< filtered items not yet walked
    std::size_t aheadNext = 0;
    bool filtered = false;  ///< whether `filter` was given (it is dropped when the loop ends)
    Int index0 = -1;
    Value previous, current;
    const Stmt* recurse = nullptr;  ///< a loop marked recursive
    std::shared_ptr<Scope> outer;   ///< of such a loop
    Int depth0 = 0;
    std::vector<Value> lastChanged;
    bool hasChanged = false;

    /// Moves to the next item; false at the end.
    bool advance();
    bool peek();   ///< whether there is a next item
    Int length();  ///< walks the rest if filtered
    const Value& nextItem() const { return ahead[aheadNext]; }
    void finish();  ///< drops what could form a cycle
};

/// Evaluated arguments of a call, filter or test.
struct Args {
    Values positional;
    std::vector<std::pair<std::string, Value>> keywords;

    [[nodiscard]] const Value* keyword(std::string_view name) const;
    [[nodiscard]] bool empty() const { return positional.empty() && keywords.empty(); }
};

/// Arguments by parameter name. Fails, with the callee's name, for too many or unknown ones.
class Bound {
  public:
    Bound(const char* callee, const Args& args, std::initializer_list<const char*> params,
          std::size_t required = 0);

    [[nodiscard]] bool has(std::size_t i) const { return m_values[i].has_value(); }
    /// Undefined if not given.
    [[nodiscard]] Value value(std::size_t i) const { return m_values[i].value_or(Value()); }
    [[nodiscard]] TextPtr text(std::size_t i, const char* fallback = "") const;
    [[nodiscard]] Int integer(std::size_t i, Int fallback) const;
    [[nodiscard]] bool flag(std::size_t i, bool fallback) const;

  private:
    std::vector<std::optional<Value>> m_values;
    const char* m_callee;
};

/// An int64 out of a wide integer; fails if it does not fit.
std::int64_t narrow(Int value);

}  // namespace lanescope::jinja

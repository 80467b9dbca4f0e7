#pragma once
// Runs a syntax tree. One object renders once. Statements: interpreter.cpp; expressions:
// evaluate.cpp; calls and attributes: call.cpp; what templates can call: filters_*.cpp, tests.cpp,
// methods_*.cpp, functions.cpp.

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/jinja/interpreter_types.h"

namespace lanescope::jinja {

class Interpreter {
  public:
    Interpreter(const Block& root, Budget& budget, std::optional<std::tm> now);
    ~Interpreter();
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;

    void setGlobal(const std::string& name, Value value) { m_globals->set(name, std::move(value)); }
    /// The rendered text with its origins. Throws Failure (with a line).
    TextPtr render();

    // --- for filters, tests, methods and functions
    Value call(const Value& callee, const Args& args);
    Value applyFilter(const std::string& name, const Value& value, const Args& args);
    bool applyTest(const std::string& name, const Value& value, const Args& args);
    /// value.name, and value[key] as filters' attribute= looks things up.
    Value getAttribute(const Value& object, const std::string& name);
    Value getItem(const Value& object, const Value& key);
    /// "a.b.0" from a value; `fallback` for what is undefined, if given.
    Value getPath(const Value& object, const Value& path, const Value* fallback = nullptr);
    Value makeNamespace();
    [[nodiscard]] Budget& budget() { return m_budget; }
    [[nodiscard]] const std::optional<std::tm>& now() const { return m_now; }

  private:
    enum class Flow : std::uint8_t { Normal, Break, Continue };
    using ScopePtr = std::shared_ptr<Scope>;

    /// Makes a scope current until the end of a block.
    struct Enter {
        Enter(Interpreter& interpreter, ScopePtr scope);
        ~Enter();
        Enter(const Enter&) = delete;
        Enter& operator=(const Enter&) = delete;
        Interpreter& m_interpreter;
        ScopePtr m_previous;
    };

    // --- statements
    Flow execute(const Block& block);
    Flow execute(const Stmt& stmt);
    void output(const Stmt& stmt);
    Flow executeIf(const Stmt& stmt);
    Flow executeFor(const Stmt& stmt);
    Flow runLoop(const Stmt& stmt, const Value& iterable, Int depth0, const ScopePtr& outer);
    Flow executeWith(const Stmt& stmt);
    void executeMacro(const Stmt& stmt);
    void executeCallBlock(const Stmt& stmt);
    TextPtr capture(const Block& block);
    void assign(const Expr& target, const Value& value);
    void write(const Value& value);
    Value makeMacro(const Signature& signature);

    // --- expressions
    Value evaluate(const Expr& expr);
    Value evaluateName(const Expr& expr);
    Value evaluateDict(const Expr& expr);
    Value evaluateSlice(const Expr& expr);
    Value evaluateCompare(const Expr& expr);
    Value evaluateConcat(const Expr& expr);
    Value evaluateCall(const Expr& expr, const Value* caller = nullptr);
    Value evaluateFilter(const Expr& expr, const Value& value);
    Args evaluateArgs(const CallArgs& args);
    Values evaluateAll(const std::vector<ExprPtr>& exprs);

    // --- calls
    Value callMacro(const Callable& macro, const Args& args);
    void bindMacro(const Callable& macro, const Args& args, Scope& scope);
    Value loopAttribute(const Value& loop, const std::string& name);

    const Block& m_root;
    Budget& m_budget;
    std::optional<std::tm> m_now;
    ScopePtr m_globals;
    ScopePtr m_scope;
    TextBuilder* m_out = nullptr;
    int m_line = 0;
    std::vector<ScopePtr> m_captured;
    std::vector<Value> m_namespaces;
};

}  // namespace lanescope::jinja

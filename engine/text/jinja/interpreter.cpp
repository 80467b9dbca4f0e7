// Statements. Expressions: evaluate.cpp.
#include "engine/text/jinja/interpreter.h"

#include "engine/base/format.h"
#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

Interpreter::Interpreter(const Block& root, Budget& budget, std::optional<std::tm> now)
    : m_root(root),
      m_budget(budget),
      m_now(now),
      m_globals(std::make_shared<Scope>(nullptr)),
      m_scope(std::make_shared<Scope>(m_globals)) {}

/// Scopes that macros captured and namespaces may hold each other in a ring: empty them all.
Interpreter::~Interpreter() {
    for (const ScopePtr& scope : m_captured) scope->variables.clear();
    for (const Value& ns : m_namespaces) ns.ns().attributes.clear();
}

Interpreter::Enter::Enter(Interpreter& interpreter, ScopePtr scope)
    : m_interpreter(interpreter), m_previous(std::move(interpreter.m_scope)) {
    interpreter.m_scope = std::move(scope);
}

Interpreter::Enter::~Enter() {
    m_interpreter.m_scope = std::move(m_previous);
}

TextPtr Interpreter::render() {
    try {
        TextBuilder out;
        m_out = &out;
        execute(m_root);
        return out.finish();
    } catch (Failure& failure) {
        if (failure.line == 0) failure.line = m_line;
        throw;
    }
}

Interpreter::Flow Interpreter::execute(const Block& block) {
    for (const auto& stmt : block) {
        if (const Flow flow = execute(*stmt); flow != Flow::Normal) return flow;
    }
    return Flow::Normal;
}

Interpreter::Flow Interpreter::execute(const Stmt& stmt) {
    const DepthGuard guard(m_budget);
    m_budget.step();
    m_line = stmt.line;
    switch (stmt.kind) {
        case StmtKind::Output:
            output(stmt);
            return Flow::Normal;
        case StmtKind::If:
            return executeIf(stmt);
        case StmtKind::For:
            return executeFor(stmt);
        case StmtKind::Set:
            assign(*stmt.target, evaluate(*stmt.exprs[0]));
            return Flow::Normal;
        case StmtKind::SetBlock: {
            Value value = Value::string(capture(stmt.blocks[0]));
            if (stmt.exprs[0]) value = evaluateFilter(*stmt.exprs[0], value);
            assign(*stmt.target, value);
            return Flow::Normal;
        }
        case StmtKind::Macro:
            executeMacro(stmt);
            return Flow::Normal;
        case StmtKind::CallBlock:
            executeCallBlock(stmt);
            return Flow::Normal;
        case StmtKind::Filter:
            write(evaluateFilter(*stmt.exprs[0], Value::string(capture(stmt.blocks[0]))));
            return Flow::Normal;
        case StmtKind::With:
            return executeWith(stmt);
        case StmtKind::Scope: {
            const Enter enter(*this, std::make_shared<Scope>(m_scope));
            return execute(stmt.blocks[0]);
        }
        case StmtKind::Break:
            return Flow::Break;
        case StmtKind::Continue:
            return Flow::Continue;
    }
    return Flow::Normal;
}

void Interpreter::write(const Value& value) {
    appendStr(*m_out, value);
    if (m_out->size() > m_budget.limits().outputBytes) {
        fail("output limit reached: the template writes more than " +
             formatBytes(m_budget.limits().outputBytes));
    }
}

void Interpreter::output(const Stmt& stmt) {
    for (const ExprPtr& expr : stmt.exprs) write(evaluate(*expr));
}

Interpreter::Flow Interpreter::executeIf(const Stmt& stmt) {
    for (std::size_t i = 0; i < stmt.exprs.size(); ++i) {
        if (truth(evaluate(*stmt.exprs[i]))) return execute(stmt.blocks[i]);
    }
    return stmt.blocks.size() > stmt.exprs.size() ? execute(stmt.blocks.back()) : Flow::Normal;
}

Interpreter::Flow Interpreter::executeFor(const Stmt& stmt) {
    const ScopePtr outer = m_scope;  // m_scope itself moves on with every turn
    return runLoop(stmt, evaluate(*stmt.exprs[0]), 0, outer);
}

Interpreter::Flow Interpreter::runLoop(const Stmt& stmt, const Value& iterable, Int depth0,
                                       const ScopePtr& outer) {
    auto loop = std::make_shared<Loop>();
    loop->source = iterate(iterable);
    loop->charge(sizeof(Loop) + loop->source.size() * sizeof(Value));
    for (const Value& item : loop->source) loop->depth = std::max(loop->depth, item.depth());
    checkDepth(++loop->depth);
    loop->depth0 = depth0;
    if (stmt.recursive) {
        loop->recurse = &stmt;
        loop->outer = outer;
    }
    if (stmt.exprs[1]) {
        loop->filtered = true;
        loop->filter = [&](const Value& item) {
            const Enter enter(*this, std::make_shared<Scope>(outer));
            m_budget.iteration();
            assign(*stmt.target, item);
            return truth(evaluate(*stmt.exprs[1]));
        };
    }
    struct Finish {
        Loop& loop;
        ~Finish() { loop.finish(); }
    } finish{*loop};

    const Value loopValue = Value::object(Kind::Loop, loop);
    bool any = false;
    while (loop->advance()) {
        any = true;
        m_budget.iteration();
        const Enter enter(*this, std::make_shared<Scope>(outer));
        m_scope->set("loop", loopValue);
        assign(*stmt.target, loop->current);
        if (execute(stmt.blocks[0]) == Flow::Break) break;
    }
    if (!any && !stmt.blocks[1].empty()) {
        const Enter enter(*this, std::make_shared<Scope>(outer));
        return execute(stmt.blocks[1]);
    }
    return Flow::Normal;
}

Interpreter::Flow Interpreter::executeWith(const Stmt& stmt) {
    auto scope = std::make_shared<Scope>(m_scope);
    const Values values = evaluateAll(stmt.exprs);
    const Enter enter(*this, std::move(scope));
    for (std::size_t i = 0; i < values.size(); ++i) assign(*stmt.targets[i], values[i]);
    return execute(stmt.blocks[0]);
}

/// A macro as a value; it sees the variables around it as they are when it runs.
Value Interpreter::makeMacro(const Signature& signature) {
    auto macro = std::make_shared<Callable>();
    macro->charge(sizeof(Callable) + 256);
    macro->type = Callable::Type::Macro;
    macro->name = signature.name;
    macro->signature = &signature;
    macro->closure = m_scope;
    for (ScopePtr scope = m_scope; scope && !scope->registered; scope = scope->parent) {
        scope->registered = true;
        m_captured.push_back(scope);
        m_budget.charge(sizeof(Scope) + 256);  // kept until the end
    }
    return Value::object(Kind::Callable, std::move(macro));
}

void Interpreter::executeMacro(const Stmt& stmt) {
    m_scope->set(stmt.signature->name, makeMacro(*stmt.signature));
}

void Interpreter::executeCallBlock(const Stmt& stmt) {
    const Value caller = makeMacro(*stmt.signature);
    write(evaluateCall(*stmt.exprs[0], &caller));
}

/// What a block writes, as text; its variables stay inside.
TextPtr Interpreter::capture(const Block& block) {
    TextBuilder out;
    struct Redirect {
        TextBuilder*& slot;
        TextBuilder* previous;
        ~Redirect() { slot = previous; }
    } redirect{m_out, m_out};
    m_out = &out;
    const Enter enter(*this, std::make_shared<Scope>(m_scope));
    execute(block);
    return out.finish();
}

void Interpreter::assign(const Expr& target, const Value& value) {
    if (target.kind == ExprKind::Name) {
        m_scope->set(target.name, value);
        return;
    }
    if (target.kind == ExprKind::NamespaceRef) {
        const Value* ns = m_scope->find(target.name);
        if (ns == nullptr || !ns->is(Kind::Namespace)) {
            fail("cannot assign attribute on non-namespace object");
        }
        ns->ns().set(target.attribute, value);
        return;
    }
    const Values items = iterate(value);
    if (items.size() != target.kids.size()) {
        fail((items.size() < target.kids.size() ? "not enough values to unpack (expected "
                                                : "too many values to unpack (expected ") +
             std::to_string(target.kids.size()) + ", got " + std::to_string(items.size()) + ")");
    }
    for (std::size_t i = 0; i < items.size(); ++i) assign(*target.kids[i], items[i]);
}

}  // namespace lanescope::jinja

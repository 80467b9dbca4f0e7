// Expressions.
#include <algorithm>

#include "engine/text/jinja/arithmetic.h"
#include "engine/text/jinja/functions.h"
#include "engine/text/jinja/interpreter.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/slices.h"

namespace lanescope::jinja {

Value Interpreter::evaluate(const Expr& expr) {
    const DepthGuard guard(m_budget);
    m_budget.step();
    m_line = expr.line;
    switch (expr.kind) {
        case ExprKind::Constant:
            return expr.value;
        case ExprKind::Name:
            return evaluateName(expr);
        case ExprKind::List:
            return Value::list(evaluateAll(expr.kids));
        case ExprKind::Tuple:
            return Value::tuple(evaluateAll(expr.kids));
        case ExprKind::Dict:
            return evaluateDict(expr);
        case ExprKind::Attribute:
            return getAttribute(evaluate(*expr.kids[0]), expr.name);
        case ExprKind::Item: {
            const Value object = evaluate(*expr.kids[0]);
            return getItem(object, evaluate(*expr.kids[1]));
        }
        case ExprKind::Slice:
            return evaluateSlice(expr);
        case ExprKind::Call:
            return evaluateCall(expr);
        case ExprKind::Filter:
            return evaluateFilter(expr, evaluate(*expr.kids[0]));
        case ExprKind::Test: {
            const Value value = evaluate(*expr.kids[0]);
            return Value::boolean(applyTest(expr.name, value, evaluateArgs(*expr.args)));
        }
        case ExprKind::Not:
            return Value::boolean(!truth(evaluate(*expr.kids[0])));
        case ExprKind::Negative:
            return negate(evaluate(*expr.kids[0]));
        case ExprKind::Positive:
            return positive(evaluate(*expr.kids[0]));
        case ExprKind::And:
        case ExprKind::Or: {
            Value left = evaluate(*expr.kids[0]);
            return truth(left) == (expr.kind == ExprKind::Or) ? left : evaluate(*expr.kids[1]);
        }
        case ExprKind::Conditional:
            if (truth(evaluate(*expr.kids[1]))) return evaluate(*expr.kids[0]);
            if (expr.kids[2]) return evaluate(*expr.kids[2]);
            return Value::undefined(
                "the inline if-expression evaluated to false and no else section was defined");
        case ExprKind::Concat:
            return evaluateConcat(expr);
        case ExprKind::Binary: {
            const Value left = evaluate(*expr.kids[0]);
            const Value right = evaluate(*expr.kids[1]);
            return arithmetic(expr.op, left, right);
        }
        case ExprKind::Compare:
            return evaluateCompare(expr);
        case ExprKind::NamespaceRef:
            break;
    }
    fail("this expression has no value");
}

Value Interpreter::evaluateName(const Expr& expr) {
    if (const Value* value = m_scope->find(expr.name)) return *value;
    if (isGlobalFunction(expr.name)) {
        auto function = std::make_shared<Callable>();
        function->charge(sizeof(Callable));
        function->name = expr.name;
        return Value::object(Kind::Callable, std::move(function));
    }
    return Value::undefined("'" + expr.name + "' is undefined");
}

Values Interpreter::evaluateAll(const std::vector<ExprPtr>& exprs) {
    Values values;
    values.reserve(exprs.size());
    for (const ExprPtr& expr : exprs) values.push_back(evaluate(*expr));
    return values;
}

Value Interpreter::evaluateDict(const Expr& expr) {
    auto dict = std::make_shared<Dict>();
    for (std::size_t i = 0; i + 1 < expr.kids.size(); i += 2) {
        Value key = evaluate(*expr.kids[i]);
        hashKey(key);  // fails for a list or dictionary as key
        dict->set(std::move(key), evaluate(*expr.kids[i + 1]));
    }
    return Dict::seal(std::move(dict));
}

Value Interpreter::evaluateSlice(const Expr& expr) {
    const Value object = evaluate(*expr.kids[0]);
    const auto part = [&](std::size_t i) -> std::optional<Int> {
        if (!expr.kids[i]) return std::nullopt;
        const Value value = evaluate(*expr.kids[i]);
        if (value.is(Kind::None)) return std::nullopt;
        if (value.isUndefined()) fail(value.whyUndefined());
        if (!value.isIntegral()) fail("slice indices must be integers or None");
        constexpr Int kFar = Int{1} << 62;  // beyond any length; keeps the sums below from wrapping
        return std::clamp<Int>(value.asInt(), -kFar, kFar);
    };
    const auto start = part(1);
    const auto stop = part(2);
    return sliceValue(object, start, stop, part(3));
}

Value Interpreter::evaluateConcat(const Expr& expr) {
    TextBuilder out;
    for (const ExprPtr& kid : expr.kids) appendStr(out, evaluate(*kid));
    return Value::string(out.finish());
}

Value Interpreter::evaluateCompare(const Expr& expr) {
    Value left = evaluate(*expr.kids[0]);
    for (std::size_t i = 0; i < expr.ops.size(); ++i) {
        Value right = evaluate(*expr.kids[i + 1]);
        if (!compare(expr.ops[i], left, right)) return Value::boolean(false);
        left = std::move(right);
    }
    return Value::boolean(true);
}

Args Interpreter::evaluateArgs(const CallArgs& args) {
    Args out;
    out.positional = evaluateAll(args.positional);
    for (const auto& [name, expr] : args.keywords) {
        out.keywords.emplace_back(name, evaluate(*expr));
    }
    if (args.moreArgs) {
        for (Value& value : iterate(evaluate(*args.moreArgs))) {
            out.positional.push_back(std::move(value));
        }
    }
    if (args.moreKeywords) {
        const Value more = evaluate(*args.moreKeywords);
        if (!more.is(Kind::Dict)) fail("argument after ** must be a mapping");
        for (const auto& [key, value] : more.dict().entries) {
            if (!key.isString()) fail("keywords must be strings");
            m_budget.step(4);
            out.keywords.emplace_back(key.text().bytes, value);
        }
    }
    return out;
}

Value Interpreter::evaluateCall(const Expr& expr, const Value* caller) {
    const Value callee = evaluate(*expr.kids[0]);
    Args args = evaluateArgs(*expr.args);
    if (caller != nullptr) args.keywords.emplace_back("caller", *caller);
    m_line = expr.line;
    return call(callee, args);
}

Value Interpreter::evaluateFilter(const Expr& expr, const Value& value) {
    // A block's filter chain ends in a filter without an operand: that one gets the block's text.
    const Expr* inner = expr.kids[0].get();
    const bool chained = inner != nullptr && inner->kind == ExprKind::Filter;
    const bool openEnd = [&] {
        const Expr* at = &expr;
        while (at->kind == ExprKind::Filter && at->kids[0]) at = at->kids[0].get();
        return at->kind == ExprKind::Filter;
    }();
    const Value operand = openEnd && chained ? evaluateFilter(*inner, value) : value;
    const Args args = evaluateArgs(*expr.args);
    m_line = expr.line;
    return applyFilter(expr.name, operand, args);
}

}  // namespace lanescope::jinja

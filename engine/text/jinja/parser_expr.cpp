// Expressions, weakest binding first. Statements: parser.cpp.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/text/jinja/parser_impl.h"

namespace lanescope::jinja {

std::unique_ptr<Expr> Parser::node(ExprKind kind) const {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->line = current().line;
    return expr;
}

ExprPtr Parser::done(std::unique_ptr<Expr> expr) const {
    int deepest = 0;
    const auto look = [&](const ExprPtr& kid) {
        if (kid) deepest = std::max(deepest, kid->depth);
    };
    for (const ExprPtr& kid : expr->kids) look(kid);
    if (expr->args) {
        for (const ExprPtr& kid : expr->args->positional) look(kid);
        for (const auto& keyword : expr->args->keywords) look(keyword.second);
        look(expr->args->moreArgs);
        look(expr->args->moreKeywords);
    }
    expr->depth = deepest + 1;
    if (expr->depth > kMaxExpressionDepth) {
        failHere("nesting limit reached: an expression nests deeper than " +
                 std::to_string(kMaxExpressionDepth) + " levels");
    }
    return expr;
}

ExprPtr Parser::binary(ExprKind kind, Op op, ExprPtr left, ExprPtr right) const {
    auto expr = node(kind);
    expr->line = left->line;
    expr->op = op;
    expr->kids.push_back(std::move(left));
    expr->kids.push_back(std::move(right));
    return done(std::move(expr));
}

ExprPtr Parser::parseExpression(bool withConditional) {
    const Nest nest(*this);
    return withConditional ? parseConditional() : parseOr();
}

ExprPtr Parser::parseConditional() {
    const Nest nest(*this);
    ExprPtr expr = parseOr();
    while (skipName("if")) {
        auto conditional = node(ExprKind::Conditional);
        conditional->kids.push_back(std::move(expr));
        conditional->kids.push_back(parseOr());
        conditional->kids.push_back(skipName("else") ? parseConditional() : nullptr);
        expr = done(std::move(conditional));
    }
    return expr;
}

ExprPtr Parser::parseOr() {
    ExprPtr left = parseAnd();
    while (skipName("or")) left = binary(ExprKind::Or, Op::Add, std::move(left), parseAnd());
    return left;
}

ExprPtr Parser::parseAnd() {
    ExprPtr left = parseNot();
    while (skipName("and")) left = binary(ExprKind::And, Op::Add, std::move(left), parseNot());
    return left;
}

ExprPtr Parser::parseNot() {
    if (!isName("not")) return parseCompare();
    const Nest nest(*this);
    auto expr = node(ExprKind::Not);
    advance();
    expr->kids.push_back(parseNot());
    return done(std::move(expr));
}

ExprPtr Parser::parseCompare() {
    static constexpr std::array<std::pair<std::string_view, Op>, 6> kOps = {{
        {"==", Op::Equal},
        {"!=", Op::NotEqual},
        {"<=", Op::LessEqual},
        {">=", Op::GreaterEqual},
        {"<", Op::Less},
        {">", Op::Greater},
    }};
    auto expr = node(ExprKind::Compare);
    expr->kids.push_back(parseSum());
    for (;;) {
        const auto* op = std::find_if(kOps.begin(), kOps.end(),
                                      [&](const auto& entry) { return isOp(entry.first); });
        if (op != kOps.end()) {
            advance();
            expr->ops.push_back(op->second);
        } else if (skipName("in")) {
            expr->ops.push_back(Op::In);
        } else if (isName("not") && look().kind == TokenKind::Name && look().text == "in") {
            advance();
            advance();
            expr->ops.push_back(Op::NotIn);
        } else {
            break;
        }
        expr->kids.push_back(parseSum());
    }
    if (expr->ops.empty()) return std::move(expr->kids.front());
    return done(std::move(expr));
}

ExprPtr Parser::parseSum() {
    ExprPtr left = parseConcat();
    while (isOp("+") || isOp("-")) {
        const Op op = advance().text == "+" ? Op::Add : Op::Subtract;
        left = binary(ExprKind::Binary, op, std::move(left), parseConcat());
    }
    return left;
}

ExprPtr Parser::parseConcat() {
    auto expr = node(ExprKind::Concat);
    expr->kids.push_back(parseProduct());
    while (skipOp("~")) expr->kids.push_back(parseProduct());
    if (expr->kids.size() == 1) return std::move(expr->kids.front());
    return done(std::move(expr));
}

ExprPtr Parser::parseProduct() {
    ExprPtr left = parsePower();
    for (;;) {
        Op op = Op::Multiply;
        if (isOp("/")) {
            op = Op::Divide;
        } else if (isOp("//")) {
            op = Op::FloorDivide;
        } else if (isOp("%")) {
            op = Op::Modulo;
        } else if (!isOp("*")) {
            return left;
        }
        advance();
        left = binary(ExprKind::Binary, op, std::move(left), parsePower());
    }
}

ExprPtr Parser::parsePower() {
    ExprPtr left = parseUnary();
    while (skipOp("**")) {
        left = binary(ExprKind::Binary, Op::Power, std::move(left), parseUnary());
    }
    return left;
}

ExprPtr Parser::parseUnary(bool withFilter) {
    const Nest nest(*this);
    ExprPtr expr;
    if (isOp("-") || isOp("+")) {
        auto unary = node(isOp("-") ? ExprKind::Negative : ExprKind::Positive);
        advance();
        unary->kids.push_back(parseUnary(false));
        expr = done(std::move(unary));
    } else {
        expr = parsePrimary();
    }
    expr = parsePostfix(std::move(expr));
    return withFilter ? parseFiltersAndTests(std::move(expr)) : std::move(expr);
}

ExprPtr Parser::parsePrimary(bool withNamespace) {
    const Nest nest(*this);
    if (skipOp("(")) {
        ExprPtr expr = parseTuple(true, {}, true);
        expectOp(")");
        return expr;
    }
    if (isOp("[")) return parseListLiteral();
    if (isOp("{")) return parseDictLiteral();
    return parseNameOrLiteral(withNamespace);
}

ExprPtr Parser::parseNameOrLiteral(bool withNamespace) {
    auto expr = node(ExprKind::Constant);
    switch (current().kind) {
        case TokenKind::Name: {
            const std::string name = advance().text;
            if (name == "true" || name == "True" || name == "false" || name == "False") {
                expr->value = Value::boolean(name == "true" || name == "True");
            } else if (name == "none" || name == "None") {
                expr->value = Value::none();
            } else {
                expr->kind = ExprKind::Name;
                expr->name = name;
                if (withNamespace && skipOp(".")) {
                    expr->kind = ExprKind::NamespaceRef;
                    expr->attribute = expectAnyName();
                }
                for (Signature* signature : m_signatures) {
                    if (name == "caller") signature->usesCaller = true;
                    if (name == "kwargs") signature->usesKwargs = true;
                    if (name == "varargs") signature->usesVarargs = true;
                }
            }
            return done(std::move(expr));
        }
        case TokenKind::String: {
            std::string text;
            while (current().kind == TokenKind::String) text += advance().text;
            expr->value = Value::string(text);
            return done(std::move(expr));
        }
        case TokenKind::Integer:
            expr->value = Value::integer(advance().integer);
            return done(std::move(expr));
        case TokenKind::Float:
            expr->value = Value::real(advance().real);
            return done(std::move(expr));
        default:
            failHere("unexpected '" + describe(current()) + "'");
    }
}

bool Parser::atTupleEnd(std::string_view endName) const {
    return current().kind == TokenKind::VariableEnd || current().kind == TokenKind::BlockEnd ||
           isOp(")") || (!endName.empty() && isName(endName));
}

ExprPtr Parser::parseTuple(bool withConditional, std::string_view endName, bool parenthesised) {
    auto tuple = node(ExprKind::Tuple);
    bool isTuple = false;
    while (!atTupleEnd(endName)) {
        tuple->kids.push_back(parseExpression(withConditional));
        if (!skipOp(",")) break;
        isTuple = true;
    }
    if (!isTuple) {
        if (!tuple->kids.empty()) return std::move(tuple->kids.front());
        if (!parenthesised) {
            failHere("Expected an expression, got '" + describe(current()) + "'");
        }
    }
    return done(std::move(tuple));
}

ExprPtr Parser::parseListLiteral() {
    auto list = node(ExprKind::List);
    expectOp("[");
    while (!isOp("]")) {
        list->kids.push_back(parseExpression());
        if (!isOp("]")) expectOp(",");
    }
    expectOp("]");
    return done(std::move(list));
}

ExprPtr Parser::parseDictLiteral() {
    auto dict = node(ExprKind::Dict);
    expectOp("{");
    while (!isOp("}")) {
        dict->kids.push_back(parseExpression());
        expectOp(":");
        dict->kids.push_back(parseExpression());
        if (!isOp("}")) expectOp(",");
    }
    expectOp("}");
    return done(std::move(dict));
}

ExprPtr Parser::parsePostfix(ExprPtr expr) {
    for (;;) {
        if (isOp(".") || isOp("[")) {
            expr = parseSubscript(std::move(expr));
        } else if (isOp("(")) {
            auto call = node(ExprKind::Call);
            call->kids.push_back(std::move(expr));
            call->args = parseCallArgs();
            expr = done(std::move(call));
        } else {
            return expr;
        }
    }
}

ExprPtr Parser::parseFiltersAndTests(ExprPtr expr) {
    for (;;) {
        if (isOp("|")) {
            expr = parseFilters(std::move(expr), false);
        } else if (isName("is")) {
            expr = parseTest(std::move(expr));
        } else if (isOp("(")) {
            expr = parsePostfix(std::move(expr));
        } else {
            return expr;
        }
    }
}

ExprPtr Parser::parseSubscript(ExprPtr object) {
    if (skipOp(".")) {
        if (current().kind == TokenKind::Integer) {
            auto item = node(ExprKind::Item);
            auto index = node(ExprKind::Constant);
            index->value = Value::integer(advance().integer);
            item->kids.push_back(std::move(object));
            item->kids.push_back(done(std::move(index)));
            return done(std::move(item));
        }
        auto attribute = node(ExprKind::Attribute);
        if (current().kind != TokenKind::Name) failHere("expected name or number");
        attribute->name = advance().text;
        attribute->kids.push_back(std::move(object));
        return done(std::move(attribute));
    }
    expectOp("[");
    ExprPtr expr = parseSubscriptArgument(std::move(object));
    expectOp("]");
    return expr;
}

/// What stands between [ and ]: an index, a slice, or several values (a tuple as key).
ExprPtr Parser::parseSubscriptArgument(ExprPtr object) {
    auto item = node(ExprKind::Item);
    item->kids.push_back(std::move(object));
    ExprPtr first = isOp(":") ? nullptr : parseExpression();
    if (isOp(":")) {
        item->kind = ExprKind::Slice;
        item->kids.push_back(std::move(first));
        for (int part = 0; part < 2; ++part) {
            const bool there = skipOp(":") && !isOp("]") && !isOp(":");
            item->kids.push_back(there ? parseExpression() : nullptr);
        }
        return done(std::move(item));
    }
    if (isOp(",")) {
        auto tuple = node(ExprKind::Tuple);
        tuple->kids.push_back(std::move(first));
        while (skipOp(",")) tuple->kids.push_back(parseExpression());
        first = done(std::move(tuple));
    }
    item->kids.push_back(std::move(first));
    return done(std::move(item));
}

std::unique_ptr<CallArgs> Parser::parseCallArgs() {
    const int line = current().line;
    const auto ensure = [&](bool ok) {
        if (!ok) failAt(line, "invalid syntax for function call expression");
    };
    auto args = std::make_unique<CallArgs>();
    expectOp("(");
    for (bool first = true; !isOp(")"); first = false) {
        if (!first) {
            expectOp(",");
            if (isOp(")")) break;
        }
        if (skipOp("*")) {
            ensure(!args->moreArgs && !args->moreKeywords);
            args->moreArgs = parseExpression();
        } else if (skipOp("**")) {
            ensure(!args->moreKeywords);
            args->moreKeywords = parseExpression();
        } else if (current().kind == TokenKind::Name && look().kind == TokenKind::Operator &&
                   look().text == "=") {
            ensure(!args->moreKeywords);
            std::string name = advance().text;
            advance();
            args->keywords.emplace_back(std::move(name), parseExpression());
        } else {
            ensure(!args->moreArgs && !args->moreKeywords && args->keywords.empty());
            args->positional.push_back(parseExpression());
        }
    }
    expectOp(")");
    return args;
}

std::string Parser::parseDottedName() {
    std::string name = expectAnyName();
    while (skipOp(".")) name += "." + expectAnyName();
    return name;
}

ExprPtr Parser::parseFilters(ExprPtr expr, bool startInline) {
    while (startInline || isOp("|")) {
        if (!startInline) advance();
        startInline = false;
        auto filter = node(ExprKind::Filter);
        filter->name = parseDottedName();
        filter->kids.push_back(std::move(expr));
        filter->args = isOp("(") ? parseCallArgs() : std::make_unique<CallArgs>();
        expr = done(std::move(filter));
    }
    return expr;
}

ExprPtr Parser::parseTest(ExprPtr expr) {
    auto test = node(ExprKind::Test);
    expectName("is");
    const bool negated = skipName("not");
    test->name = parseDottedName();
    test->kids.push_back(std::move(expr));
    test->args = std::make_unique<CallArgs>();
    const TokenKind kind = current().kind;
    if (isOp("(")) {
        test->args = parseCallArgs();
    } else if (((kind == TokenKind::Name && !isName("else") && !isName("or") && !isName("and")) ||
                kind == TokenKind::String || kind == TokenKind::Integer ||
                kind == TokenKind::Float || isOp("[") || isOp("{"))) {
        if (isName("is")) failHere("You cannot chain multiple tests with is");
        test->args->positional.push_back(parsePostfix(parsePrimary()));
    }
    ExprPtr result = done(std::move(test));
    if (!negated) return result;
    auto inverse = node(ExprKind::Not);
    inverse->kids.push_back(std::move(result));
    return done(std::move(inverse));
}

}  // namespace lanescope::jinja

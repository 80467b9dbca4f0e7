// Statements. Expressions: parser_expr.cpp.
#include "engine/text/jinja/parser.h"

#include <algorithm>

#include "engine/base/format.h"
#include "engine/text/jinja/parser_impl.h"

namespace lanescope::jinja {

Block parseTemplate(std::string_view source) {
    if (source.size() > kMaxSourceBytes) {
        throw Failure{"the template has " + formatBytes(source.size()) + ", the limit is " +
                      formatBytes(kMaxSourceBytes)};
    }
    return Parser(source).run();
}

Parser::Nest::Nest(Parser& parser) : m_parser(parser) {
    if (parser.m_depth >= kMaxParserDepth) {
        parser.failHere(
            "nesting limit reached: blocks and brackets nest deeper than the parser goes (" +
            std::to_string(kMaxParserDepth) + " calls)");
    }
    ++parser.m_depth;
}

const Token& Parser::look() const {
    return m_tokens[std::min(m_pos + 1, m_tokens.size() - 1)];
}

const Token& Parser::advance() {
    const Token& token = m_tokens[m_pos];
    if (m_pos + 1 < m_tokens.size()) ++m_pos;
    return token;
}

bool Parser::isOp(std::string_view text) const {
    return current().kind == TokenKind::Operator && current().text == text;
}

bool Parser::isName(std::string_view text) const {
    return current().kind == TokenKind::Name && current().text == text;
}

bool Parser::skipOp(std::string_view text) {
    if (!isOp(text)) return false;
    advance();
    return true;
}

bool Parser::skipName(std::string_view text) {
    if (!isName(text)) return false;
    advance();
    return true;
}

void Parser::failAt(int line, std::string message) const {
    throw Failure{std::move(message), line};
}

void Parser::unexpected(std::string_view expected) const {
    if (current().kind == TokenKind::Eof) {
        failHere("unexpected end of template, expected '" + std::string(expected) + "'");
    }
    failHere("expected token '" + std::string(expected) + "', got '" + describe(current()) + "'");
}

void Parser::expectOp(std::string_view text) {
    if (!skipOp(text)) unexpected(text);
}

void Parser::expectName(std::string_view text) {
    if (!skipName(text)) unexpected(text);
}

std::string Parser::expectAnyName() {
    if (current().kind != TokenKind::Name) unexpected("name");
    return advance().text;
}

void Parser::expectKind(TokenKind kind, const char* what) {
    if (current().kind != kind) unexpected(what);
    advance();
}

Block Parser::run() {
    return parseBlock({});
}

Block Parser::parseBlock(Names ends) {
    const Nest nest(*this);
    Block block;
    for (;;) {
        switch (current().kind) {
            case TokenKind::Data:
            case TokenKind::VariableBegin:
                parseOutput(block);
                break;
            case TokenKind::BlockBegin: {
                advance();
                if (current().kind == TokenKind::Name &&
                    std::find(ends.begin(), ends.end(), current().text) != ends.end()) {
                    return block;
                }
                block.push_back(parseStatement());
                expectKind(TokenKind::BlockEnd, "end of statement block");
                break;
            }
            default:
                if (ends.size() == 0) return block;
                failHere("unexpected end of template, expected '" + std::string(*ends.begin()) +
                         "'; the innermost open block is '" + m_openTags.back() + "'");
        }
    }
}

Block Parser::parseBody(Names ends) {
    skipOp(":");
    expectKind(TokenKind::BlockEnd, "end of statement block");
    return parseBlock(ends);
}

Block Parser::parseBodyTo(std::string_view end) {
    Block body = parseBody({end});
    advance();
    return body;
}

/// Data and {{ … }} that follow each other become one statement.
void Parser::parseOutput(Block& block) {
    auto stmt = std::make_unique<Stmt>();
    stmt->line = current().line;
    for (;;) {
        if (current().kind == TokenKind::Data) {
            auto data = node(ExprKind::Constant);
            data->value = Value::string(advance().text);
            stmt->exprs.push_back(done(std::move(data)));
        } else if (current().kind == TokenKind::VariableBegin) {
            advance();
            stmt->exprs.push_back(parseTuple(true, {}, false));
            expectKind(TokenKind::VariableEnd, "end of print statement");
        } else {
            break;
        }
    }
    block.push_back(std::move(stmt));
}

std::unique_ptr<Stmt> Parser::parseStatement() {
    if (current().kind != TokenKind::Name) failHere("tag name expected");
    const int line = current().line;
    const std::string tag = current().text;
    m_openTags.push_back(tag);
    advance();
    auto stmt = parseStatementNamed(tag, line);
    stmt->line = line;
    m_openTags.pop_back();
    return stmt;
}

std::unique_ptr<Stmt> Parser::parseStatementNamed(const std::string& tag, int line) {
    if (tag == "if") return parseIf(line);
    if (tag == "for") return parseFor(line);
    if (tag == "set") return parseSet(line);
    if (tag == "macro") return parseMacro(line);
    if (tag == "call") return parseCallBlock(line);
    if (tag == "filter") return parseFilterBlock(line);
    if (tag == "with") return parseWith(line);
    if (tag == "print") return parsePrint(line);
    auto stmt = std::make_unique<Stmt>();
    if (tag == "generation") {
        stmt->kind = StmtKind::Scope;
        stmt->blocks.push_back(parseBodyTo("endgeneration"));
        return stmt;
    }
    if (tag == "block") {
        stmt->kind = StmtKind::Scope;
        const std::string name = expectAnyName();
        skipName("scoped");
        skipName("required");
        stmt->blocks.push_back(parseBodyTo("endblock"));
        skipName(name);
        return stmt;
    }
    if (tag == "break" || tag == "continue") {
        if (m_loops == 0) failAt(line, "'" + tag + "' outside a loop");
        stmt->kind = tag == "break" ? StmtKind::Break : StmtKind::Continue;
        return stmt;
    }
    for (const std::string_view other : {"include", "import", "from", "extends", "autoescape"}) {
        if (tag == other) failAt(line, "'" + tag + "' is not supported in chat templates");
    }
    std::string message = "Encountered unknown tag '" + tag + "'";
    if (m_openTags.size() > 1) {
        message += "; the innermost open block is '" + m_openTags[m_openTags.size() - 2] + "'";
    }
    failAt(line, message);
}

std::unique_ptr<Stmt> Parser::parseIf(int) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::If;
    for (;;) {
        stmt->exprs.push_back(parseTuple(false, {}, false));
        stmt->blocks.push_back(parseBody({"endif", "else", "elif"}));
        const std::string end = advance().text;
        if (end == "elif") continue;
        if (end == "else") stmt->blocks.push_back(parseBodyTo("endif"));
        return stmt;
    }
}

std::unique_ptr<Stmt> Parser::parseFor(int) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::For;
    stmt->target = parseTarget(false, "in");
    expectName("in");
    stmt->exprs.push_back(parseTuple(false, "recursive", false));
    stmt->exprs.push_back(skipName("if") ? parseExpression() : nullptr);
    stmt->recursive = skipName("recursive");
    ++m_loops;
    stmt->blocks.push_back(parseBody({"endfor", "else"}));
    --m_loops;
    const bool hasElse = advance().text == "else";
    stmt->blocks.push_back(hasElse ? parseBodyTo("endfor") : Block());
    return stmt;
}

std::unique_ptr<Stmt> Parser::parseSet(int) {
    auto stmt = std::make_unique<Stmt>();
    stmt->target = parseTarget(true, {});
    if (skipOp("=")) {
        stmt->kind = StmtKind::Set;
        stmt->exprs.push_back(parseTuple(true, {}, false));
        return stmt;
    }
    stmt->kind = StmtKind::SetBlock;
    stmt->exprs.push_back(parseFilters(nullptr, false));
    stmt->blocks.push_back(parseBodyTo("endset"));
    return stmt;
}

std::unique_ptr<Stmt> Parser::parseMacro(int) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::Macro;
    auto signature = std::make_unique<Signature>();
    signature->name = expectAnyName();
    parseSignature(*signature);
    parseSignatureBody(*signature, "endmacro");
    stmt->signature = std::move(signature);
    return stmt;
}

std::unique_ptr<Stmt> Parser::parseCallBlock(int line) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::CallBlock;
    auto signature = std::make_unique<Signature>();
    signature->name = "caller";
    if (isOp("(")) parseSignature(*signature);
    stmt->exprs.push_back(parseExpression());
    if (stmt->exprs.front()->kind != ExprKind::Call) failAt(line, "expected call");
    parseSignatureBody(*signature, "endcall");
    stmt->signature = std::move(signature);
    return stmt;
}

void Parser::parseSignature(Signature& signature) {
    expectOp("(");
    while (!isOp(")")) {
        if (!signature.params.empty()) expectOp(",");
        signature.params.push_back(expectAnyName());
        if (skipOp("=")) {
            signature.defaults.push_back(parseExpression());
        } else if (!signature.defaults.empty()) {
            failHere("non-default argument follows default argument");
        }
    }
    expectOp(")");
}

void Parser::parseSignatureBody(Signature& signature, std::string_view end) {
    const int loops = m_loops;
    m_loops = 0;
    m_signatures.push_back(&signature);
    signature.body = parseBodyTo(end);
    m_signatures.pop_back();
    m_loops = loops;
}

std::unique_ptr<Stmt> Parser::parseFilterBlock(int) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::Filter;
    stmt->exprs.push_back(parseFilters(nullptr, true));
    stmt->blocks.push_back(parseBodyTo("endfilter"));
    return stmt;
}

std::unique_ptr<Stmt> Parser::parseWith(int) {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::With;
    while (current().kind != TokenKind::BlockEnd) {
        if (!stmt->targets.empty()) expectOp(",");
        stmt->targets.push_back(parseTarget(false, {}));
        expectOp("=");
        stmt->exprs.push_back(parseExpression());
    }
    stmt->blocks.push_back(parseBodyTo("endwith"));
    return stmt;
}

std::unique_ptr<Stmt> Parser::parsePrint(int) {
    auto stmt = std::make_unique<Stmt>();
    while (current().kind != TokenKind::BlockEnd) {
        if (!stmt->exprs.empty()) expectOp(",");
        stmt->exprs.push_back(parseExpression());
    }
    return stmt;
}

ExprPtr Parser::parseTarget(bool withNamespace, std::string_view endName) {
    const int line = current().line;
    auto tuple = node(ExprKind::Tuple);
    bool isTuple = false;
    while (true) {
        if (atTupleEnd(endName) || isOp("=")) break;
        tuple->kids.push_back(parsePrimary(withNamespace));
        if (!skipOp(",")) break;
        isTuple = true;
    }
    if (tuple->kids.empty()) unexpected("name");
    const auto check = [&](const Expr& target, const auto& self) -> void {
        if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) {
            for (const ExprPtr& kid : target.kids) self(*kid, self);
        } else if (target.kind != ExprKind::Name && target.kind != ExprKind::NamespaceRef) {
            failAt(line, "can't assign to this expression");
        }
    };
    for (const ExprPtr& kid : tuple->kids) check(*kid, check);
    if (!isTuple) return std::move(tuple->kids.front());
    return done(std::move(tuple));
}

}  // namespace lanescope::jinja

#pragma once
// The parser's state, shared by parser.cpp (statements) and parser_expr.cpp (expressions).

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/jinja/ast.h"
#include "engine/text/jinja/lexer.h"

namespace lanescope::jinja {

class Parser {
  public:
    explicit Parser(std::string_view source) : m_tokens(tokenize(source)) {}
    Block run();

  private:
    using Names = std::initializer_list<std::string_view>;

    // --- tokens (parser.cpp)
    [[nodiscard]] const Token& current() const { return m_tokens[m_pos]; }
    [[nodiscard]] const Token& look() const;
    const Token& advance();
    [[nodiscard]] bool isOp(std::string_view text) const;
    [[nodiscard]] bool isName(std::string_view text) const;
    bool skipOp(std::string_view text);
    bool skipName(std::string_view text);
    void expectOp(std::string_view text);
    void expectName(std::string_view text);
    std::string expectAnyName();
    void expectKind(TokenKind kind, const char* what);
    [[noreturn]] void failAt(int line, std::string message) const;
    [[noreturn]] void failHere(const std::string& message) const {
        failAt(current().line, message);
    }
    [[noreturn]] void unexpected(std::string_view expected) const;

    // --- statements (parser.cpp)
    Block parseBlock(Names ends);             ///< up to, not including, an end tag's name
    Block parseBody(Names ends);              ///< after a tag's head: "%}" and a block
    Block parseBodyTo(std::string_view end);  ///< as parseBody, then past the end tag's name
    void parseOutput(Block& block);
    std::unique_ptr<Stmt> parseStatement();
    std::unique_ptr<Stmt> parseStatementNamed(const std::string& tag, int line);
    std::unique_ptr<Stmt> parseIf(int line);
    std::unique_ptr<Stmt> parseFor(int line);
    std::unique_ptr<Stmt> parseSet(int line);
    std::unique_ptr<Stmt> parseMacro(int line);
    std::unique_ptr<Stmt> parseCallBlock(int line);
    std::unique_ptr<Stmt> parseFilterBlock(int line);
    std::unique_ptr<Stmt> parseWith(int line);
    std::unique_ptr<Stmt> parsePrint(int line);
    void parseSignature(Signature& signature);
    void parseSignatureBody(Signature& signature, std::string_view end);
    ExprPtr parseTarget(bool withNamespace, std::string_view endName);

    // --- expressions (parser_expr.cpp)
    ExprPtr parseExpression(bool withConditional = true);
    ExprPtr parseConditional();
    ExprPtr parseOr();
    ExprPtr parseAnd();
    ExprPtr parseNot();
    ExprPtr parseCompare();
    ExprPtr parseSum();
    ExprPtr parseConcat();
    ExprPtr parseProduct();
    ExprPtr parsePower();
    ExprPtr parseUnary(bool withFilter = true);
    ExprPtr parsePrimary(bool withNamespace = false);
    ExprPtr parseNameOrLiteral(bool withNamespace);
    ExprPtr parseTuple(bool withConditional, std::string_view endName, bool parenthesised);
    ExprPtr parseListLiteral();
    ExprPtr parseDictLiteral();
    ExprPtr parsePostfix(ExprPtr expr);
    ExprPtr parseFiltersAndTests(ExprPtr expr);
    ExprPtr parseSubscript(ExprPtr expr);
    ExprPtr parseSubscriptArgument(ExprPtr object);
    ExprPtr parseFilters(ExprPtr expr, bool startInline);
    ExprPtr parseTest(ExprPtr expr);
    std::string parseDottedName();
    std::unique_ptr<CallArgs> parseCallArgs();
    [[nodiscard]] bool atTupleEnd(std::string_view endName) const;
    [[nodiscard]] std::unique_ptr<Expr> node(ExprKind kind) const;
    /// Sets the depth from the children; refuses a tree that is too deep.
    ExprPtr done(std::unique_ptr<Expr> expr) const;
    ExprPtr binary(ExprKind kind, Op op, ExprPtr left, ExprPtr right) const;

    /// Counts recursion of the parser itself.
    struct Nest {
        explicit Nest(Parser& parser);
        ~Nest() { --m_parser.m_depth; }
        Nest(const Nest&) = delete;
        Nest& operator=(const Nest&) = delete;
        Parser& m_parser;
    };

    std::vector<Token> m_tokens;
    std::size_t m_pos = 0;
    int m_depth = 0;
    int m_loops = 0;                       ///< enclosing for loops, for break and continue
    std::vector<Signature*> m_signatures;  ///< enclosing macros, to note the names they use
    std::vector<std::string> m_openTags;
};

}  // namespace lanescope::jinja

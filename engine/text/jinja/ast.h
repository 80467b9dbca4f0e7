#pragma once
// The syntax tree of a template. Immutable once parsed; rendered by Interpreter.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/jinja/value.h"

namespace lanescope::jinja {

struct Expr;
using ExprPtr = std::unique_ptr<const Expr>;

enum class ExprKind : std::uint8_t {
    Constant,      ///< value
    Name,          ///< name
    List,          ///< kids
    Tuple,         ///< kids
    Dict,          ///< kids: key, value, key, value …
    Attribute,     ///< kids[0].name
    Item,          ///< kids[0][kids[1]]
    Slice,         ///< kids[0][kids[1]:kids[2]:kids[3]], absent ones null
    Call,          ///< kids[0](args)
    Filter,        ///< kids[0] | name(args); kids[0] null: applied to a block
    Test,          ///< kids[0] is name(args)
    Not,           ///< kids[0]
    Negative,      ///< kids[0]
    Positive,      ///< kids[0]
    And,           ///< kids[0], kids[1]
    Or,            ///< kids[0], kids[1]
    Conditional,   ///< kids[0] if kids[1] else kids[2] (null: undefined)
    Concat,        ///< kids, any number
    Binary,        ///< kids[0] op kids[1]
    Compare,       ///< kids[0] ops[0] kids[1] ops[1] kids[2] …
    NamespaceRef,  ///< only as a target: name.attribute
};

enum class Op : std::uint8_t {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
};

struct CallArgs {
    std::vector<ExprPtr> positional;
    std::vector<std::pair<std::string, ExprPtr>> keywords;
    ExprPtr moreArgs;      ///< *args
    ExprPtr moreKeywords;  ///< **kwargs
};

struct Expr {
    ExprKind kind = ExprKind::Constant;
    Op op = Op::Add;
    int line = 0;
    int depth = 1;
    std::string name;
    std::string attribute;
    Value value;
    std::vector<ExprPtr> kids;
    std::vector<Op> ops;
    std::unique_ptr<CallArgs> args;
};

struct Stmt;
using Block = std::vector<std::unique_ptr<const Stmt>>;

/// Parameters of a macro or of a call block.
struct Signature {
    std::string name;
    std::vector<std::string> params;
    std::vector<ExprPtr> defaults;  ///< for the last ones
    bool usesCaller = false;
    bool usesKwargs = false;
    bool usesVarargs = false;
    Block body;
};

enum class StmtKind : std::uint8_t {
    Output,     ///< exprs
    If,         ///< exprs: conditions; blocks: one per condition, then perhaps else
    For,        ///< target, exprs: iterable, filter (or null); blocks: body, else
    Set,        ///< target, exprs: value
    SetBlock,   ///< target, exprs: filter (or null); blocks: body
    Macro,      ///< signature
    CallBlock,  ///< signature, exprs: the call
    Filter,     ///< exprs: filter; blocks: body
    With,       ///< targets, exprs: values; blocks: body
    Scope,      ///< blocks: body ({% block %}, {% generation %})
    Break,
    Continue,
};

struct Stmt {
    StmtKind kind = StmtKind::Output;
    int line = 0;
    bool recursive = false;  ///< For
    ExprPtr target;
    std::vector<ExprPtr> targets;
    std::vector<ExprPtr> exprs;
    std::vector<Block> blocks;
    std::unique_ptr<const Signature> signature;
};

}  // namespace lanescope::jinja

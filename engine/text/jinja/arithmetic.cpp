#include "engine/text/jinja/arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/jinja/format.h"
#include "engine/text/jinja/interpreter_types.h"
#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

namespace {

const char* symbol(Op op) {
    static constexpr std::array<const char*, 7> kSymbols = {"+",  "-", "*",          "/",
                                                            "//", "%", "** or pow()"};
    return kSymbols[static_cast<std::size_t>(op)];
}

[[noreturn]] void unsupportedOperands(Op op, const Value& left, const Value& right) {
    if (left.isUndefined()) fail(left.whyUndefined());
    if (right.isUndefined()) fail(right.whyUndefined());
    if (op == Op::Add && left.isString()) {
        fail("can only concatenate str (not \"" + typeName(right) + "\") to str");
    }
    if (op == Op::Add && (left.is(Kind::List) || left.is(Kind::Tuple))) {
        fail("can only concatenate " + typeName(left) + " (not \"" + typeName(right) + "\") to " +
             typeName(left));
    }
    fail("unsupported operand type(s) for " + std::string(symbol(op)) + ": '" + typeName(left) +
         "' and '" + typeName(right) + "'");
}

[[noreturn]] void tooLarge() {
    fail("number limit reached: an integer does not fit into 127 bits");
}

Int floorDivide(Int a, Int b) {
    if (b == 0) fail("integer division or modulo by zero");
    if (b == -1) {
        Int negated = 0;
        if (__builtin_sub_overflow(Int{0}, a, &negated)) tooLarge();
        return negated;
    }
    const Int quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value power(Int base, Int exponent) {
    if (exponent < 0) {
        if (base == 0) fail("0.0 cannot be raised to a negative power");
        return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    }
    Int result = 1;
    while (exponent > 0) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result)) tooLarge();
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) tooLarge();
    }
    return Value::integer(result);
}

Value integers(Op op, Int a, Int b) {
    Int result = 0;
    switch (op) {
        case Op::Add:
            if (__builtin_add_overflow(a, b, &result)) tooLarge();
            return Value::integer(result);
        case Op::Subtract:
            if (__builtin_sub_overflow(a, b, &result)) tooLarge();
            return Value::integer(result);
        case Op::Multiply:
            if (__builtin_mul_overflow(a, b, &result)) tooLarge();
            return Value::integer(result);
        case Op::Divide:
            if (b == 0) fail("division by zero");
            return Value::real(static_cast<double>(a) / static_cast<double>(b));
        case Op::FloorDivide:
            return Value::integer(floorDivide(a, b));
        case Op::Modulo:
            return Value::integer(a - floorDivide(a, b) * b);
        default:
            return power(a, b);
    }
}

double floorModulo(double a, double b) {
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    return rest == 0 ? std::copysign(0.0, b) : rest;
}

Value reals(Op op, double a, double b) {
    switch (op) {
        case Op::Add:
            return Value::real(a + b);
        case Op::Subtract:
            return Value::real(a - b);
        case Op::Multiply:
            return Value::real(a * b);
        case Op::Divide:
            if (b == 0) fail("float division by zero");
            return Value::real(a / b);
        case Op::FloorDivide:
            if (b == 0) fail("float floor division by zero");
            return Value::real(std::floor((a - floorModulo(a, b)) / b + 0.5));
        case Op::Modulo:
            if (b == 0) fail("float modulo");
            return Value::real(floorModulo(a, b));
        default:
            if (a == 0 && b < 0) fail("0.0 cannot be raised to a negative power");
            if (a < 0 && b != std::trunc(b)) fail("complex numbers are not supported");
            return Value::real(std::pow(a, b));
    }
}

/// A string, list or tuple, `times` over.
Value repeat(const Value& value, Int times) {
    if (times < 0) times = 0;
    const Int size = value.isString() ? static_cast<Int>(value.text().bytes.size())
                                      : static_cast<Int>(value.items().values.size());
    if (size > 0 && times > (Int{1} << 40) / size) times = (Int{1} << 40) / size;
    const auto count = static_cast<std::size_t>(size == 0 ? 0 : times);
    if (value.isString()) {
        if (Budget* budget = currentBudget()) {
            budget->checkText(count * static_cast<std::size_t>(size));
        }
        TextPtr text = slice(value.text(), 0, count > 0 ? value.text().bytes.size() : 0);
        // Doubling keeps the number of appends small; the rest is a prefix of what is there.
        const std::size_t wanted = count * static_cast<std::size_t>(size);
        while (text->bytes.size() < wanted) {
            TextBuilder out;
            out.append(*text);
            out.append(*text, 0, std::min(text->bytes.size(), wanted - text->bytes.size()));
            text = out.finish(value.text().markup);
        }
        return Value::string(text);
    }
    const Values& items = value.items().values;
    if (Budget* budget = currentBudget()) {
        budget->charge(count * items.size() * sizeof(Value));  // refused before it is allocated
        budget->release(count * items.size() * sizeof(Value));
        budget->step(count * items.size());
    }
    Values out;
    out.reserve(count * items.size());
    for (std::size_t i = 0; i < count; ++i) out.insert(out.end(), items.begin(), items.end());
    return value.is(Kind::List) ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

Value join(const Value& left, const Value& right) {
    Values out = left.items().values;
    const Values& more = right.items().values;
    if (Budget* budget = currentBudget()) {
        budget->copied((out.size() + more.size()) * sizeof(Value));
    }
    out.insert(out.end(), more.begin(), more.end());
    return left.is(Kind::List) ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

bool isRepeatable(const Value& value) {
    return value.isString() || value.is(Kind::List) || value.is(Kind::Tuple);
}

}  // namespace

Value addText(const Text& left, const Text& right) {
    TextBuilder out;
    const bool markup = left.markup || right.markup;
    out.append(markup && !left.markup ? *escapeHtml(left) : left);
    out.append(markup && !right.markup ? *escapeHtml(right) : right);
    return Value::string(out.finish(markup));
}

Value arithmetic(Op op, const Value& left, const Value& right) {
    if (left.isNumber() && right.isNumber()) {
        if (left.isIntegral() && right.isIntegral()) {
            return integers(op, left.asInt(), right.asInt());
        }
        return reals(op, left.asReal(), right.asReal());
    }
    if (op == Op::Add) {
        if (left.isString() && right.isString()) return addText(left.text(), right.text());
        if (left.kind() == right.kind() && (left.is(Kind::List) || left.is(Kind::Tuple))) {
            return join(left, right);
        }
    }
    if (op == Op::Multiply) {
        if (isRepeatable(left) && right.isIntegral()) return repeat(left, right.asInt());
        if (isRepeatable(right) && left.isIntegral()) return repeat(right, left.asInt());
    }
    if (op == Op::Modulo && left.isString()) return formatPercent(left.text(), right);
    unsupportedOperands(op, left, right);
}

Value negate(const Value& value) {
    if (value.isIntegral()) return integers(Op::Subtract, 0, value.asInt());
    if (value.is(Kind::Float)) return Value::real(-value.asReal());
    if (value.isUndefined()) fail(value.whyUndefined());
    fail("bad operand type for unary -: '" + typeName(value) + "'");
}

Value positive(const Value& value) {
    if (value.isIntegral()) return Value::integer(value.asInt());
    if (value.is(Kind::Float)) return value;
    if (value.isUndefined()) fail(value.whyUndefined());
    fail("bad operand type for unary +: '" + typeName(value) + "'");
}

bool compare(Op op, const Value& left, const Value& right) {
    switch (op) {
        case Op::Equal:
            return equal(left, right);
        case Op::NotEqual:
            return !equal(left, right);
        case Op::Less:
            return less(left, right, "<");
        case Op::Greater:
            return less(right, left, ">");
        case Op::LessEqual:
            return left.isNumber() && right.isNumber() ? less(left, right) || equal(left, right)
                                                       : !less(right, left, "<=");
        case Op::GreaterEqual:
            return left.isNumber() && right.isNumber() ? less(right, left) || equal(left, right)
                                                       : !less(left, right, ">=");
        case Op::In:
            return contains(right, left);
        default:
            return !contains(right, left);
    }
}

}  // namespace lanescope::jinja

// What stands behind `is`, and its table.
#include <array>
#include <unordered_map>

#include "engine/text/jinja/arithmetic.h"
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/print.h"
#include "engine/text/jinja/strings.h"

namespace lanescope::jinja {

namespace {

template <Kind Wanted>
bool isKind(Interpreter&, const Value& value, const Args&) {
    return value.is(Wanted);
}

template <bool Wanted>
bool isBool(Interpreter&, const Value& value, const Args&) {
    return value.is(Kind::Bool) && (value.asInt() != 0) == Wanted;
}

template <Op Operator>
bool comparesAs(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("test", args, {"other"}, 1);
    return compare(Operator, value, bound.value(0));
}

bool isDefined(Interpreter&, const Value& value, const Args&) {
    return !value.isUndefined();
}
bool isNumber(Interpreter&, const Value& value, const Args&) {
    return value.isNumber();
}
bool isInteger(Interpreter&, const Value& value, const Args&) {
    return value.is(Kind::Integer);
}
bool isIterableTest(Interpreter&, const Value& value, const Args&) {
    return isIterable(value);
}

bool isSequence(Interpreter&, const Value& value, const Args&) {
    switch (value.kind()) {
        case Kind::Undefined:
        case Kind::String:
        case Kind::List:
        case Kind::Tuple:
        case Kind::Range:
        case Kind::Dict:
            return true;
        default:
            return false;
    }
}

bool isCallable(Interpreter&, const Value& value, const Args&) {
    return value.is(Kind::Callable) || value.is(Kind::Loop) || value.isUndefined();
}

bool isDivisible(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("divisibleby", args, {"num"}, 1);
    return !truth(arithmetic(Op::Modulo, value, bound.value(0)));
}

template <Int Rest>
bool hasRemainder(Interpreter&, const Value& value, const Args&) {
    return equal(arithmetic(Op::Modulo, value, Value::integer(2)), Value::integer(Rest));
}

bool isSame(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("sameas", args, {"other"}, 1);
    return value.identical(bound.value(0));
}

bool isIn(Interpreter&, const Value& value, const Args& args) {
    const Bound bound("in", args, {"seq"}, 1);
    return contains(bound.value(0), value);
}

bool isEscaped(Interpreter&, const Value& value, const Args&) {
    return value.isString() && value.text().markup;
}

bool isLowerCase(Interpreter& interpreter, const Value& value, const Args&) {
    Value text = Value::string(str(value));
    return truth(interpreter.call(interpreter.getAttribute(text, "islower"), {}));
}

bool isUpperCase(Interpreter& interpreter, const Value& value, const Args&) {
    Value text = Value::string(str(value));
    return truth(interpreter.call(interpreter.getAttribute(text, "isupper"), {}));
}

bool isFilterName(Interpreter&, const Value& value, const Args&) {
    return value.isString() && findFilter(value.text().bytes) != nullptr;
}

bool isTestName(Interpreter&, const Value& value, const Args&) {
    return value.isString() && findTest(value.text().bytes) != nullptr;
}

}  // namespace

Test findTest(const std::string& name) {
    static const std::unordered_map<std::string_view, Test> kTable = {
        {"defined", isDefined},
        {"undefined", isKind<Kind::Undefined>},
        {"none", isKind<Kind::None>},
        {"boolean", isKind<Kind::Bool>},
        {"true", isBool<true>},
        {"false", isBool<false>},
        {"integer", isInteger},
        {"float", isKind<Kind::Float>},
        {"number", isNumber},
        {"string", isKind<Kind::String>},
        {"mapping", isKind<Kind::Dict>},
        {"sequence", isSequence},
        {"iterable", isIterableTest},
        {"callable", isCallable},
        {"odd", hasRemainder<1>},
        {"even", hasRemainder<0>},
        {"divisibleby", isDivisible},
        {"sameas", isSame},
        {"in", isIn},
        {"escaped", isEscaped},
        {"lower", isLowerCase},
        {"upper", isUpperCase},
        {"filter", isFilterName},
        {"test", isTestName},
        {"eq", comparesAs<Op::Equal>},
        {"==", comparesAs<Op::Equal>},
        {"equalto", comparesAs<Op::Equal>},
        {"ne", comparesAs<Op::NotEqual>},
        {"!=", comparesAs<Op::NotEqual>},
        {"lt", comparesAs<Op::Less>},
        {"<", comparesAs<Op::Less>},
        {"lessthan", comparesAs<Op::Less>},
        {"le", comparesAs<Op::LessEqual>},
        {"<=", comparesAs<Op::LessEqual>},
        {"gt", comparesAs<Op::Greater>},
        {">", comparesAs<Op::Greater>},
        {"greaterthan", comparesAs<Op::Greater>},
        {"ge", comparesAs<Op::GreaterEqual>},
        {">=", comparesAs<Op::GreaterEqual>},
    };
    const auto it = kTable.find(name);
    return it == kTable.end() ? nullptr : it->second;
}

bool Interpreter::applyTest(const std::string& name, const Value& value, const Args& args) {
    m_budget.step();
    const Test test = findTest(name);
    if (test == nullptr) fail("No test named '" + name + "'");
    return test(*this, value, args);
}

}  // namespace lanescope::jinja

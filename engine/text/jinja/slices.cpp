#include "engine/text/jinja/slices.h"

#include <algorithm>

#include "engine/text/jinja/interpreter_types.h"

namespace lanescope::jinja {

Int clampIndex(std::optional<Int> index, Int length, Int fallback) {
    if (!index) return fallback;
    const Int at = *index < 0 ? *index + length : *index;
    return std::clamp<Int>(at, 0, length);
}

std::optional<Value> itemAt(const Value& object, Int index) {
    switch (object.kind()) {
        case Kind::String: {
            const Text& text = object.text();
            const auto n = static_cast<Int>(text.length());
            if (index < 0) index += n;
            if (index < 0 || index >= n) return std::nullopt;
            if (Budget* budget = currentBudget())
                budget->copied(text.ascii ? 0 : text.bytes.size());
            const std::size_t from = text.byteOffset(static_cast<std::size_t>(index));
            std::size_t to = from;
            nextCodepoint(text.bytes, to);
            return Value::string(slice(text, from, to));
        }
        case Kind::List:
        case Kind::Tuple: {
            const Values& items = object.items().values;
            const auto n = static_cast<Int>(items.size());
            if (index < 0) index += n;
            if (index < 0 || index >= n) return std::nullopt;
            return items[static_cast<std::size_t>(index)];
        }
        case Kind::Range: {
            const RangeObject& range = object.rangeObject();
            const Int n = range.length();
            if (index < 0) index += n;
            if (index < 0 || index >= n) return std::nullopt;
            return Value::integer(range.start + index * range.step);
        }
        default:
            return std::nullopt;
    }
}

namespace {

struct Positions {
    Int first = 0, count = 0, step = 1;
};

Positions resolve(Int length, std::optional<Int> start, std::optional<Int> stop,
                  std::optional<Int> step) {
    Positions out;
    out.step = step.value_or(1);
    if (out.step == 0) fail("slice step cannot be zero");
    const bool forward = out.step > 0;
    const auto clamp = [&](std::optional<Int> index, Int fallback) {
        if (!index) return fallback;
        const Int at = *index < 0 ? *index + length : *index;
        return forward ? std::clamp<Int>(at, 0, length) : std::clamp<Int>(at, -1, length - 1);
    };
    out.first = clamp(start, forward ? 0 : length - 1);
    const Int end = clamp(stop, forward ? length : -1);
    const Int span = forward ? end - out.first : out.first - end;
    const Int stride = forward ? out.step : -out.step;
    out.count = span > 0 ? (span - 1) / stride + 1 : 0;
    return out;
}

Value sliceText(const Text& text, const Positions& at) {
    if (Budget* budget = currentBudget()) budget->copied(text.ascii ? 0 : text.bytes.size());
    if (at.count == 0) return Value::string(slice(text, 0, 0));
    if (at.step == 1) {
        const auto first = static_cast<std::size_t>(at.first);
        const std::size_t from = text.byteOffset(first);
        const std::size_t to = text.byteOffset(first + static_cast<std::size_t>(at.count));
        return Value::string(slice(text, from, to));
    }
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.bytes.size();) {
        starts.push_back(i);
        nextCodepoint(text.bytes, i);
    }
    starts.push_back(text.bytes.size());
    TextBuilder out;
    for (Int i = 0; i < at.count; ++i) {
        const auto position = static_cast<std::size_t>(at.first + i * at.step);
        out.append(text, starts[position], starts[position + 1]);
    }
    return Value::string(out.finish(text.markup));
}

}  // namespace

Value sliceValue(const Value& object, std::optional<Int> start, std::optional<Int> stop,
                 std::optional<Int> step) {
    switch (object.kind()) {
        case Kind::Undefined:
            fail(object.whyUndefined());
        case Kind::String:
            return sliceText(object.text(), resolve(length(object), start, stop, step));
        case Kind::List:
        case Kind::Tuple: {
            const Positions at = resolve(length(object), start, stop, step);
            const Values& items = object.items().values;
            Values out;
            out.reserve(static_cast<std::size_t>(at.count));
            for (Int i = 0; i < at.count; ++i) {
                out.push_back(items[static_cast<std::size_t>(at.first + i * at.step)]);
            }
            if (Budget* budget = currentBudget()) budget->copied(out.size() * sizeof(Value));
            return object.is(Kind::List) ? Value::list(std::move(out))
                                         : Value::tuple(std::move(out));
        }
        case Kind::Range: {
            const RangeObject& range = object.rangeObject();
            const Positions at = resolve(range.length(), start, stop, step);
            const Int first = range.start + at.first * range.step;
            const Int stride = range.step * at.step;
            return Value::range(first, first + at.count * stride, stride);
        }
        default:
            return Value::undefined(objectName(object) + " cannot be sliced");
    }
}

}  // namespace lanescope::jinja

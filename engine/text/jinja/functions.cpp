#include "engine/text/jinja/functions.h"

#include <locale.h>
#include <clocale>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "engine/text/jinja/print.h"

namespace lanescope::jinja {

namespace {

Value makeRange(const Args& args) {
    if (!args.keywords.empty()) fail("range() takes no keyword arguments");
    if (args.positional.empty()) fail("range expected at least 1 argument, got 0");
    const Bound bound("range", args, {"start", "stop", "step"});
    const bool one = args.positional.size() == 1;
    const Int start = one ? 0 : narrow(bound.integer(0, 0));
    const Int stop = narrow(bound.integer(one ? 0 : 1, 0));
    const Int step = narrow(bound.integer(2, 1));
    if (step == 0) fail("range() arg 3 must not be zero");
    Value range = Value::range(start, stop, step);
    if (range.rangeObject().length() > kMaxRange) {
        fail("range limit reached: Range too big. The sandbox blocks ranges larger than " +
             std::to_string(kMaxRange));
    }
    return range;
}

/// Adds what a mapping, or pairs, or keywords give.
template <class Add>
void eachPair(const char* callee, const Args& args, Add add) {
    if (args.positional.size() > 1) {
        fail(std::string(callee) + " expected at most 1 argument, got " +
             std::to_string(args.positional.size()));
    }
    if (!args.positional.empty()) {
        const Value& from = args.positional[0];
        if (from.is(Kind::Dict)) {
            for (const auto& [key, value] : from.dict().entries) add(key, value);
        } else {
            for (const Value& pair : iterate(from)) {
                const Values both = iterate(pair);
                if (both.size() != 2) {
                    fail("dictionary update sequence element has length " +
                         std::to_string(both.size()) + "; 2 is required");
                }
                add(both[0], both[1]);
            }
        }
    }
    for (const auto& [name, value] : args.keywords) add(Value::string(name), value);
}

Value makeDict(const Args& args) {
    auto dict = std::make_shared<Dict>();
    eachPair("dict", args, [&](const Value& key, const Value& value) {
        hashKey(key);
        dict->set(key, value);
    });
    return Dict::seal(std::move(dict));
}

Value fillNamespace(Interpreter& interpreter, const Args& args) {
    Value ns = interpreter.makeNamespace();
    eachPair("namespace", args,
             [&](const Value& key, const Value& value) { ns.ns().set(str(key)->bytes, value); });
    return ns;
}

Value now(const Interpreter& interpreter, const Args& args) {
    const Bound bound("strftime_now", args, {"format"}, 1);
    if (!bound.value(0).isString()) fail("strftime() argument 1 must be str");
    std::tm time{};
    int microseconds = 0;
    if (interpreter.now()) {
        time = *interpreter.now();
    } else {
        const auto clock = std::chrono::system_clock::now();
        const std::time_t seconds = std::chrono::system_clock::to_time_t(clock);
        localtime_r(&seconds, &time);
        microseconds = static_cast<int>(
            std::chrono::duration_cast<std::chrono::microseconds>(clock.time_since_epoch())
                .count() %
            1'000'000);
    }
    return Value::string(strftimeC(bound.text(0)->bytes, time, microseconds));
}

}  // namespace

bool isGlobalFunction(std::string_view name) {
    static constexpr std::array<std::string_view, 5> kNames = {"range", "dict", "namespace",
                                                               "raise_exception", "strftime_now"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Value callFunction(Interpreter& interpreter, const std::string& name, const Args& args) {
    if (name == "range") return makeRange(args);
    if (name == "dict") return makeDict(args);
    if (name == "namespace") return fillNamespace(interpreter, args);
    if (name == "strftime_now") return now(interpreter, args);
    const Bound bound("raise_exception", args, {"message"}, 1);
    fail(bound.text(0)->bytes);
}

std::string strftimeC(const std::string& format, const std::tm& time, int microseconds) {
    if (format.size() > 4096) {
        fail("text limit reached: a date format is longer than 4096 bytes");
    }
    // What C's strftime does not know, or would fill from the machine's zone, goes first.
    std::string prepared;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 >= format.size()) {
            prepared.push_back(format[i]);
            if (format[i] == '%') prepared.push_back('%');
            continue;
        }
        const char code = format[++i];
        if (code == 'f') {
            std::array<char, 16> digits{};
            std::snprintf(digits.data(), digits.size(), "%06d", microseconds);
            prepared += digits.data();
        } else if (code == ':' && i + 1 < format.size() && format[i + 1] == 'z') {
            ++i;
        } else if (code != 'z' && code != 'Z') {
            prepared += {'%', code};
        }
    }
    static const locale_t cLocale = newlocale(LC_ALL_MASK, "C", nullptr);
    prepared.push_back('.');  // so that an empty result differs from "does not fit"
    std::string out(prepared.size() * 32 + 256, '\0');
    chargeWork(out.size());
    const std::size_t n = strftime_l(out.data(), out.size(), prepared.c_str(), &time, cLocale);
    if (n == 0) fail("text limit reached: a formatted date is too long");
    out.resize(n - 1);
    return out;
}

}  // namespace lanescope::jinja

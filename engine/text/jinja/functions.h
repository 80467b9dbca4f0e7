#pragma once
// Functions that templates can call by name: range, dict, namespace, raise_exception and
// strftime_now are looked up here after the variables.

#include <ctime>
#include <string>
#include <string_view>

#include "engine/text/jinja/interpreter.h"

namespace lanescope::jinja {

bool isGlobalFunction(std::string_view name);
Value callFunction(Interpreter& interpreter, const std::string& name, const Args& args);

/// datetime.strftime in the C locale, for a time without zone (%z and %Z are empty).
std::string strftimeC(const std::string& format, const std::tm& time, int microseconds);

}  // namespace lanescope::jinja

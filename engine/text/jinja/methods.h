#pragma once
// Methods of strings, dictionaries, lists, tuples and the loop object.

#include <string>
#include <string_view>

#include "engine/text/jinja/interpreter.h"

namespace lanescope::jinja {

bool hasMethod(const Value& object, std::string_view name);
/// append, pop, update …: the sandbox lets no template change lists and dictionaries.
bool isMutator(const Value& object, std::string_view name);
Value boundMethod(const Value& self, const std::string& name);
Value callMethod(Interpreter& interpreter, const Value& self, const std::string& name,
                 const Args& args);

// --- by kind, for the above
bool hasStringMethod(std::string_view name);
Value callStringMethod(Interpreter& interpreter, const Value& self, const std::string& name,
                       const Args& args);

}  // namespace lanescope::jinja

#pragma once
// The filters and tests templates can use. Each is one entry of a table: add one there.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/jinja/interpreter.h"

namespace lanescope::jinja {

using Filter = Value (*)(Interpreter&, const Value&, const Args&);
using Test = bool (*)(Interpreter&, const Value&, const Args&);
using FilterTable = std::vector<std::pair<std::string_view, Filter>>;

/// Strings and numbers (filters_text.cpp), sequences (filters_sequence.cpp), ordering and grouping
/// (filters_order.cpp).
FilterTable textFilters();
FilterTable sequenceFilters();
FilterTable orderFilters();

/// Null if there is none of this name.
Filter findFilter(const std::string& name);
Test findTest(const std::string& name);

}  // namespace lanescope::jinja

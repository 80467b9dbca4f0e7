#pragma once
// Bytes by tensor type as bars.

#include <vector>

#include "app/bridge/model_inspection.h"

namespace lanescope::app {

class BarList;

/// totalBytes: what 100 % is.
void showTypes(BarList* list, const std::vector<TypeTotal>& types, std::uint64_t totalBytes);

}  // namespace lanescope::app

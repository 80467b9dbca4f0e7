#pragma once
// What belongs to what: a token's step, the ops inside a step, the kernels that a call launched.
// Pure; each costs a few searches, whatever the size of the run.

#include <vector>

#include "app/bridge/selection.h"
#include "app/timeline/tracks.h"

namespace lanescope::app {

/// The others that one launch ties together (call and kernels), by start time; at most `limit`.
std::vector<ItemRef> linkedItems(const Timeline& timeline, const ItemRef& item,
                                 std::size_t limit = 4096);
/// One level down: the first kernel launched, or the first item inside.
ItemRef firstInside(const Timeline& timeline, const ItemRef& item);
/// One level up: the call that launched it, or the item around it.
ItemRef enclosing(const Timeline& timeline, const ItemRef& item);
/// The step (prefill, decode step) that made a token; invalid: not recorded.
ItemRef stepItem(const Timeline& timeline, int lane, int request, int step);
/// What selecting an item selects everywhere. Trace events select their time only.
Selection::State selectionOf(const Timeline& timeline, const ItemRef& item);

}  // namespace lanescope::app

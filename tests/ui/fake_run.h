#pragma once
// An executor that streams made-up tokens at a chosen speed, so that the interface can be tested
// for hours of text without a model. It honours cancel as the engine does.

#include "app/bridge/run_controller.h"

namespace lanescope::app {

struct FakeSpeed {
    int tokens = 64;         ///< per request
    int tokenMicros = 1000;  ///< between two tokens
    int spansPerToken = 40;  ///< op spans recorded for each
    bool together = false;   ///< all lanes at once, token by token, instead of one after another
};

RunController::Executor fakeExecutor(FakeSpeed speed);

}  // namespace lanescope::app

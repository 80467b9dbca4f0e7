#include "app/views/inspector/inspector.h"

namespace lanescope::app {

Inspector::Inspector(Selection*, QWidget* parent) : QWidget(parent) {}

void Inspector::setRun(profiler::RunSnapshot) {}

}  // namespace lanescope::app

#pragma once

#include "profiler/store/run_data.h"

class QWidget;

namespace lanescope::app {

void showExportDialog(profiler::RunSnapshot run, QWidget* parent);

}  // namespace lanescope::app

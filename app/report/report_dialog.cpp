#include "app/report/report_dialog.h"

namespace lanescope::app {

void showExportDialog(profiler::RunSnapshot, QWidget*) {}

}  // namespace lanescope::app

#include "app/views/runs/runs_page.h"

namespace lanescope::app {

RunsPage::RunsPage(std::shared_ptr<profiler::RunStore>, QWidget* parent) : QWidget(parent) {}

void RunsPage::refresh() {}

}  // namespace lanescope::app

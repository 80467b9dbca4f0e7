#include "app/views/kernels/kernels_page.h"

namespace lanescope::app {

KernelsPage::KernelsPage(Selection*, QWidget* parent) : QWidget(parent) {}

void KernelsPage::setRun(profiler::RunSnapshot) {}

}  // namespace lanescope::app

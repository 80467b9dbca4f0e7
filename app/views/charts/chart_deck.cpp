#include "app/views/charts/chart_deck.h"

namespace lanescope::app {

ChartDeck::ChartDeck(Selection*, QWidget* parent) : QWidget(parent) {}

void ChartDeck::setRun(profiler::RunSnapshot) {}

}  // namespace lanescope::app

#pragma once

#include <QWidget>

#include "app/bridge/selection.h"
#include "profiler/store/run_data.h"

namespace lanescope::app {

class Inspector : public QWidget {
    Q_OBJECT
  public:
    explicit Inspector(Selection* selection, QWidget* parent = nullptr);
    void setRun(profiler::RunSnapshot run);
};

}  // namespace lanescope::app

#pragma once

#include <QWidget>
#include <memory>

#include "profiler/store/run_store.h"

namespace lanescope::app {

class RunsPage : public QWidget {
    Q_OBJECT
  public:
    explicit RunsPage(std::shared_ptr<profiler::RunStore> store, QWidget* parent = nullptr);
    void refresh();

  signals:
    void openRunRequested(QString id);
    void compareRequested(QString a, QString b);
};

}  // namespace lanescope::app

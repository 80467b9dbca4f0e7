#pragma once
// Names and colours of policies, the same in every chart and table. Colours are of the lanes'
// palette, since it is safe for colour-blind eyes; no lane is meant.

#include <QColor>
#include <QString>

#include "app/bridge/serving_run.h"

namespace lanescope::app {

QString policyName(BatchPolicy policy);
QString policyTip(BatchPolicy policy);
QColor policyColor(BatchPolicy policy);
QString policyStateText(const PolicyRun& policy);

}  // namespace lanescope::app

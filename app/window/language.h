#pragma once
// The language of the interface: system, English or Simplified Chinese; translations are compiled
// in.

#include <QString>

class QApplication;

namespace lanescope::app {

/// "en", "zh_CN"; "" or "system": as the system says.
void applyLanguage(QApplication& app, const QString& language);
/// What was asked for: "system", "en" or "zh_CN".
QString languageChoice();

}  // namespace lanescope::app

#pragma once
// "?": all keys on one page.

class QWidget;

namespace lanescope::app {

void showKeysDialog(QWidget* parent);
void showAboutDialog(QWidget* parent);

}  // namespace lanescope::app

#include <QApplication>

#include "app/theme/theme.h"
#include "app/window/main_window.h"

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lanescope"));
    QApplication::setOrganizationName(QStringLiteral("lanescope"));
    lanescope::app::applyTheme(app, lanescope::app::ThemeChoice::System);
    auto store = lanescope::profiler::RunStore::open(lanescope::profiler::RunStore::defaultPath());
    lanescope::app::MainWindow window(store ? *store : nullptr);
    window.show();
    return QApplication::exec();
}

#include <QApplication>
#include <QIcon>
#include <cstdio>
#include <variant>

#include "app/window/app_shell.h"
#include "engine/base/mapping_guard.h"

int main(int argc, char** argv) {
    using lanescope::app::AppShell;
    using lanescope::app::CommandLine;
    lanescope::installMappingGuard();
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lanescope"));
    QApplication::setOrganizationName(QStringLiteral("lanescope"));
    QApplication::setApplicationVersion(QStringLiteral(LANESCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("lanescope"));
    QApplication::setQuitOnLastWindowClosed(false);

    const auto parsed = lanescope::app::parseCommandLine(QApplication::arguments());
    if (const auto* wrong = std::get_if<QString>(&parsed)) {
        std::fprintf(stderr, "error: %s\n", qPrintable(*wrong));
        return 2;
    }
    const auto& line = std::get<CommandLine>(parsed);
    if (!line.help.isEmpty()) {
        std::printf("%s", qPrintable(line.help));
        return 0;
    }
    AppShell shell(app, line);
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/lanescope.svg")));
    QObject::connect(&shell, &AppShell::finished, &app, &QApplication::exit, Qt::QueuedConnection);
    return QApplication::exec();
}

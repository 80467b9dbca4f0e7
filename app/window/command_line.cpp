#include "app/window/command_line.h"

#include <QCommandLineParser>
#include <QRegularExpression>

namespace lanescope::app {

ThemeChoice themeFromName(const QString& name) {
    if (name == QLatin1String("dark")) return ThemeChoice::Dark;
    if (name == QLatin1String("light")) return ThemeChoice::Light;
    return ThemeChoice::System;
}

QString themeName(ThemeChoice choice) {
    switch (choice) {
        case ThemeChoice::Dark:
            return QStringLiteral("dark");
        case ThemeChoice::Light:
            return QStringLiteral("light");
        case ThemeChoice::System:
            break;
    }
    return QStringLiteral("system");
}

std::variant<CommandLine, QString> parseCommandLine(const QStringList& arguments) {
    // Option texts stay English, like the rest of the command line: no translator is there yet.
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Profiler and playground for LLM inference cost."));
    const QCommandLineOption help({QStringLiteral("h"), QStringLiteral("help")},
                                  QStringLiteral("Show this help."));
    const QCommandLineOption language(
        QStringLiteral("language"), QStringLiteral("Language: en or zh_CN."), QStringLiteral("L"));
    const QCommandLineOption theme(QStringLiteral("theme"),
                                   QStringLiteral("Theme: light, dark or system."),
                                   QStringLiteral("T"));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QStringLiteral("Run the plan, save one PNG a page into DIR and exit."),
        QStringLiteral("DIR"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QStringLiteral("Window size, e.g. 1024x640."),
                                  QStringLiteral("WxH"));
    parser.addOptions({help, language, theme, screenshot, size});
    parser.addPositionalArgument(
        QStringLiteral("files"),
        QStringLiteral("Models, plans, stored runs or traces (JSON) to open."),
        QStringLiteral("[MODEL or PLAN or RUN or TRACE …]"));
    if (!parser.parse(arguments)) return parser.errorText();
    CommandLine line;
    if (parser.isSet(help)) {
        line.help = parser.helpText();
        return line;
    }
    line.files = parser.positionalArguments();
    line.language = parser.value(language);
    static const QStringList kLanguages{QString(), QStringLiteral("en"), QStringLiteral("zh_CN"),
                                        QStringLiteral("system")};
    if (!kLanguages.contains(line.language))
        return QStringLiteral("--language %1: known are en, zh_CN, system").arg(line.language);
    if (parser.isSet(theme)) {
        const QString name = parser.value(theme);
        line.theme = themeFromName(name);
        line.themeGiven = true;
        if (themeName(line.theme) != name)
            return QStringLiteral("--theme %1: known are light, dark, system").arg(name);
    }
    line.screenshotDir = parser.value(screenshot);
    if (parser.isSet(size)) {
        static const QRegularExpression kSize(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
        const auto match = kSize.match(parser.value(size));
        if (!match.hasMatch())
            return QStringLiteral("--size %1: expected WIDTHxHEIGHT, e.g. 1024x640")
                .arg(parser.value(size));
        line.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
    }
    return line;
}

}  // namespace lanescope::app
